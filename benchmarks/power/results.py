"""What was simulated, as values that are kept as JSON."""

from typing import Literal

from forgetest.metrics import WilsonInterval, wilson
from forgetest.value import Value

Effect = Literal["none", "one broken", "two broken", "all 15 % worse"]


class Trial(Value):
    """Pairs of runs of one kind."""

    setting: str
    cases: int
    samples: int  # a case and run
    effect: Effect
    pairs: int


class Tally(Value):
    """In how many pairs of a trial each rule called a regression."""

    trial: Trial
    any_case: int  # some case's mean score fell by more than the threshold
    mean: int  # the mean score over cases did
    evidence: int  # the evidence gate
    together: int  # of that, by all cases together
    single: int  # of that, by a case alone

    def interval(self, count: int) -> WilsonInterval:
        """Return the share of all pairs and its 95 % interval."""
        found = wilson(self.trial.pairs, count)
        if found is None:
            raise ValueError("a trial must have pairs")
        return found


class Results(Value):
    """One run of the simulation."""

    command: str
    quick: bool
    seed: int
    seconds: float
    tallies: tuple[Tally, ...]
