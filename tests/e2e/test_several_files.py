"""Answers of several files, from recorded replies to the report: the example that ships."""

import json
from pathlib import Path

import pytest
from program import ROOT, Program, program_in

from forgetest.render.html.data import details_json
from forgetest.report.files import load_report
from forgetest.report.types import CaseReport

pytestmark = pytest.mark.cargo
EXAMPLE = ROOT / "examples" / "several-files"
FILES = {"src/lib.rs", "src/tokens.rs"}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Program:
    """Return the program in a folder with the example's run, and one more answer with a lint."""
    mktemp = tmp_path_factory.mktemp
    program = program_in(mktemp("run"), mktemp("cache"), pytestconfig)
    text = (EXAMPLE / "completions.jsonl").read_text(encoding="utf-8")
    linted = json.loads(text.split("\n", 1)[0])
    returned = linted["completion"].replace("    Ok(found)\n", "    return Ok(found);\n")
    row = json.dumps({**linted, "model": "example/linted", "completion": returned})
    (program.folder / "said.jsonl").write_text(f"{text}{row}\n", encoding="utf-8")
    done = program("grade", "said.jsonl", "-e", EXAMPLE / "calculator.toml", "--quiet")
    assert done.code == 0, done.err
    return program


def case(run: Program, model: str) -> CaseReport:
    models = {str(each.model): each for each in load_report(run.run_folder()).models}
    return models[f"replay/example/{model}"].cases[0]


def show(run: Program, model: str, *more: str | Path) -> str:
    named = ("--model", f"example/{model}", "--sample", "1")
    done = run("show", str(run.run_folder()), "subtract", *named, *more)
    assert done.code == 0, done.err
    return done.out


def test_blocks_and_edits_are_graded_as_the_files_they_make(run: Program) -> None:
    (edits,), (whole,) = (case(run, name).samples for name in ("edits", "whole-files"))
    assert (edits.outcome, edits.score) == (whole.outcome, whole.score) == ("passed", 1.0)
    assert edits.extraction_rule == "files"
    assert edits.code != whole.code
    assert (whole.code or "").startswith("//==== file: src/lib.rs\n//! Sums")


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ("one-file-only", 'the answer lacks "src/tokens.rs"'),
        (
            "ambiguous-edit",
            (
                'edit 1, of "src/lib.rs": its SEARCH lines are in the file 2 times, and must be'
                " there once"
            ),
        ),
        ("outside", '"../tokens.rs" leaves the crate; wanted: "src/lib.rs", "src/tokens.rs"'),
    ],
)
def test_what_is_refused_scores_nothing_and_says_why(run: Program, model: str, reason: str) -> None:
    (sample,) = case(run, model).samples
    assert (sample.outcome, sample.score, sample.code) == ("no_code", 0.0, None)
    assert sample.verdict is not None
    assert sample.verdict.reasons == (reason,)
    assert reason.partition(": ")[0] in show(run, model)


def test_each_file_is_shown_with_its_own_lines_and_lints(run: Program) -> None:
    lines = [line.rstrip() for line in show(run, "linted").split("\n")]
    first, second = (
        next(at for at, line in enumerate(lines) if line.startswith(f"{path} ─"))
        for path in sorted(FILES)
    )
    (marked,) = (at for at, line in enumerate(lines) if line.startswith(">"))
    assert first < second < marked
    (sample,) = case(run, "linted").samples
    assert sample.verdict is not None
    (lint,) = sample.verdict.lints
    assert (lint.code, lint.span and lint.span.file) == ("clippy::needless_return", "src/tokens.rs")
    assert lines[marked].split() == ["> ".strip(), str(lint.span.line), "return", "Ok(found);"]


def test_the_page_marks_the_line_of_the_file_in_the_whole_text(run: Program) -> None:
    (detail,) = details_json(case(run, "linted"))
    (lint,) = detail["lints"]
    assert detail["code"].split("\n")[lint["span"][0] - 1] == "    return Ok(found);"


def test_the_crate_is_exported_with_all_files(run: Program, tmp_path: Path) -> None:
    show(run, "edits", "--export", tmp_path / "crate")
    root = tmp_path / "crate"
    written = {str(path.relative_to(root)) for path in root.rglob("src/*.rs")}
    assert written >= FILES | {"case/src/tokens.rs"}
    assert "Token::Minus => value -=" in (root / "src/lib.rs").read_text(encoding="utf-8")
