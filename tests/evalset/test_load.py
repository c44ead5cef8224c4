"""From TOML text to eval sets: defaults, folders, and every problem at its line."""

import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forgetest.errors import EvalSetError, Problem
from forgetest.evalset.load import load, parse
from forgetest.evalset.types import (
    Case,
    ContextFile,
    Dependency,
    Difficulty,
    EquivalentMutant,
    EvalSet,
    Expectations,
    Protocol,
    Provenance,
    UnsafeRule,
)

SMALL = """\
[eval_set]
id = "small"

[[cases]]
id = "add"
prompt = "Write add."

[cases.expectations]
test_file = "#[test] fn adds() {}"
"""

FULL = """\
[eval_set]
id = "full"
name = "Full set"
description = "Has every key."
version = "1.2"
edition = "2024"
default_language = "rust"
default_timeout_secs = 2.5
dependencies = [
  { name = "tokio", version = "1", features = ["full"] },
  { name = "a-b", version = "1" },
]
protocol = "completion"

[eval_set.source]
name = "Elsewhere"
version = "abc"
licence = "MIT"
url = "https://example.org"

[[cases]]
id = "every.key_1-a"
name = "Every key"
description = "For people."
prompt = "fn f() {"
language = "rust"
tags = ["x", "y", "x"]
difficulty = "hard"
timeout_secs = 7
max_tokens = 100
dependencies = [{ name = "serde", version = ">=1, <2" }, { name = "a_b", version = "2" }]
reference_solution = "fn f() {}"
equivalent_mutants = [{ mutant = "f: x -> y", reason = "The same." }]

[[cases.context]]
path = "src/types.rs"
content = ""

[[cases.context]]
path = "data/in put.txt"
content = "1"

[cases.expectations]
should_compile = true
should_pass_tests = true
test_file = "#[test] fn t() {}"
expected_functions = ["f", "T::g"]
expected_types = ["T"]
forbidden_functions = ["main"]
max_clippy_warnings = 0
allowed_lints = ["clippy::too_many_arguments"]
max_allocations = 0
max_peak_bytes = 4096
custom_check = "grep -q f"

[[cases]]
id = "refused"
prompt = "fn g() {"

[cases.expectations]
should_compile = false
expected_error_codes = ["E0382"]
"""


def test_a_small_set_gets_the_defaults() -> None:
    assert parse(SMALL, file="x.toml") == EvalSet(
        id="small",
        name="small",
        file="x.toml",
        cases=(
            Case(
                id="add",
                eval_set="small",
                name="add",
                prompt="Write add.",
                language="rust",
                edition="2021",
                protocol=Protocol.CHAT,
                expectations=Expectations(test_file="#[test] fn adds() {}"),
                file="x.toml",
                line=4,
            ),
        ),
    )


def test_every_key_arrives() -> None:
    tokio = Dependency(name="tokio", version="1", features=("full",))
    every = Case(
        id="every.key_1-a",
        eval_set="full",
        name="Every key",
        description="For people.",
        prompt="fn f() {",
        edition="2024",
        protocol=Protocol.COMPLETION,
        tags=("x", "y"),
        difficulty=Difficulty.HARD,
        timeout_secs=7.0,
        max_tokens=100,
        dependencies=(
            tokio,
            Dependency(name="a_b", version="2"),
            Dependency(name="serde", version=">=1, <2"),
        ),
        context=(
            ContextFile(path="src/types.rs", content=""),
            ContextFile(path="data/in put.txt", content="1"),
        ),
        reference_solution="fn f() {}",
        equivalent_mutants=(EquivalentMutant(mutant="f: x -> y", reason="The same."),),
        expectations=Expectations(
            test_file="#[test] fn t() {}",
            expected_functions=("f", "T::g"),
            expected_types=("T",),
            forbidden_functions=("main",),
            max_clippy_warnings=0,
            allowed_lints=("clippy::too_many_arguments",),
            max_allocations=0,
            max_peak_bytes=4096,
            custom_check="grep -q f",
        ),
        file="x.toml",
        line=21,
    )
    refused = Case(
        id="refused",
        eval_set="full",
        name="refused",
        prompt="fn g() {",
        edition="2024",
        protocol=Protocol.COMPLETION,
        timeout_secs=2.5,
        dependencies=(tokio, Dependency(name="a-b", version="1")),
        expectations=Expectations(should_compile=False, expected_error_codes=("E0382",)),
        file="x.toml",
        line=56,
    )

    assert parse(FULL, file="x.toml") == EvalSet(
        id="full",
        name="Full set",
        description="Has every key.",
        version="1.2",
        source=Provenance(
            name="Elsewhere", version="abc", licence="MIT", url="https://example.org"
        ),
        file="x.toml",
        cases=(every, refused),
    )


