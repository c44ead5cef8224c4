"""Measures contestants side by side: block by block, in a rotating order, in one process.

CPU time is that of this process and of every process below it that was waited for.
"""

import gc
import itertools
import resource
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from speed.corpus import Sample
from speed.judged import Expected, Judged, differences
from speed.results import Spent

Answers = Callable[[], list[Judged]]  # reads what was found; called when the clock has stopped


class Contestant(Protocol):
    """One way to grade."""

    @property
    def name(self) -> str:
        """What it is called in the tables."""

    async def grade(self, block: Sequence[Sample]) -> Answers:
        """Grade a block of samples, all the work of it."""


class GateError(Exception):
    """Contestants whose verdicts are not the expected ones; nobody may see their times."""

    def __init__(self, mismatches: Sequence[str]) -> None:
        self.mismatches = tuple(mismatches)
        super().__init__(f"{len(self.mismatches)} verdicts are wrong")


@dataclass(frozen=True, slots=True)
class Contest:
    """Contestants, the blocks that each of them grades in every pass, and the gate."""

    contestants: Sequence[Contestant]
    blocks: Sequence[Sequence[Sample]]
    expected: Mapping[str, Expected]
    listen: Callable[[str], None] = field(default=lambda _: None)

    async def measure(self, passes: int) -> dict[str, tuple[Spent, ...]]:
        """Return what every pass cost each contestant, after one that does not count.

        Raises `GateError` after the first pass in which a verdict is not the expected one.
        """
        spent: dict[str, list[Spent]] = {one.name: [] for one in self.contestants}
        for number in range(passes + 1):
            self.listen(f"pass {number} of {passes}" if number else "warm-up")
            found = await self._pass(number)
            for name, cost in found.items() if number else ():
                spent[name].append(cost)
        return {name: tuple(costs) for name, costs in spent.items()}

    async def _pass(self, number: int) -> dict[str, Spent]:
        total = {one.name: Spent() for one in self.contestants}
        wrong: list[str] = []
        for turn, block in enumerate(self.blocks):
            for contestant in _rotated(self.contestants, number + turn):
                cost, judged = await _timed(contestant, block)
                total[contestant.name] = total[contestant.name].plus(cost)
                wrong += mismatches(contestant.name, block, judged, self.expected)
        if wrong:
            raise GateError(wrong)
        return total


def mismatches(
    name: str,
    block: Sequence[Sample],
    judged: Sequence[Judged],
    expected: Mapping[str, Expected],
) -> Iterator[str]:
    """Yield a line for each verdict of a block that is not the expected one."""
    for sample, found in zip(block, judged, strict=True):
        for difference in differences(expected[sample.key], found):
            yield f"{name}: {sample.key}: {difference}"


async def _timed(contestant: Contestant, block: Sequence[Sample]) -> tuple[Spent, list[Judged]]:
    gc.collect()  # what others have left behind is not this one's work
    own, below, wall = _cpu(resource.RUSAGE_SELF), _cpu(resource.RUSAGE_CHILDREN), time.monotonic()
    answers = await contestant.grade(block)
    cost = Spent(
        samples=len(block),
        wall=time.monotonic() - wall,
        own_cpu=_cpu(resource.RUSAGE_SELF) - own,
        cpu_below=_cpu(resource.RUSAGE_CHILDREN) - below,
    )
    return cost, answers()


def _cpu(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def _rotated(contestants: Sequence[Contestant], by: int) -> list[Contestant]:
    first = by % len(contestants)
    return list(itertools.chain(contestants[first:], contestants[:first]))
