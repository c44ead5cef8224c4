"""The run folder: what is journaled is never lost, and damage is never skipped."""

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from journals import events_in, events_of
from records import case, manifest

from forgetest.errors import FaultKind, RunDirError
from forgetest.evalset.types import EquivalentMutant, UnsafeRule
from forgetest.extract.types import Extraction
from forgetest.grading.verdict import Outcome, Verdict
from forgetest.run.events import Completed, Event, Faulted, Graded, fold
from forgetest.run.folder import create, resume
from forgetest.run.manifest import JOURNAL, MANIFEST, Manifest, hash_case
from forgetest.sampling.completion import Completion

AT = "2026-11-21T00:00:00.000+00:00"


def a_manifest() -> Manifest:
    return manifest([case("one")], n=3)


def completed(index: int, text: str = "fn f() {}") -> Completed:
    return Completed(sample=f"p/m|set/one|{index}", at=AT, completion=Completion(text=text))


def graded(index: int) -> Graded:
    return Graded(
        sample=f"p/m|set/one|{index}",
        at=AT,
        extraction=Extraction(code="fn f() {}", rule="whole", blocks=0),
        verdict=Verdict(outcome=Outcome.COMPILE_FAILED, passed=False),
    )


def faulted(index: int) -> Faulted:
    return Faulted(
        sample=f"p/m|set/one|{index}",
        at=AT,
        stage="asking",
        kind=FaultKind.PROVIDER,
        message="no answer",
    )


EVENTS: list[Event] = [completed(0), graded(0), faulted(1), completed(1, "ü\n\x00"), completed(2)]
RAW = b"".join(event.model_dump_json().encode() + b"\n" for event in EVENTS)


@given(st.integers(0, len(RAW)))
def test_a_journal_cut_anywhere_is_a_prefix_of_its_events(cut: int) -> None:
    found = events_in(RAW[:cut])

    assert EVENTS[: len(found)] == found
    assert RAW[:cut].count(b"\n") == len(found)


def test_resume_cuts_the_torn_tail_before_it_appends(tmp_path: Path) -> None:
    with create(tmp_path, a_manifest()) as rundir:
        rundir.append(EVENTS[0])
        path = rundir.path
    with (path / JOURNAL).open("ab") as file:
        file.write(b'{"type":"comple')

    with resume(path) as again:
        assert EVENTS[:1] == list(again.read())
        again.append(EVENTS[1])

    assert EVENTS[:2] == events_of(path)


def test_a_damaged_line_stops_the_reader_and_is_named(tmp_path: Path) -> None:
    with create(tmp_path, a_manifest()) as rundir:
        path = rundir.path
    (path / JOURNAL).write_bytes(RAW.replace(b'"type":"graded"', b'"type":"gr\xffded"'))

    with pytest.raises(RunDirError, match=r"journal\.jsonl:2: damaged"), resume(path):
        pass


def test_a_second_process_can_not_open_a_run_in_use(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib\n"
        "from forgetest.run.folder import resume\n"
        "from forgetest.errors import RunDirError\n"
        "try:\n"
        "    resume(pathlib.Path(sys.argv[1])).__enter__()\n"
        "except RunDirError as error:\n"
        "    print(error)\n"
    )
    with create(tmp_path, a_manifest()) as rundir:
        argv = [sys.executable, "-c", script, str(rundir.path)]
        said = subprocess.run(argv, capture_output=True, text=True, check=True).stdout

    assert "in use by another forgetest" in said


def test_two_runs_of_one_plan_on_one_day_get_two_folders(tmp_path: Path) -> None:
    with create(tmp_path, a_manifest()) as first, create(tmp_path, a_manifest()) as second:
        assert first.path != second.path


def test_a_folder_that_is_no_run_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    with pytest.raises(RunDirError, match=r"not a run folder"), resume(tmp_path):
        pass


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"schema_version": 1', '"schema_version": 99', "upgrade forgetest"),
        ('"prompt": "Write one."', '"prompt": "Write that."', "plan was edited"),
        ('"limits"', '"limit"', "damaged"),
    ],
)
def test_a_manifest_of_another_hand_is_refused(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    with create(tmp_path, a_manifest()) as rundir:
        path = rundir.path
    text = (path / MANIFEST).read_text(encoding="utf-8")
    assert old in text
    (path / MANIFEST).write_text(text.replace(old, new), encoding="utf-8")

    with pytest.raises(RunDirError, match=said), resume(path):
        pass


def test_a_later_success_clears_an_earlier_fault() -> None:
    records = fold(EVENTS)

    assert records["p/m|set/one|1"].fault is None
    assert records["p/m|set/one|0"].verdict is not None
    assert records["p/m|set/one|2"].verdict is None


def test_half_a_surrogate_pair_from_a_server_can_be_journaled() -> None:
    event = completed(0, "a\ud800b")

    assert event.completion.text == "a\ufffdb"
    raw = event.model_dump_json().encode() + b"\n"
    assert events_in(raw) == [event]


def test_explaining_a_mutant_leaves_the_plan_what_it_was_and_stays_in_its_frozen_copy() -> None:
    explained = EquivalentMutant(mutant="f: x -> y", reason="The same.")
    bare = case("a")
    plans = [
        manifest([item], n=1).plan
        for item in (bare, bare.model_copy(update={"equivalent_mutants": (explained,)}))
    ]

    assert plans[0].digest == plans[1].digest
    assert "The same." in plans[1].model_dump_json()


def test_only_a_rule_about_unsafe_changes_the_identity_of_a_plan() -> None:
    lenient = case("a")
    strict = lenient.model_copy(update={"unsafe": UnsafeRule.DENY})
    plans = [manifest([item], n=1).plan for item in (lenient, strict)]
    places = {"file", "line", "unsafe", "equivalent_mutants"}
    before = plans[0].model_dump_json(
        exclude={"eval_sets": {"__all__": {"file": True, "cases": {"__all__": places}}}}
    )

    assert plans[0].digest == hashlib.sha256(before.encode()).hexdigest()
    assert plans[0].digest != plans[1].digest
    assert hash_case(lenient).tests != hash_case(strict).tests


def test_a_case_that_forbids_nothing_keeps_the_hash_that_it_had() -> None:
    lenient = case("a")
    wanted = lenient.expectations.model_copy(update={"forbidden_functions": ("main",)})

    assert "forbidden" not in lenient.expectations.model_dump_json()
    strict = lenient.model_copy(update={"expectations": wanted})
    assert hash_case(lenient).tests != hash_case(strict).tests
