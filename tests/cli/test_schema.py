"""The published JSON Schemas: true, complete, and what an editor makes of them."""

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from program import ROOT, Done, Program

from forgetest.errors import ConfigFileError, EvalSetError
from forgetest.evalset.load import parse
from forgetest.evalset.schema import ADDRESS
from forgetest.render.schemas import json_schema
from forgetest.runner.config import parse_config

TEMPLATES = ROOT / "forgetest" / "cli" / "templates"
WRITTEN = {
    "eval-set": [TEMPLATES / "first.toml", *sorted((ROOT / "eval-sets").glob("*.toml"))],
    "config": [TEMPLATES / "forgetest.toml", ROOT / "examples" / "forgetest.toml"],
}
PUBLISHED = ADDRESS.rpartition("/")[0]
EVERY_KIND = pytest.mark.parametrize("kind", list(WRITTEN))


def keys(schema: Any) -> Iterator[tuple[str, Any]]:
    """Yield every key that a document may hold, with its part of the schema.

    A key that says the same as the table that it holds leaves the description to that table.
    """
    for name, table in {"": schema, **schema["$defs"]}.items():
        for key, part in table.get("properties", {}).items():
            held = schema["$defs"].get(part.get("$ref", "").rpartition("/")[2], {})
            yield f"{name}.{key}", {"description": held.get("description"), **part}


def linted(files: Sequence[Path], folder: Path) -> Done:
    """Check copies of files as VS Code's TOML extension does, with the schema that they name."""
    for file in files:
        text = file.read_text(encoding="utf-8")
        copy = folder / f"{file.parent.name}-{file.name}"
        copy.write_text(text.replace(PUBLISHED, (ROOT / "schemas").as_uri()), encoding="utf-8")
    taplo = shutil.which("taplo", path=Path(sys.executable).parent)
    assert taplo, "taplo is missing; install it with: make dev"
    done = subprocess.run(
        [taplo, "lint", "--no-auto-config", *map(str, folder.glob("*.toml"))],
        capture_output=True,
        text=True,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@EVERY_KIND
def test_the_published_schema_is_the_one_that_the_program_prints(
    forgetest: Program, kind: str
) -> None:
    published = ROOT / "schemas" / f"{kind}.schema.json"

    assert forgetest("schema", kind).out == published.read_text("utf-8"), "renew it: make schemas"


@EVERY_KIND
def test_every_key_has_a_description_and_a_valid_example(kind: str) -> None:
    schema = json_schema(kind)
    bare = [
        name
        for name, part in keys(schema)
        if not (part.get("description") and part.get("examples"))
    ]
    wrong = [
        (name, error.message)
        for name, part in keys(schema)
        for example in part.get("examples", ())
        for error in Draft202012Validator({"$defs": schema["$defs"], **part}).iter_errors(example)
    ]

    assert (bare, wrong) == ([], [])
    assert sum(1 for _ in keys(schema)) > 30


@EVERY_KIND
def test_an_editor_finds_nothing_wrong_with_what_ships(kind: str, tmp_path: Path) -> None:
    done = linted(WRITTEN[kind], tmp_path)

    assert done.code == 0, done.err
    assert f"total={len(WRITTEN[kind])}" in done.err
    for file in WRITTEN[kind]:
        first = file.read_text(encoding="utf-8").partition("\n")[0]
        assert first == f"#:schema {PUBLISHED}/{kind}.schema.json"


def test_an_editor_names_a_misspelt_key_and_a_wrong_word(tmp_path: Path) -> None:
    folder = tmp_path / "written"
    folder.mkdir()
    set_, config = WRITTEN["eval-set"][0], WRITTEN["config"][0]
    (folder / "set.toml").write_text(
        set_.read_text(encoding="utf-8").replace("difficulty = ", "dificulty = "), encoding="utf-8"
    )
    (folder / "config.toml").write_text(
        config.read_text(encoding="utf-8").replace("[run]", '[run]\nsandbox = "bubble"'),
        encoding="utf-8",
    )

    done = linted(sorted(folder.iterdir()), tmp_path)

    assert done.code == 1
    assert "'dificulty' was unexpected" in done.err
    assert '"bubble" is not one of ["auto","bwrap",' in done.err


@pytest.mark.parametrize("form", ["#:schema ./schema.json\n", '"$schema" = "./schema.json"\n'])
def test_both_ways_to_name_a_schema_are_understood(form: str) -> None:
    eval_set = (TEMPLATES / "first.toml").read_text(encoding="utf-8")
    config = (TEMPLATES / "forgetest.toml").read_text(encoding="utf-8")

    assert parse(form + eval_set, file="x").cases == parse("\n" + eval_set, file="x").cases
    assert parse_config(form + config, file="x", environ={}).run.samples == 2


def test_a_schema_that_is_no_address_is_an_error_with_its_line() -> None:
    with pytest.raises(EvalSetError) as of_set:
        parse('"$schema" = 7\n[eval_set]\nid = "a"\n[[cases]]\nid = "b"\n', file="x.toml")
    with pytest.raises(ConfigFileError) as of_config:
        parse_config('"$schema" = 7\n', file="f.toml", environ={})

    assert str(of_set.value.problems[0]).startswith('x.toml:1: "$schema" must be a string')
    assert str(of_config.value.problems[0]).startswith('f.toml:1: "$schema": ')


def test_the_addresses_are_those_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    repository = project["urls"]["Repository"].replace("github.com", "raw.githubusercontent.com")

    assert f"{repository}/main/schemas" == PUBLISHED
