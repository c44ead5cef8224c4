"""What happens to a sample, as the one type that is journaled, displayed and folded."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from forgetest.completion import Completion
from forgetest.errors import FaultKind
from forgetest.extract import Extraction
from forgetest.grading.verdict import Verdict
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


class Record(Value):
    """All that is known of one sample: the fold of its events."""

    completion: Completion | None = None
    extraction: Extraction | None = None
    verdict: Verdict | None = None
    fault: Faulted | None = None


def fold(events: list[Event]) -> dict[str, Record]:
    """Return each sample's record; a later event of a sample replaces what it contradicts."""
    records: dict[str, Record] = {}
    for event in events:
        records[event.sample] = apply(records.get(event.sample, Record()), event)
    return records


def apply(record: Record, event: Event) -> Record:
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
