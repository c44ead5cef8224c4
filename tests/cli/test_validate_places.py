"""What is wrong with a case is told at the author's own line, with rustc's or the test's words."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from program import Done, Program, program_in

from forgetest.render.schemas import json_schema

pytestmark = pytest.mark.cargo

HEAD = """\
[eval_set]
id = "mine"

"""
MISTYPED = """\
[[cases]]
id = "mistyped"
prompt = "Write `pub fn double(n: u32) -> u32`."
reference_solution = '''
pub fn double(n: u32) -> u32 {
    n * 2
}
'''
[cases.expectations]
test_file = '''
use super::*;

#[test]
fn doubles() {
    assert_eq!(double(2), "four");
}
'''

"""
UNBUILT = """\
[[cases]]
id = "unbuilt"
prompt = "Write `pub fn double(n: u32) -> u32`."
reference_solution = "pub fn double(n: u32) -> u32 {\\n    n * 2u64\\n}"
[cases.expectations]
test_file = '''
#[test]
fn doubles() { assert_eq!(double(2), 4); }
'''

"""
FAILING = '''\
[[cases]]
id = "failing"
prompt = "Write `pub fn double(n: u32) -> u32`."
reference_solution = "pub fn double(n: u32) -> u32 { n + 2 }"
[cases.expectations]
test_file = """
#[test]
fn of_two() { assert_eq!(double(2), 4); }
#[test]
fn of_five() {
    let \\
        wanted = 10; assert_eq!(double(5), wanted);
}
"""

'''
LINTED = """\
[[cases]]
id = "linted"
prompt = "Write `pub fn double(n: u32) -> u32`."
reference_solution = '''
#[allow(clippy::all)]
pub fn double(n: u32) -> u32 {
    return n * 2;
}
'''
[cases.expectations]
test_file = '''
#[test]
fn doubles() { assert_eq!(double(2), 4); }
#[test]
fn of_five() { assert_eq!(double(5), 10); }
'''

"""
ACCEPTED = LINTED.replace('"linted"', '"accepted"').replace(
    "[cases.expectations]\n",
    '[cases.expectations]\nallowed_lints = ["clippy::needless_return"]\n',
)
MISUSED = """\
[[cases]]
id = "misused"
prompt = "Write `pub fn double(n: u32) -> u32`."
reference_solution = "pub fn double(n: u32) -> u32 { n * 2 }"
[cases.expectations]
test_file = '''
#[test]
fn doubles() { assert_eq!(double(2), 4); }
'''

[[cases.expectations.compile_fail]]
name = "of_a_text"
code = "E0308"
source = '''
use super::*;
fn misuse() { double("2"); }
'''
compiles = '''
use super::*;
fn misuse() { double(2u64); }
'''

[[cases.expectations.compile_fail]]
name = "of_a_number"
code = "E0308"
source = "use super::*; fn misuse() { double(7); }"
compiles = "use super::*; fn misuse() { double(8); }"

[[cases.expectations.compile_fail]]
name = "of_nothing"
code = ["E0308", "E0061"]
source = "use super::*; fn misuse() { double(); }"
compiles = "use super::*; fn misuse() { double(9); }"

