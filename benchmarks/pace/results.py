"""What was measured, as values that are kept as JSON."""

import statistics
from collections.abc import Callable, Sequence

from forgetest.value import Value

READ, COMPARE, LOAD = "read", "compare", "load"  # what child processes do


class Spent(Value):
    """What one child process cost."""

    wall: float  # seconds
    cpu: float  # seconds, user and system
    peak: float  # MiB of memory


class Size(Value):
    """Two reports of one size, and what each pass over them cost."""

    cases: int
    samples: int  # a case
    bytes: int  # of both files
    passes: dict[str, tuple[Spent, ...]]

    def median(self, what: str, of: Callable[[Spent], float]) -> float:
        """Return the median over passes of what doing something cost."""
        return statistics.median(map(of, self.passes[what]))

    def ratios(self, of: Callable[[Spent], float]) -> Sequence[float]:
        """Return how many times as much comparing cost as reading, pass by pass."""
        pairs = zip(self.passes[COMPARE], self.passes[READ], strict=True)
        return [of(compared) / of(read) for compared, read in pairs]


class Results(Value):
    """One run of the benchmark."""

    command: str
    quick: bool
    machine: str
    python: str
    load_before: float  # one minute's average
    load_after: float
    large: Size
    typical: Size
