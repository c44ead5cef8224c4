"""Grading each sample several times finds the verdicts that hang on chance."""

import asyncio
from dataclasses import dataclass, field

from forgetest.evalset.types import Case
from forgetest.grading.graders import RepeatedGrading
from forgetest.grading.proof import canary_case
from forgetest.grading.verdict import UNSTEADY, Outcome, TestOutcome, TestResult, Verdict

PASSED = Verdict(
    outcome=Outcome.PASSED,
    passed=True,
    compiled=True,
    tests=(TestResult(name="a", outcome=TestOutcome.PASSED, secs=0.1),),
    timings={"total": 0.5},
)
SAME_BUT_SLOWER = PASSED.model_copy(update={"timings": {"total": 0.9}})
FAILED = PASSED.model_copy(
    update={
        "outcome": Outcome.TESTS_FAILED,
        "passed": False,
        "tests": (TestResult(name="a", outcome=TestOutcome.FAILED),),
    }
)


@dataclass
class Dice:
    """A grader whose verdicts come from a list."""

    verdicts: list[Verdict]
    thrown: int = field(default=0)

    async def grade(self, case: Case, code: str) -> Verdict:
        """Return the next verdict."""
        del case, code
        self.thrown += 1
        return self.verdicts[self.thrown - 1]


def graded(*verdicts: Verdict) -> Verdict:
    """Return what repeating makes of these verdicts."""
    dice = Dice(list(verdicts))
    found = asyncio.run(RepeatedGrading(dice, len(verdicts)).grade(canary_case(), "fn f() {}"))
    assert dice.thrown == len(verdicts)
    return found


def test_verdicts_that_agree_are_steady() -> None:
    assert graded(PASSED, SAME_BUT_SLOWER, PASSED).flags == ()


def test_the_worst_of_several_counts_and_says_so() -> None:
    for order in ((PASSED, FAILED), (FAILED, PASSED), (PASSED, PASSED, FAILED)):
        found = graded(*order)
        assert not found.passed
        assert found.flags == (UNSTEADY,)
