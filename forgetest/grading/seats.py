"""How many samples are graded at once."""

import asyncio
from dataclasses import dataclass

from forgetest.evalset.types import Case
from forgetest.grading.codegrader import Identified
from forgetest.grading.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Seated:
    """A grader that grades no more samples at once than there are seats.

    It stands below the memory: a sample that waits for its twin takes no seat from others.
    """

    grader: Identified
    seats: asyncio.Semaphore

    @property
    def identity(self) -> str:
        """The identity of the grader itself: seats change no verdict."""
        return self.grader.identity

    async def grade(self, case: Case, code: str) -> Verdict:
        """Return the verdict as soon as a seat was free; raise `Fault` as the grader does."""
        async with self.seats:
            return await self.grader.grade(case, code)
