"""One run of the benchmark: who takes part in which comparison, and what came of it."""

import functools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from forgetest.errors import ToolchainError
from forgetest.system.toolchain import Toolchain
from speed import machine
from speed.contest import Contest, Contestant, GateError, mismatches
from speed.corpus import Corpus, Sample
from speed.floor import Floor
from speed.graders import Forgetest, Graders, remembering, seated
from speed.plain import Plain
from speed.results import Passes, Results, Stability
from speed.targets import (
    CACHED,
    COPIES,
    FLOOR,
    FLOOR_TOGETHER,
    GUARDED,
    GUARDED_ALONE,
    ONCE,
    PLAIN,
    PLAIN_ISOLATED,
    UNGUARDED,
)

SPEED, DUPLICATES, TOKIO, STABILITY = PARTS = ("speed", "duplicates", "tokio", "stability")
CONTESTANTS = (
    *(PLAIN, PLAIN_ISOLATED, GUARDED, GUARDED_ALONE, UNGUARDED),
    *(FLOOR, FLOOR_TOGETHER, CACHED),
)
_FETCH_HINT = "crates that are not in cargo's cache need the network"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be measured."""

    command: str
    passes: int
    blocks: int | None = None  # None: all of them
    workers: int = field(default_factory=machine.cores)
    parts: Sequence[str] = PARTS
    contestants: Sequence[str] = CONTESTANTS
    sandbox: str = "auto"
    quick: bool = False
    rounds: int = 3  # at each number of workers
    copied: int = 12  # different samples
    copies: int = 8  # of each


@dataclass(frozen=True, slots=True)
class Bench:
    """A plan, and what it is carried out with."""

    plan: Plan
    corpus: Corpus
    toolchain: Toolchain
    work: Path
    graders: Graders
    listen: Callable[[str], None]

    async def run(self) -> Results:
        """Return what was measured; raise `GateError` when any verdict is wrong."""
        load = machine.load()
        skipped: dict[str, str] = {}
        speed = await self._part(SPEED, self._speed, skipped)
        duplicates = await self._part(DUPLICATES, self._duplicates, skipped)
        tokio = await self._part(TOKIO, self._tokio, skipped)
        stability = await self._stability() if STABILITY in self.plan.parts else ()
        return Results(
            command=self.plan.command,
            quick=self.plan.quick,
            samples=sum(map(len, self._blocks)),
            passes=self.plan.passes,
            workers=self.plan.workers,
            copies=self.plan.copies,
            machine=machine.describe(
                self.toolchain, sandbox=self.graders.described, load_before=load
            ),
            speed=speed,
            duplicates=duplicates,
            tokio=tokio,
            stability=stability,
            skipped=skipped,
        )

    @property
    def _blocks(self) -> list[tuple[Sample, ...]]:
        return self.corpus.blocks(self.plan.blocks)

    async def _part(
        self,
        name: str,
        measure: Callable[[], Awaitable[dict[str, Passes]]],
        skipped: dict[str, str],
    ) -> dict[str, Passes]:
        if name not in self.plan.parts:
            return {}
        self.listen(name)
        try:
            return await measure()
        except ToolchainError as error:
            skipped[name] = str(error)
            return {}

    async def _contest(
        self, contestants: Sequence[Contestant], blocks: Sequence[Sequence[Sample]]
    ) -> dict[str, Passes]:
        contest = Contest(contestants, blocks, self.corpus.expected, self.listen)
        return await contest.measure(self.plan.passes)

    async def _speed(self) -> dict[str, Passes]:
        """Compare everybody over the corpus."""
        contestants = [await self._contestant(name) for name in self.plan.contestants]
        return await self._contest(contestants, self._blocks)

    async def _contestant(self, name: str) -> Contestant:
        """Return a contestant that is ready."""
        if name in (PLAIN, PLAIN_ISOLATED):
            shared = name == PLAIN
            workers = 1 if shared else self.plan.workers
            return Plain(name, self.toolchain, self.work, workers, shared_target=shared)
        if name in (FLOOR, FLOOR_TOGETHER):
            workers = 1 if name == FLOOR else self.plan.workers
            floor = Floor(name, self.toolchain, self.work, workers)
            floor.prepare([sample for block in self._blocks for sample in block])
            return floor
        return await self._forgetest(name)

    async def _forgetest(self, name: str) -> Forgetest:
        sandbox = "none" if name == UNGUARDED else self.plan.sandbox
        grader = await self.graders.open(sandbox, self.corpus.samples)
        workers = 1 if name == GUARDED_ALONE else self.plan.workers
        if name == CACHED:
            # A new memory every time: what it knows, it has read from disk.
            store = self.work / "verdicts"
            return Forgetest(name, lambda: remembering(grader, workers, store=store))
        return Forgetest(name, lambda: seated(grader, workers))

    async def _duplicates(self) -> dict[str, Passes]:
        """Compare a block with copies of it, where identical code is graded once."""
        grader = await self.graders.open(self.plan.sandbox, self.corpus.samples)

        opened = functools.partial(remembering, grader, self.plan.workers)
        contestants = [Forgetest(ONCE, opened), Forgetest(COPIES, opened, self.plan.copies)]
        some = self._blocks[0][: self.plan.copied]
        return await self._contest(contestants, [some])

    async def _tokio(self) -> dict[str, Passes]:
        """Compare one worker each on the samples with a dependency that is built already."""
        samples = self.corpus.tokio
        plain = Plain(PLAIN, self.toolchain, self.work / "tokio")
        plain.work.mkdir()
        try:
            plain.fetch(samples)
        except OSError as error:
            raise ToolchainError(f"tokio cannot be fetched ({error}); {_FETCH_HINT}") from error
        grader = await self.graders.open(self.plan.sandbox, samples)
        guarded = Forgetest(GUARDED, lambda: seated(grader, 1))
        return await self._contest([plain, guarded], [samples])

    async def _stability(self) -> tuple[Stability, ...]:
        """Count wrong verdicts when 1, 2 and 4 samples are graded at a time."""
        return tuple([await self._at_once(workers) for workers in (1, 2, 4)])

    async def _at_once(self, workers: int) -> Stability:
        samples = [sample for block in self._blocks for sample in block]
        grader = await self.graders.open(self.plan.sandbox, samples)
        contestant = Forgetest(f"{workers} at once", lambda: seated(grader, workers))
        wrong: list[str] = []
        for number in range(self.plan.rounds):
            self.listen(f"{STABILITY}: {workers} at once, round {number + 1}")
            judged = (await contestant.grade(samples))()
            wrong += mismatches(contestant.name, samples, judged, self.corpus.expected)
        if wrong:
            raise GateError(wrong)
        verdicts = len(samples) * self.plan.rounds
        return Stability(workers=workers, rounds=self.plan.rounds, verdicts=verdicts, wrong=0)
