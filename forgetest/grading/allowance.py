"""What the system lets this process use: verdicts may not hang on less than grading grants."""

import resource
from dataclasses import dataclass

from forgetest.errors import ToolchainError
from forgetest.grading.limits import Limits
from forgetest.process import KIB, MIB
from forgetest.sandbox.plan import TEST_FILES

_STACK = 8 * MIB  # of each command, as everywhere
_PROCESSES = 128  # compilers and their threads; tests with more threads than that are rare
_MOST_FILES = 1 << 16  # open at once, when a thousand requests are under way


@dataclass(frozen=True, slots=True)
class _Need:
    number: int  # of the limit
    name: str
    option: str  # of the shell's ulimit
    least: int
    unit: int = 1  # of the shell's figure


def demand_allowance(limits: Limits) -> None:
    """Raise ToolchainError, which names the limits, where the system grants less than `limits`.

    A sample that is held to less than the report says would fail by this machine's doing.
    """
    short = [need for need in _needs(limits) if _is_less(_hard(need.number), need.least)]
    if short:
        said = ", ".join(
            f"{need.name} to {_hard(need.number) // need.unit} (ulimit -H{need.option};"
            f" {need.least // need.unit} are needed)"
            for need in short
        )
        raise ToolchainError(f"this system limits {said}; raise that where it was set")


def use_all_files() -> None:
    """Let this process open as many files as its hard limit allows: each request takes some."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if _is_less(soft, wanted):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _needs(limits: Limits) -> tuple[_Need, ...]:
    memory = max(limits.compile_address_space, limits.test_address_space)
    file_size = max(limits.compile_file_size, limits.test_file_size)
    return (
        _Need(resource.RLIMIT_AS, "memory in KiB", "v", memory, KIB),
        _Need(resource.RLIMIT_FSIZE, "files in KiB", "f", file_size, KIB),
        _Need(resource.RLIMIT_CPU, "processor time in seconds", "t", limits.compile_cpu_secs + 1),
        _Need(resource.RLIMIT_STACK, "the stack in KiB", "s", _STACK, KIB),
        _Need(resource.RLIMIT_NOFILE, "open files", "n", TEST_FILES),
        _Need(resource.RLIMIT_NPROC, "processes", "u", _PROCESSES),
    )


def _hard(number: int) -> int:
    return resource.getrlimit(number)[1]


def _is_less(limit: int, least: int) -> bool:
    return limit != resource.RLIM_INFINITY and limit < least
