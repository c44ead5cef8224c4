"""What samples that pass take of memory, and how that compares with the reference solution.

Cases that count memory have these numbers, and they are no part of a score. A sample counts with
the most that one of its tests takes. Means are geometric: twice as much in one case and half as
much in another is even. One is added to each number first, so that none can be compared with none.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from pydantic import Field

from forgetest.grading.verdict import Verdict
from forgetest.value import Value


class MemoryMeans(Value):
    """What the samples of a case that pass take, each with the most that one test takes."""

    samples: int = Field(description="Samples that pass.")
    allocations: float = Field(description="Geometric mean of their allocations.")
    peak_bytes: float = Field(description="Geometric mean of the bytes that they hold at once.")


class Efficiency(Value):
    """What a model's passing samples take of memory, over what the reference takes: 2 is twice."""

    cases: int = Field(description="Cases that count memory and that the model solves.")
    allocations: float = Field(description="Geometric mean over the cases, for allocations.")
    peak_bytes: float = Field(description="Geometric mean over the cases, for bytes at once.")


class MeasuredCase(Protocol):
    """A case of a report, as far as it is compared here."""

    @property
    def key(self) -> str:
        """The case's name across eval sets."""
        ...

    @property
    def memory(self) -> MemoryMeans | None:
        """What its passing samples take."""
        ...


@dataclass(slots=True)
class MemoryCount:
    """Counts the samples of a case that pass; none is kept."""

    samples: int = 0
    allocations: float = 0.0  # sum of logarithms, as are the bytes
    peak_bytes: float = 0.0

    def add(self, verdict: Verdict) -> None:
        """Count a sample that passes in a case that counts memory, and no other."""
        allocations = [test.allocations for test in verdict.tests if test.allocations is not None]
        peaks = [test.peak_bytes for test in verdict.tests if test.peak_bytes is not None]
        if verdict.passed and allocations and peaks:
            self.samples += 1
            self.allocations += math.log1p(max(allocations))
            self.peak_bytes += math.log1p(max(peaks))

    @property
    def means(self) -> MemoryMeans | None:
        """The means of what was counted; None where nothing was."""
        if not self.samples:
            return None
        return MemoryMeans(
            samples=self.samples,
            allocations=round(math.expm1(self.allocations / self.samples), 6),
            peak_bytes=round(math.expm1(self.peak_bytes / self.samples), 6),
        )


def efficiency(
    cases: Iterable[MeasuredCase], reference: Iterable[MeasuredCase]
) -> Efficiency | None:
    """Return what a model takes over what the reference takes; None without a case of both."""
    known = {case.key: case.memory for case in reference}
    pairs = [(case.memory, known.get(case.key)) for case in cases]
    both = [(own, its) for own, its in pairs if own and its]
    if not both:
        return None
    return Efficiency(
        cases=len(both),
        allocations=_ratio([(own.allocations, its.allocations) for own, its in both]),
        peak_bytes=_ratio([(own.peak_bytes, its.peak_bytes) for own, its in both]),
    )


def _ratio(pairs: list[tuple[float, float]]) -> float:
    logs = [math.log1p(own) - math.log1p(its) for own, its in pairs]
    return math.exp(math.fsum(logs) / len(logs))
