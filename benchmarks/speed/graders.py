"""The contestants of forgetest: its grader through the public API, in this very process."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from forgetest.evalset.types import Case
from forgetest.grading.grader import SampleGrader
from forgetest.grading.graders import ConcurrencyLimit, VerdictCache
from forgetest.grading.verdict import Verdict
from forgetest.grading.verdict_store import VerdictStore
from forgetest.sandbox.choose import choose
from forgetest.system.toolchain import Toolchain
from speed.contest import Answers
from speed.corpus import Sample
from speed.judged import from_verdict


class Grades(Protocol):
    """Whatever grades: the grader, or one that remembers in front of it."""

    async def grade(self, case: Case, code: str) -> Verdict:
        """Return the verdict on `code`."""


@dataclass(frozen=True, slots=True)
class Forgetest:
    """Grades a block at once; `open_grader` is asked for a grader, with its seats, each time."""

    name: str
    open_grader: Callable[[], Grades]
    copies: int = 1  # of each sample

    async def grade(self, block: Sequence[Sample]) -> Answers:
        """Grade each sample of a block as often as there are copies."""
        grader = self.open_grader()
        many = [sample for sample in block for _ in range(self.copies)]
        verdicts = await asyncio.gather(*(grader.grade(one.case, one.code) for one in many))
        # The last copy of each answers for all: it is the one that was not graded itself.
        last = verdicts[self.copies - 1 :: self.copies]
        return lambda: [from_verdict(verdict) for verdict in last]


@dataclass(frozen=True, slots=True)
class Graders:
    """Opens graders, one for each sandbox."""

    toolchain: Toolchain
    cache: Path
    opened: dict[str, SampleGrader] = field(default_factory=dict)  # by the sandbox asked for
    ready: set[tuple[str, str]] = field(default_factory=set)  # the same with a case's key

    @property
    def described(self) -> str:
        """The sandboxes that were used, for the tables."""
        return "; ".join(map(_described, self.opened.values())) or "none used"

    async def open(self, requested: str, samples: Iterable[Sample]) -> SampleGrader:
        """Return the grader of a sandbox, ready for the samples' cases.

        Raises `ToolchainError` when there is no such sandbox here, or no crate that they need.
        """
        grader = self.opened.get(requested)
        if grader is None:
            sandbox = await choose(requested, toolchain=self.toolchain, cache=self.cache)
            grader = SampleGrader(self.toolchain, cache=self.cache, sandbox=sandbox)
            self.opened[requested] = grader
        cases = {(requested, sample.case.key): sample.case for sample in samples}
        if not self.ready.issuperset(cases):
            await grader.prepare(cases.values())
            self.ready.update(cases)
        return grader


def seated(grader: SampleGrader, workers: int) -> ConcurrencyLimit:
    """Return a grader that grades so many samples at once, as a run of forgetest does."""
    return ConcurrencyLimit(grader, asyncio.Semaphore(workers))


def remembering(grader: SampleGrader, workers: int, *, store: Path | None = None) -> Grades:
    """Return a grader that grades identical code once, across runs when it has a store."""
    verdicts = None if store is None else VerdictStore(store)
    return VerdictCache(seated(grader, workers), verdicts, lock_of=grader.lock_of)


def _described(grader: SampleGrader) -> str:
    sandbox = grader.sandbox
    return f"{sandbox.backend} {sandbox.version}".strip()
