"""Plain `validate`: the reference passes with the full score, and a stub of it does not pass."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from forgetest.check.excerpt import (
    Files,
    excerpt_of,
    failure_excerpt,
    in_authors_words,
    use_excerpt,
)
from forgetest.check.places import DEPENDENCIES, TESTS
from forgetest.check.summary import checked
from forgetest.check.types import (
    CaseCheck,
    Excerpt,
    Finding,
    FindingKind,
    MemoryUse,
    Severity,
    Soundness,
)
from forgetest.errors import CratesError, Fault, ToolchainError
from forgetest.evalset.types import Case, Dependency, EvalSet
from forgetest.grading.crate import authored_files
from forgetest.grading.graders import CodeGrader
from forgetest.grading.verdict import Diagnostic, Layout, Outcome, TestOutcome, Verdict
from forgetest.report.score import verdict_score
from forgetest.rust.stub import stub
from forgetest.rust.tests import expected_tests

Missing = Mapping[tuple[Dependency, ...], ToolchainError]

_SHOWN = 3  # errors, failed tests or lints of one reference


async def check_anchors(
    sets: Sequence[EvalSet],
    *,
    grader: CodeGrader,
    missing: Missing,
    parallelism: int,
    listen: Callable[[CaseCheck], None],
) -> dict[str, CaseCheck]:
    """Return the check of every case by `set/case`; `listen` hears each as it is done.

    Crates that are `missing` break their own cases; what the machine fails at is a finding.
    """
    limit = asyncio.Semaphore(parallelism)

    async def check_one(case: Case, borrowed: bool) -> CaseCheck:
        async with limit:
            sound = await _sound(case, grader, missing.get(case.dependencies), borrowed=borrowed)
        check = checked(case, sound, None, cached=False, least=None)
        listen(check)
        return check

    async with asyncio.TaskGroup() as group:
        tasks = {
            case.key: group.create_task(check_one(case, item.source is not None))
            for item in sets
            for case in item.cases
        }
    return {key: task.result() for key, task in tasks.items()}


async def _sound(
    case: Case, grader: CodeGrader, missing: ToolchainError | None, *, borrowed: bool
) -> Soundness:
    if missing is not None:
        return Soundness(findings=(crates_finding(missing),), tests=_tests(case))
    try:
        return await _anchored(case, grader=grader, borrowed=borrowed)
    except Fault as fault:
        return Soundness(findings=(fault_finding(fault),), tests=_tests(case))


async def _anchored(case: Case, *, grader: CodeGrader, borrowed: bool) -> Soundness:
    """Return what one grading of the reference and of its stub shows.

    `borrowed`: others wrote the case, and lints in their reference do not break it.
    """
    reference = case.reference_solution
    if reference is None:
        found = (*missing_tests(case), no_reference(), *case_notes(case))
        return Soundness(findings=found, tests=_tests(case))
    graded = await grader.grade(case, reference)
    wants_stub = case.expectations.should_compile
    stubbed = await grader.grade(case, stub(reference)) if wants_stub else None
    findings = (
        *missing_tests(case),
        *reference_findings(case, graded, borrowed=borrowed),
        *stub_findings(stubbed),
        *case_notes(case),
    )
    return Soundness(
        findings=findings,
        tests=_tests(case),
        gradings=1,
        reference=graded.outcome,
        score=float(verdict_score(graded)),
        stub=stubbed.outcome if stubbed else None,
        memory=memory_use(case, [graded]),
    )


def memory_use(case: Case, verdicts: Sequence[Verdict]) -> MemoryUse | None:
    """Return the most that one test takes in any grading; None where memory is not counted."""
    tests = [test for verdict in verdicts for test in verdict.tests]
    allocations = [test.allocations for test in tests if test.allocations is not None]
    peaks = [test.peak_bytes for test in tests if test.peak_bytes is not None]
    if not (allocations and peaks):
        return None
    return MemoryUse(
        allocations=max(allocations),
        max_allocations=case.expectations.max_allocations,
        peak_bytes=max(peaks),
        max_peak_bytes=case.expectations.max_peak_bytes,
    )


def _tests(case: Case) -> int:
    return _run_tests(case) + len(case.expectations.compile_fail)


def _run_tests(case: Case) -> int:
    return len(expected_tests(case.expectations.test_file or ""))


def crates_finding(error: ToolchainError) -> Finding:
    """Return what to say of crates that cannot be had: anywhere, or only on this machine."""
    blamed = isinstance(error, CratesError)
    return Finding(
        kind=FindingKind.DEPENDENCIES,
        severity=Severity.BROKEN if blamed else Severity.UNCHECKED,
        message=str(error),
        excerpt=Excerpt(key=f"{DEPENDENCIES}.{error.crate}", line=1)
        if isinstance(error, CratesError)
        else None,
    )


def fault_finding(fault: Fault) -> Finding:
    """Return what to say of a case that the machine failed on."""
    return Finding(kind=FindingKind.FAULT, severity=Severity.UNCHECKED, message=str(fault))


def no_reference() -> Finding:
    """Return the note on a case that has no known solution."""
    message = "no reference_solution: nothing shows that the case can be solved"
    return _note(FindingKind.NO_REFERENCE, message)


def missing_tests(case: Case) -> tuple[Finding, ...]:
    """Return what is wrong with a case whose tests are to pass and that has none."""
    wanted = case.expectations
    if not (wanted.should_compile and wanted.should_pass_tests) or _run_tests(case):
        return ()
    message = "test_file defines no test functions; add at least one #[test]"
    return (broken(FindingKind.NO_TESTS, message),)


def stub_findings(verdict: Verdict | None) -> tuple[Finding, ...]:
    """Return what is wrong with a stub's verdict, None where there is no stub."""
    if verdict is None:
        return ()
    if not verdict.compiled:
        message = "a stub of reference_solution does not compile, so the tests cannot be checked"
        return (broken(FindingKind.STUB, message),)
    if verdict.passed:
        message = "a stub with todo!() bodies passes: the tests do not check anything"
        return (broken(FindingKind.STUB, message),)
    return ()


