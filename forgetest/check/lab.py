"""What the checks of a case use: a grader that forgets, and seats that limit how much runs."""

import asyncio
import math
from dataclasses import dataclass

from forgetest.evalset.types import Case
from forgetest.grading.grader import Grader
from forgetest.grading.limits import Order
from forgetest.grading.probe import Noticed, Probe
from forgetest.grading.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Lab:
    """Grades afresh, so many samples at once as there are seats; `times`: each reference."""

    grader: Grader
    seats: asyncio.Semaphore
    times: int

    async def grade(self, case: Case, code: str, order: Order = Order.WRITTEN) -> Verdict:
        """Return a verdict made now; raise `Fault` when the machinery fails."""
        async with self.seats:
            return await self.grader.grade(case, code, order=order)

    async def notice(self, case: Case, code: str, *, limit_secs: float) -> Probe:
        """Return what the tests make of code that should not pass, with so long for each test.

        Code that seems to pass is graded in full: it passes only as a sample of a run would.
        """
        hurried = case.model_copy(update={"timeout_secs": limit_secs})
        async with self.seats:
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
