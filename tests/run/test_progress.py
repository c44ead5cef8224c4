"""What an open run remembers of its samples agrees with what their whole records say."""

from pathlib import Path

import pytest
from records import AT, case, completion, manifest, verdict

from forgetest.extract.types import Extraction, ExtractionRule
from forgetest.run.events import Completed, Event, Graded, fold
from forgetest.run.folder import RunDir, create, resume
from forgetest.run.manifest import Manifest
from forgetest.run.rounds import may_be_asked, settled
from forgetest.sampling.variant import Feedback, Variant

THREE = Variant(rounds=3, feedback=Feedback.COMPILER)
# B for a round whose code does not compile, P and F for tests, ? for an answer without a verdict.
PATHS = [f"{before}{last}" for before in ("", "B", "BB") for last in ("", *"PFB?")]


def asked(rounds: int) -> Manifest:
    made = manifest([case("one")], n=3)
    model = made.plan.models[0].model_copy(update={"variant": "fix" if rounds > 1 else None})
    variants = {"fix": THREE} if rounds > 1 else {}
    plan = made.plan.model_copy(update={"models": (model,), "variants": variants})
    return made.model_copy(update={"plan": plan, "plan_digest": plan.digest})


def events(key: str, letters: str) -> list[Event]:
    found: list[Event] = []
    for number, letter in enumerate(letters, start=1):
        feedback = None if number == 1 else "rustc says no"
        answer = completion(f"#{number}")
        found.append(
            Completed(sample=key, at=AT, round=number, feedback=feedback, completion=answer)
        )
        if letter != "?":
            code = Extraction(code=f"fn f{number}() {{}}", rule=ExtractionRule.WHOLE, blocks=0)
            graded = Graded(
                sample=key, at=AT, round=number, extraction=code, verdict=verdict(letter)
            )
            found.append(graded)
    return found


def assert_agrees(rundir: RunDir, found: list[Event]) -> None:
    plan, progress, records = rundir.progress.plan, rundir.progress, fold(found)
    assert progress.settled == settled(plan, records)
    for sample in plan.samples():
        record = records.get(sample.key)
        variant = plan.variant(sample.model)
        assert progress.may_be_asked(sample.key) is (
            record is None or (sample.key not in progress.settled and may_be_asked(record, variant))
        )
        if record is not None and sample.key not in progress.settled:
            assert progress.record(sample.key) == record


@pytest.mark.parametrize("rounds", [1, 3])
@pytest.mark.parametrize("letters", PATHS)
def test_progress_agrees_with_the_records_while_written_and_when_resumed(
    tmp_path: Path, letters: str, rounds: int
) -> None:
    made = asked(rounds)
    first, second, _ = (sample.key for sample in made.plan.samples())
    one_round = letters[:1] if rounds == 1 else letters
    both = in_turns(events(first, one_round), events(second, "B"))
    with create(tmp_path, made) as rundir:
        for number, event in enumerate(both, start=1):
            rundir.append(event, sync=False)
            assert_agrees(rundir, both[:number])

    with resume(rundir.path) as again:
        assert_agrees(again, both)


def in_turns(first: list[Event], second: list[Event]) -> list[Event]:
    """Return the events of two samples in turns, as two that are under way are journaled."""
    most = max(len(first), len(second))
    return [event for n in range(most) for part in (first, second) for event in part[n : n + 1]]


def test_an_answer_of_the_first_round_begins_a_sample_anew(tmp_path: Path) -> None:
    made = asked(1)
    key = next(made.plan.samples()).key
    found = [*events(key, "P"), *events(key, "?")]
    with create(tmp_path, made) as rundir:
        for event in found:
            rundir.append(event, sync=False)

        assert rundir.progress.settled == set()
        assert_agrees(rundir, found)
