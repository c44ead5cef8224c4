"""What is counted while a run goes on: settled samples, and answers of later rounds."""

from records import AT, completion, manifest, verdict
from records import case as a_case

from forgetest.extract.types import Extraction, ExtractionRule
from forgetest.render.columns import plain_text
from forgetest.render.live import live_table, plain_line
from forgetest.run.events import Completed, Event, Graded
from forgetest.run.tally import Tallies
from forgetest.sampling.variant import Variant

MODEL = "p/m@fix"


def tallies() -> Tallies:
    made = manifest([a_case("a")], n=2).plan
    model = made.models[0].model_copy(update={"variant": "fix"})
    return Tallies.of(
        made.model_copy(update={"models": (model,), "variants": {"fix": Variant(rounds=3)}})
    )


def events(letters: str, index: int = 0) -> list[Event]:
    """Return an answer and its verdict for each letter, one round each."""
    key = f"{MODEL}|set/a|{index}"
    return [
        event
        for number, letter in enumerate(letters, start=1)
        for event in (
            Completed(sample=key, at=AT, round=number, completion=completion(f"{number}")),
            Graded(
                sample=key,
                at=AT,
                round=number,
                extraction=Extraction(code=f"{number}", rule=ExtractionRule.WHOLE, blocks=0),
                verdict=verdict(letter),
            ),
        )
    ]


def test_a_sample_counts_as_graded_when_its_conversation_is_at_its_end() -> None:
    counted = tallies()
    settled = [counted.add(event) for event in events("BP")]
    tally = counted.by_model[MODEL]

    assert settled == [False, False, False, True]
    assert (tally.answered, tally.answers, tally.graded, tally.passed) == (1, 2, 1, 1)
    assert not tally.open
    shown = plain_text(live_table(counted, elapsed=1.0, width=120))
    assert "asked again" in shown
    assert "round 2: 1" in shown


def test_a_line_says_in_which_round_a_sample_was_settled() -> None:
    counted = tallies()
    lines = {}
    for place, letters in enumerate(("BP", "BBB")):
        for event in events(letters, place):
            if counted.add(event):
                lines[letters] = plain_line(event, counted)

    assert lines["BP"] == f"[1/2] {MODEL} set/a #1: passed in round 2"
    assert lines["BBB"] == f"[2/2] {MODEL} set/a #2: compile_failed after 3 rounds"


def test_a_resumed_run_goes_on_counting_in_the_middle_of_a_conversation() -> None:
    counted = tallies()
    first, rest = (found := events("BP"))[:2], found[2:]
    for event in first:
        counted.resume(event)
    tally = counted.by_model[MODEL]

    assert (tally.graded, tally.resumed) == (0, 0)
    assert [counted.add(event) for event in rest] == [False, True]
    assert tally.passed == 1
