"""What happens to a sample: the events of the journal, what they add up to, and running totals."""

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from forgetest.errors import FaultKind
from forgetest.extract.types import Extraction
from forgetest.grading.verdict import Verdict
from forgetest.sampling.completion import Completion
from forgetest.sampling.plan import Plan
from forgetest.value import Value


class Completed(Value):
    """The model answered; written before grading, so that what was paid for is never lost."""

    type: Literal["completed"] = "completed"
    sample: str
    at: str  # UTC, ISO 8601
    completion: Completion


class Graded(Value):
    """The sample is settled."""

    type: Literal["graded"] = "graded"
    sample: str
    at: str
    extraction: Extraction
    verdict: Verdict


class Faulted(Value):
    """The machinery failed; the sample stays unscored and is tried again on resume."""

    type: Literal["faulted"] = "faulted"
    sample: str
    at: str
    stage: Literal["asking", "grading"]
    kind: FaultKind
    message: str


Event = Annotated[Completed | Graded | Faulted, Field(discriminator="type")]
EVENT: TypeAdapter[Event] = TypeAdapter(Event)


class SampleRecord(Value):
    """All that is known of one sample: the fold of its events."""

    completion: Completion | None = None
    extraction: Extraction | None = None
    verdict: Verdict | None = None
    fault: Faulted | None = None


def fold(events: list[Event]) -> dict[str, SampleRecord]:
    """Return each sample's record; a later event of a sample replaces what it contradicts."""
    records: dict[str, SampleRecord] = {}
    for event in events:
        records[event.sample] = apply(records.get(event.sample, SampleRecord()), event)
    return records


def apply(record: SampleRecord, event: Event) -> SampleRecord:
    """Return the record after one more event; a success clears an earlier fault."""
    match event:
        case Completed():
            return record.model_copy(update={"completion": event.completion, "fault": None})
        case Graded():
            return record.model_copy(
                update={"extraction": event.extraction, "verdict": event.verdict, "fault": None}
            )
        case Faulted():
            return record.model_copy(update={"fault": event})


@dataclass(slots=True)
class Tally:
    """One model's counts so far."""

    planned: int
    answered: int = 0
    graded: int = 0
    passed: int = 0
    faulted: int = 0
    usd: Decimal = Decimal(0)
    unpriced: int = 0
    resumed: int = 0  # settled before this session: no measure of its speed

    @property
    def settled(self) -> int:
        """Samples that need no more work in this session."""
        return self.graded + self.faulted

    def secs_left(self, elapsed: float) -> float | None:
        """Return the seconds that the rest takes at this session's rate, None before any result."""
        done = self.settled - self.resumed
        if done <= 0:
            return None
        return elapsed / done * (self.planned - self.settled)


@dataclass(slots=True)
class Tallies:
    """The tallies of all models, fed by events."""

    by_model: dict[str, Tally]

    @classmethod
    def of(cls, plan: Plan) -> "Tallies":
        """Return empty tallies for every model of the plan."""
        planned = Counter(str(sample.model) for sample in plan.samples())
        return cls({str(model): Tally(planned=planned[str(model)]) for model in plan.models})

    def resume(self, events: list[Event]) -> None:
        """Count what an earlier session settled; its faults are tried again."""
        for event in events:
            if not isinstance(event, Faulted):
                self.add(event)
        for tally in self.by_model.values():
            tally.resumed = tally.settled

    def add(self, event: Event) -> None:
        """Count one event."""
        tally = self.by_model[event.sample.split("|", 1)[0]]
        match event:
            case Completed():
                tally.answered += 1
                if event.completion.cost.usd is None:
                    tally.unpriced += 1
                else:
                    tally.usd += event.completion.cost.usd
            case Graded():
                tally.graded += 1
                tally.passed += event.verdict.passed
            case Faulted():
                tally.faulted += 1
