"""The keys of an eval set, each described once, and the values that the rest of the program uses.

A field below is a key of the TOML file: its type says what may be written, its default what holds
when it is left out, its description what it is for. Reading, `dump`, the JSON Schema, the digest of
a run's plan, a case's hashes and the key of remembered verdicts follow from it. The keys of
`[eval_set]`, most of which are defaults for its cases, are in `schema`.

Values are made strictly, but the forms of strings are checked only where TOML is read or written.
"""

from enum import Enum, StrEnum
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from forgetest.evalset.forms import (
    LAX,
    ContextPath,
    CrateName,
    ErrorCode,
    Feature,
    Identifier,
    Language,
    LintName,
    RustName,
    Seconds,
    Tag,
    Text,
    Title,
    VersionRequirement,
)
from forgetest.value import Value


class Protocol(StrEnum):
    """How a completion relates to the prompt."""

    CHAT = "chat"  # the completion is a reply that holds whole items
    COMPLETION = "completion"  # the completion may continue the code at the prompt's end


class UnsafeRule(StrEnum):
    """Whether code may say `unsafe`."""

    ALLOW = "allow"
    DENY = "deny"  # such code is refused before it is compiled


class Difficulty(StrEnum):
    """How hard a case is meant to be."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
    EXPERT = "expert"


class NoEffect(Enum):
    """What a field of a case does not change; an unmarked field changes both."""

    ON_VERDICT = "remembered verdicts hold when the field changes"
    ON_PLAN = "a run resumes when the field changes"


def added(default: Any, *, description: str) -> Any:
    """Describe a key that was added after eval sets had been run.

    At its default it is left out of every JSON, so that earlier runs keep their digests and hashes.
    """
    return Field(
        default=default, description=description, exclude_if=lambda value: value == default
    )


class Table(Value):
    """A TOML table: strict types, no unknown keys."""

    model_config = ConfigDict(strict=True)


class Dependency(Table):
    """A crate of the registry that the code may use."""

    name: CrateName = Field(description="The crate's name, as in Cargo.toml.")
    version: VersionRequirement = Field(description='A version requirement such as "1" or "=1.2".')
    features: Annotated[tuple[Feature, ...], LAX] = Field(
        default=(), description="Features to switch on beside the default ones."
    )


class ContextFile(Table):
    """A file shown to the model and placed in the crate."""

    path: ContextPath = Field(description="Where it lies in the crate, such as src/types.rs.")
    content: str = Field(description="The whole file.")


class EquivalentMutant(Table):
    """A mutant of the reference solution that does the same as the reference solution."""

    mutant: Text = Field(description="The mutant's id, as `forgetest validate --deep` prints it.")
    reason: Text = Field(description="Why no test can tell it from the reference solution.")


class Expectations(Table):
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
    expected_functions: Annotated[tuple[RustName, ...], LAX] = Field(
        default=(), description="Functions without which a sample does not pass."
    )
    expected_types: Annotated[tuple[RustName, ...], LAX] = Field(
        default=(), description="Types and traits without which a sample does not pass."
    )
    forbidden_functions: Annotated[tuple[RustName, ...], LAX] = added(
        (),
        description="Functions (of the crate root, or `Type::method`) that code must not define.",
    )
    max_clippy_warnings: int | None = Field(
        default=None, ge=0, description="With more clippy warnings than this it does not pass."
    )
    allowed_lints: Annotated[tuple[LintName, ...], LAX] = added(
        (),
        description=(
            "Clippy lints, such as clippy::too_many_arguments, that count neither in the score nor "
            "as warnings."
        ),
    )
    custom_check: Text | None = Field(
        default=None,
        description=(
            "A command that gets the code on its standard input and must exit with 0; it runs "
            "only when the user allows custom checks."
        ),
    )
    expected_error_codes: Annotated[tuple[ErrorCode, ...], LAX] = Field(
        default=(),
        description="With should_compile = false: rustc must report one of these, such as E0382.",
    )


class Case(Table):
    """One problem for a model."""

    id: Annotated[Identifier, NoEffect.ON_VERDICT] = Field(
        description="Unique in the eval set; used in file names."
    )
    eval_set: Annotated[str, NoEffect.ON_VERDICT]
    name: Annotated[Title, NoEffect.ON_VERDICT] = Field(
        description="What people read; the id if left out."
    )
    description: Annotated[str, NoEffect.ON_VERDICT] = Field(
        default="", description="For people; the model does not see it."
    )
    prompt: Text = Field(description="What the model is asked to do.")
    language: Language = Field(default="rust", description="Only rust can be graded.")
    edition: str = "2021"
    protocol: Annotated[Protocol, LAX] = Protocol.CHAT
    tags: Annotated[tuple[Tag, ...], LAX, NoEffect.ON_VERDICT] = Field(
        default=(), description="Words to filter by and to group results by."
    )
    difficulty: Annotated[Annotated[Difficulty, LAX] | None, NoEffect.ON_VERDICT] = Field(
        default=None, description="How hard the case is meant to be."
    )
    unsafe: Annotated[UnsafeRule, LAX] = Field(
        default=UnsafeRule.ALLOW,
        description="Whether code may use unsafe; the set's rule if left out.",
    )
    timeout_secs: Seconds | None = Field(  # None: the grader's own limits
        default=None, description="How long one test may take; the set's default if left out."
    )
    max_tokens: Annotated[int | None, NoEffect.ON_VERDICT] = Field(
        default=None, ge=1, description="The longest completion to ask for, in tokens."
    )
    dependencies: Annotated[tuple[Dependency, ...], LAX] = Field(
        default=(), description="Added to the set's; for the same crate, this one counts."
    )
    context: Annotated[tuple[ContextFile, ...], LAX] = Field(
        default=(), description="Files shown to the model and placed in the crate."
    )
    reference_solution: Text | None = Field(
        default=None, description="Code that must score 1.0; never shown to the model."
    )
    equivalent_mutants: Annotated[
        tuple[EquivalentMutant, ...], LAX, NoEffect.ON_VERDICT, NoEffect.ON_PLAN
    ] = Field(
        default=(),
        description="Mutants of the reference solution that do not count in the test strength.",
    )
    expectations: Expectations = Field(
        default_factory=Expectations, description="What a right sample does."
    )
    file: Annotated[str, NoEffect.ON_VERDICT, NoEffect.ON_PLAN] = ""
    line: Annotated[int | None, NoEffect.ON_VERDICT, NoEffect.ON_PLAN] = None

    @property
    def key(self) -> str:
        """The case's name across eval sets: `set/case`."""
        return f"{self.eval_set}/{self.id}"


