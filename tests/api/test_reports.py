"""`forgetest.Report`: the numbers of a run, and a frame of its samples."""

import json
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
from compared import report as report_of

import forgetest
from forgetest.api import reports
from forgetest.errors import ConfigError

LETTERS = {"p/a": {"set/one": "PFx", "set/two": "PPP"}, "p/b": {"set/one": "BBB", "set/two": "PFP"}}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report_of(LETTERS, pass_k=(1, 2))), encoding="utf-8")
    return path


def test_a_report_reads_from_its_file_and_has_the_numbers_of_each_model(file: Path) -> None:
    report = forgetest.Report.read(file)
    row = report.summary()["p/a"]

    assert (row["pass_rate"], row["pass@1"], row["cases"]) == (0.75, 0.75, 2)
    assert (row["samples"], row["scored"], row["passed"]) == (6, 5, 4)
    assert row["pass@2"] == 1.0
    assert report.models[0].overall.pass_rate.ci95 is not None
    assert repr(report).startswith(f"<Report of {file.name}: p/a 0.750, p/b ")
    assert report.path == file


def test_a_report_is_written_as_it_was_read(file: Path) -> None:
    report = forgetest.Report.read(file)
    again = report.to_dict()

    assert {**again, "digest": None} == {**json.loads(file.read_text("utf-8")), "digest": None}
    assert report.to_markdown().startswith("#") or "p/a" in report.to_markdown()


def test_rows_have_a_sample_each_and_tell_unscored_from_failed(file: Path) -> None:
    rows = forgetest.Report.read(file).rows()

    assert len(rows) == 12
    assert [row["passed"] for row in rows[:3]] == [True, False, None]
    assert [row["sample"] for row in rows[:3]] == [1, 2, 3]
    assert {type(row["outcome"]) for row in rows if row["scored"]} == {str}


def test_a_frame_of_pandas_keeps_types_beside_what_is_missing(file: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = forgetest.Report.read(file).to_frame("pandas")

    assert isinstance(frame, pandas.DataFrame)
    assert str(frame["passed"].dtype) == "boolean"
    assert frame.groupby("model")["passed"].sum().to_dict() == {"p/a": 4, "p/b": 2}
    assert frame["passed"].isna().sum() == 1


def test_a_frame_of_polars_is_the_same(file: Path) -> None:
    polars = pytest.importorskip("polars")
    frame = forgetest.Report.read(file).to_frame("polars")

    assert isinstance(frame, polars.DataFrame)
    assert frame["passed"].dtype == polars.Boolean
    assert frame["passed"].sum() == 6
    assert frame["passed"].null_count() == 1


def test_without_a_library_of_frames_one_sentence_says_what_to_install(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = forgetest.Report.read(file)

    def nothing(_: str) -> ModuleSpec | None:
        return None

    monkeypatch.setattr(reports, "find_spec", nothing)
    with pytest.raises(ConfigError, match=r"needs pandas or polars: install one of them with pip"):
        report.to_frame()
    with pytest.raises(ConfigError, match=r"to_frame\(\) needs polars: install polars with pip"):
        report.to_frame("polars")


def test_a_file_that_is_no_report_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(forgetest.ForgetestError, match=r"nowhere\.json: cannot be read"):
        forgetest.Report.read(tmp_path / "nowhere.json")
