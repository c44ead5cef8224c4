"""The rules of grading: from what the steps found to a verdict.

All are pure functions, so that every rule can be read and tested here. `judge` is the rule for a
sample that compiles as it should; the others are for samples that end before that.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from forgetest.evalset.types import Case, UnsafeRule
from forgetest.grading.stages import Compilation, Linting, TestBuild
from forgetest.grading.verdict import (
    CLIPPY_FAILED,
    CUSTOM_CHECK,
    LIBTEST,
    NO_TESTS,
    Outcome,
    TestOutcome,
    TestResult,
    Verdict,
    integrity_of,
)
from forgetest.rust.scan import Scan, place
from forgetest.rust.tests import TestFunction

_NAMED = 5  # tests named in a reason
# The outcome of a sample whose tests ended in several ways is the first of these. Every outcome is
# here but passed and ignored, which are the only ones that do not fail a sample.
_TEST_OUTCOMES = (
    (TestOutcome.TAMPERED, Outcome.TAMPERED, "were tampered with"),
    (TestOutcome.TIMEOUT, Outcome.TEST_TIMEOUT, "ran out of time"),
    (TestOutcome.CRASHED, Outcome.TEST_CRASHED, "crashed"),
    (TestOutcome.EXITED_EARLY, Outcome.TEST_CRASHED, "left early"),
    (TestOutcome.MEMORY_LIMIT, Outcome.TEST_CRASHED, "ran out of memory"),
    (TestOutcome.OUTPUT_LIMIT, Outcome.TEST_CRASHED, "printed without end"),
    (TestOutcome.NOT_BUILT, Outcome.TEST_BUILD_FAILED, "were not built"),
    (TestOutcome.FAILED, Outcome.TESTS_FAILED, "failed"),
)


@dataclass(frozen=True, slots=True)
class Findings:
    """What the steps found about a sample that compiled."""

    linting: Linting
    test_build: TestBuild | None = None  # None when there are no tests to run
    tests: tuple[TestResult, ...] = ()
    unmet: tuple[str, ...] = ()  # requirements besides the tests, one line each
    libtest: bool = False


def too_long(size: int, limit: int) -> Verdict:
    """Return the verdict on code of `size` bytes that is not even compiled."""
    reason = f"the code has {size} bytes, and {limit} are the limit"
    return Verdict(outcome=Outcome.COMPILE_FAILED, passed=False, reasons=(reason,))


def judge_policy(case: Case, scan: Scan) -> Verdict | None:
    """Return the verdict on code that may not even be compiled; None for code that may."""
    reasons = [str(refusal) for refusal in scan.refused]
    if case.unsafe is UnsafeRule.DENY and scan.unsafe:
        where = place(scan.unsafe_line, scan.unsafe_file)
        reasons.append(f"`unsafe` in {where} is refused: the eval set denies it")
    if case.expectations.counts and scan.own_memory:
        reasons.append(str(scan.own_memory))
    if not reasons:
        return None
    integrity = integrity_of(scan, refused=reasons[0])
    return Verdict(
        outcome=Outcome.POLICY, passed=False, reasons=tuple(reasons), integrity=integrity
    )


def with_integrity(verdict: Verdict, scan: Scan) -> Verdict:
    """Return the verdict with the integrity that the code and its tests show."""
    tampered = [test.name for test in verdict.tests if test.outcome is TestOutcome.TAMPERED]
    caught = f"it tampered with {_named(tampered)}" if tampered else ""
    return verdict.model_copy(update={"integrity": integrity_of(scan, caught=caught)})


def not_built(tests: Sequence[TestFunction]) -> tuple[TestResult, ...]:
    """Return the results of expected tests that could not be built."""
    return tuple(
        TestResult(
            name=test.name,
            outcome=TestOutcome.IGNORED if test.ignored else TestOutcome.NOT_BUILT,
        )
        for test in tests
    )


def judge_rejection(case: Case, compilation: Compilation, unmet: Sequence[str] = ()) -> Verdict:
    """Return the verdict on a sample that does not compile, whether it should or not.

    `unmet` are the requirements on its items: the right kind of error is not an answer in code that
    does not define what the case asks for.
    """
    if compilation.timed_out:
        return _rejected(compilation, Outcome.COMPILE_TIMEOUT, compilation.reason)
    if case.expectations.should_compile:
        return _rejected(compilation, Outcome.COMPILE_FAILED, compilation.reason)
    reported = {error.code for error in compilation.errors if error.span and error.code}
    wanted = case.expectations.expected_error_codes
    if wanted and not reported.intersection(wanted):
        reason = f"expected {_listed(wanted)}, and rustc says {_listed(sorted(reported)) or 'none'}"
        return _rejected(compilation, Outcome.COMPILE_FAILED, reason)
    if not any(error.span for error in compilation.errors):
        return _rejected(compilation, Outcome.COMPILE_FAILED, compilation.reason)
    if unmet:
        return _rejected(compilation, Outcome.REQUIREMENT_FAILED, *unmet)
    return Verdict(outcome=Outcome.PASSED, passed=True, errors=compilation.errors)


def judge_wrongly_compiled(linting: Linting) -> Verdict:
    """Return the verdict on a sample that rustc accepts although it should not."""
    return Verdict(
        outcome=Outcome.WRONGLY_COMPILED,
        passed=False,
        reasons=("rustc takes the code, and should reject it",),
        compiled=True,
        lints=linting.lints,
        lints_silenced=linting.silenced,
        flags=tuple(_flags_of(linting)),
    )


def judge(case: Case, findings: Findings) -> Verdict:
    """Return the verdict on a sample that compiles, as it should."""
    outcome, reasons = _outcome_of_tests(case, findings)
    if outcome is Outcome.PASSED and findings.unmet:
        outcome = Outcome.REQUIREMENT_FAILED
    build = findings.test_build
    return Verdict(
        outcome=outcome,
        passed=outcome is Outcome.PASSED,
        reasons=(*reasons, *findings.unmet),
        compiled=True,
        test_errors=build.errors if build else (),
        tests=findings.tests,
        reach=build.reach if build else None,
        lints=findings.linting.lints,
        lints_silenced=findings.linting.silenced,
        flags=tuple(_flags(case, findings)),
    )


def _rejected(compilation: Compilation, outcome: Outcome, *reasons: str) -> Verdict:
    return Verdict(outcome=outcome, passed=False, reasons=reasons, errors=compilation.errors)


def _outcome_of_tests(case: Case, findings: Findings) -> tuple[Outcome, tuple[str, ...]]:
    if findings.test_build is None:
        wanted = case.expectations.should_pass_tests
        why = "the case has no tests" if wanted else "the case wants no tests run"
        return Outcome.NO_TESTS_RAN, (why,)
    if findings.test_build.program is None:
        return Outcome.TEST_BUILD_FAILED, (findings.test_build.reason,)
    ended = {test.outcome for test in findings.tests}
    for bad, outcome, _ in _TEST_OUTCOMES:
        if bad in ended:
            return outcome, tuple(_why(findings.tests))
    if TestOutcome.PASSED not in ended:
        return Outcome.NO_TESTS_RAN, ("every test of the case is ignored",)
    return Outcome.PASSED, ()


def _why(tests: Sequence[TestResult]) -> Iterator[str]:
    """Yield a line for each way in which tests did not pass."""
    run = [test for test in tests if test.outcome is not TestOutcome.IGNORED]
    for bad, _, word in _TEST_OUTCOMES:
        names = [test.name for test in run if test.outcome is bad]
        if names:
            yield f"{len(names)} of {len(run)} tests {word}: {_named(names)}"


def _flags(case: Case, findings: Findings) -> Iterator[str]:
    yield from _flags_of(findings.linting)
    if findings.test_build is None:
        yield NO_TESTS
    if findings.libtest:
        yield LIBTEST
    if case.expectations.custom_check is not None:
        yield CUSTOM_CHECK


def _flags_of(linting: Linting) -> Iterator[str]:
    if linting.failed:
        yield CLIPPY_FAILED


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return _listed(names[:_NAMED]) + more


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words)
