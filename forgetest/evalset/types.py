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
    AnswerPath,
    ContextPath,
    CrateName,
    ErrorCode,
    ErrorCodes,
    Feature,
    Identifier,
    Language,
    LintName,
    RustName,
    Seconds,
    Tag,
    TestName,
    Text,
    Title,
    VersionRequirement,
)
from forgetest.rust.stdlib import COUNTS
from forgetest.value import Value

MAX_COUNT = 1 << 53  # beyond it, readers of JSON round


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


def added(default: Any, *, description: str, examples: list[Any]) -> Any:
    """Describe a key that was added after eval sets had been run.

    At its default it is left out of every JSON, so that earlier runs keep their digests and hashes.
    """
    return Field(
        default=default,
        description=description,
        examples=examples,
        exclude_if=lambda value: value == default,
    )


def _or_table(schema: dict[str, Any]) -> None:
    """Let a JSON Schema take a table of texts, too, which the reader of TOML joins."""
    schema["anyOf"].append({"type": "object", "additionalProperties": {"type": "string"}})


class Table(Value):
    """A TOML table: strict types, no unknown keys."""

    model_config = ConfigDict(strict=True)


class Dependency(Table):
    """A crate of the registry that the code may use."""

    name: CrateName = Field(description="The crate's name, as in Cargo.toml.", examples=["tokio"])
    version: VersionRequirement = Field(
        description="A version requirement, as in Cargo.toml.",
        examples=["1", "=1.2.3", ">=1.2, <2"],
    )
    features: Annotated[tuple[Feature, ...], LAX] = Field(
        default=(),
        description="Features to enable, besides the default ones.",
        examples=[["rt", "sync"]],
    )


class ContextFile(Table):
    """A file shown to the model and placed in the crate."""

    path: ContextPath = Field(
        description="Its path in the crate.", examples=["src/types.rs", "broken.rs"]
    )
    content: str = Field(description="The whole file.", examples=["pub struct Point(pub i32);\n"])


class EquivalentMutant(Table):
    """A mutant of the reference solution that does the same as the reference solution."""

    mutant: Text = Field(
        description="The mutant's id, as `forgetest validate --deep` prints it.",
        examples=["clamp_sum: a < b -> a <= b"],
    )
    reason: Text = Field(
        description="Why no test can tell it from the reference solution.",
        examples=["Both branches give the same number when they are equal."],
    )


class CompileFail(Table):
    """A use of the sample that rustc must reject, and its twin, which must compile."""

    name: TestName = Field(
        description="Its name; it counts as the test `compile_fail::NAME`.",
        examples=["two_handles_at_once"],
    )
    code: ErrorCodes = Field(
        description="The error that rustc must report in `source`; one of them, if it is a list.",
        examples=["E0499", ["E0499", "E0502"]],
    )
    source: Text = Field(
        description=(
            "The use that must not compile: items of a module like that of a test file, which "
            "begins with `use super::*;` and sees what is public."
        ),
        examples=["use super::*;\nfn misuse(pool: Pool) {\n    drop(pool);\n    drop(pool);\n}\n"],
    )
    compiles: Text = Field(
        description="The same use made right, which must compile; change as little as you can.",
        examples=["use super::*;\nfn misuse(pool: Pool) {\n    drop(pool);\n}\n"],
    )

    @property
    def test(self) -> str:
        """The name of the test that it is."""
        return f"compile_fail::{self.name}"


class Expectations(Table):
    """What a right sample does."""

    should_compile: bool = Field(
        default=True,
        description="false: the answer is right if rustc rejects the code with an error in it.",
        examples=[False],
    )
    should_pass_tests: bool = Field(
        default=True,
        description="false: tests are not run; a sample scores at most 0.5 and never passes.",
        examples=[False],
    )
    test_file: Text | None = Field(
        default=None,
        description=(
            "The hidden tests: a `#[cfg(test)] mod tests { use super::*; ... }` or bare test "
            "functions. Private functions may be tested."
        ),
        examples=["#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n"],
    )
    compile_fail: Annotated[tuple[CompileFail, ...], LAX] = added(
        (),
        description="Uses of the sample's public items that rustc must reject; each is a test.",
        examples=[
            [
                {
                    "name": "no_use_after_drop",
                    "code": "E0382",
                    "source": "use super::*;\nfn f(p: Pool) {\n    drop(p);\n    drop(p);\n}\n",
                    "compiles": "use super::*;\nfn f(p: Pool) {\n    drop(p);\n}\n",
                }
            ]
        ],
    )
    expected_functions: Annotated[tuple[RustName, ...], LAX] = Field(
        default=(),
        description="Functions without which a sample does not pass.",
        examples=[["parse", "Stack::push"]],
    )
    expected_types: Annotated[tuple[RustName, ...], LAX] = Field(
        default=(),
        description="Types and traits without which a sample does not pass.",
        examples=[["Stack", "Shape"]],
    )
    forbidden_functions: Annotated[tuple[RustName, ...], LAX] = added(
        (),
        description="Functions (of the crate root, or `Type::method`) that code must not define.",
        examples=[["main"]],
    )
    max_clippy_warnings: int | None = Field(
        default=None,
        ge=0,
        description="With more clippy warnings than this, a sample does not pass.",
        examples=[0],
    )
    allowed_lints: Annotated[tuple[LintName, ...], LAX] = added(
        (),
        description=(
            "Clippy lints, such as clippy::too_many_arguments, that count neither in the score nor "
            "as warnings."
        ),
        examples=[["clippy::too_many_arguments"]],
    )
    max_allocations: Annotated[int, Field(ge=0, le=MAX_COUNT)] | None = added(
        None,
        description="How often one test may ask for memory, its own requests included.",
        examples=[10],
    )
    max_peak_bytes: Annotated[int, Field(ge=0, le=MAX_COUNT)] | None = added(
        None,
        description="How many bytes one test may hold at once, its own included.",
        examples=[65536],
    )
    custom_check: Text | None = Field(
        default=None,
        description=(
            "A command that reads the code on standard input and must exit with 0; it runs only "
            "with --allow-custom-checks."
        ),
        examples=["./no-recursion.sh"],
    )
    expected_error_codes: Annotated[tuple[ErrorCode, ...], LAX] = Field(
        default=(),
        description="With should_compile = false: rustc must report one of these.",
        examples=[["E0382"]],
    )

    @property
    def counts(self) -> bool:
        """Whether what tests allocate is counted: it is limited, or the tests ask for it."""
        limited = self.max_allocations is not None or self.max_peak_bytes is not None
        return limited or COUNTS in (self.test_file or "")


