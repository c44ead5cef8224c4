"""One side of a comparison: what it needs of a report, in counts, case by case.

The rows at the end are the parts of a report.json that are read for it; other keys are ignored.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, JsonValue

from forgetest.evalset.types import Difficulty
from forgetest.grading.verdict import Counted, Outcome, TestOutcome
from forgetest.metrics import Counts
from forgetest.report.types import EvalSetInfo
from forgetest.report.usage import UsageTotals
from forgetest.run.manifest import CaseHashes, SandboxInfo, ToolchainInfo
from forgetest.run.seal import JournalMark
from forgetest.sampling.completion import Cost, Usage
from forgetest.sampling.plan import ModelSpec, Sampling


class ScoredSample(NamedTuple):
    """One scored sample."""

    draw: int  # which of the case's samples, 0-based
    outcome: str
    passed: bool
    compiled: bool  # or rejected, where the case asks for that
    score: Fraction


@dataclass(frozen=True, slots=True)
class FailureKind:
    """How one sample fails; samples that fail at one place are alike, even with other values."""

    outcome: str
    code: str | None  # of rustc
    message: str  # its first line
    tests: tuple[str, ...]  # that did not pass
    assertion: str = field(default="", compare=False)  # what the first of them said


@dataclass(frozen=True, slots=True)
class SideCase:
    """One case of one model: its scored samples, and the counts of what they show."""

    eval_set: str
    case: str
    name: str
    tags: tuple[str, ...]
    difficulty: str | None
    planned: int
    samples: tuple[ScoredSample, ...]  # scored
    c: int  # passed
    compiled: int
    lint_free: int
    mean_score: Fraction  # of the scored samples; 0 without any
    failures: Counter[FailureKind]
    error_codes: Counter[str]
    lints: Counter[str]
    flags: Counter[str]
    usage: UsageTotals
    distinct_completions: int | None = None  # None: the report does not say

    @property
    def key(self) -> str:
        """The case's name across eval sets: `set/case`."""
        return f"{self.eval_set}/{self.case}"

    @property
    def n(self) -> int:
        """Scored samples."""
        return len(self.samples)

    @property
    def counts(self) -> Counts:
        """(n, c): scored samples and how many of them passed."""
        return self.n, self.c

    @property
    def scores(self) -> list[Fraction]:
        """The exact scores of the scored samples."""
        return [sample.score for sample in self.samples]


@dataclass(frozen=True, slots=True)
class SideModel:
    """One model's cases, by `set/case`, in the order of the plan."""

    spec: ModelSpec
    cases: Mapping[str, SideCase]

    @property
    def name(self) -> str:
        """The model with its variant."""
        return str(self.spec)

    @property
    def varied(self) -> ModelSpec | None:
        """The model, where it is asked in a variant; of the default one, nothing is said."""
        return None if self.spec.variant is None else self.spec


@dataclass(frozen=True, slots=True)
class Side:
    """One run, as far as it is compared."""

    file: str
    created: str
    forgetest: str
    plan_digest: str
    scoring_profile: str
    lint_rule: str
    extractor: str
    prompt_version: int
    toolchain: ToolchainInfo
    limits: Mapping[str, float | int]
    sandbox: SandboxInfo | None
    endpoints: Mapping[str, str]
    samples_per_case: int
    pass_k: tuple[int, ...]
    sampling: Sampling
    complete: bool
    eval_sets: tuple[EvalSetInfo, ...]
    models: Mapping[str, SideModel]
    variants: Mapping[str, "VariantRow"] = field(default_factory=dict)
    hashes: Mapping[str, CaseHashes] = field(default_factory=dict)  # by `set/case`
    places: Mapping[str, tuple[str, int | None]] = field(default_factory=dict)  # file, line
    journal: JournalMark | None = None  # that the report says it was made from
    doubts: tuple[str, ...] = ()  # why the report may not be what was written


_PART = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False, defer_build=True)


class ReportPart(BaseModel):
    """A frozen part of somebody's report, of which only these fields are read."""

    model_config = _PART


class VariantRow(ReportPart):
    """A way of asking; what it changes may have keys of a newer forgetest."""

    hash: str
    variant: dict[str, JsonValue]


class DiagnosticRow(ReportPart):
    """What rustc or clippy said."""

    code: str | None = None
    message: str


class TestRow(ReportPart):
    """One expected test."""

    name: str
    outcome: TestOutcome
    message: str = ""


class VerdictRow(Counted, ReportPart):
    """How one sample was graded."""

    outcome: Outcome
    passed: bool
    compiled: bool = False
    reasons: tuple[str, ...] = ()
    errors: tuple[DiagnosticRow, ...] = ()
    test_errors: tuple[DiagnosticRow, ...] = ()
    tests: tuple[TestRow, ...] = ()
    lints: tuple[DiagnosticRow, ...] = ()
    flags: tuple[str, ...] = ()


class UsageRow(Usage):
    """Tokens of one completion."""

    model_config = _PART


class CostRow(Cost):
    """The price of one completion."""

    model_config = _PART


class CompletionRow(ReportPart):
    """What one completion cost."""

    usage: UsageRow = UsageRow()
    cost: CostRow = CostRow()
    latency_secs: float | None = None
    served_model: str | None = None


class RoundRow(ReportPart):
    """One round of a sample that is asked again."""

    completion: CompletionRow | None = None


class SampleRow(ReportPart):
    """One sample; unscored without a verdict."""

    index: int
    verdict: VerdictRow | None = None
    completion: CompletionRow | None = None
    rounds: tuple[RoundRow, ...] = ()

    @property
    def completions(self) -> tuple[CompletionRow, ...]:
        """Every reply, of all rounds."""
        replies = [answered.completion for answered in self.rounds] or [self.completion]
        return tuple(reply for reply in replies if reply is not None)


class CaseRow(ReportPart):
    """One case of one model."""

    eval_set: str
    case: str
    name: str
    tags: tuple[str, ...] = ()
    difficulty: Difficulty | None = None
    planned: int
    n: int
    c: int
    distinct_completions: int | None = None
    samples: tuple[SampleRow, ...]
