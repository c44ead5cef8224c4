"""The report as it is written: counts first, every rate recomputable from them.

A `Metric` without a value says why. Timings and dates stand in fields of their own, so that two
runs can be compared without them.
"""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, Field

from forgetest.errors import FaultKind
from forgetest.evalset.types import Difficulty
from forgetest.grading.verdict import Level, Outcome, Status, Verdict
from forgetest.report.agreement import Agreement
from forgetest.run.manifest import CaseHashes, SandboxInfo, ToolchainInfo
from forgetest.run.seal import JournalMark
from forgetest.run.settings import ReportTable
from forgetest.sampling.completion import Completion, Usd
from forgetest.sampling.plan import ModelSpec, Sampling
from forgetest.value import Value

SCHEMA_VERSION = 1


def _as_time(text: str) -> str:
    """Return the text; ValueError unless it is a moment that every format can write."""
    datetime.fromisoformat(text).astimezone(UTC).timestamp()
    return text


Moment = Annotated[str, AfterValidator(_as_time)]


class Metric(Value):
    """One number, or null with its reason; intervals are 95 %."""

    value: float | None
    reason: str | None = None  # why there is no value
    ci95: tuple[float, float] | None = None  # modified Wilson
    se_population: float | None = None  # had other cases like these been drawn
    se_rerun: float | None = None  # were the same cases run again
    short_cases: tuple[str, ...] = ()  # cases with fewer scored samples than k


class CostSum(Value):
    """US dollars; `usd` is null as long as any completion has no known price."""

    usd: Usd | None
    known_usd: Usd
    unknown: int  # completions without a known price
    sources: tuple[str, ...] = ()


class TokenSum(Value):
    """Tokens as the servers counted them; `unreported` completions gave no usage."""

    input: int
    output: int
    reasoning: int
    cache_read: int
    unreported: int


class Latency(Value):
    """Seconds of the successful requests; nearest-rank percentiles."""

    mean: float
    p50: float
    p95: float


class Recalled(Value):
    """Verdicts that no grading of this run made; they count like any other."""

    cached: int = 0  # of earlier runs
    duplicate: int = 0  # of identical code in this run


class SampleReport(Value):
    """Everything about one sample."""

    index: int
    scored: bool
    passed: bool | None = None
    score: float | None = None
    outcome: Outcome | None = None
    status: Status | None = None
    fault: str | None = None
    fault_kind: FaultKind | None = None
    flags: tuple[str, ...] = ()
    integrity: Level | None = None  # more of it in `verdict.integrity`
    code: str | None = None
    extraction_rule: str | None = None
    verdict: Verdict | None = None
    completion: Completion | None = None


class CaseReport(Value):
    """One case for one model; n scored samples of which c passed."""

    eval_set: str
    case: str
    name: str
    tags: tuple[str, ...]
    difficulty: Difficulty | None
    planned: int
    n: int
    c: int
    compiled: int
    distinct_completions: int
    mean_score: float | None
    score_sd: float | None
    pass_rate: float | None
    pass_at_k: dict[str, Metric]
    pass_hat_k: dict[str, Metric]
    compile_rate: float | None
    test_pass_rate: float | None
    flaky: bool | None
    flakiness_percent: float | None
    samples: tuple[SampleReport, ...]

    @property
    def key(self) -> str:
        """The case's name across eval sets: `set/case`."""
        return f"{self.eval_set}/{self.case}"


class Block(Value):
    """The same aggregates for a whole model, a suite, a tag or a difficulty; M scored cases."""

    cases: int
    cases_unscored: int
    cases_always: int
    cases_never: int
    cases_flaky: int
    samples: int
    samples_scored: int
    samples_unscored: int
    samples_passed: int
    samples_compiled: int
    pass_rate: Metric
    pass_at_k: dict[str, Metric]
    pass_hat_k: dict[str, Metric]
    mean_score: Metric
    compile_rate: Metric
    test_pass_rate: Metric
    lint_free_rate: Metric


class Extensions(Value):
    """What `[report]` of forgetest.toml asks for beside the score; null where it does not."""

    classes: dict[str, int]  # class -> scored samples
    suite_scores: dict[str, float | None]  # null: no case of the set is scored
    overall_run_score: float | None  # mean of the suite scores, weighted
    penalized_score: float | None = None  # the same, less what each failure costs and no more
    latency_score: float | None = None  # of all answered requests, right or wrong


class ModelReport(Value):
    """One model's results."""

    model: ModelSpec
    overall: Block
    overall_macro: float | None  # mean over eval sets of their pass@1
    overall_micro: float | None  # passed samples / scored samples
    suites: dict[str, Block]
    tags: dict[str, Block]
    difficulties: dict[str, Block]
    outcomes: dict[str, int]
    integrity: dict[str, int] = Field(default_factory=dict)  # level -> scored samples
    integrity_flags: dict[str, int] = Field(default_factory=dict)  # flag -> samples that have it
    passed_flagged: int = 0  # samples that pass and are not clean
    cheated: tuple[str, ...] = ()  # `set/case #sample`, counted from 1
    error_codes: dict[str, int]  # rustc code -> samples that it stopped
    lints: dict[str, int]  # clippy lint -> samples that have it
    faults: dict[str, int]
    recalled: Recalled = Recalled()
    cost: CostSum
    tokens: TokenSum
    latency: Latency | None
    dropped_params: tuple[str, ...]
    cases: tuple[CaseReport, ...]
    extensions: Extensions | None = None  # left out where `report_options` is


class CaseInfo(Value):
    """What a case was, for comparing runs."""

    id: str
    name: str
    line: int | None
    hashes: CaseHashes


class EvalSetInfo(Value):
    """What an eval set was."""

    id: str
    name: str
    version: str
    file: str
    cases: tuple[CaseInfo, ...]


class Report(Value):
    """The aggregate of a run."""

    schema_version: int = SCHEMA_VERSION
    forgetest: str
    created: Moment  # ISO 8601
    command: tuple[str, ...]
    plan_digest: str
    scoring_profile: str
    lint_rule: str
    extractor: str
    prompt_version: int
    toolchain: ToolchainInfo
    limits: dict[str, float | int]
    sandbox: SandboxInfo | None = None
    endpoints: dict[str, str]
    samples_per_case: int
    pass_k: tuple[int, ...]
    sampling: Sampling
    complete: bool  # every planned sample is scored
    warnings: tuple[str, ...]
    eval_sets: tuple[EvalSetInfo, ...]
    models: tuple[ModelReport, ...]
    agreement: Agreement | None = None  # with verdicts that came with recorded completions
    report_options: ReportTable | None = None  # left out where nothing was asked for
    journal: JournalMark | None = None  # that it was made from; None: of a version without sums
    digest: str | None = None  # of the file, up to here; stands in files alone
