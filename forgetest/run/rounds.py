"""What a sample needs next: an answer, a verdict, or nothing more. The one place that decides it.

Most samples are asked once. A variant with several rounds makes each a conversation, which ends
when an answer passes, when its code repeats an earlier one, when the rounds are used up, or when
nothing of what is wrong may be told. A recorded conversation ends where the recording does.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from forgetest.extract.types import ExtractionRule
from forgetest.run.events import Completed, Event, Round, SampleRecord
from forgetest.run.feedback import feedback_text
from forgetest.sampling.completion import Completion, Turn
from forgetest.sampling.plan import Plan
from forgetest.sampling.variant import Variant

_SAID_NOTHING = "(no answer)"  # protocols refuse an empty turn


@dataclass(frozen=True, slots=True)
class Ask:
    """The model is to answer, after all that was said before."""

    round: int = 1
    feedback: str | None = None
    later: tuple[Turn, ...] = ()  # than the question


@dataclass(frozen=True, slots=True)
class Grade:
    """An answer is to be graded."""

    round: int
    completion: Completion


@dataclass(frozen=True, slots=True)
class Done:
    """The sample is settled by these rounds."""

    rounds: tuple[Round, ...]


def next_step(record: SampleRecord, variant: Variant) -> Ask | Grade | Done:
    """Return what a sample of a variant needs next."""
    rounds = record.rounds
    for number, answered in enumerate(rounds, start=1):
        if answered.verdict is None:
            return Grade(number, answered.completion or Completion(text=""))
        if answered.verdict.passed:
            return Done(rounds[:number])
    if not rounds:
        return Ask()
    feedback = _feedback(rounds, variant)
    if feedback is None:
        return Done(rounds)
    return Ask(len(rounds) + 1, feedback, _conversation(rounds, feedback))


def settled_rounds(record: SampleRecord, variant: Variant) -> tuple[Round, ...] | None:
    """Return the rounds of a settled sample; None while it needs more work."""
    step = next_step(record, variant)
    return step.rounds if isinstance(step, Done) else None


def settled(plan: Plan, records: Mapping[str, SampleRecord]) -> set[str]:
    """Return the keys of the samples that need no more work."""
    return {
        sample.key
        for sample in plan.samples()
        if (record := records.get(sample.key)) is not None
        and settled_rounds(record, plan.variant(sample.model)) is not None
    }


def completed_as_recorded(
    plan: Plan, records: Mapping[str, SampleRecord], events: Iterable[Event]
) -> Iterator[Completed]:
    """Yield the answers of a run that is graded again, in order; its events make the records.

    Conversations that came to their end then go on no longer, even if the new verdicts differ.
    """
    last = {
        sample.key: len(record.rounds)
        for sample in plan.samples()
        if (variant := plan.variant(sample.model)).rounds > 1
        and (record := records.get(sample.key)) is not None
        and settled_rounds(record, variant) is not None
    }
    for event in events:
        if isinstance(event, Completed):
            yield _ending(event) if event.round == last.get(event.sample) else event


def _ending(event: Completed) -> Completed:
    last = event.completion.model_copy(update={"ends_recording": True})
    return event.model_copy(update={"completion": last})


def may_be_asked(record: SampleRecord, variant: Variant) -> bool:
    """Tell whether a sample may still need an answer: now, or after the next verdict."""
    match next_step(record, variant):
        case Ask():
            return True
        case Grade():
            return len(record.rounds) < variant.rounds and not _ends(record.rounds[-1])
        case Done():
            return False


def _feedback(rounds: Sequence[Round], variant: Variant) -> str | None:
    """Return what is said of the last answer; None where the conversation is at its end."""
    *earlier, last = rounds
    used_up = len(rounds) >= variant.rounds or _ends(last)
    if used_up or last.verdict is None or _essence(last) in map(_essence, earlier):
        return None
    extraction = last.extraction
    several = extraction and (extraction.rule is ExtractionRule.FILES or extraction.detail)
    wrong_files = extraction.detail if extraction and several else None
    return feedback_text(last.verdict, variant.feedback, wrong_files=wrong_files)


def _ends(answered: Round) -> bool:
    return answered.completion is not None and answered.completion.ends_recording


def _essence(answered: Round) -> tuple[str | None, str]:
    """Return what two answers have in common that are the same: their code, or else their text."""
    code = answered.extraction.code if answered.extraction else None
    return code, "" if code is not None or not answered.completion else answered.completion.text


def _conversation(rounds: Sequence[Round], feedback: str) -> tuple[Turn, ...]:
    """Return each answer so far, and what was said of it."""
    said = [*(answered.feedback or "" for answered in rounds[1:]), feedback]
    return tuple(
        turn
        for answered, words in zip(rounds, said, strict=True)
        for turn in (
            Turn(role="assistant", text=_answer(answered)),
            Turn(role="user", text=words),
        )
    )


def _answer(answered: Round) -> str:
    text = answered.completion.text if answered.completion else ""
    return text if text.strip() else _SAID_NOTHING
