"""The TOML schema of eval sets: every key, its type, its limits and what it is for.

The same models read eval sets and make the JSON Schema. The JSON Schema is the weaker of the two:
it cannot say what a path or a version requirement is, nor what several keys must agree on.

What a single string of an eval set must look like, and the sentence that says so.

Each check returns the text unchanged or raises ValueError with the rest of a message that begins
with the key. Rules that concern several keys are in `rules`.
"""

import re
from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, Strict

from forgetest.evalset.types import Difficulty, Protocol, UnsafeRule
from forgetest.value import Value

MAX_SHOWN = 100  # characters of a wrong value that a message repeats
MAX_ID = 100  # ids become file names, with others beside them
MAX_PATH = 200
_MOST = 20  # names that a message lists
MAX_REQUIREMENTS = 32  # cargo refuses more in one version
EDITIONS = ("2015", "2018", "2021", "2024")

ID_PATTERN = r"^[A-Za-z0-9_][A-Za-z0-9._-]*$"
CRATE_PATTERN = r"^[A-Za-z][A-Za-z0-9_-]*$"
FEATURE_PATTERN = r"^[A-Za-z0-9_][A-Za-z0-9_+.-]*$"
ERROR_CODE_PATTERN = r"^E[0-9]{4}$"

_RUST_PATH = re.compile(r"(r#)?[^\W\d]\w*(::(r#)?[^\W\d]\w*)*")
_NUMBER = r"(?:0|[1-9][0-9]{0,18})"
_PRE = rf"(?:{_NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_BUILD = r"[0-9A-Za-z-]+"
_PATCH = rf"{_NUMBER}(?:-{_PRE}(?:\.{_PRE})*)?(?:\+{_BUILD}(?:\.{_BUILD})*)?"
_PARTIAL = rf"{_NUMBER}(?:\.[*xX](?:\.[*xX])?|\.{_NUMBER}(?:\.(?:[*xX]|{_PATCH}))?)?"
_REQUIREMENT = re.compile(rf" *(?:=|>=?|<=?|~|\^)? *{_PARTIAL} *")
_OWN_FILES = ("cargo.toml", "cargo.lock", "build.rs", "clippy.toml", "src/lib.rs", "src/main.rs")
_OWN_FOLDERS = ("target", "tests", "benches", "examples", "src/bin")


def quoted(text: str) -> str:
    """Return the text in quotes on one line, cut when long, nothing in it invisible."""
    head = text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."
    shown = "".join(char if char.isprintable() else _escape(char) for char in head)
    return f'"{shown}"'


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def listed(words: Iterable[str]) -> str:
    """Return the words in quotes, with commas between them."""
    return ", ".join(map(quoted, words))


def some(names: Iterable[str]) -> str:
    """Return the first names in quotes, sorted, and how many more there are."""
    every = sorted(set(names))
    more = len(every) - _MOST
    return (listed(every[:_MOST]) or "none") + (f" and {more} more" if more > 0 else "")


def filled(text: str) -> str:
    """Refuse an empty text and one of white space alone."""
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def title(text: str) -> str:
    """Refuse what cannot stand in one cell of a table."""
    if not filled(text).isprintable():
        raise ValueError("must be one line without control or invisible characters")
    return text


def identifier(text: str) -> str:
    """Refuse an id that is no safe file name, or that breaks `set/case` and journal keys."""
    filled(text)
    if not re.fullmatch(ID_PATTERN, text):
        raise ValueError(
            "may hold only the letters a to z and A to Z, digits, `-`, `_` and `.`, "
            "and must begin with a letter, a digit or `_`"
        )
    if len(text) > MAX_ID:
        raise ValueError(f"must not be longer than {MAX_ID} characters")
    return text


def tag(text: str) -> str:
    """Refuse a tag that `--filter` could not name."""
    title(text)
    if text != text.strip() or "," in text or text.startswith("!"):
        raise ValueError(
            f"is {quoted(text)}, which --filter could not name; "
            "leave out commas, a leading `!` and spaces at the ends"
        )
    return text


def language(text: str) -> str:
    """Refuse every language but Rust."""
    if text != "rust":
        raise ValueError(f'must be "rust", got {quoted(text)}; only rust can be graded')
    return text


def edition(text: str) -> str:
    """Refuse what is no edition of Rust."""
    if text not in EDITIONS:
        raise ValueError(f"must be one of {listed(EDITIONS)}, got {quoted(text)}")
    return text


def crate_name(text: str) -> str:
    """Refuse a name that no crate of the registry has."""
    if not re.fullmatch(CRATE_PATTERN, text):
        raise ValueError(
            f"must be a crate's name, got {quoted(text)}; "
            "use letters, digits, `-` and `_`, a letter first"
        )
    return text


