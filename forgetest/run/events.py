"""What happens to a sample: the events of the journal, and what they add up to."""

import functools
from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter

from forgetest.errors import FaultKind
from forgetest.extract.types import Extraction
from forgetest.grading.verdict import Verdict
from forgetest.sampling.completion import Completion
from forgetest.sampling.variant import unless
from forgetest.value import Value


class Completed(Value):
    """The model answered; written before grading, so that what was paid for is never lost."""

    type: Literal["completed"] = "completed"
    sample: str
    at: str  # UTC, ISO 8601
    round: int = unless(1, "The round of the sample's conversation, from 1.", ge=1)
    feedback: str | None = unless(None, "What the user said of the answer before.")
    completion: Completion


class Graded(Value):
    """The answer has a verdict."""

    type: Literal["graded"] = "graded"
    sample: str
    at: str
    round: int = unless(1, "The round of the answer.", ge=1)
    extraction: Extraction
    verdict: Verdict


class Faulted(Value):
    """The machinery failed; the sample stays unscored and is tried again on resume."""

    type: Literal["faulted"] = "faulted"
    sample: str
    at: str
    round: int = unless(1, "The round that did not come to its end.", ge=1)
    stage: Literal["asking", "grading"]
    kind: FaultKind
    message: str


Event = Annotated[Completed | Graded | Faulted, Field(discriminator="type")]
EVENT: TypeAdapter[Event] = TypeAdapter(Event, config=ConfigDict(defer_build=True))


class Round(Value):
    """One answer of a sample: what it answers, and what became of it."""

    completion: Completion | None = None
    feedback: str | None = None  # on the answer before; None in the first round
    extraction: Extraction | None = None
    verdict: Verdict | None = None


class SampleRecord(Round):
    """All that is known of one sample: the fold of its events. What it is itself is its last round.

    Only a sample that is asked in several rounds has any earlier ones.
    """

    earlier: tuple[Round, ...] = ()
    fault: Faulted | None = None

    @property
    def rounds(self) -> tuple[Round, ...]:
        """Every round that has an answer, in order."""
        if self.completion is None and self.verdict is None:
            return self.earlier
        last = {name: getattr(self, name) for name in Round.model_fields}
        return (*self.earlier, Round.model_construct(**last))


def fold(events: Iterable[Event]) -> dict[str, SampleRecord]:
    """Return each sample's record; a later event of a sample replaces what it contradicts."""
    records: dict[str, SampleRecord] = {}
    for event in events:
        records[event.sample] = apply(records.get(event.sample, SampleRecord()), event)
    return records


def record_of(events: Iterable[Event]) -> SampleRecord:
    """Return what the events of one sample make, in their order."""
    return functools.reduce(apply, events, SampleRecord())


def apply(record: SampleRecord, event: Event) -> SampleRecord:
    """Return the record after one more event; a success clears an earlier fault."""
    if isinstance(event, Faulted):
        return record.model_copy(update={"fault": event})
    rounds, place = record.rounds, event.round - 1
    if isinstance(event, Completed):
        answered = Round(completion=event.completion, feedback=event.feedback)
        return _of_rounds((*rounds[:place], answered))
    before = rounds[place] if place < len(rounds) else Round()
    graded = before.model_copy(update={"extraction": event.extraction, "verdict": event.verdict})
    return _of_rounds((*rounds[:place], graded, *rounds[place + 1 :]))


def _of_rounds(rounds: tuple[Round, ...]) -> SampleRecord:
    *earlier, last = rounds
    known = {name: getattr(last, name) for name in Round.model_fields}
    return SampleRecord.model_construct(**known, earlier=tuple(earlier), fault=None)
