"""`forgetest report` as its users start it, and the files that a run leaves behind."""

import csv
import json
from pathlib import Path

import junitparser
import pytest
from placing import place
from program import ROOT, Program

from forgetest.render.formats.catalogue import FORMAT_NAMES, FORMATS


@pytest.fixture
def folder(forgetest: Program) -> Path:
    """Return a finished run's folder."""
    return place(forgetest.folder / "runs")


RECORDING = ROOT / "examples" / "completions.jsonl"


def test_one_file_goes_to_standard_output_and_text_is_what_is_meant(
    forgetest: Program, folder: Path
) -> None:
    text = forgetest("report", folder)
    markdown = forgetest("report", folder, "--format", "markdown")
    junit = forgetest("report", folder, "--format", "junit")

    assert (text.code, text.err) == (0, "")
    assert "75.0 %" in text.out
    assert markdown.out.startswith("### forgetest: set (2 cases)")
    assert junitparser.JUnitXml.fromstring(junit.out.encode()).failures == 1


def test_a_report_file_and_standard_input_do_as_well_as_the_folder(
    forgetest: Program, folder: Path
) -> None:
    file = folder / "report.json"
    with_file = forgetest("report", file, "--format", "markdown")
    with_folder = forgetest("report", folder, "--format", "markdown")

    piped = forgetest.in_shell(f'cat {file} | "$@"', "report", "-", "--format", "json")

    assert with_file.out == with_folder.out
    assert piped.code == 0, piped.err
    assert piped.out == file.read_text(encoding="utf-8")


def test_every_format_is_written_where_the_catalogue_says(forgetest: Program, folder: Path) -> None:
    done = forgetest("report", folder, "--format", ",".join(FORMAT_NAMES), "--output", "out")

    assert (done.code, done.out) == (0, "")
    expected = [f"{name}: out/{file}" for name in FORMAT_NAMES for file in FORMATS[name].files]
    assert done.err.splitlines() == expected
    assert all((forgetest.folder / line.partition(": ")[2]).exists() for line in expected)


def test_several_runs_are_one_file_where_the_format_can_and_a_folder_each_where_not(
    forgetest: Program,
) -> None:
    one = place(forgetest.folder / "a", letters="PP")
    two = place(forgetest.folder / "b", letters="FF")

    done = forgetest("report", one, two, "--format", "csv,markdown,humaneval", "-o", "out", "-q")

    assert (done.code, done.out, done.err) == (0, "", "")
    out = forgetest.folder / "out"
    labels = (one.name, f"{two.name}-2")
    with (out / "cases.csv").open(newline="", encoding="utf-8") as table:
        assert [(row["run"], row["c"]) for row in csv.DictReader(table)] == [
            (labels[0], "2"),
            (labels[0], "2"),
            (labels[1], "0"),
            (labels[1], "2"),
        ]
    assert (out / "report.md").read_text(encoding="utf-8").count("\n## ") == 1
    assert all((out / label / "humaneval/p-m/samples.jsonl").is_file() for label in labels)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--format", "xml,csv"), "--format xml does not exist; choose text, markdown"),
        (("--format", ","), "--format  does not exist"),
        (("--format", "csv"), "--format csv writes samples.csv and cases.csv: add --output DIR"),
        (("--format", "text,markdown"), "writes several files: add --output DIR"),
        (("--format", "text", "--output", "runs/file/x"), "runs/file/x"),
    ],
)
def test_a_mistake_is_told_in_one_line(
    forgetest: Program, folder: Path, options: tuple[str, ...], said: str
) -> None:
    (folder.parent / "file").write_text("", encoding="utf-8")

    done = forgetest("report", folder, *options)

    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert len(done.err.splitlines()) == 1


def test_what_can_not_be_read_is_told_in_one_line(forgetest: Program, folder: Path) -> None:
    alone = forgetest.folder / "alone.json"
    alone.write_bytes((folder / "report.json").read_bytes())
    missing = forgetest("report", "nothing-here")
    needy = forgetest("report", alone, "--format", "multipl-e", "--output", "out")
    twice = forgetest("report", "-", "-")

    assert [done.code for done in (missing, needy, twice)] == [2, 2, 2]
    assert "nothing-here: cannot be read" in missing.err
    assert "alone.json: --format multipl-e needs the run folder" in needy.err
    assert "- can be given only once" in twice.err
    assert not (forgetest.folder / "out").exists()


def test_an_unfinished_run_is_reported_with_its_samples_unscored(forgetest: Program) -> None:
    unfinished = place(forgetest.folder / "runs", finished=False)

    done = forgetest("report", unfinished, "--format", "junit")

    assert done.code == 0, done.err
    suites = junitparser.JUnitXml.fromstring(done.out.encode())
    assert (suites.failures, suites.errors) == (0, 2)


def test_no_name_in_a_report_leads_out_of_the_folder(forgetest: Program, folder: Path) -> None:
    file = folder / "report.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    data["models"][0]["model"]["model"] = "../../../evil/\u202e"
    data["eval_sets"][0]["id"] = "../../evil"
    for one in data["models"][0]["cases"]:
        one.update(eval_set="../../evil", case="../../evil")
    data["models"][0]["suites"] = {"../../evil": data["models"][0]["suites"]["set"]}
    file.write_text(json.dumps(data), encoding="utf-8")

    done = forgetest("report", folder, folder, "-f", "humaneval,inspect,csv,sarif", "-o", "out")

    assert done.code == 0, done.err
    found = [path for path in forgetest.folder.rglob("*") if path.is_file()]
    assert all(
        path.is_relative_to(forgetest.folder / "out") for path in found if "runs" not in str(path)
    )
    assert not any("evil" in str(path.relative_to(forgetest.folder).parts[0]) for path in found)


def test_a_wrong_format_is_told_before_anything_is_asked_or_graded(
    forgetest: Program, eval_sets: Path
) -> None:
    starter = eval_sets / "starter.toml"
    asked = forgetest("run", "-e", starter, "-m", "ollama/x", "--format", "junit,nope")
    graded = forgetest("grade", RECORDING, "-e", starter, "--format", "nope")

    assert [done.code for done in (asked, graded)] == [2, 2]
    assert asked.err.startswith("error: --format nope does not exist; choose text, markdown, html")
    assert not (forgetest.folder / "runs").exists()


@pytest.mark.cargo
def test_a_run_leaves_the_files_it_is_asked_for_and_renews_them(
    forgetest: Program, eval_sets: Path
) -> None:
    starter = eval_sets / "starter.toml"
    done = forgetest("grade", RECORDING, "-e", starter, "--format", "csv,sarif,multipl-e")
    run = forgetest.run_folder()
    shown = run.relative_to(forgetest.folder)
    kept = (run / "samples.csv").read_bytes()
    (run / "samples.csv").write_text("old", encoding="utf-8")

    again = forgetest("run", "--resume", run, "--quiet")

    assert (done.code, again.code) == (0, 0), done.err + again.err
    assert "95 % interval" in done.out
    assert [line for line in done.err.splitlines() if f": {shown}" in line] == [
        f"report: {shown}/report.json",
        f"csv: {shown}/samples.csv",
        f"csv: {shown}/cases.csv",
        f"sarif: {shown}/sarif.json",
        f"multipl-e: {shown}/multipl-e",
    ]
    assert (run / "samples.csv").read_bytes() == kept
