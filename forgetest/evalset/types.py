"""An eval set as the rest of the program sees it: defaults applied, nothing optional left open.

The TOML schema that people write is in `schema`; `load` turns one into the other.
"""

from enum import StrEnum

from pydantic import Field

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


class Dependency(Value):
    """A crate that a case may use, as cargo names it."""

    name: str
    version: str
    features: tuple[str, ...] = ()


class ContextFile(Value):
    """A file shown to the model and placed in the crate; `path` is relative to the crate."""

    path: str
    content: str


class Expectations(Value):
    """What a right sample does."""

    should_compile: bool = True
    should_pass_tests: bool = True
    test_file: str | None = None
    expected_functions: tuple[str, ...] = ()
    expected_types: tuple[str, ...] = ()
    # Unsaid when empty, so that cases from before there was such a rule keep their hashes.
    forbidden_functions: tuple[str, ...] = Field(default=(), exclude_if=lambda names: not names)
    max_clippy_warnings: int | None = None
    custom_check: str | None = None
    expected_error_codes: tuple[str, ...] = ()


class EquivalentMutant(Value):
    """A mutant of the reference solution that no test can tell from it."""

    mutant: str  # the id of a `forgetest.mutants.types.Mutant`
    reason: str


class Case(Value):
    """One problem: prompt, hidden tests, reference solution; set defaults already applied."""

    id: str
    eval_set: str
    name: str
    description: str = ""
    prompt: str
    language: str = "rust"
    edition: str = "2021"
    protocol: Protocol = Protocol.CHAT
    tags: tuple[str, ...] = ()
    difficulty: Difficulty | None = None
    unsafe: UnsafeRule = UnsafeRule.ALLOW
    timeout_secs: float | None = None  # of one test; None: the grader's own limits
    max_tokens: int | None = None
    dependencies: tuple[Dependency, ...] = ()
    context: tuple[ContextFile, ...] = ()
    reference_solution: str | None = None
    equivalent_mutants: tuple[EquivalentMutant, ...] = ()
    expectations: Expectations = Expectations()
    file: str = ""
    line: int | None = None

    @property
    def key(self) -> str:
        """The case's name across eval sets: `set/case`."""
        return f"{self.eval_set}/{self.id}"


class Provenance(Value):
    """Where the cases of an eval set come from, when others wrote them."""

    name: str
    version: str = ""
    licence: str = ""
    url: str = ""


class EvalSet(Value):
    """A named list of cases from one TOML file."""

    id: str
    name: str
    description: str = ""
    version: str = ""
    source: Provenance | None = None
    file: str = ""
    cases: tuple[Case, ...]
