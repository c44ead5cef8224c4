"""A comparison as it is written: every number with its uncertainty, every gap with its reason.

Deltas are current minus baseline, so a negative one is a drop. Rates and scores lie in 0 to 1.
"""

from enum import StrEnum

from pydantic import Field

from forgetest.evalset.types import added
from forgetest.metrics import Change
from forgetest.report.types import CostSum, Latency, TokenSum
from forgetest.sampling.plan import ModelSpec
from forgetest.sampling.variant import DEFAULT_NAME
from forgetest.value import Value

SCHEMA_VERSION = 1

Bounds = tuple[float, float]


class ComparisonVerdict(StrEnum):
    """The verdict of a comparison."""

    REGRESSED = "regressed"
    IMPROVED = "improved"
    SAME = "same"
    INCONCLUSIVE = "inconclusive"
    NOT_COMPARABLE = "not comparable"


class Rule(StrEnum):
    """What counts as a regression."""

    THRESHOLD = "threshold"  # a case's mean score drops by more than the threshold
    EVIDENCE = "evidence"  # a drop that noise would show with a chance below alpha
    EITHER = "either"  # either of the two


class GateResult(StrEnum):
    """What the gate says."""

    PASSED = "passed"
    REGRESSION = "regression"
    INCOMPLETE = "incomplete"
    INCONCLUSIVE = "inconclusive"  # only with --strict
    NOT_COMPARABLE = "not comparable"


class Gate(Value):
    """What a gate says, and why; `rule` is None where none was asked for."""

    rule: Rule | None
    result: GateResult
    reasons: tuple[str, ...] = ()


class CompareOptions(Value):
    """What the comparison was asked to do."""

    threshold: float = 0.05
    alpha: float = 0.05
    margin: float = 0.0
    allow_unscored: float = 0.0
    allow_incomparable: bool = False
    strict: bool = False
    rule: Rule | None = None  # None: no gate
    allow_removed: tuple[str, ...] = added(
        (),
        description="Cases that may be gone: id, `set/case`, or a glob of either.",
        examples=[["rust-basics/memo"]],
    )
    maps: tuple[tuple[str, str], ...] = ()  # baseline's name, current's name
    seed: int = 1


class RunInfo(Value):
    """Where one side comes from."""

    file: str
    created: str
    forgetest: str
    rustc: str
    sandbox: str
    samples_per_case: int
    cases: int
    complete: bool


class Difference(Value):
    """A declared setting or tool that is not the same in both runs."""

    what: str
    baseline: str
    current: str
    refuses: bool = False  # numbers on both sides of it do not mean the same
    variant: str | None = added(
        None, description="The variant that changed between the runs.", examples=["terse"]
    )


class UncomparedReason(StrEnum):
    """Why a case is not compared."""

    CHANGED = "changed"  # its prompt, tests, context, dependencies or reference
    NEW = "new"
    REMOVED = "removed"
    NEWLY_UNSCORED = "newly unscored"
    NEWLY_SCORED = "newly scored"
    UNSCORED = "unscored"  # in both


class UncomparedCase(Value):
    """A case that is not compared."""

    model: str  # as the current run names it; of a removed case, as the baseline does
    eval_set: str
    case: str
    file: str = ""
    line: int | None = None
    gap: UncomparedReason
    parts: tuple[str, ...] = ()  # what of it changed
    compared_anyway: bool = False  # --allow-incomparable
    allowed: bool = added(
        default=False, description="Whether --allow-removed names it.", examples=[True]
    )

    @property
    def key(self) -> str:
        """The case's name across eval sets: `set/case`."""
        return f"{self.eval_set}/{self.case}"


class Coverage(Value):
    """How much of both runs the comparison rests on."""

    compared: int  # pairs of model and case
    left_out: tuple[UncomparedCase, ...]
    unscored_baseline: int  # samples, of the cases in both runs
    unscored_current: int
    planned_baseline: int
    planned_current: int
    unscored_share: float  # the larger of both runs, with removed and newly unscored cases
    missing_models: tuple[str, ...] = Field((), exclude=True)  # a note has them, in words

    @property
    def unscored_run(self) -> str | None:
        """The run of which no sample is scored, if there is one."""
        runs = {
            "current run": (self.unscored_current, self.planned_current),
            "baseline": (self.unscored_baseline, self.planned_baseline),
        }
        empty = (
            run for run, (unscored, planned) in runs.items() if planned and unscored == planned
        )
        return next(empty, None)


class Estimate(Value):
    """A mean over cases with its interval at 1 - alpha (modified Wilson)."""

    value: float | None
    interval: Bounds | None = None
    reason: str | None = None


class MeanChange(Value):
    """A mean over the same cases before and after, and the interval of its change (paired)."""

    baseline: Estimate
    current: Estimate
    delta: float | None
    interval: Bounds | None = None
    reason: str | None = None  # why there is no delta or interval


class Failure(Value):
    """A way in which samples of a case fail, with how many do."""

    outcome: str
    samples: int
    code: str | None = None  # rustc's
    message: str = ""  # its first line
    tests: tuple[str, ...] = ()  # that did not pass
    assertion: str = Field("", exclude=True)  # what a failed test said, for people


class CaseSide(Value):
    """One case in one run: n scored samples of `planned`, c of which passed."""

    planned: int
    n: int
    c: int
    mean_score: float
    failures: tuple[Failure, ...] = ()  # the commonest few; of changed cases only
    ways: int = 0  # in how many ways samples fail, of which `failures` are some
    distinct_completions: int | None = Field(None, exclude=True)  # the reports have it

    @property
    def repeats(self) -> bool:
        """Whether all of several samples are one text: they carry the evidence of one."""
        return self.n > 1 and self.distinct_completions == 1


