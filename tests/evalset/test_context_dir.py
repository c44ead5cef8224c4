"""`context_dir`: a folder beside an eval set, read into the context of a case."""

import os
from pathlib import Path

import pytest

from forgetest.errors import EvalSetError
from forgetest.evalset.context_dir import MAX_BYTES, MAX_FILES
from forgetest.evalset.dump import dump
from forgetest.evalset.load import load, parse
from forgetest.evalset.types import EvalSet
from forgetest.grading.graders import verdict_key
from forgetest.run.manifest import hash_case

HEAD = '[eval_set]\nid = "small"\n\n[[cases]]\nid = "fix"\nprompt = "Fix it."\n'
TESTS = '\n[cases.expectations]\ntest_file = "#[test] fn works() {}"\n'
ENTRY = '\n[[cases.context]]\npath = "src/more.rs"\ncontent = "pub struct More;"\n'
SET = f'{HEAD}context_dir = "crates/fix"\n'
OUTSIDE = (
    "must be a relative path inside the folder of the eval set, written with `/` and without `..`"
)
FILES = {
    "src/lexer/mod.rs": "pub mod number;\r\n",
    "src/lexer/number.rs": "// ünïcode\n",
    "src/lexer.rs": "",
    "notes.md": "# Notes",
    "inner/target/kept.txt": "no output of cargo's\n",
    ".hidden": "left out",
    ".git/config": "left out",
    "src/.more/a.rs": "left out",
    "target/debug/a.txt": "left out",
}


@pytest.fixture
def eval_set(tmp_path: Path) -> Path:
    """Return an eval set with a folder beside it."""
    for name, text in FILES.items():
        file = tmp_path / "sets" / "crates" / "fix" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    file = tmp_path / "sets" / "small.toml"
    file.write_text(SET + ENTRY + TESTS, encoding="utf-8")
    return file


def read(file: Path) -> EvalSet:
    (eval_set,) = load([file])
    return eval_set


def problems(file: Path) -> list[str]:
    with pytest.raises(EvalSetError) as caught:
        load([file])
    return [str(problem).replace(str(file.parent), "sets") for problem in caught.value.problems]


def test_its_visible_files_are_context_sorted_by_path_and_entries_follow(eval_set: Path) -> None:
    context = read(eval_set).cases[0].context

    assert [(file.path, file.content) for file in context] == [
        ("inner/target/kept.txt", "no output of cargo's\n"),
        ("notes.md", "# Notes"),
        ("src/lexer.rs", ""),
        ("src/lexer/mod.rs", "pub mod number;\r\n"),
        ("src/lexer/number.rs", "// ünïcode\n"),
        ("src/more.rs", "pub struct More;"),
    ]


def test_all_behind_the_reader_is_as_if_the_set_held_the_files_itself(eval_set: Path) -> None:
    by_folder = read(eval_set)
    by_itself = parse(dump(by_folder), file=str(eval_set))
    (case,), (other,) = by_folder.cases, by_itself.cases

    assert "context_dir" not in dump(by_folder)
    assert other.model_copy(update={"line": case.line}) == case
    assert hash_case(other) == hash_case(case)
    assert verdict_key(other, "c", identity="i", lock="") == verdict_key(
        case, "c", identity="i", lock=""
    )


def test_it_is_beside_the_set_wherever_the_program_runs(
    eval_set: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = read(eval_set).cases[0].context
    monkeypatch.chdir(eval_set.parent)

    assert read(Path("small.toml")).cases[0].context == before


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            'context_dir = "crates/fxi"',
            'is "crates/fxi", which does not exist beside the eval set; name a folder',
        ),
        (
            'context_dir = "small.toml"',
            'is "small.toml", which is a file beside the eval set; name a folder',
        ),
        (
            'context_dir = "../x"',
            f'{OUTSIDE}, got "../x"',
        ),
        (
            'context_dir = "/etc"',
            f'{OUTSIDE}, got "/etc"',
        ),
        ("context_dir = 7", 'must be a string, got an integer; write "7"'),
    ],
)
def test_what_is_no_folder_beside_the_set_is_refused_at_the_key(
    eval_set: Path, line: str, message: str
) -> None:
    eval_set.write_text(f"{HEAD}{line}\n{TESTS}", encoding="utf-8")

    assert problems(eval_set) == [f'sets/small.toml:7: case "fix": "context_dir" {message}']


