"""Which run is the latest, and how run folders are named."""

import shutil
from pathlib import Path

import pytest
from placing import place

from forgetest.errors import RunDirError
from forgetest.run.folder import resume
from forgetest.run.history import is_run, latest_run, run_folders
from forgetest.run.state import stated

EARLY, LATE = "2026-11-20T09:00:00+00:00", "2026-11-21T14:30:59+01:00"


def test_two_runs_of_one_plan_have_names_that_tell_their_time(tmp_path: Path) -> None:
    early, late, again = (place(tmp_path, created=when) for when in (EARLY, LATE, LATE))

    digest = early.name.rpartition("-")[2]
    assert early.name == f"2026-11-20-090000-{digest}"
    assert (late.name, again.name) == (
        f"2026-11-21-133059-{digest}",
        f"2026-11-21-133059-{digest}-2",
    )


def test_the_latest_run_is_the_one_that_was_last_worked_on(tmp_path: Path) -> None:
    early, late = (place(tmp_path, created=when) for when in (EARLY, LATE))
    (tmp_path / "notes").mkdir()
    (tmp_path / "file").write_text("", encoding="utf-8")

    assert run_folders(tmp_path) == [late, early]
    with resume(early) as rundir, stated(rundir):
        assert latest_run(tmp_path) == (early, [])
    assert latest_run(tmp_path) == (early, [])


def test_a_run_without_results_gives_way_to_the_newest_that_has_some(tmp_path: Path) -> None:
    empty = place(tmp_path, created=EARLY, finished=False)
    assert latest_run(tmp_path) == (empty, [])

    good, failed = (place(tmp_path, created=when) for when in (LATE, LATE))
    (failed / "journal.jsonl").write_text('{"type":"faulted","sample":"x"}\n', encoding="utf-8")
    assert latest_run(tmp_path) == (good, [failed])

    (failed / "journal.jsonl").write_text('{"type":"graded","sample":"x"}\n', encoding="utf-8")
    assert latest_run(tmp_path) == (failed, [])


@pytest.mark.parametrize("damage", ["{", "[]", '{"created": 5}', '{"created": "yesterday"}'])
def test_a_damaged_run_comes_last_and_hides_no_other(tmp_path: Path, damage: str) -> None:
    good, bad = (place(tmp_path, created=when) for when in (EARLY, LATE))
    (bad / "manifest.json").write_text(damage, encoding="utf-8")

    assert run_folders(tmp_path) == [good, bad]


def test_without_a_run_the_error_says_what_to_name(tmp_path: Path) -> None:
    with pytest.raises(RunDirError, match=r"no run below .*name a run folder"):
        latest_run(tmp_path / "runs")


def test_a_run_is_a_report_or_a_folder_with_its_files(tmp_path: Path) -> None:
    run = place(tmp_path)
    shutil.copy(run / "report.json", tmp_path / "a.json")

    assert all(map(is_run, (run, run / "report.json", tmp_path / "a.json")))
    assert not any(map(is_run, (tmp_path, tmp_path / "nothing")))
