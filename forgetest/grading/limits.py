"""What compiling and testing one sample may use, and which defences are on.

A report states the `Limits`. `demand_allowance` refuses a machine that grants a process less: a
verdict must not depend on it. `Defences` are all on, except in tests that show that each of them is
needed. `Order` is the order in which a sample's tests run; no verdict of a run depends on it.
"""

import math
import resource
from dataclasses import dataclass
from enum import StrEnum

from forgetest.errors import ToolchainError
from forgetest.evalset.types import Case
from forgetest.sandbox.plan import TEST_FILES
from forgetest.system.process import GIB, KIB, MIB, CommandLimits


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one sample; sizes in bytes, times in seconds."""

    source_bytes: int = MIB
    compile_wall_secs: float = 20.0  # of each compiler call
    compile_cpu_secs: int = 20
    compile_address_space: int = 4 * GIB
    compile_file_size: int = 256 * MIB
    tests_wall_secs: float = 60.0  # of all tests of a sample, where the case sets no limit
    test_wall_secs: float = 5.0  # of each test, where the case sets no limit
    test_cpu_secs: int = 4
    test_address_space: int = 2 * GIB
    test_file_size: int = 16 * MIB
    output_kept: int = MIB  # of each stream of a test
    output_killed: int = 8 * MIB
    dependencies_wall_secs: float = 900.0  # of each cargo call that prepares dependencies

    def compile(self, case: Case) -> CommandLimits:
        """Return the limits of one compiler call; a case's longer time limit holds here, too."""
        wall_secs = max(self.compile_wall_secs, case.timeout_secs or 0.0)
        return CommandLimits(
            wall_secs=wall_secs,
            cpu_secs=max(self.compile_cpu_secs, math.ceil(wall_secs)),
            address_space=self.compile_address_space,
            file_size=self.compile_file_size,
            output_kept=self.output_killed,  # cut diagnostics could not be read
            output_killed=self.output_killed,
        )

    def all_tests(self, case: Case, tests: int) -> float:
        """Return the seconds that all tests of a sample may take together."""
        if case.timeout_secs is None:
            return self.tests_wall_secs
        return case.timeout_secs * max(tests, 1)

    def all_uses(self, case: Case) -> float:
        """Return the seconds that all builds of uses that must not compile may take together."""
        return max(self.tests_wall_secs, case.timeout_secs or 0.0)

    def test(self, case: Case, left_secs: float) -> CommandLimits:
        """Return the limits of one test when `left_secs` are left for all that remain."""
        own = case.timeout_secs
        wall_secs = min(self.test_wall_secs if own is None else own, left_secs)
        return CommandLimits(
            wall_secs=wall_secs,
            cpu_secs=min(self.test_cpu_secs, math.ceil(wall_secs))
            if own is None
            else math.ceil(own),
            address_space=self.test_address_space,
            file_size=self.test_file_size,
            output_kept=self.output_kept,
            output_killed=self.output_killed,
        )

    def dependencies(self) -> CommandLimits:
        """Return the limits of cargo while it resolves, fetches or builds dependencies."""
        return CommandLimits(wall_secs=self.dependencies_wall_secs)


_STACK = 8 * MIB  # of each command, as everywhere
_PROCESSES = 128  # compilers and their threads; tests with more threads than that are rare


@dataclass(frozen=True, slots=True)
class _Need:
    number: int  # of the limit
    name: str
    option: str  # of the shell's ulimit
    least: int
    unit: int = 1  # of the shell's figure


def demand_allowance(limits: Limits) -> None:
    """Raise ToolchainError, which names the limits, where the system grants less than `limits`.

    A sample that gets less than the report says would fail because of this machine.
    """
    short = [need for need in _needs(limits) if _is_less(_hard(need.number), need.least)]
    if short:
        limited = ", ".join(
            f"{need.name} to {_hard(need.number) // need.unit}, which must be at least"
            f" {need.least // need.unit} (ulimit -H{need.option})"
            for need in short
        )
        raise ToolchainError(f"this system limits {limited}; raise the limit to grade here")


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


@dataclass(frozen=True, slots=True)
class Defences:
    """The defences that tests can switch off one by one, to show that each stops some attack.

    No command switches one off. The sandbox's are not here: they depend on the backend.
    """

    scan: bool = True  # refuse what works on the linker's level, before anything is compiled
    wrappers: bool = True  # the tests call functions with the types that the case declares
    own_crate: bool = True  # the sample is compiled as a library, without `--test`
    self_check: bool = True  # after a test, unequal values differ and a false assertion panics
    trap: bool = True  # each passed test runs again where an honest test never says `ok`
    nonce: bool = True  # a report repeats a secret that no sample can guess
    environment: bool = True  # a test sees none of the grader's own variables


ALL = Defences()


class Order(StrEnum):
    """How the tests of one sample follow each other."""

    WRITTEN = "as written"
    REVERSED = "reversed"
    ALONE = "each alone"  # in a box and a scratch folder that no other test has seen