def case_notes(case: Case) -> tuple[Finding, ...]:
    """Return what deserves a look and breaks nothing."""
    if best(case) == 1:
        return ()
    message = "should_pass_tests = false: samples score at most 0.5 and never pass"
    return (_note(FindingKind.HALF_SCORE, message),)


def broken(kind: FindingKind, message: str, excerpt: Excerpt | None = None) -> Finding:
    """Return a finding that makes a score on the case mean nothing."""
    return Finding(kind=kind, severity=Severity.BROKEN, message=message, excerpt=excerpt)


def _note(kind: FindingKind, message: str) -> Finding:
    return Finding(kind=kind, severity=Severity.NOTE, message=message)


def best(case: Case) -> Fraction:
    """Return the score that a right sample can reach."""
    wanted = case.expectations
    if wanted.should_compile and not wanted.should_pass_tests:
        return Fraction(1, 2)
    return Fraction(1)


def reference_findings(case: Case, verdict: Verdict, *, borrowed: bool) -> tuple[Finding, ...]:
    """Return why the verdict on a reference is not the best that its case allows.

    The first finding says what is wrong and shows the first cause; each further one, up to a few,
    shows another. Lints in a `borrowed` reference are notes.
    """
    if verdict_score(verdict) == best(case) and (verdict.passed or best(case) < 1):
        return ()
    causes = sorted(_causes(case, verdict), key=lambda cause: cause.excerpt is None)
    first = causes[0] if causes else _Cause("")
    kind, severity = FindingKind.REFERENCE, Severity.BROKEN
    if borrowed and verdict.lints and (verdict.passed or best(case) < 1):
        kind, severity = FindingKind.LINTS, Severity.NOTE
    elif verdict.outcome is Outcome.TEST_BUILD_FAILED and first.is_in(TESTS):
        kind = FindingKind.TESTS
    more = len(causes) - _SHOWN
    messages = [_headline(case, verdict, first), *(cause.words for cause in causes[1:_SHOWN])]
    if more > 0:
        messages[-1] += f" (and {more} more)"
    excerpts = [first.excerpt, *(cause.excerpt for cause in causes[1:_SHOWN])]
    return tuple(
        Finding(kind=kind, severity=severity, message=message, excerpt=excerpt)
        for message, excerpt in zip(messages, excerpts, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Cause:
    """One error, failed test or lint of a reference."""

    words: str
    excerpt: Excerpt | None = None

    def is_in(self, key: str) -> bool:
        """Tell whether it is to be seen in the string of a key."""
        return self.excerpt is not None and self.excerpt.key == key


def _headline(case: Case, verdict: Verdict, cause: _Cause) -> str:
    score = f"{float(verdict_score(verdict)):.3f}"
    if verdict.passed or best(case) < 1:
        why = cause.words or "; ".join(verdict.reasons) or str(verdict.outcome)
        return f"reference_solution scores {score}, not {float(best(case)):.1f}: {why}"
    if (
        cause.excerpt
        and verdict.outcome is Outcome.COMPILE_FAILED
        and case.expectations.should_compile
    ):
        return f"reference_solution does not compile: {cause.words}"
    if cause.excerpt and verdict.outcome is Outcome.TEST_BUILD_FAILED:
        return f"the tests do not build against reference_solution: {cause.words}"
    why = "; ".join(verdict.reasons) or str(verdict.outcome)
    return f"reference_solution does not pass (score {score}): {why}"


def _causes(case: Case, verdict: Verdict) -> Iterator[_Cause]:
    """Yield what keeps a reference from its best score: the gravest kind alone."""
    files = files_of(case, verdict)
    failed = [test for test in verdict.tests if test.outcome not in _HARMLESS]
    if errors := (*verdict.errors, *verdict.test_errors):
        for error in errors:
            yield _Cause(_words(error), excerpt_of(error, files))
    elif failed:
        for test in failed:
            excerpt = use_excerpt(test, case) or failure_excerpt(test, files)
            yield _Cause(f"test {test.name}: {test.outcome.replace('_', ' ')}", excerpt)
    elif verdict.passed or best(case) < 1:
        for lint in verdict.lints:
            advice = f'; fix it, or set allowed_lints = ["{lint.code}"]'
            yield _Cause(f"{_words(lint)}{advice}", excerpt_of(lint, files))


_HARMLESS = (TestOutcome.PASSED, TestOutcome.IGNORED, TestOutcome.NOT_BUILT)


def files_of(case: Case, verdict: Verdict) -> Files:
    """Return the files in which a verdict on the reference shows the author's own text."""
    layout = verdict.reach.layout if verdict.reach else Layout.PUBLIC
    return authored_files(case, case.reference_solution or "", layout)


def _words(diagnostic: Diagnostic) -> str:
    message = in_authors_words(diagnostic.message)
    if diagnostic.code is None:
        return message
    is_lint = diagnostic.code.startswith("clippy::")
    return f"{diagnostic.code}: {message}" if is_lint else f"error[{diagnostic.code}]: {message}"