"""
TEXT = HEAD + MISTYPED + UNBUILT + FAILING + LINTED + ACCEPTED + MISUSED
FILE = "mine.toml"


@dataclass(frozen=True)
class Checked:
    """What was printed about the cases, as JSON."""

    done: Done
    data: dict[str, Any]

    def findings(self, case: str) -> list[dict[str, Any]]:
        """Return the findings of a case."""
        cases = {item["case"]: item for item in self.data["sets"][0]["cases"]}
        found: list[dict[str, Any]] = cases[f"mine/{case}"]["findings"]
        return found

    def pointed_at(self, case: str) -> list[str]:
        """Return the text of the file from each place that a finding of a case points at."""
        lines = TEXT.split("\n")
        places = [finding["excerpt"] for finding in self.findings(case)]
        return [lines[place["line"] - 1][(place["column"] or 1) - 1 :] for place in places]


def rows(finding: dict[str, Any]) -> list[str]:
    return [row["text"] for row in finding["excerpt"]["rows"]]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Program:
    """Return the program beside the eval set, which forgetest.toml names."""
    made = program_in(tmp_path_factory.mktemp("v"), tmp_path_factory.mktemp("c"), pytestconfig)
    (made.folder / FILE).write_text(TEXT, encoding="utf-8")
    (made.folder / "forgetest.toml").write_text(f'[run]\neval_sets = ["{FILE}"]\n', "utf-8")
    return made


@pytest.fixture(scope="module")
def plain(program: Program) -> Checked:
    """Check the eval set that forgetest.toml names, plainly."""
    done = program("validate", "--format", "json")
    return Checked(done, json.loads(done.out))


@pytest.fixture(scope="module")
def deep(program: Program, plain: Checked) -> Checked:
    """Check the two cases that compile with lints deeply, after a line was put above them."""
    assert plain.done.code == 1
    moved = program.folder / "moved.toml"
    moved.write_text(TEXT, encoding="utf-8")
    only = ("--times", "1", "--case", "linted", "--case", "accepted", "--format", "json")
    program("validate", "--deep", moved, *only)
    moved.write_text("# moved\n" + TEXT, encoding="utf-8")
    done = program("validate", "--deep", moved, *only)
    return Checked(done, json.loads(done.out))


def test_without_a_path_the_sets_of_forgetest_toml_are_checked(
    plain: Checked, tmp_path: Path, program: Program
) -> None:
    assert plain.done.code == 1
    assert plain.data["deep"] is False
    assert plain.data["totals"]["broken"] == 5

    nothing = Program(tmp_path, program.environ)("validate")

    assert (nothing.code, nothing.out) == (2, "")
    assert nothing.err == (
        "error: no eval set to check: name one, as in `forgetest validate mine.toml`, or set"
        " eval_sets in [run] of forgetest.toml\n"
    )


def test_both_kinds_of_json_are_what_the_schema_says(plain: Checked, deep: Checked) -> None:
    validator = Draft202012Validator(json_schema("validation"))
    for checked in (plain, deep):
        assert list(validator.iter_errors(checked.data)) == []


def test_a_test_that_does_not_build_is_shown_with_rustcs_block(plain: Checked) -> None:
    (finding,) = plain.findings("mistyped")

    assert "mine/mistyped: broken (tests)" in plain.done.err
    assert finding["message"] == (
        "the tests do not build against reference_solution: error[E0308]: mismatched types"
    )
    assert plain.pointed_at("mistyped") == ['"four");']
    line = TEXT.split("\n").index('    assert_eq!(double(2), "four");') + 1
    assert finding["excerpt"]["rows"][0]["number"] == line
    assert rows(finding) == [
        '    assert_eq!(double(2), "four");',
        "                          ^^^^^^ expected `u32`, found `&str`",
    ]


def test_a_reference_in_one_line_of_toml_is_pointed_into(plain: Checked) -> None:
    first, second = plain.findings("unbuilt")

    assert first["message"].startswith("reference_solution does not compile: error[E0308]")
    assert second["message"].startswith("error[E0277]: cannot multiply `u32` by `u64`")
    assert plain.pointed_at("unbuilt") == ['2u64\\n}"', '* 2u64\\n}"']
    assert rows(first)[0] == "    n * 2u64"


def test_a_test_that_fails_shows_its_assertion(plain: Checked) -> None:
    (finding,) = plain.findings("failing")

    assert finding["message"] == (
        "reference_solution does not pass (score 0.750): 1 of 2 tests failed: of_five"
    )
    assert plain.pointed_at("failing") == ["assert_eq!(double(5), wanted);"]
    assert rows(finding)[1:] == [
        "test of_five: assertion `left == right` failed",
        "  left: 7",
        " right: 10",
    ]


def test_a_use_that_must_not_compile_is_shown_with_what_rustc_makes_of_it(plain: Checked) -> None:
    first, second = plain.findings("misused")

    assert first["message"] == (
        "reference_solution does not pass (score 0.750): 2 of 4 tests failed:"
        " compile_fail::of_a_text, compile_fail::of_a_number"
    )
    assert second["message"] == "test compile_fail::of_a_number: failed"
    assert [finding["excerpt"]["key"] for finding in (first, second)] == [
        "expectations.compile_fail.0.compiles",
        "expectations.compile_fail.1.source",
    ]
    assert plain.pointed_at("misused")[0] == "2u64); }"
    line, said = rows(first)
    assert line == "fn misuse() { double(2u64); }"
    assert said == (
        "test compile_fail::of_a_text: rustc rejects the twin, which must compile: "
        "error[E0308]: mismatched types"
    )
    assert rows(second)[1] == (
        "test compile_fail::of_a_number: rustc takes the use, and must reject it with E0308"
    )


def test_a_lint_gives_its_line_and_may_be_accepted(plain: Checked) -> None:
    (finding,) = plain.findings("linted")

    assert "clippy::needless_return: unneeded `return` statement" in finding["message"]
    assert finding["message"].endswith('or set allowed_lints = ["clippy::needless_return"]')
    assert plain.pointed_at("linted") == ["return n * 2;"]
    assert plain.findings("accepted") == []


def test_a_finding_that_is_remembered_moves_with_its_line(plain: Checked, deep: Checked) -> None:
    (there,), (here,) = plain.findings("linted"), deep.findings("linted")

    assert deep.data["sets"][0]["cases"][0]["cached"]
    assert here["excerpt"]["line"] == there["excerpt"]["line"] + 1
    assert rows(here) == rows(there)
    assert [row["number"] for row in here["excerpt"]["rows"] if row["number"]] == [
        row["number"] + 1 for row in there["excerpt"]["rows"] if row["number"]
    ]
    assert deep.findings("accepted") == []


def test_the_text_leads_with_the_place_and_draws_the_block(program: Program) -> None:
    done = program("validate", "-q", FILE, "--case", "mistyped")
    markdown = program("validate", "-q", FILE, "--case", "mistyped", "-f", "markdown").out

    line = TEXT.split("\n").index('    assert_eq!(double(2), "four");') + 1
    block = [
        "   |",
        f'{line} |     assert_eq!(double(2), "four");',
        "   |                           ^^^^^^ expected `u32`, found `&str`",
    ]
    lines = [text.rstrip() for text in done.out.splitlines()]
    start = next(n for n, text in enumerate(lines) if text.startswith(f"{FILE}:{line}:27: broken:"))
    assert "mine/mistyped: the tests do not build against reference_solution:" in lines[start]
    assert lines[start + 2 : start + 5] == block
    assert "1 case, 1 broken" in lines
    assert f"- `{FILE}:{line}:27`: broken: `mine/mistyped`: the tests do not build" in markdown
    assert "\n".join(f"  {text}" for text in block) in markdown
