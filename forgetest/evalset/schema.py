"""The TOML schema of eval sets: every key, its type, its limits and what it is for.

The same models read eval sets and make the JSON Schema. The JSON Schema is the weaker of the two:
it can not say what a path or a version requirement is, nor what several keys must agree on.
"""

from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, Strict

from forgetest.evalset import forms
from forgetest.evalset.types import Difficulty, Protocol, UnsafeRule
from forgetest.value import Value

DAY_SECS = 86_400

_NOT_BLANK = {"pattern": r"\S"}

# TOML arrays arrive as lists and words as strings; tuples and enums must take them in strict mode.
_Lax = Strict(strict=False)

Text = Annotated[str, AfterValidator(forms.filled), Field(json_schema_extra=_NOT_BLANK)]
Title = Annotated[str, AfterValidator(forms.title), Field(json_schema_extra=_NOT_BLANK)]
Identifier = Annotated[
    str,
    AfterValidator(forms.identifier),
    Field(json_schema_extra={"pattern": forms.ID_PATTERN, "maxLength": forms.MAX_ID}),
]
Tag = Annotated[str, AfterValidator(forms.tag), Field(json_schema_extra=_NOT_BLANK)]
Language = Annotated[
    str, AfterValidator(forms.language), Field(json_schema_extra={"enum": ["rust"]})
]
Edition = Annotated[
    str,
    AfterValidator(forms.edition),
    Field(json_schema_extra={"enum": list(forms.EDITIONS)}),
]
CrateName = Annotated[
    str,
    AfterValidator(forms.crate_name),
    Field(json_schema_extra={"pattern": forms.CRATE_PATTERN}),
]
VersionRequirement = Annotated[
    str, AfterValidator(forms.version_requirement), Field(json_schema_extra=_NOT_BLANK)
]
Feature = Annotated[
    str,
    AfterValidator(forms.feature),
    Field(json_schema_extra={"pattern": forms.FEATURE_PATTERN}),
]
RustName = Annotated[str, AfterValidator(forms.rust_name), Field(json_schema_extra=_NOT_BLANK)]
ErrorCode = Annotated[
    str,
    AfterValidator(forms.error_code),
    Field(json_schema_extra={"pattern": forms.ERROR_CODE_PATTERN}),
]
ContextPath = Annotated[
    str,
    AfterValidator(forms.context_path),
    Field(json_schema_extra={**_NOT_BLANK, "maxLength": forms.MAX_PATH}),
]
Seconds = Annotated[float, Field(gt=0, le=DAY_SECS)]


class Table(Value):
    """A TOML table: strict types, no unknown keys."""

    model_config = ConfigDict(strict=True)


class DependencyTable(Table):
    """A crate of the registry that the code may use."""

    name: CrateName = Field(description="The crate's name, as in Cargo.toml.")
    version: VersionRequirement = Field(description='A version requirement such as "1" or "=1.2".')
    features: Annotated[tuple[Feature, ...], _Lax] = Field(
        default=(), description="Features to switch on beside the default ones."
    )


class ContextTable(Table):
    """A file shown to the model and placed in the crate."""

    path: ContextPath = Field(description="Where it lies in the crate, such as src/types.rs.")
    content: str = Field(description="The whole file.")


class EquivalentMutantTable(Table):
    """A mutant of the reference solution that does the same as the reference solution."""

    mutant: Text = Field(description="The mutant's id, as `forgetest validate --deep` prints it.")
    reason: Text = Field(description="Why no test can tell it from the reference solution.")


class ExpectationsTable(Table):
    """What a right sample does."""

    should_compile: bool = Field(
        default=True, description="false: right code is refused by rustc, with an error in it."
    )
    should_pass_tests: bool = Field(
        default=True, description="false: tests are not run, and the score tops out at 0.5."
    )
    test_file: Text | None = Field(
        default=None,
        description=(
            "The hidden tests: a `#[cfg(test)] mod tests { use super::*; ... }` or bare test "
            "functions. Private functions may be tested."
        ),
    )
    expected_functions: Annotated[tuple[RustName, ...], _Lax] = Field(
        default=(), description="Functions without which a sample does not pass."
    )
    expected_types: Annotated[tuple[RustName, ...], _Lax] = Field(
        default=(), description="Types and traits without which a sample does not pass."
    )
    forbidden_functions: Annotated[tuple[RustName, ...], _Lax] = Field(
        default=(),
        description="Functions (of the crate root, or `Type::method`) that code must not define.",
    )
    max_clippy_warnings: int | None = Field(
        default=None, ge=0, description="With more clippy warnings than this it does not pass."
    )
    custom_check: Text | None = Field(
        default=None,
        description=(
            "A command that gets the code on its standard input and must exit with 0; it runs "
            "only when the user allows custom checks."
        ),
    )
    expected_error_codes: Annotated[tuple[ErrorCode, ...], _Lax] = Field(
        default=(),
        description="With should_compile = false: rustc must report one of these, such as E0382.",
    )


