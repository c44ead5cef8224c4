"""The sources as their users have them, read where they lie beside the repository."""

import json

import pytest
from program import Program
from recorded import NATIVE, needs_data

from forgetest.evalset.load import load
from forgetest.importers.catalogue import importer
from forgetest.importers.types import ImportOptions
from forgetest.rust.tests import expected_tests

pytestmark = needs_data
SOURCES = {
    "multipl-e-rs-prompts.jsonl": ("multipl-e", 107, 0),
    "multipl-e-completions": ("multipl-e", 12, 36),
    "reflexion-log-simple_mbpp_rs.jsonl": ("reflexion", 71, 71),
    "samples-multipl-e-gpt4.jsonl": ("samples", 0, 84),
}


@pytest.mark.parametrize("name", SOURCES)
def test_every_item_of_a_native_file_is_imported(forgetest: Program, name: str) -> None:
    form, cases, completions = SOURCES[name]

    done = forgetest("import", form, NATIVE / name, "--no-validate", "--id", "theirs")

    assert done.code == 0, done.err
    assert "; 0 left out" in done.err
    found = forgetest.folder / "theirs.jsonl"
    assert (len(found.read_text().splitlines()) if found.exists() else 0) == completions
    sets = load([forgetest.folder / "theirs.toml"]) if cases else ()
    assert sum(len(one.cases) for one in sets) == cases


@pytest.mark.parametrize("protocol", ["chat", "completion"])
def test_every_assert_of_a_native_prompt_is_a_test_of_its_own(protocol: str) -> None:
    file = NATIVE / "multipl-e-rs-prompts.jsonl"
    found = importer("multipl-e").read(file, ImportOptions(protocol=protocol)).eval_set

    assert found is not None
    theirs = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for case, row in zip(found.cases, theirs, strict=True):
        module = case.expectations.test_file or ""
        assert len(expected_tests(module)) == row["tests"].count("    assert"), case.id
        assert case.id == row["name"]
        assert "candidate" not in module, case.id


@pytest.mark.cargo
def test_a_log_agrees_with_its_judge(remembering: Program) -> None:
    file = NATIVE / "reflexion-log-simple_mbpp_rs.jsonl"
    remembering("import", "reflexion", file, "--no-validate", "--id", "theirs")

    done = remembering("grade", "theirs.jsonl", "-e", "theirs.toml", "--quiet", "--format", "json")

    assert done.code == 0, done.err
    agreement = json.loads(done.out)["agreement"]
    assert (agreement["compared"], agreement["agree"]) == (71, 71)
