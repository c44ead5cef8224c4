"""`forgetest runs`, and the latest run as the one that is meant when none is named."""

import json
from pathlib import Path

import pytest
from placing import place
from program import Program, program_in
from terminals import on_a_terminal

EARLY, LATE = "2026-11-20T09:00:00+00:00", "2026-11-21T09:00:00+00:00"


@pytest.fixture(scope="module")
def looked(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Program:
    """Return the program in a folder with an unfinished, a damaged and, the latest, a good run."""
    program = program_in(
        tmp_path_factory.mktemp("here"), tmp_path_factory.mktemp("cache"), pytestconfig
    )
    damaged, *_ = (
        place(program.folder / "runs", model=model, created=when, finished=when == LATE)
        for model, when in (("p/bad", EARLY), ("p/half", EARLY), ("p/good", LATE))
    )
    (damaged / "manifest.json").write_text("{", encoding="utf-8")
    return program


def latest(program: Program) -> str:
    return next(f"runs/{run.name}" for run in (program.folder / "runs").glob("2026-11-21*"))


def test_runs_are_listed_with_state_sets_models_and_result(looked: Program) -> None:
    narrow, wide = (looked("runs", COLUMNS=width) for width in ("80", "140"))

    for done in (narrow, wide):
        assert (done.code, done.err) == (0, "")
        good, half, bad = (line for line in done.out.splitlines() if line.startswith("runs/"))
        assert good.startswith(latest(looked))
        assert "complete" in good
        assert "p/good 75.0 %" in good
        assert "interrupted 0/4" in half
        assert "set" in half
        assert "p/half" in half
        assert "unreadable" in bad
        assert "manifest.json: not JSON" in " ".join(done.out.split())


def test_a_program_can_read_the_list(looked: Program) -> None:
    good, half, _ = json.loads(looked("runs", "--format", "json").out)

    assert good["run"] == latest(looked)
    assert good["pass_rates"] == {"p/good": 0.75}
    assert (half["state"], half["graded"], half["planned"]) == ("interrupted", 0, 4)
    assert "| `runs/" in looked("runs", "--format", "markdown").out


def test_without_a_run_the_latest_is_meant_and_named(looked: Program) -> None:
    commands = (("show",), ("report",), ("rank",), ("show", "alpha"), ("show", "--failed"))
    done = [looked(*command) for command in commands]

    assert [result.code for result in done] == [0] * len(commands)
    assert {result.err for result in done} == {f"latest run: {latest(looked)}\n"}
    assert all("p/good" in result.out for result in done)


def test_the_latest_run_is_one_with_results_and_newer_ones_are_named(forgetest: Program) -> None:
    good, empty = (
        place(forgetest.folder / "runs", created=when, finished=when == EARLY)
        for when in (EARLY, LATE)
    )

    done = forgetest("show")

    assert (done.code, done.err.splitlines()) == (
        0,
        [
            f"latest run with results: runs/{good.name}",
            f"note: newer, without any: runs/{empty.name} (interrupted)",
        ],
    )


def test_what_is_neither_a_run_nor_a_case_is_told_in_one_line(looked: Program) -> None:
    case, folder, missing = (looked("show", name) for name in ("gamma", "runs", "runs/none"))

    assert [done.code for done in (case, folder, missing)] == [2, 2, 2]
    assert "gamma: matches no case" in case.err
    assert folder.err == "error: runs: not a run folder (manifest.json is missing)\n"
    assert "runs/none: cannot be read" in missing.err


def test_without_any_run_the_error_says_how_to_get_one(forgetest: Program) -> None:
    for command in ("runs", "show", "report", "rank"):
        done = forgetest(command)
        assert (done.code, done.out) == (2, "")
        assert "no run below runs" in done.err
        assert "forgetest run" in done.err


def test_a_file_is_a_file_and_a_folder_a_folder(looked: Program) -> None:
    run = latest(looked)
    sides = ("--baseline", run, "--current", run)
    done = [
        looked("report", "--output", "out/latest.json"),
        looked("report", "--output", "out/page.html"),
        looked("report", "--output", "plain/"),
        looked("compare", *sides, "--output", "out/changes.json"),
        looked("compare", *sides, "--output", "out/"),
        looked("compare", *sides, "--format", "html", "--output", "pages/"),
    ]

    assert [result.code for result in done] == [0] * len(done)
    here = looked.folder
    assert (here / "out/latest.json").read_bytes() == (here / run / "report.json").read_bytes()
    assert (here / "out/page.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "p/good" in (here / "plain/report.txt").read_text(encoding="utf-8")
    assert json.loads((here / "out/changes.json").read_text(encoding="utf-8"))["gate"]
    assert (here / "out/comparison.txt").is_file()
    assert (here / "pages/comparison.html").is_file()


def test_several_formats_do_not_fit_one_file(looked: Program) -> None:
    done = looked("report", "--format", "html,csv", "--output", "both.html")

    assert (done.code, done.out) == (2, "")
    assert "--format html,csv writes several files: add --output DIR/" in done.err


def test_open_shows_the_page_in_the_browser(looked: Program) -> None:
    browser = {"BROWSER": "echo opened %s"}
    here, run = looked.folder, latest(looked)
    placed = looked("report", "--open", **browser)
    named = looked("report", "--open", "--output", "my.html", **browser)
    compared = looked("compare", "--baseline", run, "--current", run, "--open", **browser)

    assert f"opened {(here / run / 'report.html').as_uri()}" in placed.out
    assert f"opened {(here / 'my.html').as_uri()}" in named.out
    page = Path(compared.err.removeprefix("html: ").strip())
    assert f"opened {page.as_uri()}" in compared.out
    assert page.is_file()


def test_a_page_does_not_flood_a_terminal(looked: Program) -> None:
    shown = on_a_terminal(looked, "report", "--format", "html").decode()

    assert "<html" not in shown
    assert f"html: {latest(looked)}/report.html" in shown
    assert (looked.folder / latest(looked) / "report.html").is_file()
    assert looked("report", "--format", "html").out.startswith("<!doctype html>")
