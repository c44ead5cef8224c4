"""The JSON Schema says what the reader reads, as far as a schema can."""

import copy
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from program import ROOT

from forgetest.evalset.load import parse
from forgetest.evalset.schema import json_schema

SHIPPED = sorted((ROOT / "eval-sets").glob("*.toml"))
VALIDATOR = Draft202012Validator(json_schema())

SMALL: dict[str, Any] = {
    "eval_set": {"id": "small"},
    "cases": [{"id": "add", "prompt": "p", "expectations": {"test_file": "t"}}],
}
FULL = """
"$schema" = "./schema.json"

[eval_set]
id = "full"
name = "Full"
description = ""
version = "1"
edition = "2024"
default_language = "rust"
default_timeout_secs = 1
dependencies = [{ name = "tokio", version = "1", features = ["full"] }]
unsafe = "deny"
protocol = "chat"

[eval_set.source]
name = "Elsewhere"
version = "1"
licence = "MIT"
url = "https://example.org"

[[cases]]
id = "a"
name = "A"
description = ""
prompt = "p"
language = "rust"
tags = ["t"]
difficulty = "expert"
unsafe = "allow"
timeout_secs = 0.5
max_tokens = 1
dependencies = []
reference_solution = "s"
equivalent_mutants = [{ mutant = "m", reason = "r" }]
context_dir = "folder"
answer_files = ["src/lib.rs"]

[[cases.context]]
path = "src/a.rs"
content = ""

[cases.expectations]
should_compile = true
should_pass_tests = true
test_file = "t"
expected_functions = ["f"]
forbidden_functions = ["main"]
expected_types = ["T"]
max_clippy_warnings = 0
allowed_lints = ["clippy::too_many_arguments"]
max_allocations = 3
max_peak_bytes = 4096
custom_check = "true"
compile_fail = [{ name = "n", code = "E0499", source = "s", compiles = "c" }]

[[cases]]
id = "b"
prompt = "p"

[cases.expectations]
should_compile = false
expected_error_codes = ["E0382"]
"""


def test_it_is_a_schema_of_its_draft_without_an_address() -> None:
    Draft202012Validator.check_schema(json_schema())

    assert not json_schema().keys() & {"$schema", "$id"}
    assert json.loads(json.dumps(json_schema())) == json_schema()


def test_a_full_set_and_a_small_one_are_valid_for_reader_and_schema(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "b.rs").touch()
    parse(FULL, file="x.toml", path=tmp_path / "x.toml")
    document = tomllib.loads(FULL)

    assert list(VALIDATOR.iter_errors(document)) == []
    assert list(VALIDATOR.iter_errors(SMALL)) == []


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.name)
def test_the_shipped_sets_are_valid_for_reader_and_schema(file: Path) -> None:
    text = file.read_text(encoding="utf-8")

    assert parse(text, file=file.name, path=file).cases
    assert list(VALIDATOR.iter_errors(tomllib.loads(text))) == []


def test_every_key_is_described_and_the_full_set_has_them_all() -> None:
    tables = [json_schema(), *json_schema()["$defs"].values()]
    keys = {key for table in tables for key in table.get("properties", ())}
    bare = [
        key
        for table in tables
        for key, schema in table.get("properties", {}).items()
        if "description" not in schema and "$ref" not in schema
    ]

    assert bare == []
    assert keys == {key for key, _ in walk(tomllib.loads(FULL))}


def test_no_key_may_be_null() -> None:
    assert "null" not in json.dumps(json_schema())


@pytest.mark.parametrize("path", ["", "eval_set", "eval_set.source", "cases", "cases.expectations"])
def test_unknown_keys_fail_in_every_table(path: str) -> None:
    document = tomllib.loads(FULL)
    table: Any = document
    for key in filter(None, path.split(".")):
        table = table[key][0] if isinstance(table[key], list) else table[key]
    table["promt"] = "x"

    [error] = VALIDATOR.iter_errors(document)

    assert "promt" in error.message


@pytest.mark.parametrize(
    ("table", "key", "value"),
    [
        ("eval_set", "id", ""),
        ("eval_set", "id", "a/b"),
        ("eval_set", "edition", 2021),
        ("eval_set", "edition", "2020"),
        ("eval_set", "default_language", "go"),
        ("eval_set", "protocol", "x"),
        ("eval_set", "unsafe", "forbid"),
        ("cases", "unsafe", True),
        ("eval_set", "default_timeout_secs", 0),
        ("eval_set", "default_timeout_secs", 86401),
        ("cases", "prompt", " "),
        ("cases", "tags", "x"),
        ("cases", "max_tokens", 0),
        ("cases", "difficulty", "x"),
        ("expectations", "max_clippy_warnings", -1),
        ("expectations", "expected_error_codes", ["1"]),
        ("expectations", "allowed_lints", ["needless_return"]),
        ("expectations", "max_allocations", -1),
        ("expectations", "max_peak_bytes", 1.5),
    ],
)
def test_wrong_values_fail(table: str, key: str, value: object) -> None:
    document = copy.deepcopy(SMALL)
    case = document["cases"][0]
    tables = {"eval_set": document["eval_set"], "cases": case, **case}
    tables[table][key] = value

    errors = list(VALIDATOR.iter_errors(document))

    assert errors
    assert all(key in error.absolute_path for error in errors)


def test_a_set_without_cases_fails() -> None:
    assert not VALIDATOR.is_valid({**SMALL, "cases": []})
    assert not VALIDATOR.is_valid({"eval_set": SMALL["eval_set"]})


def walk(node: Any) -> list[tuple[str, Any]]:
    """Return every key of a document, at any depth."""
    if isinstance(node, list):
        return [pair for item in node for pair in walk(item)]
    if isinstance(node, dict):
        return [*node.items(), *(pair for value in node.values() for pair in walk(value))]
    return []
