"""The contract of a sandbox: what is to run in a box, and how a backend builds the box.

`CompilerCall` and `TestPlan` say what is to run, `Boxes` runs it. A backend that puts the guard
into its boxes supplies `Walls`, whose `Launch` says how a box is entered; the functions between
them write a plan as the guard reads it.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from forgetest.system.process import KIB, CommandLimits, Exit

REPORT_KEPT = 4 * KIB  # bytes of a test's report pipe
# Enough for a test that starts a thread for each of hundreds of items: how many are alive at once
# is chance, and no verdict may depend on it. With the usual stacks the memory limit comes first.
TEST_THREADS = 1024
TEST_FILES = 256  # open at once
_COMPILER_FILES = 1024
_MICROS = 1_000_000

Field = tuple[str, ...]  # a key of the guard's plan and its values


@dataclass(frozen=True, slots=True)
class CompilerCall:
    """One call of a compiler, and what it may read and write besides the toolchain."""

    argv: Sequence[str]
    cwd: Path
    env: Mapping[str, str]
    limits: CommandLimits
    reads: Sequence[Path]
    writes: Sequence[Path]


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """One test of a program, and the two secrets by which its reports are known."""

    name: str
    nonce: str
    trap_nonce: str


@dataclass(frozen=True, slots=True)
class TestPlan:
    """The tests of one sample, each a process of its own: `program --only NAME`."""

    __test__ = False  # not a test class, despite its name

    program: Path
    cwd: Path  # seen at its own place, read-only
    env: Mapping[str, str]  # besides TMPDIR, a scratch folder that each test finds empty
    reads: Sequence[Path]  # what the program needs besides itself and the C library
    tests: Sequence[PlannedTest]
    limits: CommandLimits  # of each test
    all_secs: float  # of all first runs; second runs do not use it up
    until_failure: bool = False  # end with the first test that does not pass; no second runs


@dataclass(frozen=True, slots=True)
class TestRan:
    """How one test ended; the report pipe is `stdout`, all that it printed is `stderr`."""

    __test__ = False

    name: str
    first: Exit | None  # None: the time for all tests was used up before it
    trap: Exit | None  # None: the first run did not report and end with 0


def encode(fields: Iterable[Field]) -> bytes:
    """Return a plan as the guard reads it; `ValueError` for text that holds a NUL."""
    words = [word for field in (*fields, ("end",)) for word in field]
    text = "\0".join(words)
    if text.count("\0") != len(words) - 1:
        raise ValueError("a command cannot hold NUL characters")
    return os.fsencode(text) + b"\0"


def command_fields(call: CompilerCall, program: str) -> tuple[Field, ...]:
    """Return one command as fields: its words, folder, environment and limits."""
    return (
        ("cwd", str(call.cwd)),
        *(("arg", arg) for arg in (program, *call.argv[1:])),
        *_env_fields(call.env),
        *_limit_fields(call.limits),
        ("report_kept", str(call.limits.output_kept)),
        ("open_files", str(_COMPILER_FILES)),
    )


def tests_fields(plan: TestPlan) -> tuple[Field, ...]:
    """Return the tests of a plan as fields, but for their program and scratch folder."""
    return (
        ("cwd", str(plan.cwd)),
        *_env_fields(plan.env),
        *_limit_fields(plan.limits),
        ("report_kept", str(REPORT_KEPT)),
        ("open_files", str(TEST_FILES)),
        ("all_us", _micros(plan.all_secs)),
        *((("until_failure",),) if plan.until_failure else ()),
        *(("test", test.name, test.nonce, test.trap_nonce) for test in plan.tests),
    )


def _env_fields(env: Mapping[str, str]) -> Iterable[Field]:
    return (("env", f"{name}={value}") for name, value in env.items())


def _limit_fields(limits: CommandLimits) -> tuple[Field, ...]:
    optional = {
        "cpu_secs": limits.cpu_secs,
        "address_space": limits.address_space,
        "file_size": limits.file_size,
    }
    return (
        ("wall_us", _micros(limits.wall_secs)),
        *((key, str(value)) for key, value in optional.items() if value is not None),
        ("output_kept", str(limits.output_kept)),
        ("output_killed", str(limits.output_killed)),
    )


def _micros(secs: float) -> str:
    return str(max(0, round(secs * _MICROS)))


def scratch_fields(folder: str) -> tuple[Field, ...]:
    """Return the scratch folder of tests as fields."""
    return (("scratch", folder), ("env", f"TMPDIR={folder}"))


class Unusable(Exception):  # noqa: N818 - not an error yet: another backend may work
    """A backend does not work on this machine; `fix` is the command that may help."""

    def __init__(self, why: str, fix: str = "") -> None:
        self.fix = fix
        super().__init__(why)


@dataclass(frozen=True, slots=True)
class Launch:
    """How a box is entered: the command whose last program is the guard, and its part of the work.

    `undo` removes what a killed command leaves; it is run only then. `env` is that of the command
    itself, of which the box sees nothing.
    """

    argv: tuple[str, ...]
    fields: tuple[Field, ...]
    undo: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


class Walls(Protocol):
    """A backend: it builds the two boxes."""

    def compile_box(self, call: CompilerCall) -> Launch:
        """Return the box of one compiler call; all paths are seen at their own places."""

    def test_box(self, plan: TestPlan, scratch: Path) -> Launch:
        """Return the box of one sample's tests; its fields name the program and scratch folder.

        `scratch` is an empty folder of the host, for backends that cannot make one.
        """


class Boxes(Protocol):
    """What runs commands, guarded or not."""

    async def compile(self, call: CompilerCall) -> Exit:
        """Run a compiler and return how it ended; `Fault` when it cannot be started."""

    async def run_tests(self, plan: TestPlan) -> tuple[TestRan, ...]:
        """Run the tests of a plan; `Fault` when the box or the program cannot be started."""
