"""A key of eval sets is one line in `evalset/types.py`; all else follows from it.

The package is copied, the keys are added as CONTRIBUTING.md says, and a program of the copy shows
what it makes of them.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from program import ROOT

CASE_KEY = """    hint: Text | None = added(
        None, description="What may be told of the answer.", examples=["Use a map."]
    )
"""
EXPECTATIONS_KEY = """    max_unwraps: Annotated[int, Field(ge=0)] | None = added(
        None, description="With more calls of `unwrap` than this it does not pass.", examples=[0]
    )
"""
EVAL_SET = """
[eval_set]
id = "set"

[[cases]]
id = "plain"
prompt = "p"
expectations = { test_file = "t" }

[[cases]]
id = "strict"
prompt = "p"
hint = "Use a map."
expectations = { test_file = "t", max_unwraps = 2 }
"""
WRONG = """
[eval_set]
id = "set"

[[cases]]
id = "strict"
prompt = "p"
hint = " "
expectations = { test_file = "t", max_unwraps = -1 }
"""
PROGRAM = """
import json, sys
import forgetest
from forgetest.errors import EvalSetError
from forgetest.evalset.dump import dump
from forgetest.evalset.load import parse
from forgetest.evalset.schema import json_schema
from forgetest.grading.graders import verdict_key
from forgetest.run.manifest import hash_case
from forgetest.sampling.plan import Plan

def key(case):
    return verdict_key(case, "code", identity="i", lock="")

def digest(*cases):
    whole = eval_set.model_copy(update={"cases": cases})
    plan = {"models": [], "samples_per_case": 1, "pass_k": [1], "sampling": {}}
    return Plan.model_validate({**plan, "eval_sets": [whole]}).digest

texts = json.load(sys.stdin)
eval_set = parse(texts["right"], file="set.toml")
plain, strict = eval_set.cases
expectations = strict.expectations
without = {
    "hint": strict.model_copy(update={"hint": None}),
    "max_unwraps": strict.model_copy(
        update={"expectations": expectations.model_copy(update={"max_unwraps": None})}
    ),
} if texts["new"] else {}
try:
    parse(texts["wrong"], file="set.toml")
except EvalSetError as error:
    problems = [f"{one.file}:{one.line}: {one.message}" for one in error.problems]
print(json.dumps({
    "package": forgetest.__file__,
    "read": [strict.hint, expectations.max_unwraps] if texts["new"] else [],
    "problems": problems,
    "dumped": dump(eval_set),
    "again": parse(dump(eval_set), file="set.toml").cases[1].model_dump(mode="json"),
    "strict": strict.model_dump(mode="json"),
    "schema": json_schema(),
    "plain": [digest(plain), key(plain), hash_case(plain).model_dump(), plain.model_dump_json()],
    "differs": {
        name: [
            digest(case) != digest(strict),
            key(case) != key(strict),
            hash_case(case).tests != hash_case(strict).tests,
        ]
        for name, case in without.items()
    },
}))
"""


def ask(folder: Path, *, right: str, new: bool) -> dict[str, Any]:
    """Return what the package in a folder makes of the eval sets."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=folder,
        input=json.dumps({"right": right, "wrong": WRONG, "new": new}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what a copy of the package with the two keys makes of the eval sets."""
    folder = tmp_path_factory.mktemp("extended")
    shutil.copytree(ROOT / "forgetest", folder / "forgetest")
    file = folder / "forgetest" / "evalset" / "types.py"
    text = file.read_text(encoding="utf-8")
    for following, line in (("class Case(Table):", EXPECTATIONS_KEY), ("    file: ", CASE_KEY)):
        before, found, after = text.partition(following)
        assert found
        text = f"{before.rstrip()}\n{line}{'' if found[0] == ' ' else chr(10) * 2}{found}{after}"
    file.write_text(text, encoding="utf-8")
    answer = ask(folder, right=EVAL_SET, new=True)
    assert answer["package"].startswith(str(folder))
    return answer


def test_a_new_key_is_read_and_dumped(extended: dict[str, Any]) -> None:
    assert extended["read"] == ["Use a map.", 2]
    assert 'hint = "Use a map."' in extended["dumped"]
    assert "max_unwraps = 2" in extended["dumped"]
    assert {**extended["again"], "line": 0} == {**extended["strict"], "line": 0}


def test_a_wrong_value_is_refused_with_file_case_and_key(extended: dict[str, Any]) -> None:
    assert sorted(extended["problems"]) == [
        'set.toml:8: case "strict": "hint" must not be empty',
        'set.toml:9: case "strict": "expectations.max_unwraps" must be at least 0',
    ]


def test_a_new_key_is_in_the_json_schema(extended: dict[str, Any]) -> None:
    tables = extended["schema"]["$defs"]

    assert tables["CaseTable"]["properties"]["hint"] == {
        "pattern": r"\S",
        "type": "string",
        "description": "What may be told of the answer.",
        "examples": ["Use a map."],
    }
    assert tables["ExpectationsTable"]["properties"]["max_unwraps"] == {
        "minimum": 0,
        "type": "integer",
        "description": "With more calls of `unwrap` than this it does not pass.",
        "examples": [0],
    }


def test_a_new_key_changes_digest_cache_key_and_hash_of_cases_that_use_it(
    extended: dict[str, Any],
) -> None:
    assert extended["differs"] == {"hint": [True] * 3, "max_unwraps": [True] * 3}


def test_a_case_without_the_new_keys_stays_what_it_was(extended: dict[str, Any]) -> None:
    lines = [line for line in EVAL_SET.splitlines() if not line.startswith("hint")]
    old = ask(ROOT, right="\n".join(lines).replace(", max_unwraps = 2", ""), new=False)

    assert extended["plain"] == old["plain"]
    assert old["problems"] == [
        (
            'set.toml:8: case "strict": unknown key "hint"; the keys here are id, name,'
            " description, prompt, language, tags, difficulty, unsafe, timeout_secs, max_tokens,"
            " dependencies, context, context_dir, answer_files, reference_solution,"
            " equivalent_mutants, expectations"
        ),
        (
            'set.toml:9: case "strict": unknown key "expectations.max_unwraps"; the keys here are'
            " should_compile, should_pass_tests, test_file, compile_fail, expected_functions,"
            " expected_types, forbidden_functions, max_clippy_warnings, allowed_lints,"
            " max_allocations, max_peak_bytes, custom_check, expected_error_codes"
        ),
    ]
