"""The TOML document: `[eval_set]`, its `[[cases]]`, and the JSON Schema of both.

The same models read eval sets and make the JSON Schema. The JSON Schema is the weaker of the two:
it cannot say what a path or a version requirement is, nor what several keys must agree on. The keys
of a case are described in `types`.
"""

import json
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any, get_args, get_type_hints

from pydantic import Field, create_model

from forgetest.evalset.forms import (
    LAX,
    Edition,
    FolderPath,
    Identifier,
    Language,
    SchemaAddress,
    Seconds,
    Title,
)
from forgetest.evalset.types import (
    Case,
    CompileFail,
    ContextFile,
    Dependency,
    EquivalentMutant,
    Expectations,
    Protocol,
    Provenance,
    Table,
    UnsafeRule,
)
from forgetest.value import Value

# Where the repository publishes the JSON Schema, for editors.
ADDRESS = "https://raw.githubusercontent.com/forgetest/forgetest/main/schemas/eval-set.schema.json"
# Fields of a case that its table does not hold: they come from the file and from `[eval_set]`.
_NOT_KEYS = {"eval_set", "edition", "protocol", "file", "line"}
# Keys of a case that default to a key of `[eval_set]`; a case's name defaults to its id.
INHERITED = {
    "language": "default_language",
    "unsafe": "unsafe",
    "timeout_secs": "default_timeout_secs",
}
# What the JSON Schema calls the tables that have another name here; editors may refer to it.
_PUBLISHED: dict[type[Table], str] = {
    CompileFail: "CompileFailTable",
    ContextFile: "ContextTable",
    Dependency: "DependencyTable",
    EquivalentMutant: "EquivalentMutantTable",
    Expectations: "ExpectationsTable",
    Provenance: "SourceTable",
}


# The one key of a table that no case holds: its files become the case's context.
_CONTEXT_DIR = (
    FolderPath | None,
    Field(
        default=None,
        description="A folder beside the eval set whose files are context, by their paths in it.",
        examples=["crates/broken-scheduler"],
    ),
)


def _case_keys() -> dict[str, Any]:
    """Return the keys of a case's table; what has a default elsewhere may be left out."""
    keys: dict[str, Any] = {}
    for name, annotation in get_type_hints(Case, include_extras=True).items():
        field = Case.model_fields.get(name)
        if field is None or name in _NOT_KEYS:
            continue
        if name in INHERITED or name == "name":
            keys[name] = (
                annotation | None,
                Field(default=None, description=field.description, examples=field.examples),
            )
        else:
            keys[name] = (field.annotation, field)
        if name == "context":
            keys["context_dir"] = _CONTEXT_DIR
    return keys


CaseTable: type[Table] = create_model(
    "CaseTable", __base__=Table, __doc__=Case.__doc__, **_case_keys()
)


class EvalSetTable(Table):
    """What holds for all cases."""

    id: Identifier = Field(
        description="Unique among the eval sets of a run.", examples=["rust-basics"]
    )
    name: Title | None = Field(
        default=None, description="Its title; the id if left out.", examples=["Rust basics"]
    )
    description: str = Field(
        default="",
        description="What the set measures.",
        examples=["The language itself: strings, Option and Result, traits."],
    )
    version: str = Field(
        default="", description="Raise it when a case changes.", examples=["1.0.0"]
    )
    edition: Edition = Field(
        default="2021", description="The Rust edition of every sample's crate.", examples=["2024"]
    )
    default_language: Language = Field(
        default="rust", description="Only rust can be graded.", examples=["rust"]
    )
    default_timeout_secs: Seconds | None = Field(
        default=None,
        description=(
            "Time limit of one test, in seconds; if left out, 5 s, and 60 s for all tests of a "
            "sample."
        ),
        examples=[10],
    )
    dependencies: Annotated[tuple[Dependency, ...], LAX] = Field(
        default=(),
        description="Crates that the code of every case may use.",
        examples=[[{"name": "tokio", "version": "1", "features": ["full"]}]],
    )
    unsafe: Annotated[UnsafeRule, LAX] = Field(
        default=UnsafeRule.ALLOW,
        description='"deny": code that uses unsafe is refused before it is compiled, and fails.',
        examples=["deny"],
    )
    protocol: Annotated[Protocol, LAX] = Field(
        default=Protocol.CHAT,
        description=(
            '"chat": the completion is a reply that holds whole items; "completion": it may '
            "continue the code at the prompt's end."
        ),
        examples=["completion"],
    )
    source: Provenance | None = Field(
        default=None,
        description="Where the cases come from, when others wrote them.",
        examples=[{"name": "MultiPL-E", "licence": "MIT"}],
    )


class Document(Table):
    """An eval set: a TOML file of cases for a Rust code generation model."""

    eval_set: EvalSetTable = Field(
        description="What holds for all cases.", examples=[{"id": "first", "version": "1.0.0"}]
    )
    cases: Annotated[tuple[CaseTable, ...], LAX] = Field(
        description="The cases, in the order in which they are asked.",
        examples=[[{"id": "add", "prompt": "Write `add`.", "expectations": {"test_file": "..."}}]],
        json_schema_extra={"minItems": 1},
    )
    schema_address: SchemaAddress = None


def keys_of(table: type[Value]) -> list[str]:
    """Return the keys that a table may hold, as they are written."""
    return [field.alias or name for name, field in table.model_fields.items()]


def tables_by_key() -> dict[str, type[Table]]:
    """Return the models of all tables by the key that holds them; the document's own is ``""``."""
    found: dict[str, type[Table]] = {"": Document}
    todo: list[type[Table]] = [Document]
    while todo:
        for key, field in todo.pop().model_fields.items():
            for type_ in _types_in(field.annotation):
                if issubclass(type_, Table) and key not in found:
                    found[key] = type_
                    todo.append(type_)
    return found


def choices_by_key() -> dict[str, tuple[str, ...]]:
    """Return the words allowed for each key that takes one of a few."""
    return {
        key: tuple(type_)
        for table in tables_by_key().values()
        for key, field in table.model_fields.items()
        for type_ in _types_in(field.annotation)
        if issubclass(type_, StrEnum)
    }


def _types_in(annotation: Any) -> Iterator[type]:
    """Yield the classes that an annotation such as `tuple[ContextFile, ...] | None` names."""
    if isinstance(annotation, type) and not get_args(annotation):
        yield annotation
    for part in get_args(annotation):
        yield from _types_in(part)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of an eval set after reading its TOML."""
    text = json.dumps(tidied(Document.model_json_schema()))
    for table, published in _PUBLISHED.items():
        text = text.replace(f'"{table.__name__}"', f'"{published}"')
        text = text.replace(f'"#/$defs/{table.__name__}"', f'"#/$defs/{published}"')
    schema = json.loads(text)
    schema["$defs"] = dict(sorted(schema["$defs"].items()))
    return {"title": "forgetest eval set", **schema}


def tidied(node: Any) -> Any:
    """Take nulls, which TOML does not have, and titles that repeat the keys out of a schema."""
    if isinstance(node, list):
        return [tidied(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {key: tidied(value) for key, value in node.items() if not _is_noise(key, value)}
    choices = [choice for choice in kept.pop("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) > 1:
        return {"anyOf": choices, **kept}
    return {**choices[0], **kept} if choices else kept


def _is_noise(key: str, value: Any) -> bool:
    return (key == "default" and value is None) or (key == "title" and isinstance(value, str))
