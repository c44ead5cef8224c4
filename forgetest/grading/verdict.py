"""What the grader found out about one sample, as values that go to the journal and the report.

`Verdict` is the whole; `Integrity` says how far it can be trusted. Flags are found in the code
alone and change no score; only the tests can show that a sample cheated.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Protocol

from pydantic import Field

from forgetest.evalset.types import Case
from forgetest.rust.joined import split
from forgetest.rust.scan import Scan, scan, scan_files
from forgetest.value import Value


class Level(StrEnum):
    """How far a verdict can be trusted."""

    CLEAN = "clean"
    FLAGGED = "flagged"  # the sample does something worth a look
    CHEATED = "cheated"  # the sample was caught forging a result


class Integrity(Value):
    """What is known of a sample's honesty; `reason` says why it is not clean."""

    level: Level = Field(
        Level.CLEAN,
        description="`clean`, `flagged` (worth a look) or `cheated` (caught forging a result).",
    )
    flags: tuple[str, ...] = Field((), description="What the code contains that is worth a look.")
    unsafe_count: int = Field(default=0, ge=0, description="Uses of `unsafe` in the code.")
    reason: str = Field("", description="Why it is not clean, in one line.")


def scan_of(case: Case, code: str) -> Scan:
    """Return what the tokens of a sample show, in the edition and with the crates of its case."""
    crates = {dependency.name.replace("-", "_") for dependency in case.dependencies}
    files = split(code, case.answer_files)
    if len(files) > 1:
        return scan_files(files, code, edition=case.edition, crates=crates)
    return scan(code, edition=case.edition, crates=crates)


def integrity_of(scan: Scan, *, caught: str = "", refused: str = "") -> Integrity:
    """Return the integrity of scanned code.

    `caught` says how it cheated, `refused` why it was not compiled. Refused code is only flagged:
    honest bindings to C look no different.
    """
    flags = tuple(str(flag) for flag in scan.flags)
    level = Level.FLAGGED if flags or refused else Level.CLEAN
    flagged = f"the code has {', '.join(flags)}" if flags else ""
    return Integrity(
        level=Level.CHEATED if caught else level,
        flags=flags,
        unsafe_count=scan.unsafe,
        reason=caught or refused or flagged,
    )


# These flags say where a verdict comes from, and nothing about the sample.
CACHED = "cached"
DUPLICATE = "duplicate"
# And these how it was made.
UNSTEADY = "unsteady"
CLIPPY_FAILED = "clippy_failed"
NO_TESTS = "no_tests"
LIBTEST = "libtest"
CUSTOM_CHECK = "custom_check"
FLAGS: Mapping[str, str] = {
    CACHED: "of the same code in an earlier run",
    DUPLICATE: "of the same code in another sample of this run",
    UNSTEADY: "two gradings of the same code disagreed; this is the worse",
    CLIPPY_FAILED: "clippy reported no lints",
    NO_TESTS: "the case has no tests, or wants none run",
    LIBTEST: "the tests ran under libtest; a sample can forge its report",
    CUSTOM_CHECK: "the case's own check took part",
}
"""What each flag of a verdict means."""


class Status(StrEnum):
    """The coarse classes that decide how a sample is scored."""

    GRADED = "graded"
    COMPILE_FAILED = "compile_failed"
    NO_CODE = "no_code"
    TEST_BUILD_FAILED = "test_build_failed"
    NO_TESTS_RAN = "no_tests_ran"
    TEST_ABORTED = "test_aborted"  # a test timed out, crashed, left early or was tampered with


class Outcome(StrEnum):
    """The result of a sample in one word."""

    PASSED = "passed"
    TESTS_FAILED = "tests_failed"
    TEST_TIMEOUT = "test_timeout"
    TEST_CRASHED = "test_crashed"
    TAMPERED = "tampered"  # the sample forged a test's report, or broke the means to check it
    TEST_BUILD_FAILED = "test_build_failed"
    NO_TESTS_RAN = "no_tests_ran"
    POLICY = "policy"  # refused before compiling: the reason names what, and its line
    COMPILE_FAILED = "compile_failed"
    COMPILE_TIMEOUT = "compile_timeout"
    WRONGLY_COMPILED = "wrongly_compiled"  # should_compile = false, but rustc took it
    REQUIREMENT_FAILED = "requirement_failed"  # tests pass, but an item, lint or check does not
    EMPTY = "empty"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    NO_CODE = "no_code"


STATUS_OF: dict[Outcome, Status] = {
    Outcome.PASSED: Status.GRADED,
    Outcome.TESTS_FAILED: Status.GRADED,
    Outcome.REQUIREMENT_FAILED: Status.GRADED,
    Outcome.WRONGLY_COMPILED: Status.GRADED,
    Outcome.TEST_TIMEOUT: Status.TEST_ABORTED,
    Outcome.TEST_CRASHED: Status.TEST_ABORTED,
    Outcome.TAMPERED: Status.TEST_ABORTED,
    Outcome.TEST_BUILD_FAILED: Status.TEST_BUILD_FAILED,
    Outcome.NO_TESTS_RAN: Status.NO_TESTS_RAN,
    Outcome.POLICY: Status.COMPILE_FAILED,
    Outcome.COMPILE_FAILED: Status.COMPILE_FAILED,
    Outcome.COMPILE_TIMEOUT: Status.COMPILE_FAILED,
    Outcome.EMPTY: Status.NO_CODE,
    Outcome.REFUSED: Status.NO_CODE,
    Outcome.TRUNCATED: Status.NO_CODE,
    Outcome.NO_CODE: Status.NO_CODE,
}


