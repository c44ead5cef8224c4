"""What was measured, as values that are kept as JSON, and the figures that are computed from it."""

import statistics
from collections.abc import Callable, Sequence
from typing import Self

from pydantic import Field

from forgetest.value import Value


class Spent(Value):
    """What one pass, or one block of it, cost; times in seconds."""

    samples: int = 0
    wall: float = 0.0
    own_cpu: float = 0.0  # of the measuring process: the grader's own Python
    cpu_below: float = 0.0  # of the compilers and tests

    @property
    def cpu(self) -> float:
        """All CPU time."""
        return self.own_cpu + self.cpu_below

    @property
    def rate(self) -> float:
        """Samples per second of wall time."""
        return self.samples / self.wall

    def plus(self, other: Self) -> Self:
        """Return both together."""
        sums = {
            name: getattr(self, name) + getattr(other, name) for name in type(self).model_fields
        }
        return self.model_copy(update=sums)


class Figure(Value):
    """The median of some passes, between the least and the most of them."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        """Return the figure of one value for each pass."""
        return cls(median=statistics.median(values), least=min(values), most=max(values))


Passes = tuple[Spent, ...]


class Machine(Value):
    """Where the figures are from."""

    system: str
    processor: str
    cores: int  # that this process may use
    memory_gib: float
    python: str
    rustc: str
    clippy: str
    sandbox: str
    load_before: float  # one minute's average
    load_after: float


class Stability(Value):
    """Verdicts that were wrong in some rounds over all samples with so many workers."""

    workers: int
    rounds: int
    verdicts: int
    wrong: int


class Results(Value):
    """One run of the benchmark."""

    command: str
    quick: bool
    samples: int
    passes: int
    workers: int
    copies: int  # of each sample, in the comparison of copies with one
    machine: Machine
    speed: dict[str, Passes] = Field(default_factory=dict)  # by contestant, as the next two
    duplicates: dict[str, Passes] = Field(default_factory=dict)
    tokio: dict[str, Passes] = Field(default_factory=dict)
    stability: tuple[Stability, ...] = ()
    skipped: dict[str, str] = Field(default_factory=dict)  # part -> why it was not measured


def figure(passes: Passes, of: Callable[[Spent], float]) -> Figure:
    """Return a figure of the passes of one contestant."""
    return Figure.of([of(spent) for spent in passes])


def ratio(above: Passes, below: Passes, of: Callable[[Spent], float]) -> Figure:
    """Return how two contestants compare, pass by pass."""
    return Figure.of([of(one) / of(other) for one, other in zip(above, below, strict=True)])