KEYS = sorted(set(re.findall(r"^\w+(?= =)", FULL, re.MULTILINE)))
VALUES = ["1", "-1.5", "nan", "true", '""', '"x"', "07:32:00", "[]", "[1]", '["x"]', "{}", "[{}]"]
HEADERS = sorted(set(re.findall(r"^\[.*\]$", FULL, re.MULTILINE)))
LINES = (
    st.builds("{} = {}".format, st.sampled_from(KEYS), st.sampled_from(VALUES))
    | st.sampled_from(HEADERS)
    | st.sampled_from(FULL.splitlines())
)


@settings(deadline=None, max_examples=300)
@given(st.lists(st.tuples(st.integers(0, len(FULL.splitlines())), LINES), max_size=4))
def test_whatever_is_wrong_comes_as_lines_with_the_file(edits: list[tuple[int, str]]) -> None:
    lines = FULL.splitlines()
    for place, line in edits:
        lines[place : place + 1] = [line]

    found = problems("\n".join(lines))

    assert all(str(problem).startswith("x.toml:") for problem in found)
    assert all(len(str(problem).splitlines()) == 1 for problem in found)


def problems(text: str) -> tuple[Problem, ...]:
    try:
        parse(text, file="x.toml")
    except EvalSetError as error:
        return error.problems
    return ()


def test_a_folder_gives_its_visible_toml_files_by_name(tmp_path: Path) -> None:
    for name in ("d.toml", "a.toml", "c.toml", "b.toml", ".hidden.toml", "notes.md", "sub/e.toml"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(SMALL.replace('"small"', f'"{file.stem}"'))
    (tmp_path / "f.toml").mkdir()

    eval_sets = load([tmp_path])

    assert [eval_set.id for eval_set in eval_sets] == ["a", "b", "c", "d"]
    assert eval_sets[0].file == eval_sets[0].cases[0].file == str(tmp_path / "a.toml")


def test_a_file_named_twice_counts_once(tmp_path: Path) -> None:
    first, second = tmp_path / "a.toml", tmp_path / "b.toml"
    first.write_text(SMALL)
    second.write_text(SMALL.replace('"small"', '"other"'))

    assert [eval_set.id for eval_set in load([second, tmp_path, first])] == ["other", "small"]


def test_an_id_in_two_files_names_both(tmp_path: Path) -> None:
    for name in ("a.toml", "b.toml"):
        (tmp_path / name).write_text(SMALL)

    with pytest.raises(EvalSetError) as caught:
        load([tmp_path])

    assert str(caught.value) == (
        f'{tmp_path}/b.toml: "small" is also the id of {tmp_path}/a.toml; '
        "give one of them another id"
    )


def test_the_problems_of_all_files_come_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("[eval_set]\nid = 1\n")
    (tmp_path / "b.toml").write_text("x = \n")
    (tmp_path / "c.toml").write_bytes(b"# ok\n# \xff\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")

    with pytest.raises(EvalSetError) as caught:
        load([tmp_path, tmp_path / "none.toml", tmp_path / "empty", tmp_path / "loop"])

    lines = str(caught.value).replace(f"{tmp_path}/", "").splitlines()
    assert sorted(lines) == [
        'a.toml: "cases" is missing; add [[cases]]',
        'a.toml:2: eval_set: "id" must be a string, got an integer; write "1"',
        "b.toml:1: is not valid TOML: invalid value",
        "c.toml:2: is not UTF-8; save the file in that encoding",
        "empty: the folder has no .toml files",
        "loop: cannot be read: Too many levels of symbolic links; give a .toml file or a folder",
        "none.toml: no such file, folder or shipped eval set; forgetest sets lists those that ship",
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_a_problem(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0)

    with pytest.raises(EvalSetError, match="closed: cannot be read: Permission denied"):
        load([folder])


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_bytes(b"\xef\xbb\xbf" + SMALL.encode())

    assert [eval_set.id for eval_set in load([file])] == ["small"]


@pytest.mark.parametrize(
    ("of_set", "of_case", "rule"),
    [
        ("", "", UnsafeRule.ALLOW),
        ('unsafe = "deny"', "", UnsafeRule.DENY),
        ('unsafe = "deny"', 'unsafe = "allow"', UnsafeRule.ALLOW),
        ("", 'unsafe = "deny"', UnsafeRule.DENY),
    ],
)
def test_a_case_overrides_what_the_set_says_of_unsafe(
    of_set: str, of_case: str, rule: UnsafeRule
) -> None:
    text = SMALL.replace('id = "small"', f'id = "small"\n{of_set}')
    text = text.replace('id = "add"', f'id = "add"\n{of_case}')

    assert parse(text, file="x.toml").cases[0].unsafe is rule