class CaseComparison(Value):
    """One case of one pair of models."""

    eval_set: str
    case: str
    name: str
    file: str
    line: int | None
    baseline: CaseSide
    current: CaseSide
    score_delta: float
    rate_delta: float
    change: Change  # by the threshold rule
    p_worse: float  # one-sided Fisher: such a drop or a larger one by chance
    p_better: float
    worse: bool  # beyond Tarone's threshold
    better: bool
    samples_to_settle: int | None = None  # n a run at which the same rates would be evidence

    @property
    def key(self) -> str:
        """The case's name across eval sets: `set/case`."""
        return f"{self.eval_set}/{self.case}"


class Evidence(Value):
    """How likely the observed changes are on the same cases if nothing changed."""

    p_worse: float  # exact stratified test on passes; as low as observed or lower
    p_better: float
    two_sided: float
    p_worse_holm: float  # over the models compared at once
    p_better_holm: float
    draws: int | None  # None: exact
    score_p_worse: float  # within-case permutation of scores
    score_p_better: float
    score_two_sided: float
    score_draws: int | None
    seed: int
    case_tests: int  # Tarone's K: cases that could be decided
    case_threshold: float  # and the p that each must not exceed


class Detectability(Value):
    """What a comparison of this size can see."""

    standard_error: float | None  # of the difference of pass rates, over cases
    minimum_difference: float | None  # seen with 80 % power at alpha
    samples_to_settle: int | None = None  # a case and run, for these cases
    cases_to_settle: int | None = None  # like these, at today's samples


class Group(Value):
    """The cases of one eval set, tag or difficulty; tags overlap and do not sum to the total."""

    kind: str  # eval set | tag | difficulty
    name: str
    cases: int
    pass_rate: MeanChange
    mean_score: MeanChange


class CountChange(Value):
    """How many samples have something, before and after."""

    name: str
    baseline: int
    current: int


class OutcomeChanges(Value):
    """How the samples of the compared cases fail, before and after."""

    samples_baseline: int
    samples_current: int
    compile_rate: MeanChange
    compile_at_k: dict[str, MeanChange]
    lint_free_rate: MeanChange
    outcomes: tuple[CountChange, ...]
    error_codes: tuple[CountChange, ...]
    lints: tuple[CountChange, ...]
    flags: tuple[CountChange, ...]


class Spent(Value):
    """What the completions of the compared cases cost, on one side."""

    completions: int
    cost: CostSum
    tokens: TokenSum
    latency: Latency | None
    served: tuple[str, ...]  # the names under which the servers answered


class UsageChange(Value):
    """Cost, tokens and latency before and after."""

    baseline: Spent
    current: Spent


class Flip(Value):
    """A completion that today's toolchain and grader judge differently."""

    eval_set: str
    case: str
    sample: int  # counted from 1
    before: str  # outcome
    after: str


class Attribution(Value):
    """How much of a change is the model's, and how much the environment's; deltas of means."""

    graded_then: float | None  # pass rate of the baseline as it was graded
    graded_now: float | None  # of the same completions, graded again
    current: float | None
    environment: float | None  # now - then: toolchain, grader, sandbox
    model: float | None  # current - now
    score_environment: float | None
    score_model: float | None
    rustc_then: str
    rustc_now: str
    flips: tuple[Flip, ...]


class ModelComparison(Value):
    """One model of the baseline against one of the current run, on the cases of both."""

    baseline: str
    current: str
    baseline_model: ModelSpec | None = added(
        None,
        description="The model of the baseline and its variant; left out for the default one.",
        examples=[{"provider": "openai", "model": "a", "variant": "terse"}],
    )
    current_model: ModelSpec | None = added(
        None,
        description="The model of the current run and its variant; left out for the default one.",
        examples=[{"provider": "openai", "model": "a", "variant": "terse"}],
    )
    finding: ComparisonVerdict  # by the gate's rule; where there is no gate, by evidence
    by_threshold: ComparisonVerdict
    by_evidence: ComparisonVerdict
    regressions: int  # cases, by threshold
    improvements: int
    pass_rate: MeanChange
    mean_score: MeanChange
    pass_at_k: dict[str, MeanChange]
    evidence: Evidence
    detectability: Detectability
    groups: tuple[Group, ...]
    drift: OutcomeChanges
    usage: UsageChange
    attribution: Attribution | None = None
    cases: tuple[CaseComparison, ...]

    @property
    def variants(self) -> tuple[str, str]:
        """The ways in which both were asked; the default one has a name here."""
        asked = (self.baseline_model, self.current_model)
        before, after = (DEFAULT_NAME if spec is None else spec.variant_shown for spec in asked)
        return before, after


class Comparison(Value):
    """Everything that `forgetest compare` says."""

    schema_version: int = SCHEMA_VERSION
    forgetest: str
    baseline: RunInfo
    current: RunInfo
    options: CompareOptions
    finding: ComparisonVerdict
    by_threshold: ComparisonVerdict
    by_evidence: ComparisonVerdict
    gate: Gate
    evidence_gate: GateResult | None = added(
        None,
        description="What --gate evidence would say, where the threshold rule gates.",
        examples=["passed"],
    )
    suggested_maps: tuple[tuple[str, str], ...] = added(
        (), description="Names that --map could pair.", examples=[[["openai/a", "openai/b"]]]
    )
    differences: tuple[Difference, ...]
    coverage: Coverage
    notes: tuple[str, ...]
    models: tuple[ModelComparison, ...]
