"""`forgetest import` from the shell: files, what is said, and grading what was imported."""

import json
from pathlib import Path

import pytest
from foreign import RIGHT, WHOLE, WRONG, lines, problem, result, row
from program import Program

from forgetest.evalset.load import load


def source(folder: Path) -> Path:
    results = [result(RIGHT, "OK"), result(WRONG, "OK"), result("    n +", "SyntaxError")]
    return lines(
        folder / "rs.jsonl",
        problem(completions=[RIGHT, WRONG, "    n +"], results=results),
        problem("Mini_1_other", language="py"),
    )


def test_without_a_format_the_formats_are_listed(forgetest: Program) -> None:
    done = forgetest("import")

    assert done.code == 0, done.err
    for name in ("multipl-e", "recorded", "reflexion", "samples"):
        assert name in done.out


def test_an_import_writes_both_files_and_says_what_it_left_out(forgetest: Program) -> None:
    file = source(forgetest.folder)

    done = forgetest("import", "multipl-e", file, "--output", "sets", "--no-validate")

    assert done.code == 0, done.err
    assert f'left out: Mini_1_other ({file}:2): "language" is "py"' in done.err
    assert "1 case (completion protocol); 3 completions, 3 with a verdict; 1 left out" in done.err
    assert "next: forgetest grade sets/rs.jsonl -e sets/rs.toml" in done.err
    (eval_set,) = load([forgetest.folder / "sets"])
    assert [case.key for case in eval_set.cases] == ["rs/Mini_0_twice"]
    recorded = (forgetest.folder / "sets" / "rs.jsonl").read_text().splitlines()
    assert [json.loads(line)["recorded_passed"] for line in recorded] == [True, True, False]


def test_nothing_is_written_over_unless_forced(forgetest: Program) -> None:
    file = source(forgetest.folder)
    kept = forgetest.folder / "mine.toml"
    kept.write_text("mine", encoding="utf-8")
    arguments = ("import", "multipl-e", file, "--id", "mine", "--no-validate")

    refused = forgetest(*arguments)

    assert refused.code == 2
    assert refused.err.splitlines()[-1] == (
        "error: mine.toml exists: choose another --output or --id, or add --force"
    )
    assert kept.read_text(encoding="utf-8") == "mine"
    assert not (forgetest.folder / "mine.jsonl").exists()
    assert forgetest(*arguments, "--force").code == 0
    assert load([kept])[0].id == "mine"


def test_the_source_itself_is_never_written_over(forgetest: Program) -> None:
    file = source(forgetest.folder)
    before = file.read_bytes()

    done = forgetest("import", "multipl-e", file, "--no-validate", "--force")

    assert done.code == 2
    assert "rs.jsonl is the source itself: choose another --output or --id" in done.err
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("multiple", "rs.jsonl"), 'unknown format "multiple"; did you mean "multipl-e"?'),
        (("multipl-e",), "forgetest import multipl-e needs a file or folder to read"),
        (("multipl-e", "rs.jsonl", "--protocol", "talk"), "--protocol must be chat or completion"),
        (("multipl-e", "rs.jsonl", "--id", "a/b"), "--id may hold only"),
        (("multipl-e", "absent.jsonl"), "absent.jsonl: cannot be read: No such file"),
        (("multipl-e", "rs.jsonl", "--output", "rs.jsonl/x"), "cannot be written"),
    ],
)
def test_a_mistake_of_the_user_is_told_in_one_line(
    forgetest: Program, arguments: tuple[str, ...], said: str
) -> None:
    source(forgetest.folder)

    done = forgetest("import", *arguments)

    assert done.code == 2
    (line,) = done.err.splitlines()
    assert line.startswith(f"error: {said}") or said in line
    assert "Traceback" not in done.err


def test_texts_of_a_source_can_not_move_the_cursor(forgetest: Program) -> None:
    file = lines(forgetest.folder / "rs.jsonl", problem(), problem("\x1b[2J", language="\x1b[1m"))

    done = forgetest("import", "multipl-e", file, "--no-validate")

    assert done.code == 0
    assert "\x1b" not in done.err


@pytest.mark.cargo
def test_an_import_ends_in_validation(forgetest: Program) -> None:
    done = forgetest("import", "multipl-e", source(forgetest.folder), "--output", "sets")

    assert done.code == 0, done.err
    assert "rs/Mini_0_twice: note (no reference)" in done.err
    assert "rs/Mini_0_twice: no reference_solution: nothing shows" in done.out


@pytest.mark.cargo
def test_grading_an_import_compares_with_the_recorded_verdicts(forgetest: Program) -> None:
    forgetest("import", "multipl-e", source(forgetest.folder), "--no-validate", "--id", "ours")

    done = forgetest("grade", "ours.jsonl", "-e", "ours.toml", "--quiet")

    assert done.code == 0, done.err
    assert "recorded verdicts: 2 of 3 agree (66.7 %)" in done.out
    assert "ours/Mini_0_twice #2" in done.out
    grading = ("grade", "ours.jsonl", "-e", "ours.toml", "--quiet", "--format")
    told = json.loads(forgetest(*grading, "json").out)
    assert (told["agreement"]["compared"], told["agreement"]["agree"]) == (3, 2)
    (differs,) = told["agreement"]["disagreements"]
    assert (differs["sample"], differs["recorded"], differs["ours"]) == (2, "OK", "tests_failed")
    markdown = forgetest(*grading, "markdown")
    assert "**recorded verdicts: 2 of 3 agree (66.7 %)**" in markdown.out


@pytest.mark.cargo
def test_samples_are_graded_with_a_set_that_was_imported_before(forgetest: Program) -> None:
    lines(forgetest.folder / "rows.jsonl", row(), row(task_id="Mini/1"))
    samples = [{"task_id": "Mini/1", "completion": WHOLE, "passed": True}]
    forgetest("import", "recorded", "rows.jsonl", "--no-validate", "--id", "mini")
    lines(forgetest.folder / "samples.jsonl", *samples)

    made = forgetest("import", "samples", "samples.jsonl", "--id", "from-samples")
    done = forgetest("grade", "from-samples.jsonl", "-e", "mini.toml", "--quiet")

    assert "next: forgetest grade from-samples.jsonl -e SET.toml" in made.err
    assert done.code == 0, done.err
    assert "recorded verdicts: 1 of 1 agree (100.0 %)" in done.out


@pytest.mark.cargo
def test_a_recording_without_verdicts_says_nothing_about_agreement(forgetest: Program) -> None:
    lines(forgetest.folder / "rs.jsonl", problem(completions=[RIGHT]))
    forgetest("import", "multipl-e", "rs.jsonl", "--no-validate", "--output", "sets")

    done = forgetest("grade", "sets/rs.jsonl", "-e", "sets/rs.toml", "--quiet")

    assert done.code == 0, done.err
    assert "recorded verdicts" not in done.out