def fields_without(effect: NoEffect) -> set[str]:
    """Return the fields of a case that change nothing there."""
    return {name for name, field in Case.model_fields.items() if effect in field.metadata}


def set_added_keys(case: Case) -> dict[str, Any]:
    """Return the keys of the case itself that came after eval sets had been run, and that it sets.

    Keys that verdicts do not depend on are left out. `unsafe` came later, too, but stands in the
    JSON of every case.
    """
    added_fields = {name for name, field in Case.model_fields.items() if field.exclude_if}
    values = case.model_dump(
        mode="json", include=added_fields - fields_without(NoEffect.ON_VERDICT)
    )
    return values if case.unsafe is UnsafeRule.ALLOW else {"unsafe": str(case.unsafe), **values}


class Provenance(Table):
    """Where the cases come from, when others wrote them."""

    name: Title = Field(description="The name of the original collection.")
    version: str = Field(default="", description="Its version, commit or date.")
    licence: str = Field(default="", description="The licence it is under, as an SPDX identifier.")
    url: str = Field(default="", description="Where it can be found.")


class EvalSet(Value):
    """A named list of cases from one TOML file."""

    id: str
    name: str
    description: str = ""
    version: str = ""
    source: Provenance | None = None
    file: str = ""
    cases: tuple[Case, ...]
