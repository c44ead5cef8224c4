"""How a conversation goes on: what is asked next, and when it is at its end."""

from collections.abc import Sequence

import pytest
from records import AT, completion, manifest, verdict
from records import case as a_case

from forgetest.errors import FaultKind
from forgetest.extract.types import Extraction, ExtractionRule
from forgetest.run.events import Completed, Event, Faulted, Graded, fold
from forgetest.run.rounds import (
    Ask,
    Done,
    Grade,
    completed_as_recorded,
    may_be_asked,
    next_step,
    settled,
)
from forgetest.sampling.completion import Completion
from forgetest.sampling.plan import Plan
from forgetest.sampling.variant import Feedback, Variant

KEY = "p/m@fix|set/a|0"
THREE = Variant(rounds=3)


def events(letters: str, codes: Sequence[str] = (), *, said: str = "rustc says no") -> list[Event]:
    """Return a journal of one sample: P, F or B for each graded round, and ? for an answer."""
    found: list[Event] = []
    for number, letter in enumerate(letters, start=1):
        feedback = None if number == 1 else said
        found.append(
            Completed(
                sample=KEY,
                at=AT,
                round=number,
                feedback=feedback,
                completion=completion(f"#{number}"),
            )
        )
        if letter != "?":
            code = codes[number - 1] if codes else f"fn f{number}() {{}}"
            found.append(
                Graded(
                    sample=KEY,
                    at=AT,
                    round=number,
                    extraction=Extraction(code=code, rule=ExtractionRule.WHOLE, blocks=0),
                    verdict=verdict(letter),
                )
            )
    return found


def plan(variant: Variant = THREE) -> Plan:
    one = manifest([a_case("a")], n=1).plan
    model = one.models[0].model_copy(update={"variant": "fix"})
    return one.model_copy(update={"models": (model,), "variants": {"fix": variant}})


def step_after(found: list[Event], variant: Variant = THREE) -> Ask | Grade | Done:
    (record,) = fold(found).values()
    return next_step(record, variant)


@pytest.mark.parametrize(
    ("letters", "rounds"),
    [("P", 1), ("BP", 2), ("BBB", 3), ("F", 1), ("BF", 2)],
    ids=["passes", "passes at last", "used up", "nothing to tell", "nothing more to tell"],
)
def test_a_conversation_ends(letters: str, rounds: int) -> None:
    step = step_after(events(letters))

    assert isinstance(step, Done)
    assert len(step.rounds) == rounds


def test_the_next_question_holds_every_answer_and_what_was_said_of_it() -> None:
    step = step_after(events("BB", said="first words"))

    assert isinstance(step, Ask)
    assert step.round == 3
    assert [turn.role for turn in step.later] == ["assistant", "user"] * 2
    assert [turn.text for turn in step.later[:3]] == ["#1", "first words", "#2"]
    assert step.later[3].text == step.feedback


def test_an_answer_without_a_verdict_is_graded_before_anything_is_asked() -> None:
    step = step_after(events("B?"))

    assert isinstance(step, Grade)
    assert (step.round, step.completion.text) == (2, "#2")


def test_code_that_repeats_an_earlier_round_ends_it() -> None:
    assert isinstance(step_after(events("BB", ["a", "a"])), Done)
    assert isinstance(step_after(events("BB", ["a", "b"])), Ask)


def test_a_fault_in_a_later_round_leaves_the_sample_open_where_it_stood() -> None:
    fault = Faulted(
        sample=KEY, at=AT, round=2, stage="asking", kind=FaultKind.STOPPED, message="not asked"
    )
    (record,) = (records := fold([*events("B"), fault])).values()

    assert record.fault == fault
    assert settled(plan(), records) == set()
    assert isinstance(next_step(record, THREE), Ask)
    assert may_be_asked(record, THREE)


def test_one_round_is_what_it_always_was() -> None:
    found = events("B")

    assert "round" not in found[0].model_dump_json()
    assert "feedback" not in found[0].model_dump_json()
    assert isinstance(step_after(found, Variant()), Done)
    (record,) = fold(events("?")).values()
    assert not may_be_asked(record, Variant())


def test_no_empty_turn_is_sent() -> None:
    (first, *rest) = events("B")
    assert isinstance(first, Completed)
    silent = first.model_copy(update={"completion": Completion(text=" \n")})

    step = step_after([silent, *rest])

    assert isinstance(step, Ask)
    assert step.later[0].text == "(no answer)"


def test_a_conversation_that_is_graded_again_ends_with_its_recording() -> None:
    variant = Variant(rounds=3, feedback=Feedback.COMPILER)
    recorded = events("BP")
    again: list[Event] = list(completed_as_recorded(plan(variant), fold(recorded), recorded))
    (record,) = fold(
        [*again, *(event for event in events("BB") if isinstance(event, Graded))]
    ).values()

    assert [event.type for event in again] == ["completed", "completed"]
    assert isinstance(next_step(record, variant), Done)
