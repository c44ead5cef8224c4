"""How far a run is: each model's counts so far, for whoever watches it."""

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal

from forgetest.run.events import Completed, Event, Faulted, Graded, SampleRecord, apply
from forgetest.run.rounds import settled_rounds
from forgetest.sampling.plan import Plan
from forgetest.sampling.variant import Variant


@dataclass(slots=True)
class Tally:
    """One model's counts so far; a sample counts as graded when it is settled."""

    planned: int
    variant: Variant = field(default_factory=Variant)
    answered: int = 0  # in the first round
    again: Counter[int] = field(default_factory=Counter)  # answers in later rounds, by round
    graded: int = 0
    passed: int = 0
    faulted: int = 0
    usd: Decimal = Decimal(0)
    unpriced: int = 0
    resumed: int = 0  # settled before this session: no measure of its speed
    open: dict[str, SampleRecord] = field(default_factory=dict)  # conversations under way

    @property
    def settled(self) -> int:
        """Samples that need no more work in this session."""
        return self.graded + self.faulted

    @property
    def answers(self) -> int:
        """Answers of all rounds."""
        return self.answered + self.again.total()

    def secs_left(self, elapsed: float) -> float | None:
        """Return the seconds that the rest takes at this session's rate, None before any result."""
        done = self.settled - self.resumed
        if done <= 0:
            return None
        return elapsed / done * (self.planned - self.settled)

    def add(self, event: Event) -> bool:
        """Count one event; return whether it settles its sample, for this session at least."""
        ends = self.variant.rounds == 1 or self._ends_conversation(event)
        match event:
            case Completed():
                self._answer(event)
            case Graded() if ends:
                self.graded += 1
                self.passed += event.verdict.passed
                return True
            case Faulted():
                self.faulted += 1
        return isinstance(event, Faulted)

    def _ends_conversation(self, event: Event) -> bool:
        record = apply(self.open.pop(event.sample, SampleRecord()), event)
        if isinstance(event, Graded) and settled_rounds(record, self.variant) is not None:
            return True
        self.open[event.sample] = record
        return False

    def _answer(self, event: Completed) -> None:
        if event.round == 1:
            self.answered += 1
        else:
            self.again[event.round] += 1
        if event.completion.cost.usd is None:
            self.unpriced += 1
        else:
            self.usd += event.completion.cost.usd


@dataclass(slots=True)
class Tallies:
    """The tallies of all models, fed by events."""

    by_model: dict[str, Tally]

    @classmethod
    def of(cls, plan: Plan) -> "Tallies":
        """Return empty tallies for every model of the plan."""
        return cls(
            {
                str(model): Tally(planned=plan.size_of(model), variant=plan.variant(model))
                for model in plan.models
            }
        )

    def resume(self, event: Event) -> None:
        """Count an event of an earlier session, whose faults are tried again."""
        if not isinstance(event, Faulted):
            tally = self._of(event)
            tally.resumed += tally.add(event)

    def add(self, event: Event) -> bool:
        """Count one event; return whether it settles its sample, for this session at least."""
        return self._of(event).add(event)

    def _of(self, event: Event) -> Tally:
        return self.by_model[event.sample.rsplit("|", 2)[0]]
