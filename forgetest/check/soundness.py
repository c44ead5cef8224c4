"""Everything that can break a case: whether a score on it means something."""

from collections.abc import Iterator

from forgetest.check.anchors import (
    is_only_linted,
    notes,
    reference_problems,
    stub_problems,
    without_tests,
)
from forgetest.check.contradiction import contradictions
from forgetest.check.lab import Lab
from forgetest.check.naming import unnamed
from forgetest.check.prompted import prompted
from forgetest.check.steady import Run, runs_of, unsteady, worst_of
from forgetest.check.timing import hasty_limit, time_findings, timing_of
from forgetest.check.types import Finding, Kind, Severity, Soundness, Timing
from forgetest.evalset.types import Case
from forgetest.grading.probe import Noticed
from forgetest.grading.verdict import Verdict
from forgetest.mutants.blanks import blanks
from forgetest.rust.stub import stub
from forgetest.rust.tests import expected_tests
from forgetest.score import score


async def soundness(case: Case, lab: Lab, *, borrowed: bool) -> Soundness:
    """Return what can break a case; raise `Fault` when the machinery fails.

    `borrowed`: others wrote it, and lints in their reference do not break it.
    """
    tests = len(expected_tests(case.expectations.test_file or ""))
    if case.reference_solution is None:
        found = (*_said(case), *_contradictions(case), *await prompted(case, lab))
        return Soundness(findings=(*found, *_without_reference()), tests=tests)
    return await _with_reference(case, case.reference_solution, lab, borrowed=borrowed)


async def _with_reference(case: Case, code: str, lab: Lab, *, borrowed: bool) -> Soundness:
    runs = await runs_of(case, code, lab)
    worst = worst_of(runs)
    tests = len(worst.tests)
    timing = timing_of([run.verdict for run in runs], limit_secs=lab.test_limit(case))
    stubbed = await lab.grade(case, stub(code)) if case.expectations.should_compile else None
    noticed = await _blanks(case, code, lab, timing)
    findings = (
        *_said(case),
        *_reference(case, runs, worst, borrowed=borrowed),
        *(() if worst.passed else _contradictions(case)),
        *_all(Kind.STUB, stub_problems(stubbed)),
        *_blank_findings(noticed),
        *(time_findings(timing, all_limit_secs=lab.all_tests_limit(case, tests)) if timing else ()),
        *(Finding(kind=Kind.HALF_SCORE, severity=Severity.NOTE, message=t) for t in notes(case)),
    )
    return Soundness(
        findings=findings,
        tests=tests,
        gradings=len(runs),
        reference=worst.outcome,
        score=float(min(score(run.verdict) for run in runs)),
        stub=stubbed.outcome if stubbed else None,
        blanks=noticed,
        timing=timing,
    )


def _said(case: Case) -> Iterator[Finding]:
    """Yield what the case's own words show, without grading anything."""
    yield from _all(Kind.NO_TESTS, without_tests(case))
    names = unnamed(case)
    if names:
        message = f"the tests use {', '.join(names)}, which the prompt does not name"
        yield Finding(kind=Kind.UNNAMED, severity=Severity.BROKEN, message=message)


def _contradictions(case: Case) -> Iterator[Finding]:
    """Yield pairs of asserts of which one must fail; a reference that passes disproves them."""
    for found in contradictions(case.expectations.test_file or ""):
        (first, second), (here, there) = found.results, found.lines
        message = (
            f"the tests want {found.call} to be {first} in their line {here}"
            f" and {second} in line {there}"
        )
        yield Finding(kind=Kind.CONTRADICTION, severity=Severity.BROKEN, message=message)


def _without_reference() -> tuple[Finding, ...]:
    message = "no reference_solution: nothing proves that the case can be solved"
    return (Finding(kind=Kind.NO_REFERENCE, severity=Severity.NOTE, message=message),)


def _reference(
    case: Case, runs: tuple[Run, ...], worst: Verdict, *, borrowed: bool
) -> Iterator[Finding]:
    chance = unsteady(runs)
    if chance is not None:
        yield chance
        return
    kind, severity = Kind.REFERENCE, Severity.BROKEN
    if borrowed and is_only_linted(case, worst):
        kind, severity = Kind.LINTS, Severity.NOTE
    for message in reference_problems(case, worst):
        yield Finding(kind=kind, severity=severity, message=message)


async def _blanks(case: Case, code: str, lab: Lab, timing: Timing | None) -> dict[str, Noticed]:
    """Return what the tests make of each implementation that does nothing."""
    if timing is None or not case.expectations.should_compile:
        return {}
    limit = hasty_limit(timing.slowest_secs)
    return {
        blank.name: (await lab.notice(case, blank.code, limit_secs=limit)).noticed
        for blank in blanks(code)
    }


def _blank_findings(noticed: dict[str, Noticed]) -> Iterator[Finding]:
    for name, what in noticed.items():
        if what is Noticed.PASSED:
            message = (
                f"an implementation whose bodies are {name} passes; the tests prove too little"
            )
            yield Finding(kind=Kind.BLANK, severity=Severity.BROKEN, message=message)


def _all(kind: Kind, messages: tuple[str, ...]) -> Iterator[Finding]:
    for message in messages:
        yield Finding(kind=kind, severity=Severity.BROKEN, message=message)
