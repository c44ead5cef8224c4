"""Everything that can break a case: whether a score on it means something.

A reference is graded several times in several orders, which tells chance from order, and the
measured times are held against the limits. Blank implementations must fail. Without a reference,
the tests are compiled against what the prompt declares.
"""

import asyncio
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice

from forgetest.check.anchors import (
    broken,
    case_notes,
    files_of,
    memory_use,
    missing_tests,
    no_reference,
    reference_findings,
    stub_findings,
)
from forgetest.check.contradiction import contradictions
from forgetest.check.excerpt import excerpt_of, lines_excerpt
from forgetest.check.naming import unnamed
from forgetest.check.places import TESTS
from forgetest.check.types import Finding, FindingKind, Severity, Soundness, Timing
from forgetest.evalset.types import Case
from forgetest.grading.graders import Examiner
from forgetest.grading.limits import Order
from forgetest.grading.probe import Noticed, Probe
from forgetest.grading.verdict import Outcome, TestOutcome, Verdict
from forgetest.mutants.blanks import blanks, skeleton
from forgetest.report.score import verdict_score
from forgetest.rust.stub import stub
from forgetest.rust.tests import expected_tests


@dataclass(frozen=True, slots=True)
class CheckTools:
    """Grades without remembering, up to `limit` samples at once, each reference `times` times."""

    grader: Examiner
    limit: asyncio.Semaphore
    times: int

    async def grade(self, case: Case, code: str, order: Order = Order.WRITTEN) -> Verdict:
        """Return a verdict made now; raise `Fault` when the machinery fails."""
        async with self.limit:
            return await self.grader.grade(case, code, order=order)

    async def notice(self, case: Case, code: str, *, limit_secs: float) -> Probe:
        """Return what the tests make of code that should not pass, with so long for each test.

        Code that seems to pass is graded in full: it passes only as a sample of a run would.
        """
        hurried = case.model_copy(update={"timeout_secs": limit_secs})
        async with self.limit:
            found = await self.grader.probe(hurried, code)
        if found.noticed is not Noticed.PASSED:
            return found
        verdict = await self.grade(case, code)
        return found if verdict.passed else Probe(Noticed.FAILED, _first_failed(verdict))

    def test_limit(self, case: Case) -> float:
        """Return the seconds that one test of a case may take."""
        limits = self.grader.limits.test(case, math.inf)
        return (
            limits.wall_secs if limits.cpu_secs is None else min(limits.wall_secs, limits.cpu_secs)
        )

    def all_tests_limit(self, case: Case, tests: int) -> float:
        """Return the seconds that all tests of a case may take together."""
        return self.grader.limits.all_tests(case, tests)


def _first_failed(verdict: Verdict) -> str:
    return next((test.name for test in verdict.tests if test.message), "")


_NAMED = 3  # tests named in a finding
Essence = tuple[str, tuple[tuple[str, TestOutcome], ...]]


@dataclass(frozen=True, slots=True)
class ReferenceGrading:
    """One grading of the reference, with its tests in some order."""

    order: Order
    verdict: Verdict


async def gradings_of(case: Case, code: str, tools: CheckTools) -> tuple[ReferenceGrading, ...]:
    """Return `tools.times` gradings, the orders taking turns; twice as many unless all pass.

    The second round tells what depends on the order from what depends on chance.

    Raises `Fault` when the machinery fails.
    """
    orders = list(islice(cycle(Order), tools.times))
    runs = [ReferenceGrading(order, await tools.grade(case, code, order)) for order in orders]
    if not all(run.verdict.passed for run in runs) and any(run.verdict.tests for run in runs):
        runs += [ReferenceGrading(order, await tools.grade(case, code, order)) for order in orders]
    return tuple(runs)


def worst_verdict(runs: Sequence[ReferenceGrading]) -> Verdict:
    """Return the worst verdict."""
    verdicts = (run.verdict for run in runs)
    return min(
        verdicts, key=lambda verdict: (verdict.passed, verdict.compiled, verdict.tests_passed)
    )


def unsteady(runs: Sequence[ReferenceGrading]) -> Finding | None:
    """Return the finding on gradings that differ, None when all agree."""
    by_order: dict[Order, set[Essence]] = {}
    for run in runs:
        by_order.setdefault(run.order, set()).add(_essence(run.verdict))
    if len(set.union(*by_order.values())) == 1:
        return None
    names = _differing(runs)
    if any(len(found) > 1 for found in by_order.values()):
        passed = sum(run.verdict.passed for run in runs)
        message = (
            f"the reference passed {passed} of {len(runs)} gradings: {names} depend on chance,"
            " such as map order, time or threads"
        )
        return Finding(kind=FindingKind.UNSTEADY, severity=Severity.BROKEN, message=message)
    failing = [order for order in by_order if not _passes(runs, order)]
    orders = f": they fail when run {' and '.join(failing)}" if failing else ""
    message = f"the tests depend on their order ({names}){orders}"
    return Finding(kind=FindingKind.ORDER, severity=Severity.BROKEN, message=message)


