"""Plain `validate`: the reference passes with the full score, and a stub of it does not pass."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from forgetest.errors import ToolchainError
from forgetest.evalset.types import Case, Dependency, EvalSet
from forgetest.grading.graders import CodeGrader
from forgetest.grading.verdict import Verdict
from forgetest.report.score import verdict_score
from forgetest.rust.stub import stub
from forgetest.rust.tests import expected_tests


@dataclass(frozen=True, slots=True)
class AnchorCheck:
    """What was found about one case: `problems` break it, `notes` only deserve a look."""

    case: Case
    reference: Verdict | None
    stub: Verdict | None
    problems: tuple[str, ...]
    notes: tuple[str, ...]


Missing = Mapping[tuple[Dependency, ...], ToolchainError]


async def check_anchors(
    sets: Sequence[EvalSet],
    *,
    grader: CodeGrader,
    missing: Missing,
    parallelism: int,
    listen: Callable[[AnchorCheck], None],
) -> list[AnchorCheck]:
    """Return the check of every case, in order; `listen` hears each as it is done.

    Crates that are `missing` break their own cases.
    """
    limit = asyncio.Semaphore(parallelism)

    async def check_one(case: Case, borrowed: bool) -> AnchorCheck:
        missing_crates = missing.get(case.dependencies)
        async with limit:
            if missing_crates is not None:
                found = AnchorCheck(case, None, None, (str(missing_crates),), ())
            else:
                found = await check_anchor(case, grader=grader, borrowed=borrowed)
        listen(found)
        return found

    cases = [(case, item.source is not None) for item in sets for case in item.cases]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(check_one(case, borrowed)) for case, borrowed in cases]
    return [task.result() for task in tasks]


async def check_anchor(case: Case, *, grader: CodeGrader, borrowed: bool) -> AnchorCheck:
    """Grade the case's reference solution and its stub; raise `Fault` when the machinery fails.

    `borrowed`: others wrote it, and lints in their reference do not break it.
    """
    reference = case.reference_solution
    if reference is None:
        return AnchorCheck(case, None, None, missing_tests(case), ("no reference_solution",))
    graded = await grader.grade(case, reference)
    stubbed = (
        await grader.grade(case, stub(reference)) if case.expectations.should_compile else None
    )
    said = reference_problems(case, graded)
    wrong, right = ((), said) if borrowed and is_only_linted(case, graded) else (said, ())
    problems = (*missing_tests(case), *wrong, *stub_problems(stubbed))
    return AnchorCheck(case, graded, stubbed, problems, (*right, *case_notes(case)))


def missing_tests(case: Case) -> tuple[str, ...]:
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
    reached = verdict_score(verdict)
    if reached == most and (verdict.passed or most < 1):
        return ()
    why = verdict.reasons[0] if verdict.reasons else _lints(verdict)
    if verdict.passed or most < 1:
        return (f"reference_solution scores {float(reached):.3f}, not {float(most):.1f}: {why}",)
    return (f"reference_solution does not pass (score {float(reached):.3f}): {why}",)


def is_only_linted(case: Case, verdict: Verdict) -> bool:
    """Tell whether a reference does all that its case asks, and clippy finds something in it."""
    return bool(verdict.lints) and (verdict.passed or best(case) < 1)


def _lints(verdict: Verdict) -> str:
    names = sorted({lint.code or "" for lint in verdict.lints})
    return f"clippy finds {', '.join(names)}" if names else str(verdict.outcome)


def stub_problems(verdict: Verdict | None) -> tuple[str, ...]:
    """Return what is wrong with a stub's verdict, None where there is no stub."""
    if verdict is None:
        return ()
    if not verdict.compiled:
        return ("a stub of reference_solution does not compile, so the tests cannot be checked",)
    if verdict.passed:
        return ("a stub with todo!() bodies passes: the tests do not check anything",)
    return ()


def case_notes(case: Case) -> tuple[str, ...]:
    """Return what deserves a look and breaks nothing."""
    if best(case) < 1:
        return ("should_pass_tests = false: samples score at most 0.5 and never pass",)
    return ()