def test_a_text_without_a_file_has_no_folder_beside_it() -> None:
    with pytest.raises(EvalSetError, match="names a folder beside a file, and this eval set is"):
        parse(SET + TESTS, file="<text>")


def test_an_empty_folder_is_refused(eval_set: Path) -> None:
    eval_set.write_text(f'{HEAD}context_dir = "empty"\n{TESTS}', encoding="utf-8")
    (eval_set.parent / "empty" / "target").mkdir(parents=True)
    (eval_set.parent / "empty" / "target" / "a").touch()

    (problem,) = problems(eval_set)

    assert problem.endswith('"context_dir" names a folder without files; put context files there')


def test_each_wrong_file_is_named_with_its_line_and_its_case(eval_set: Path) -> None:
    folder = eval_set.parent / "crates" / "fix"
    (folder / "src" / "bad.rs").write_bytes(b"fn a() {}\n// \xff\n")
    (folder / "Cargo.toml").write_text("[package]\n")

    manifest, source = problems(eval_set)

    assert manifest.startswith(
        'sets/crates/fix/Cargo.toml: case "fix": "context_dir" holds a file whose path must not be '
        '"Cargo.toml": forgetest or cargo puts its own files there; use another'
    )
    assert source == (
        'sets/crates/fix/src/bad.rs:2: case "fix": "context_dir" must hold UTF-8; save this file '
        "so, or remove it"
    )


def test_links_and_pipes_are_refused_before_anything_is_read(eval_set: Path) -> None:
    folder = eval_set.parent / "crates" / "fix"
    (folder / "passwd.txt").symlink_to("/etc/passwd")
    (folder / "up").symlink_to("..")
    (folder / "lost.rs").symlink_to("nowhere")
    os.mkfifo(folder / "pipe")

    found = problems(eval_set)

    assert [problem.split(":")[0] for problem in found] == [
        f"sets/crates/fix/{name}" for name in ("lost.rs", "passwd.txt", "pipe", "up")
    ]
    assert found[1].endswith('"context_dir" must hold no links; put a copy of the file there')
    assert found[2].endswith('"context_dir" must hold nothing but files of text; remove this')


def test_a_folder_that_is_a_link_out_of_the_sets_is_refused(eval_set: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "a.rs").touch()
    (eval_set.parent / "out").symlink_to("../elsewhere")
    eval_set.write_text(f'{HEAD}context_dir = "out"\n{TESTS}', encoding="utf-8")

    (problem,) = problems(eval_set)

    assert '"context_dir" is "out", a link out of the folder of the eval set' in problem


def test_a_folder_that_no_model_could_be_shown_is_refused_unread(eval_set: Path) -> None:
    folder = eval_set.parent / "crates" / "fix"
    with (folder / "large.txt").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    (large,) = problems(eval_set)
    (folder / "large.txt").unlink()
    for number in range(MAX_FILES):
        (folder / f"{number}.txt").touch()
    (many,) = problems(eval_set)

    assert "names a folder of 1,048,635 bytes, and 1,048,576 are the limit; leave out" in large
    assert "names a folder of 1,005 files, and 1,000 are the limit; leave out" in many


def test_an_entry_with_the_path_of_a_file_is_refused_at_the_entry(eval_set: Path) -> None:
    entry = ENTRY.replace("src/more.rs", "SRC/lexer.rs")
    eval_set.write_text(SET + entry + TESTS, encoding="utf-8")

    (problem,) = problems(eval_set)

    assert problem == (
        'sets/small.toml:10: case "fix": context file 1: "path" "SRC/lexer.rs" is already used by '
        "sets/crates/fix/src/lexer.rs; remove one of them"
    )