def _passes(runs: Sequence[ReferenceGrading], order: Order) -> bool:
    return all(run.verdict.passed for run in runs if run.order is order)


def _differing(runs: Sequence[ReferenceGrading]) -> str:
    """Return the tests whose outcomes differ."""
    ends: dict[str, set[TestOutcome]] = {}
    for test in (test for run in runs for test in run.verdict.tests):
        ends.setdefault(test.name, set()).add(test.outcome)
    names = [name for name, outcomes in ends.items() if len(outcomes) > 1]
    if not names:
        return "its outcomes"
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _essence(verdict: Verdict) -> Essence:
    return verdict.outcome, tuple((test.name, test.outcome) for test in verdict.tests)


MARGIN = 4  # a limit is at least so many times what the slowest test takes
_SUGGESTED_TIMES = 10  # a suggested one so many times
_ROUND_LIMITS = (1, 2, 3, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 900, 1800, 3600)
_MUTANT_TIMES = 5  # a near miss gets so many times what the reference takes
_MUTANT_LEAST = 0.5  # seconds


def timing_of(verdicts: Sequence[Verdict], *, limit_secs: float) -> Timing | None:
    """Return the times of gradings of one solution; None when no test of it passed."""
    quickest: dict[str, float] = {}
    for test in (test for verdict in verdicts for test in verdict.tests):
        if test.outcome is TestOutcome.PASSED:
            quickest[test.name] = min(test.secs, quickest.get(test.name, test.secs))
    if not quickest:
        return None
    name = max(quickest, key=lambda name: quickest[name])
    return Timing(
        grading_secs=min(verdict.timings.get("total", 0.0) for verdict in verdicts),
        slowest_test=name,
        slowest_secs=quickest[name],
        all_tests_secs=sum(quickest.values()),
        limit_secs=limit_secs,
        suggested_timeout_secs=suggested(quickest[name]),
    )


def suggested(slowest_secs: float) -> float:
    """Return a round number of seconds, at least 1 and ten times what the slowest test takes."""
    wanted = _SUGGESTED_TIMES * slowest_secs
    return float(next((nice for nice in _ROUND_LIMITS if nice >= wanted), _ROUND_LIMITS[-1]))


def time_findings(timing: Timing, *, all_limit_secs: float) -> tuple[Finding, ...]:
    """Return what is wrong with the limits of a case."""
    if timing.limit_secs < MARGIN * timing.slowest_secs:
        used = f"test {timing.slowest_test} takes {timing.slowest_secs:.2f} s"
        return (_too_tight(f"{used} of its {timing.limit_secs:g} s", timing),)
    if all_limit_secs < MARGIN * timing.all_tests_secs:
        used = f"all tests take {timing.all_tests_secs:.2f} s"
        return (_too_tight(f"{used} of their {all_limit_secs:g} s", timing),)
    return ()


def _too_tight(used: str, timing: Timing) -> Finding:
    message = (
        f"{used}; the limit should be at least {MARGIN} times as long:"
        f" set timeout_secs = {timing.suggested_timeout_secs:g}"
    )
    return Finding(kind=FindingKind.TIME, severity=Severity.BROKEN, message=message)


def mutant_limit(slowest_secs: float) -> float:
    """Return the seconds that a test may take on code that should not pass it."""
    return max(_MUTANT_LEAST, _MUTANT_TIMES * slowest_secs)


# The tests use what the prompt's code does not hold: the answer may well bring it.
_ABSENT = frozenset(
    {"E0405", "E0407", "E0412", "E0422", "E0423", "E0425", "E0432", "E0433", "E0437", "E0531"}
    | {"E0532", "E0560", "E0574", "E0576", "E0599", "E0609", "E0277", "E0369"}
)


async def prompt_findings(case: Case, tools: CheckTools) -> tuple[Finding, ...]:
    """Return what is wrong between a prompt's code and the tests; `Fault` as the grader."""
    wanted = case.expectations
    code = skeleton(case)
    if code is None or not (wanted.should_compile and wanted.should_pass_tests):
        return ()
    return _findings(case, await tools.grade(case, code))


