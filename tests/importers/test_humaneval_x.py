"""HumanEval-X and humanevalpack become cases with no crate but those that a case needs."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from importing import NATIVE, cases, needs_native, reasons, unsolved
from program import Program

from forgetest.errors import ForgetestError
from forgetest.evalset.types import Dependency, Protocol
from forgetest.importers.humaneval import read_fix, read_humaneval_x
from forgetest.importers.types import Imported, ImportOptions

EXCERPT = NATIVE / "humaneval-x-rust.jsonl"
IMPORTS = "use std::collections::HashMap;\nuse rand::Rng;\nuse regex::Regex;\nuse md5;\n"
FIXED = "    numbers.iter().max().unwrap() - numbers.iter().min().unwrap()\n}\n"
TESTS = """
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_widest() {
        assert_eq!(widest(vec![2, 9, 4]), 7);
    }
}
"""


def a_row(**changes: Any) -> dict[str, Any]:
    """Return a sound row; a change to None takes a key out."""
    row = {
        "task_id": "Rust/900",
        "prompt": "\n/*\n How far apart are the smallest and the largest?\n*/\n",
        "declaration": f"\n{IMPORTS}\nfn widest(numbers: Vec<i32>) -> i32 {{\n",
        "canonical_solution": FIXED,
        "test": TESTS,
        "example_test": "None",
        **changes,
    }
    return {key: value for key, value in row.items() if value is not None}


def a_pack_row(**changes: Any) -> dict[str, Any]:
    """Return a row of humanevalpack, whose prompt holds the declaration already."""
    opening = "/*\n How far apart are the smallest and the largest?\n*/\n"
    declaration = "fn widest(numbers: Vec<i32>) -> i32 {\n"
    more = {
        "prompt": f"{opening}{declaration}",
        "declaration": declaration,
        "buggy_solution": FIXED.replace(" - ", " + "),
        "bug_type": "operator misuse",
        "import": IMPORTS,
        "test_setup": "",
        "entry_point": "widest",
        "docstring": "How far apart are the smallest and the largest?",
        "instruction": "Write a Rust function.",
    }
    return a_row(**{**more, **changes})


def imported(folder: Path, *rows: dict[str, Any] | str, fix: bool = False) -> Imported:
    file = folder / "rows.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return (read_fix if fix else read_humaneval_x)(file, ImportOptions())


def test_the_prompt_ends_inside_the_function_and_the_reference_goes_on(tmp_path: Path) -> None:
    found = imported(tmp_path, a_row())

    assert found.eval_set is not None
    assert found.eval_set.source is not None
    assert found.eval_set.source.licence == "Apache-2.0"
    case = cases(found)["Rust-900"]
    assert (case.name, case.edition, case.protocol) == ("widest", "2021", Protocol.COMPLETION)
    assert case.prompt.endswith("fn widest(numbers: Vec<i32>) -> i32 {\n")
    assert (case.reference_solution or "").startswith(case.prompt)
    assert case.expectations.expected_functions == ("widest",)


def test_imports_of_crates_that_nothing_uses_go_and_those_of_std_stay(tmp_path: Path) -> None:
    case = cases(imported(tmp_path, a_row()))["Rust-900"]

    assert case.dependencies == ()
    assert "use std::collections::HashMap;" in case.prompt
    for name in ("rand", "regex", "md5"):
        assert name not in case.prompt
        assert name not in (case.reference_solution or "")


@pytest.mark.parametrize(
    ("changes", "needed"),
    [
        ({"canonical_solution": 'let _ = md5::compute("a");\n0 }'}, ("md5", "0.7")),
        ({"canonical_solution": 'let _ = Regex::new("a");\n0 }'}, ("regex", "1")),
        ({"test": TESTS.replace("vec![2", "vec![rand::random::<i32>()")}, ("rand", "0.4")),
    ],
)
def test_a_crate_that_solution_or_tests_use_is_a_dependency(
    tmp_path: Path, changes: dict[str, str], needed: tuple[str, str]
) -> None:
    case = cases(imported(tmp_path, a_row(**changes)))["Rust-900"]

    assert case.dependencies == (Dependency(name=needed[0], version=needed[1]),)
    assert f"use {needed[0]}" in case.prompt


def test_a_crate_that_only_the_signature_uses_is_a_dependency(tmp_path: Path) -> None:
    declaration = f"{IMPORTS}\nfn widest(numbers: Vec<Regex>) -> i32 {{\n"

    case = cases(imported(tmp_path, a_row(declaration=declaration)))["Rust-900"]

    assert [one.name for one in case.dependencies] == ["regex"]


def test_what_a_comment_or_a_text_names_is_no_use_of_a_crate(tmp_path: Path) -> None:
    solution = '    // by md5::compute\n    let _ = "Regex rand";\n    0\n}\n'

    case = cases(imported(tmp_path, a_row(canonical_solution=solution)))["Rust-900"]

    assert case.dependencies == ()


def test_humanevalpack_gives_the_same_functions_to_complete(tmp_path: Path) -> None:
    found = imported(tmp_path, a_pack_row())

    assert found.eval_set is not None
    assert found.eval_set.source is not None
    assert found.eval_set.source.name == "humanevalpack"
    case = cases(found)["Rust-900"]
    assert case.prompt.count("fn widest") == 1
    assert case.dependencies == ()
    assert "min().unwrap()" not in case.prompt


def test_a_bug_to_fix_is_shown_and_its_fix_is_not(tmp_path: Path) -> None:
    case = cases(imported(tmp_path, a_pack_row(), fix=True))["Rust-900"]

    assert case.protocol is Protocol.CHAT
    assert case.tags == ("fix", "operator misuse")
    assert "max().unwrap() + numbers" in case.prompt
    assert "max().unwrap() - numbers" not in case.prompt
    assert "max().unwrap() - numbers" in (case.reference_solution or "")


def test_rows_without_a_bug_can_not_be_fixed(tmp_path: Path) -> None:
    with pytest.raises(ForgetestError, match='"buggy_solution" is missing'):
        imported(tmp_path, a_row(), fix=True)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"task_id": "Python/900"}, "does not begin with `Rust/`"),
        ({"declaration": None}, '"declaration" is missing'),
        ({"declaration": "use md5;\n"}, "declares no function"),
        ({"entry_point": "narrowest"}, "does not declare its entry_point"),
        ({"canonical_solution": "    0\n"}, "never closed"),
        ({"test": TESTS.replace("#[test]", "")}, "no #[test] function"),
        ({"test": TESTS[:60]}, "tests are truncated"),
        ({"test": 1}, '"test" must be a string'),
        (
            {
                "declaration": "use serde::Serialize;\nfn widest(n: Vec<i32>) -> i32 {",
                "canonical_solution": "serde::f()\n}",
            },
            "needs the crate serde",
        ),
    ],
)
def test_a_row_that_is_no_case_is_left_out_with_the_reason(
    tmp_path: Path, changes: dict[str, Any], reason: str
) -> None:
    bad = {"task_id": "Rust/901", **changes}

    found = imported(tmp_path, a_row(), a_row(**bad))

    assert list(cases(found)) == ["Rust-900"]
    assert reason in reasons(found)[bad["task_id"]]


def test_truncated_json_and_a_second_row_of_one_name_are_left_out_by_line(tmp_path: Path) -> None:
    whole = json.dumps(a_row())

    found = imported(tmp_path, whole, whole[:90], whole)

    assert list(reasons(found)) == [f"{tmp_path}/rows.jsonl:2", "Rust/900"]


def test_a_packed_file_is_read_and_a_damaged_one_is_an_error(tmp_path: Path) -> None:
    packed = tmp_path / "rows.jsonl.gz"
    packed.write_bytes(gzip.compress(json.dumps(a_row()).encode()))
    assert list(cases(read_humaneval_x(packed, ImportOptions()))) == ["Rust-900"]

    packed.write_bytes(packed.read_bytes()[:40])
    with pytest.raises(ForgetestError, match="truncated or damaged"):
        read_humaneval_x(packed, ImportOptions())


@pytest.mark.cargo
def test_references_with_the_old_crates_that_the_benchmark_asks_for_pass(
    forgetest: Program,
) -> None:
    drawn = "rand::thread_rng().gen_range(0, 9)"  # the form that newer versions do not take
    rows = [
        a_row(test=TESTS.replace("vec![2", f"vec![2 + 0 * {drawn}")),
        a_row(
            task_id="Rust/901",
            canonical_solution='    let _ = Regex::new("a").unwrap();\n'
            '    assert_eq!(format!("{:x}", md5::compute("")).len(), 32);\n'
            "    numbers[1] - numbers[0]\n}\n",
        ),
        a_row(task_id="Rust/902"),
    ]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    (forgetest.folder / "rows.jsonl").write_text(lines, encoding="utf-8")

    assert forgetest("import", "humaneval-x", "rows.jsonl", "--no-validate").code == 0

    assert unsolved(forgetest, "rows.toml") == []


@pytest.mark.cargo
@needs_native
def test_every_reference_of_the_excerpt_passes_its_tests(remembering: Program) -> None:
    done = remembering("import", "humaneval-x", EXCERPT, "--id", "rows", "--no-validate")

    assert done.code == 0
    assert "36 cases" in done.err
    assert unsolved(remembering, "rows.toml") == []