class TestOutcome(StrEnum):
    """The result of one expected test in one word."""

    __test__ = False  # not a test class

    PASSED = "passed"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    EXITED_EARLY = "exited_early"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    TAMPERED = "tampered"  # the sample manipulated the process of the test
    NOT_BUILT = "not_built"
    IGNORED = "ignored"


class TestResult(Value):
    """One expected test by name, in the order of the test file."""

    __test__ = False

    name: str = Field(description="The test, as libtest prints it: `tests::adds`.")
    outcome: TestOutcome = Field(description="The result in one word.")
    message: str = Field("", description="The panic, the signal or the limit, in a few lines.")
    secs: float = Field(0.0, description="Seconds that it ran.")
    allocations: int | None = Field(
        None,
        description="How often it asked for memory; left out where the case does not count.",
        exclude_if=lambda count: count is None,
    )
    peak_bytes: int | None = Field(
        None,
        description="The most bytes that it held at once; left out where the case does not count.",
        exclude_if=lambda count: count is None,
    )


def panic_message(message: str) -> str:
    """Return the message of a panic, without the line that says where it happened."""
    first, _, rest = message.partition("\n")
    return rest if " panicked at " in first and rest else message


class Span(Value):
    """Where a diagnostic points, 1-based, in the file the sample wrote."""

    file: str = Field(description="The file that the sample wrote.")
    line: int = Field(description="First line, from 1.")
    column: int = Field(description="First column, from 1.")
    end_line: int = Field(description="Last line.")
    end_column: int = Field(description="Column after the last.")
    label: str = Field("", description="What rustc writes below it.")


class Diagnostic(Value):
    """One message of rustc or clippy."""

    level: str = Field(description="`error` or `warning`.")
    code: str | None = Field(
        description="Code of rustc or clippy, such as E0308 or clippy::needless_return."
    )
    message: str = Field(description="The message, in one line.")
    span: Span | None = Field(None, description="Where it points, if it points anywhere.")
    rendered: str = Field("", description="The message as rustc prints it, with the code.")


class Layout(StrEnum):
    """How the tests reach the sample."""

    PUBLIC = "public"  # from a crate of their own, by its public names
    SPLICE = "splice"  # from a module spliced into a copy of it, where all names are in reach
    LIBTEST = "libtest"  # the same, compiled and run by libtest


class Reach(Value):
    """How far the tests see into the sample; rustc's errors say where that is not far enough."""

    layout: Layout = Field(
        description="`public` (another crate), `splice` (last module of a copy) or `libtest`."
    )
    open: bool = Field(
        default=False,
        description="Whether all names of the sample's root are in scope, not only declared ones.",
    )
    absent: tuple[str, ...] = Field(
        (), description="Declared names that the sample's root lacks, sorted."
    )


class _Told(Protocol):
    @property
    def outcome(self) -> TestOutcome: ...


class _HasTests(Protocol):
    @property
    def tests(self) -> Sequence[_Told]: ...


class Counted:
    """P and F of the score, from `tests`."""

    @property
    def tests_passed(self: "_HasTests") -> int:
        """P of the score: expected tests that passed."""
        return sum(test.outcome is TestOutcome.PASSED for test in self.tests)

    @property
    def tests_failed(self: "_HasTests") -> int:
        """F of the score: expected tests that did anything else but be ignored."""
        neutral = (TestOutcome.PASSED, TestOutcome.IGNORED)
        return sum(test.outcome not in neutral for test in self.tests)


class Verdict(Counted, Value):
    """Everything known about one sample; the score is computed from its counts."""

    outcome: Outcome = Field(description="The result in one word.")
    passed: bool = Field(
        description="Whether it compiled, every test passed and every requirement is met."
    )
    reasons: tuple[str, ...] = Field((), description="Why it does not pass, one line each.")
    compiled: bool = Field(default=False, description="Whether rustc accepts it.")
    errors: tuple[Diagnostic, ...] = Field((), description="Errors of rustc about the sample.")
    test_errors: tuple[Diagnostic, ...] = Field(
        (), description="Why the case's tests do not build against it."
    )
    tests: tuple[TestResult, ...] = Field(
        (), description="Every expected test, in the order of the test file."
    )
    reach: Reach | None = Field(
        None, description="How the tests were built; null where there was no need to."
    )
    lints: tuple[Diagnostic, ...] = Field(
        (), description="Lints of clippy on the sample's own lines, also those that it silences."
    )
    lints_silenced: int = Field(0, description="Lints that the sample silences.")
    flags: tuple[str, ...] = Field((), description="Such as `unsteady`; they change no score.")
    integrity: Integrity = Field(Integrity(), description="How far to trust the verdict.")
    timings: dict[str, float] = Field(
        default_factory=dict, description="Seconds by phase of grading."
    )

    @property
    def status(self) -> Status:
        """The scoring class that the outcome belongs to."""
        return STATUS_OF[self.outcome]