def crate_key(name: str) -> str:
    """Return what two spellings of one crate's name share: cargo takes `-` and `_` for the same."""
    return name.replace("-", "_").lower()


def version_requirement(text: str) -> str:
    """Refuse what cargo refuses as a version requirement."""
    if text.strip(" ") in ("*", "x", "X"):
        return text
    parts = text.split(",")
    if len(parts) > MAX_REQUIREMENTS or not all(map(_REQUIREMENT.fullmatch, parts)):
        raise ValueError(
            f'must be a version requirement of cargo such as "1" or ">=1.2, <2", got {quoted(text)}'
        )
    return text


def feature(text: str) -> str:
    """Refuse a feature that cargo would refuse for a dependency."""
    if not re.fullmatch(FEATURE_PATTERN, text):
        raise ValueError(f'is {quoted(text)}, which is no feature; write names such as "full"')
    return text


def rust_name(text: str) -> str:
    """Refuse what is not the bare name of an item."""
    if not _RUST_PATH.fullmatch(text):
        raise ValueError(
            f'is {quoted(text)}; write the bare name, such as "parse" or "Stack::push"'
        )
    return text


def error_code(text: str) -> str:
    """Refuse what is not the code of a rustc error."""
    if not re.fullmatch(ERROR_CODE_PATTERN, text):
        raise ValueError(f'is {quoted(text)}; write codes of rustc such as "E0382"')
    return text


def context_path(text: str) -> str:
    """Refuse a path that leaves the crate, hides something, or changes how the crate is built."""
    filled(text)
    if not text.isprintable():
        raise ValueError("must not hold control or invisible characters")
    parts = text.split("/")
    if "\\" in text or ":" in text or any(part in ("", ".", "..") for part in parts):
        raise ValueError(
            f"must be a relative path inside the crate, written with `/` and without `..`, "
            f"got {quoted(text)}"
        )
    if len(text.encode()) > MAX_PATH or any(part != part.strip(" .") for part in parts):
        raise ValueError(
            f"must be at most {MAX_PATH} bytes long, and no name in it may begin or end "
            f"with a dot or a space, got {quoted(text)}"
        )
    if is_own(text):
        raise ValueError(
            f"must not be {quoted(text)}: forgetest or cargo puts its own files there; "
            'use another, such as "src/types.rs" or "data/input.txt"'
        )
    return text


def is_own(path: str) -> bool:
    """Tell whether the path means a file that makes the crate a crate, on any file system."""
    folded = path.casefold()
    taken = (*_OWN_FILES, *_OWN_FOLDERS)
    return folded in taken or folded.startswith((*(f"{name}/" for name in taken), "rust-toolchain"))


DAY_SECS = 86_400

_NOT_BLANK = {"pattern": r"\S"}

# TOML arrays arrive as lists and words as strings; tuples and enums must take them in strict mode.
_Lax = Strict(strict=False)

Text = Annotated[str, AfterValidator(filled), Field(json_schema_extra=_NOT_BLANK)]
Title = Annotated[str, AfterValidator(title), Field(json_schema_extra=_NOT_BLANK)]
Identifier = Annotated[
    str,
    AfterValidator(identifier),
    Field(json_schema_extra={"pattern": ID_PATTERN, "maxLength": MAX_ID}),
]
Tag = Annotated[str, AfterValidator(tag), Field(json_schema_extra=_NOT_BLANK)]
Language = Annotated[str, AfterValidator(language), Field(json_schema_extra={"enum": ["rust"]})]
Edition = Annotated[
    str,
    AfterValidator(edition),
    Field(json_schema_extra={"enum": list(EDITIONS)}),
]
CrateName = Annotated[
    str,
    AfterValidator(crate_name),
    Field(json_schema_extra={"pattern": CRATE_PATTERN}),
]
VersionRequirement = Annotated[
    str, AfterValidator(version_requirement), Field(json_schema_extra=_NOT_BLANK)
]
Feature = Annotated[
    str,
    AfterValidator(feature),
    Field(json_schema_extra={"pattern": FEATURE_PATTERN}),
]
RustName = Annotated[str, AfterValidator(rust_name), Field(json_schema_extra=_NOT_BLANK)]
ErrorCode = Annotated[
    str,
    AfterValidator(error_code),
    Field(json_schema_extra={"pattern": ERROR_CODE_PATTERN}),
]
ContextPath = Annotated[
    str,
    AfterValidator(context_path),
    Field(json_schema_extra={**_NOT_BLANK, "maxLength": MAX_PATH}),
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