class CaseTable(Table):
    """One problem for a model."""

    id: Identifier = Field(description="Unique in the eval set; used in file names.")
    name: Title | None = Field(default=None, description="What people read; the id if left out.")
    description: str = Field(default="", description="For people; the model does not see it.")
    prompt: Text = Field(description="What the model is asked to do.")
    language: Language | None = Field(default=None, description="Only rust can be graded.")
    tags: Annotated[tuple[Tag, ...], _Lax] = Field(
        default=(), description="Words to filter by and to group results by."
    )
    difficulty: Annotated[Difficulty, _Lax] | None = Field(
        default=None, description="How hard the case is meant to be."
    )
    unsafe: Annotated[UnsafeRule, _Lax] | None = Field(
        default=None, description="Whether code may use unsafe; the set's rule if left out."
    )
    timeout_secs: Seconds | None = Field(
        default=None, description="How long one test may take; the set's default if left out."
    )
    max_tokens: int | None = Field(
        default=None, ge=1, description="The longest completion to ask for, in tokens."
    )
    dependencies: Annotated[tuple[DependencyTable, ...], _Lax] = Field(
        default=(), description="Added to the set's; for the same crate, this one counts."
    )
    context: Annotated[tuple[ContextTable, ...], _Lax] = Field(
        default=(), description="Files shown to the model and placed in the crate."
    )
    reference_solution: Text | None = Field(
        default=None, description="Code that must score 1.0; never shown to the model."
    )
    equivalent_mutants: Annotated[tuple[EquivalentMutantTable, ...], _Lax] = Field(
        default=(),
        description="Mutants of the reference solution that do not count in the test strength.",
    )
    expectations: ExpectationsTable = Field(
        default_factory=ExpectationsTable, description="What a right sample does."
    )


class SourceTable(Table):
    """Where the cases come from, when others wrote them."""

    name: Title = Field(description="The name of the original collection.")
    version: str = Field(default="", description="Its version, commit or date.")
    licence: str = Field(default="", description="The licence it is under, as an SPDX identifier.")
    url: str = Field(default="", description="Where it can be found.")


class EvalSetTable(Table):
    """What holds for all cases."""

    id: Identifier = Field(description="Unique among the eval sets of a run.")
    name: Title | None = Field(default=None, description="What people read; the id if left out.")
    description: str = Field(default="", description="What the set measures.")
    version: str = Field(default="", description="The version of the set itself.")
    edition: Edition = Field(default="2021", description="The Rust edition of every crate.")
    default_language: Language = Field(default="rust", description="Only rust can be graded.")
    default_timeout_secs: Seconds | None = Field(
        default=None,
        description="How long one test may take; if left out, 5 s, and 60 s for all of a sample.",
    )
    dependencies: Annotated[tuple[DependencyTable, ...], _Lax] = Field(
        default=(), description="Crates that the code of every case may use."
    )
    unsafe: Annotated[UnsafeRule, _Lax] = Field(
        default=UnsafeRule.ALLOW,
        description='"deny": code that uses unsafe is refused before it is compiled, and fails.',
    )
    protocol: Annotated[Protocol, _Lax] = Field(
        default=Protocol.CHAT,
        description=(
            '"chat": the completion is a reply that holds whole items; "completion": it may '
            "continue the code at the prompt's end."
        ),
    )
    source: SourceTable | None = Field(
        default=None, description="Where the cases come from, when others wrote them."
    )


class Document(Table):
    """An eval set: a TOML file of cases for a Rust code generation model."""

    eval_set: EvalSetTable = Field(description="What holds for all cases.")
    cases: Annotated[tuple[CaseTable, ...], _Lax] = Field(
        description="The cases, in the order in which they are asked.",
        json_schema_extra={"minItems": 1},
    )


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of an eval set after reading its TOML."""
    return {"title": "forgetest eval set", **_tidied(Document.model_json_schema())}


def _tidied(node: Any) -> Any:
    """Take out nulls, which TOML does not have, and the titles that only repeat the keys."""
    if isinstance(node, list):
        return [_tidied(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {key: _tidied(value) for key, value in node.items() if not _is_noise(key, value)}
    for choice in kept.pop("anyOf", ()):
        if choice != {"type": "null"}:
            kept = {**choice, **kept}
    return kept


def _is_noise(key: str, value: Any) -> bool:
    return (key == "default" and value is None) or (key == "title" and isinstance(value, str))
