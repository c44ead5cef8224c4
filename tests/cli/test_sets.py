"""`forgetest sets`, and shipped sets by name wherever an eval set is asked for."""

import subprocess
import sys
from pathlib import Path

import pytest
from package_copy import package_copy
from program import ROOT, Program

from forgetest.evalset.load import load

SHIPPED = ROOT / "eval-sets"


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file below a folder by its path in it."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_the_list_has_every_set_with_its_cases_levels_strength_and_tags(
    forgetest: Program,
) -> None:
    done = forgetest("sets")
    rows = {line.split()[0]: line for line in done.out.splitlines() if " %  " in line}

    assert done.code == 0
    assert sorted(rows) == sorted(path.stem for path in SHIPPED.glob("*.toml"))
    assert "18  5 / 10 / 3 / 0   100.0 %  generics, traits" in rows["rust-basics"]
    assert "easy / medium / hard / expert" in done.out
    assert done.err.startswith("next: forgetest sets show NAME")


def test_a_set_is_shown_with_its_strength_and_a_row_per_case(forgetest: Program) -> None:
    done = forgetest("sets", "show", "rust-async")

    assert done.out.startswith("rust-async 1.2.0 · Async Rust with tokio\nConcurrency with tokio:")
    assert "6 cases: 1 easy, 3 medium, 2 hard\n" in done.out
    assert "strength 100.0 %: 51 tests catch 55 of 55 near misses" in done.out
    (case,) = [line for line in done.out.splitlines() if line.startswith("retry-backoff")]
    assert case.split()[1] == "medium"
    assert "async, tokio, retry, overflow" in case


def test_a_case_is_shown_with_prompt_files_tests_and_reference(forgetest: Program) -> None:
    case = load([SHIPPED / "rust-repair.toml"])[0].cases[0]

    out = forgetest("sets", "show", case.key, COLUMNS="200").out

    assert out.splitlines()[0] == f"{case.key} · {case.name}"
    titles = [line.split(" ─")[0] for line in out.splitlines() if line.endswith("──")]
    assert titles == ["prompt", case.context[0].path, "tests", "reference solution"]
    for text in (case.prompt, case.context[0].content, case.expectations.test_file):
        assert (text or "?").strip() in "\n".join(line.rstrip() for line in out.splitlines())


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("startr", 'no shipped eval set is named "startr"; did you mean "starter"?'),
        ("starter/ad", 'starter has no case "ad"; did you mean "add"?'),
        ("starter/", 'starter has no case ""; forgetest sets show starter lists them'),
    ],
)
def test_what_does_not_ship_is_named_with_what_was_meant(
    forgetest: Program, name: str, message: str
) -> None:
    done = forgetest("sets", "show", name)

    assert (done.code, done.out, done.err) == (2, "", f"error: {message}\n")


def test_copies_are_the_shipped_files_and_overwrite_nothing(forgetest: Program) -> None:
    first = forgetest("sets", "copy", "starter", "rust-async")
    again = forgetest("sets", "copy", "rust-async")
    forced = forgetest("sets", "copy", "rust-async", "--force")
    whole = forgetest("sets", "copy", "--all", "--output", "all")

    assert (first.code, again.code, forced.code, whole.code) == (0, 2, 0, 0)
    assert first.err.splitlines()[:2] == [
        "wrote eval-sets/starter.toml",
        "wrote eval-sets/rust-async.toml",
    ]
    assert "eval-sets/rust-async.toml exists" in again.err
    assert contents(forgetest.folder / "all") == {
        name: data for name, data in contents(SHIPPED).items() if name != "strength.json"
    }


def test_uses_and_context_folders_are_shown_and_folders_copied_with_their_set(
    tmp_path: Path,
) -> None:
    copy = package_copy(tmp_path)
    folder = tmp_path / "eval-sets" / "crates" / "fix" / "src"
    folder.mkdir(parents=True)
    (tmp_path / "eval-sets" / "strength.json").write_text('{"rustc": "1", "sets": {}}')
    (tmp_path / "eval-sets" / "fixes.toml").write_text(
        '[eval_set]\nid = "fixes"\n[[cases]]\nid = "fix"\nprompt = "p"\n'
        'context_dir = "crates/fix"\nexpectations.test_file = "#[test] fn t() {}"\n'
        '[[cases.expectations.compile_fail]]\nname = "twice"\ncode = ["E0382", "E0505"]\n'
        'source = "fn misuse() {}"\ncompiles = "fn right() {}"\n'
    )
    (folder / "lexer.rs").write_bytes("// ü\r\n".encode())
    (folder / ".hidden").touch()

    shown = copy.forgetest("sets", "show", "fixes/fix")
    done = copy.forgetest("sets", "copy", "fixes", "--output", "mine")
    read = copy.forgetest("validate", "--no-grading", "mine/fixes.toml")

    titles = [line.split(" ─")[0] for line in shown.out.splitlines() if line.endswith("──")]
    assert titles == [
        *("prompt", "src/lexer.rs", "tests"),
        *("compile_fail::twice: rejected with E0382 or E0505", "compile_fail::twice: compiles"),
    ]
    assert done.err.splitlines()[:2] == [
        "wrote mine/fixes.toml",
        "wrote mine/crates/fix/src/lexer.rs",
    ]
    assert (tmp_path / "mine/crates/fix/src/lexer.rs").read_bytes() == "// ü\r\n".encode()
    assert not list((tmp_path / "mine").rglob(".hidden"))
    assert read.err == "1 case in 1 eval set read\n"


def test_copying_nothing_or_all_and_some_is_refused(forgetest: Program) -> None:
    for arguments in ((), ("starter", "--all")):
        done = forgetest("sets", "copy", *arguments)
        assert (done.code, done.err) == (2, "error: name the eval sets to copy, or copy --all\n")
    assert list(forgetest.folder.iterdir()) == []


def test_a_run_takes_shipped_sets_by_name_from_command_line_and_file(forgetest: Program) -> None:
    (forgetest.folder / "forgetest.toml").write_text(
        '[run]\neval_sets = ["rust-async"]\nmodels = ["reference/solution"]\n', encoding="utf-8"
    )

    from_file = forgetest("run", "--dry-run")
    from_line = forgetest("run", "--dry-run", "-e", "starter", "-e", "rust-basics")

    assert "6 cases x 1 sample" in from_file.out
    assert "24 cases x 1 sample" in from_line.out
    assert (from_file.err, from_line.err) == ("", "")


def test_a_shipped_set_stands_in_for_the_file_of_the_documentation_with_a_note(
    forgetest: Program,
) -> None:
    path = "eval-sets/starter.toml"
    absent = forgetest("validate", "--no-grading", path)
    forgetest("sets", "copy", "starter")
    present = forgetest("validate", "--no-grading", path)

    assert absent.err == (
        f"note: there is no {path} here: using the eval set that ships with forgetest\n"
        "6 cases in 1 eval set read\n"
    )
    assert present.err == "6 cases in 1 eval set read\n"


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("forgetest run -e star", ["starter", "starter-of-mine.toml"]),
        ("forgetest validate mine", []),  # the shell completes paths
        ("forgetest sets show starter/is", ["starter/is-even", "starter/is-positive"]),
    ],
)
def test_the_shell_completes_names(forgetest: Program, words: str, offered: list[str]) -> None:
    Path(forgetest.folder, "starter-of-mine.toml").touch()
    completion = {
        "_FORGETEST_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }

    done = subprocess.run(
        [Path(sys.executable).with_name("forgetest")],  # shells know it by this name
        cwd=forgetest.folder,
        env=forgetest.env(**completion),
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout.split()) == (0, offered), done.stderr
