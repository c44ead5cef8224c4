"""`forgetest show` as its users start it."""

import json
import subprocess
from pathlib import Path

import pytest
from compared import report, write
from program import Program
from shown import HOSTILE
from terminals import on_a_terminal

LETTERS = {"a/one": {"s/add": "PF", "s/sub": "PP"}, "b/two": {"s/add": "BB", "s/sub": "PP"}}


@pytest.fixture
def looked(forgetest: Program) -> Program:
    """Return the program in a folder with one report, whose first completion is hostile."""
    data = report(LETTERS)
    for model in data["models"]:
        model["cases"][0]["samples"][0]["completion"]["text"] = f"{HOSTILE}\n::error::x\n"
        model["cases"][0]["samples"][0]["code"] = HOSTILE
    write(forgetest.folder, "r.json", data)
    return forgetest


def test_a_run_a_case_and_a_sample_are_shown(looked: Program) -> None:
    table, case, sample = (
        looked("show", "r.json", *more)
        for more in ((), ("add",), ("s/add", "-m", "two", "--sample", "2"))
    )

    assert [done.code for done in (table, case, sample)] == [0, 0, 0]
    assert "compile_failed 2 (E0308 2) · tests_failed 1" in table.out
    assert "s/add · a/one · sample 2 of 2" in case.out
    assert "s/add · b/two · sample 2 of 2" in sample.out
    assert "error[E0308]: mismatched types" in sample.out
    assert table.err == case.err == sample.err == ""


def test_failed_leaves_out_what_passes(looked: Program) -> None:
    table = looked("show", "r.json", "--failed")
    case = looked("show", "r.json", "add", "--model", "one", "--failed")
    none = looked("show", "r.json", "sub", "--failed")

    assert "sub" not in table.out
    assert "passed  " not in case.out.split("sample  score")[1].split("s/add")[0]
    assert "every scored sample passes" in none.out


def test_raw_is_the_completion_and_nothing_else(looked: Program) -> None:
    argv = looked.argv("show", "r.json", "add", "-m", "a/one", "-n", "1", "--raw")
    done = subprocess.run(
        argv, cwd=looked.folder, env=looked.env(), capture_output=True, check=True
    )

    assert done.stdout == f"{HOSTILE}\n::error::x\n".encode()
    assert done.stderr == b""


def test_raw_text_is_no_command_of_a_workflow(looked: Program) -> None:
    done = looked(
        *("show", "r.json", "add", "-m", "a/one", "-n", "1", "--raw"), GITHUB_ACTIONS="true"
    )

    assert "error" in done.out
    assert not [line for line in done.out.splitlines() if line.lstrip().startswith("::")]


def test_a_terminal_gets_colours_and_no_escape_of_a_model(looked: Program) -> None:
    shown = on_a_terminal(looked, "show", "r.json", "add", "-m", "a/one", "-n", "1")
    raw = on_a_terminal(looked, "show", "r.json", "add", "-m", "a/one", "-n", "1", "--raw")
    plain = on_a_terminal(looked, "show", "r.json", "add", "-m", "a/one", "-n", "1", NO_COLOR="1")

    assert b"\x1b[32mpassed" in shown
    for written in (shown, raw, plain):
        assert b"owned" in written
        assert b"\x1b]" not in written
        assert b"\x07" not in written
        assert "\u202e".encode() not in written
        assert "\x9b".encode() not in written
    assert b"\x1b" not in raw
    assert b"\x1b[3" not in plain


def test_no_colour_and_no_control_reaches_a_pipe(looked: Program) -> None:
    for more in ((), ("add",), ("add", "-m", "a/one", "-n", "1")):
        done = looked("show", "r.json", *more, COLUMNS="80")

        assert all(sign == "\n" or sign.isprintable() for sign in done.out)
        assert max(map(len, done.out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere",), "nowhere: cannot be read: "),
        (("r.json", "mul"), "mul: matches no case; the cases are s/add, s/sub"),
        (("r.json", "*"), "*: matches 2 cases"),
        (("r.json", "add", "--model", "x"), "--model x: matches no model"),
        (("r.json", "add", "--sample", "9"), "--sample 9: the case has samples 1 to 2"),
        (("r.json", "--raw"), "--raw needs a case: forgetest show [RUN] CASE --raw"),
        (("r.json", "--sample", "1"), "--sample needs a case: forgetest show [RUN] CASE --sample"),
        (("r.json", "--export", "x"), "--export needs a case: forgetest show [RUN] CASE --export"),
        (
            ("r.json", "add", "-n", "1", "--raw"),
            "s/add: several models have this sample: add --model, one of a/one",
        ),
        (("r.json", "add", "--raw", "--export", "x"), "--raw and --export cannot be combined"),
        (("r.json", "sub", "--failed", "--raw"), "s/sub: no scored sample fails"),
        (("r.json", "add", "--export", "x"), "r.json: --export needs the run folder"),
    ],
)
def test_what_a_user_can_mend_is_one_line(
    looked: Program, arguments: tuple[str, ...], said: str
) -> None:
    done = looked("show", *arguments)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {said}")
    assert len(done.err.splitlines()) == 1


def test_a_sample_that_was_never_answered_has_no_raw_text(forgetest: Program) -> None:
    write(forgetest.folder, "r.json", report({"s/a": "x"}))

    shown = forgetest("show", "r.json", "a")
    raw = forgetest("show", "r.json", "a", "--raw")

    assert "provider: no answer" in shown.out
    assert (raw.code, raw.out) == (2, "")
    assert raw.err == "error: s/a of p/m: no completion was received: no answer\n"


@pytest.mark.cargo
def test_of_an_unfinished_run_there_is_shown_what_there_is(
    forgetest: Program, eval_sets: Path
) -> None:
    rows = [{"case_id": "add", "model": "m", "completion": f"```rust\n{i}\n```"} for i in range(2)]
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    (forgetest.folder / "said.jsonl").write_text(text, encoding="utf-8")
    done = forgetest("grade", "said.jsonl", "-e", eval_sets / "starter.toml", "--quiet")
    assert done.code == 0, done.err
    folder = forgetest.run_folder()
    (folder / "report.json").unlink()
    lines = (folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "journal.jsonl").write_bytes(b"".join(lines[:-1]))

    table = forgetest("show", folder)
    case = forgetest("show", folder, "add")

    assert "incomplete" in table.out
    assert "1 of 2 samples are unscored" in table.out
    assert "not graded yet" in case.out
    assert "pub fn add(a: i32, b: i32) -> i32" in case.out.split("sample  score")[0]