def _findings(case: Case, verdict: Verdict) -> tuple[Finding, ...]:
    if verdict.passed:
        return (
            broken(FindingKind.STUB, "the prompt's own declarations, as todo!(), pass the tests"),
        )
    if verdict.outcome is not Outcome.TEST_BUILD_FAILED:
        return ()
    sure = [error for error in verdict.test_errors if error.code not in _ABSENT and error.span]
    if not sure:
        return ()
    code = f"{sure[0].code}: " if sure[0].code else ""
    message = f"the tests do not compile against what the prompt declares: {code}{sure[0].message}"
    of_tests = {path: file for path, file in files_of(case, verdict).items() if file.key == TESTS}
    return (broken(FindingKind.PROMPT_CODE, message, excerpt_of(sure[0], of_tests)),)


async def soundness(case: Case, tools: CheckTools, *, borrowed: bool) -> Soundness:
    """Return what can break a case; raise `Fault` when the machinery fails.

    `borrowed`: others wrote it, and lints in their reference do not break it.
    """
    if case.reference_solution is None:
        wanted = case.expectations
        tests = len(expected_tests(wanted.test_file or "")) + len(wanted.compile_fail)
        found = (*_text_findings(case), *_contradictions(case), *await prompt_findings(case, tools))
        return Soundness(findings=(*found, no_reference()), tests=tests)
    return await _with_reference(case, case.reference_solution, tools, borrowed=borrowed)


async def _with_reference(case: Case, code: str, tools: CheckTools, *, borrowed: bool) -> Soundness:
    runs = await gradings_of(case, code, tools)
    worst = worst_verdict(runs)
    tests, uses = len(worst.tests), len(case.expectations.compile_fail)
    timing = timing_of([run.verdict for run in runs], limit_secs=tools.test_limit(case))
    stubbed = await tools.grade(case, stub(code)) if case.expectations.should_compile else None
    noticed = await _blanks(case, code, tools, timing)
    findings = (
        *_text_findings(case),
        *_reference(case, runs, worst, borrowed=borrowed),
        *(() if worst.passed else _contradictions(case)),
        *stub_findings(stubbed),
        *_blank_findings(noticed),
        *(
            time_findings(timing, all_limit_secs=tools.all_tests_limit(case, tests - uses))
            if timing
            else ()
        ),
        *case_notes(case),
    )
    return Soundness(
        findings=findings,
        tests=tests,
        gradings=len(runs),
        reference=worst.outcome,
        score=float(min(verdict_score(run.verdict) for run in runs)),
        stub=stubbed.outcome if stubbed else None,
        blanks=noticed,
        timing=timing,
        memory=memory_use(case, [run.verdict for run in runs]),
    )


def _text_findings(case: Case) -> Iterator[Finding]:
    """Yield what the case's own words show, without grading anything."""
    yield from missing_tests(case)
    names = unnamed(case)
    if names:
        message = f"the tests use {', '.join(names)}, which the prompt does not name"
        yield Finding(kind=FindingKind.UNNAMED, severity=Severity.BROKEN, message=message)


def _contradictions(case: Case) -> Iterator[Finding]:
    """Yield pairs of asserts of which one must fail; a reference that passes disproves them."""
    tests = case.expectations.test_file or ""
    for found in contradictions(tests):
        first, second = found.results
        message = f"the tests contradict each other: {found.call} must be {first} and {second}"
        excerpt = lines_excerpt(TESTS, tests, found.lines)
        yield broken(FindingKind.CONTRADICTION, message, excerpt)


def _reference(
    case: Case, runs: tuple[ReferenceGrading, ...], worst: Verdict, *, borrowed: bool
) -> Iterator[Finding]:
    chance = unsteady(runs)
    if chance is not None:
        yield chance
        return
    yield from reference_findings(case, worst, borrowed=borrowed)


async def _blanks(
    case: Case, code: str, tools: CheckTools, timing: Timing | None
) -> dict[str, Noticed]:
    """Return what the tests make of each implementation that does nothing."""
    if timing is None or not case.expectations.should_compile:
        return {}
    limit = mutant_limit(timing.slowest_secs)
    return {
        blank.name: (await tools.notice(case, blank.code, limit_secs=limit)).noticed
        for blank in blanks(code)
    }


def _blank_findings(noticed: dict[str, Noticed]) -> Iterator[Finding]:
    for name, what in noticed.items():
        if what is Noticed.PASSED:
            message = (
                f"an implementation whose bodies are {name} passes; the tests prove too little"
            )
            yield Finding(kind=FindingKind.BLANK, severity=Severity.BROKEN, message=message)
