"""Checks the cases themselves: the reference scores 1.0 and a stub does not pass."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from forgetest.evalset.types import Case
from forgetest.grading.codegrader import CodeGrader
from forgetest.grading.verdict import Verdict
from forgetest.rust.stub import stub
from forgetest.rust.tests import expected_tests
from forgetest.score import score


@dataclass(frozen=True, slots=True)
class AnchorCheck:
    """What was found about one case: `problems` break it, `notes` only deserve a look."""

    case: Case
    reference: Verdict | None
    stub: Verdict | None
    problems: tuple[str, ...]
    notes: tuple[str, ...]


async def check_anchors(
    cases: Sequence[Case],
    *,
    grader: CodeGrader,
    parallelism: int,
    listen: Callable[[AnchorCheck], None],
) -> list[AnchorCheck]:
    """Return the check of every case, in order; `listen` hears each as it is done."""
    limit = asyncio.Semaphore(parallelism)

    async def one(case: Case) -> AnchorCheck:
        async with limit:
            found = await check_anchor(case, grader=grader)
        listen(found)
        return found

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(case)) for case in cases]
    return [task.result() for task in tasks]


async def check_anchor(case: Case, *, grader: CodeGrader) -> AnchorCheck:
    """Grade the case's reference solution and its stub; raise `Fault` when the machinery fails."""
    reference = case.reference_solution
    if reference is None:
        return AnchorCheck(case, None, None, without_tests(case), ("no reference_solution",))
    graded = await grader.grade(case, reference)
    stubbed = (
        await grader.grade(case, stub(reference)) if case.expectations.should_compile else None
    )
    problems = (*without_tests(case), *reference_problems(case, graded), *stub_problems(stubbed))
    return AnchorCheck(case, graded, stubbed, problems, notes(case))


def without_tests(case: Case) -> tuple[str, ...]:
    """Return what is wrong with a case whose tests are to pass and that has none."""
    wanted = case.expectations
    if not (wanted.should_compile and wanted.should_pass_tests):
        return ()
    if expected_tests(wanted.test_file or ""):
        return ()
    return ("test_file defines no test functions; add at least one #[test]",)


def best(case: Case) -> Fraction:
    """Return the score that a right sample can reach."""
    wanted = case.expectations
    if wanted.should_compile and not wanted.should_pass_tests:
        return Fraction(1, 2)
    return Fraction(1)


def reference_problems(case: Case, verdict: Verdict) -> tuple[str, ...]:
    """Return why the verdict on a reference is not the best that its case allows."""
    most = best(case)
    reached = score(verdict)
    if reached == most and (verdict.passed or most < 1):
        return ()
    why = verdict.reasons[0] if verdict.reasons else _lints(verdict)
    return (f"reference_solution scores {float(reached):.3f}, not {float(most):.1f}: {why}",)


def _lints(verdict: Verdict) -> str:
    names = sorted({lint.code or "" for lint in verdict.lints})
    return f"clippy finds {', '.join(names)}" if names else str(verdict.outcome)


def stub_problems(verdict: Verdict | None) -> tuple[str, ...]:
    """Return what is wrong with a stub's verdict, None where there is no stub."""
    if verdict is None:
        return ()
    if not verdict.compiled:
        return ("a stub of reference_solution does not compile; the case can not be checked",)
    if verdict.passed:
        return ("a stub whose bodies are todo!() passes; the tests prove nothing",)
    return ()


def notes(case: Case) -> tuple[str, ...]:
    """Return what deserves a look and breaks nothing."""
    if best(case) < 1:
        return ("should_pass_tests = false: the case tops out at 0.5 and never passes",)
    return ()