class Case(Table):
    """One problem for a model."""

    id: Annotated[Identifier, NoEffect.ON_VERDICT] = Field(
        description="Unique in the eval set; used in file names.", examples=["clamp-sum"]
    )
    eval_set: Annotated[str, NoEffect.ON_VERDICT]
    name: Annotated[Title, NoEffect.ON_VERDICT] = Field(
        description="Its title; the id if left out.", examples=["Saturating sum"]
    )
    description: Annotated[str, NoEffect.ON_VERDICT] = Field(
        default="",
        description="For people; the model does not see it.",
        examples=["Measures whether the model handles overflow."],
    )
    prompt: Text = Field(
        description="Everything the model is told, apart from context and crates.",
        examples=[
            "Write a Rust function `pub fn add(a: i32, b: i32) -> i32` that returns the sum."
        ],
    )
    language: Language = Field(
        default="rust", description="Only rust can be graded.", examples=["rust"]
    )
    edition: str = "2021"
    protocol: Annotated[Protocol, LAX] = Protocol.CHAT
    tags: Annotated[tuple[Tag, ...], LAX, NoEffect.ON_VERDICT] = Field(
        default=(),
        description="Topics, for --filter and for the rows of a report.",
        examples=[["strings", "overflow"]],
    )
    difficulty: Annotated[Annotated[Difficulty, LAX] | None, NoEffect.ON_VERDICT] = Field(
        default=None, description="How hard the case is meant to be.", examples=["medium"]
    )
    unsafe: Annotated[UnsafeRule, LAX] = Field(
        default=UnsafeRule.ALLOW,
        description="Whether code may use unsafe; the set's rule if left out.",
        examples=["deny"],
    )
    timeout_secs: Seconds | None = Field(  # None: the grader's own limits
        default=None,
        description="Time limit of one test, in seconds; the set's default if left out.",
        examples=[10],
    )
    max_tokens: Annotated[int | None, NoEffect.ON_VERDICT] = Field(
        default=None,
        ge=1,
        description="The longest completion to ask for, in tokens.",
        examples=[4096],
    )
    dependencies: Annotated[tuple[Dependency, ...], LAX] = Field(
        default=(),
        description="Added to the set's; the same crate replaces the set's entry.",
        examples=[[{"name": "tokio", "version": "1", "features": ["full"]}]],
    )
    context: Annotated[tuple[ContextFile, ...], LAX] = Field(
        default=(),
        description="Files shown to the model and placed in the crate.",
        examples=[[{"path": "src/types.rs", "content": "pub struct Point(pub i32);\n"}]],
    )
    answer_files: Annotated[tuple[AnswerPath, ...], LAX] = added(
        (),
        description="The files that an answer consists of; src/lib.rs alone if left out.",
        examples=[["src/lib.rs", "src/parser.rs"]],
    )
    reference_solution: Text | None = Field(
        default=None,
        description=(
            "A correct answer, which must score 1.0; never shown to the model. With several "
            "answer_files, a table of each file's path and text."
        ),
        examples=["pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n"],
        json_schema_extra=_or_table,
    )
    equivalent_mutants: Annotated[
        tuple[EquivalentMutant, ...], LAX, NoEffect.ON_VERDICT, NoEffect.ON_PLAN
    ] = Field(
        default=(),
        description="Mutants of the reference solution that do not count in the test strength.",
        examples=[[{"mutant": "add: a + b -> b + a", "reason": "Addition commutes."}]],
    )
    expectations: Expectations = Field(
        default_factory=Expectations,
        description="What a right sample does.",
        examples=[{"test_file": "#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n"}],
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

    Keys that verdicts do not depend on are left out. `unsafe` came later, too, but is in the
    JSON of every case.
    """
    added_fields = {name for name, field in Case.model_fields.items() if field.exclude_if}
    values = case.model_dump(
        mode="json", include=added_fields - fields_without(NoEffect.ON_VERDICT)
    )
    return values if case.unsafe is UnsafeRule.ALLOW else {"unsafe": str(case.unsafe), **values}


class Provenance(Table):
    """Where the cases come from, when others wrote them."""

    name: Title = Field(description="The name of the original collection.", examples=["MultiPL-E"])
    version: str = Field(
        default="", description="Its version, commit or date.", examples=["2024-09"]
    )
    licence: str = Field(
        default="", description="Its licence, as an SPDX identifier.", examples=["MIT"]
    )
    url: str = Field(
        default="", description="Where it can be found.", examples=["https://example.org/cases"]
    )


class EvalSet(Value):
    """A named list of cases from one TOML file."""

    id: str
    name: str
    description: str = ""
    version: str = ""
    source: Provenance | None = None
    file: str = ""
    cases: tuple[Case, ...]
