"""What checking the cases themselves finds, as values that go to the cache and to JSON."""

from enum import StrEnum

from pydantic import Field

from forgetest.evalset.types import Difficulty
from forgetest.grading.probe import Noticed
from forgetest.grading.verdict import Outcome
from forgetest.mutants.mutant import Operator
from forgetest.run.manifest import ToolchainInfo
from forgetest.value import Value

SCHEMA_VERSION = 1


class Severity(StrEnum):
    """How much a finding weighs."""

    BROKEN = "broken"  # a score on the case means nothing until it is fixed
    UNCHECKED = "unchecked"  # the machine failed: nothing is known
    WEAK = "weak"  # the tests let too many near misses pass
    NOTE = "note"


class FindingKind(StrEnum):
    """What is the matter with a case."""

    REFERENCE = "reference"  # it does not pass, or not with the whole score
    TESTS = "tests"  # they do not build
    UNSTEADY = "unsteady"  # gradings of the reference differ by chance
    ORDER = "order"  # the tests depend on their order
    STUB = "stub"
    BLANK = "blank"  # an implementation that does nothing passes
    CONTRADICTION = "contradiction"
    UNNAMED = "unnamed"  # the prompt does not name what the tests use
    PROMPT_CODE = "prompt_code"  # the tests do not fit what the prompt declares
    TIME = "time"  # no margin to the limit
    DEPENDENCIES = "dependencies"
    NO_TESTS = "no_tests"
    NO_REFERENCE = "no_reference"
    HALF_SCORE = "half_score"  # the case cannot reach more
    LINTS = "lints"  # in a reference that others wrote
    STRENGTH = "strength"
    STALE = "stale"  # a mutant called equivalent that is none
    FAULT = "fault"


class Row(Value):
    """A line of the author's text with its number, or a row below it: marks, a label, a note."""

    number: int | None = None
    sign: str = Field(default="|", description="The mark before the text: | + - ~ = or nothing.")
    text: str


class Excerpt(Value):
    """Where in the eval set a finding is to be seen, and what rustc or the test says there.

    Lines count in the file. While a check is remembered they count in the string of the key, for
    the file may change around it.
    """

    key: str = Field(description="Such as reference_solution, or expectations.test_file.")
    line: int
    column: int | None = None
    rows: tuple[Row, ...] = ()


class Finding(Value):
    """One thing that deserves a look, in a sentence."""

    kind: FindingKind
    severity: Severity
    message: str
    excerpt: Excerpt | None = None


class Timing(Value):
    """How long the reference takes, in seconds: of each test the quickest of all gradings."""

    grading_secs: float  # of one whole grading
    slowest_test: str
    slowest_secs: float
    all_tests_secs: float
    limit_secs: float  # what one test may take
    suggested_timeout_secs: float


class MemoryUse(Value):
    """The most that one test of the reference takes, in all gradings, beside what it may take."""

    allocations: int
    max_allocations: int | None = None  # None: no limit
    peak_bytes: int
    max_peak_bytes: int | None = None


class Soundness(Value):
    """Whether a score on a case means something; all but the strength of its tests."""

    findings: tuple[Finding, ...] = ()
    tests: int = 0
    gradings: int = 0  # of the reference
    reference: Outcome | None = None  # None: there is none; else the worst of all gradings
    score: float | None = None  # the lowest
    stub: Outcome | None = None
    blanks: dict[str, Noticed] = Field(default_factory=dict)
    timing: Timing | None = None
    memory: MemoryUse | None = Field(
        default=None,
        description="Left out where the case does not count memory.",
        exclude_if=lambda memory: memory is None,
    )


class Fate(Value):
    """What became of one mutant; `test` is the one that noticed it."""

    mutant: str
    noticed: Noticed
    test: str = ""


class Fates(Value):
    """What became of every mutant of a reference, in order."""

    mutants: tuple[Fate, ...] = ()
    left_out: int = 0  # of a long reference, evenly


class Survivor(Value):
    """A mutant that passes every test."""

    mutant: str  # its id
    function: str
    operator: Operator
    line: int  # in the reference solution, from 1
    diff: str  # unified, from the reference to the mutant
    missing: str  # the test that would notice


class Equivalent(Value):
    """A surviving mutant that the eval set explains."""

    mutant: str
    reason: str


class Strength(Value):
    """How many mutants the tests notice: killed / (made - not compiled - equivalent)."""

    made: int
    left_out: int
    not_compiled: int
    equivalent: tuple[Equivalent, ...] = ()
    killed: int  # those that timed out included
    timed_out: int
    survivors: tuple[Survivor, ...] = ()
    stale: tuple[str, ...] = ()  # listed as equivalent, and killed, not compiled or not there
    secs: float = 0.0  # what grading them took; 0 when all of it was cached

    @property
    def counted(self) -> int:
        """The mutants that count."""
        return self.killed + len(self.survivors)

    @property
    def share(self) -> float | None:
        """Return the share killed, None when no mutant counts."""
        return self.killed / self.counted if self.counted else None


class CaseCheck(Value):
    """Everything found about one case."""

    case: str
    file: str
    line: int | None
    difficulty: Difficulty | None
    tags: tuple[str, ...]
    broken: bool
    cached: bool  # nothing was graded for it now
    findings: tuple[Finding, ...]
    soundness: Soundness
    strength: Strength | None  # None when there is nothing to make mutants of
    test_strength: float | None


class Totals(Value):
    """The sums of a set, or of all."""

    cases: int
    broken: int
    unchecked: int
    weak: int  # below --min-strength
    mutants: int
    not_compiled: int
    equivalent: int
    killed: int
    survived: int
    test_strength: float | None
    lowest_strength: float | None


class SetCheck(Value):
    """One eval set."""

    eval_set: str
    name: str
    version: str
    source: str | None  # the original collection, when others wrote the cases
    totals: Totals
    cases: tuple[CaseCheck, ...]


class PromptFault(StrEnum):
    """What may be wrong with a prompt."""

    TESTS = "tests"  # it shows them
    SOLUTION = "solution"
    QUESTION = "question"  # it leaves the case's prompt out
    CONTEXT = "context"  # it leaves a file of the crate out
    LENGTH = "length"  # with its token limit it exceeds the model's context
    EXAMPLE = "example"  # an example is the case itself, and is left out


class PromptFinding(Value):
    """One thing about how a variant asks a case, in a sentence."""

    variant: str = Field(description="The way of asking; default for the one without a name.")
    case: str = Field(description="The case, as `set/case`.")
    fault: PromptFault
    message: str


class Validation(Value):
    """What `validate --format json` prints, with --deep or without."""

    schema_version: int = SCHEMA_VERSION
    deep: bool = Field(default=True, description="false: one grading of reference and stub each.")
    forgetest: str
    toolchain: ToolchainInfo
    sandbox: str
    times: int
    min_strength: float | None
    secs: float
    sets: tuple[SetCheck, ...]
    totals: Totals
    prompts: tuple[PromptFinding, ...] = Field(
        default=(),
        description="What is wrong with prompts of the variants in forgetest.toml.",
        exclude_if=lambda findings: not findings,
    )
