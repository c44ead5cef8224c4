"""The report as it is written: counts first, every rate recomputable from them.

A `Metric` without a value says why. Timings and dates have fields of their own, so that two
runs can be compared without them.
"""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import (
    AfterValidator,
    Field,
)

from forgetest.evalset.types import Difficulty
from forgetest.report.agreement import Agreement
from forgetest.report.efficiency import Efficiency, MemoryMeans
from forgetest.report.samples import Samples
from forgetest.run.manifest import CaseHashes, SandboxInfo, ToolchainInfo
from forgetest.run.seal import JournalMark
from forgetest.run.settings import ReportTable
from forgetest.sampling.completion import Usd
from forgetest.sampling.plan import ModelSpec, Sampling
from forgetest.sampling.variant import DEFAULT, Feedback, ScoreRound, Variant, unless
from forgetest.value import Value

SCHEMA_VERSION = 1


def _as_time(text: str) -> str:
    """Return the text; ValueError unless it is a moment that every format can write."""
    datetime.fromisoformat(text).astimezone(UTC).timestamp()
    return text


Moment = Annotated[str, AfterValidator(_as_time)]


class Metric(Value):
    """One number, or null with its reason; intervals are 95 %."""

    value: float | None = Field(description="The number; null where it cannot be known.")
    reason: str | None = Field(None, description="Why there is no value.")
    ci95: tuple[float, float] | None = Field(
        None, description="95 % interval over cases, modified Wilson."
    )
    se_population: float | None = Field(
        None, description="Standard error if other cases like these had been drawn."
    )
    se_rerun: float | None = Field(
        None, description="Standard error if the same cases were run again."
    )
    short_cases: tuple[str, ...] = Field((), description="Cases with fewer scored samples than k.")


class CostSum(Value):
    """US dollars; `usd` is null as long as any completion has no known price."""

    usd: Usd | None = Field(
        description="US dollars of all completions; null as long as any has no known price."
    )
    known_usd: Usd = Field(description="US dollars of the completions with a known price.")
    unknown: int = Field(description="Completions without a known price.")
    sources: tuple[str, ...] = Field((), description="Who says what completions cost.")


class TokenSum(Value):
    """Tokens as the servers counted them; `unreported` completions gave no usage."""

    input: int = Field(description="Input tokens, with cached ones.")
    output: int = Field(description="Output tokens, with reasoning.")
    reasoning: int = Field(description="Reasoning tokens.")
    cache_read: int = Field(description="Input tokens read from a cache.")
    unreported: int = Field(description="Completions without token counts.")


class Latency(Value):
    """Seconds of the successful requests; nearest-rank percentiles."""

    mean: float = Field(description="Mean, in seconds.")
    p50: float = Field(description="Median, by nearest rank.")
    p95: float = Field(description="95th percentile, by nearest rank.")


class Recalled(Value):
    """Verdicts that no grading of this run made; they count like any other."""

    cached: int = Field(0, description="Verdicts of identical code in earlier runs.")
    duplicate: int = Field(0, description="Verdicts of identical code in this run.")


class CaseReport(Value):
    """One case for one model; n scored samples of which c passed."""

    eval_set: str = Field(description="Id of the eval set.")
    case: str = Field(description="Id of the case.")
    name: str = Field(description="Name for people.")
    tags: tuple[str, ...] = Field(description="Tags of the case.")
    difficulty: Difficulty | None = Field(description="Difficulty, or null.")
    planned: int = Field(description="Planned samples.")
    n: int = Field(description="Scored samples.")
    c: int = Field(description="Samples that pass.")
    compiled: int = Field(
        description="Samples that compile, or that rustc rejects where the case asks for that."
    )
    distinct_completions: int = Field(
        description="Different completions: identical ones carry the evidence of one."
    )
    mean_score: float | None = Field(description="Mean score of the scored samples, 0 to 1.")
    score_sd: float | None = Field(
        description="Standard deviation of the scores; null below two samples."
    )
    pass_rate: float | None = Field(description="c / n.")
    pass_at_k: dict[str, Metric] = Field(
        description="pass@k by k: the chance that one of k samples passes."
    )
    pass_hat_k: dict[str, Metric] = Field(
        description="pass^k by k: the chance that all of k samples pass."
    )
    compile_rate: float | None = Field(description="Share of scored samples that compile.")
    test_pass_rate: float | None = Field(description="Mean share of a sample's tests that pass.")
    flaky: bool | None = Field(
        description="Whether some samples pass and some fail; null below two samples."
    )
    flakiness_percent: float | None = Field(
        description="100 min(c, n - c) / n, 0 to 50; null below two samples."
    )
    memory: MemoryMeans | None = unless(
        None, "What passing samples take of memory; left out where the case does not count it."
    )
    samples: Samples = Field(description="Every planned sample, in order.")

    @property
    def key(self) -> str:
        """The case's name across eval sets: `set/case`."""
        return f"{self.eval_set}/{self.case}"


class Block(Value):
    """The same aggregates for a whole model, a suite, a tag or a difficulty; M scored cases."""

    cases: int = Field(description="Scored cases: those with a scored sample.")
    cases_unscored: int = Field(description="Cases without a scored sample.")
    cases_always: int = Field(description="Cases of which every scored sample passes.")
    cases_never: int = Field(description="Cases of which no sample passes.")
    cases_flaky: int = Field(description="Cases of which some samples pass and some fail.")
    samples: int = Field(description="Planned samples.")
    samples_scored: int = Field(description="Samples with a verdict.")
    samples_unscored: int = Field(
        description="Samples without a verdict, because of the machine or the provider."
    )
    samples_passed: int = Field(description="Samples that pass.")
    samples_compiled: int = Field(
        description="Samples that compile, or that rustc rejects where the case asks for that."
    )
    pass_rate: Metric = Field(description="Mean over cases of c / n, which is pass@1.")
    pass_at_k: dict[str, Metric] = Field(
        description="pass@k by k: mean over cases of the chance that one of k samples passes."
    )
    pass_hat_k: dict[str, Metric] = Field(
        description="pass^k by k: mean over cases of the chance that all of k samples pass."
    )
    mean_score: Metric = Field(description="Mean over cases of their mean score, 0 to 1.")
    compile_rate: Metric = Field(
        description="Mean over cases of the share of samples that compile."
    )
    test_pass_rate: Metric = Field(
        description="Average test pass rate: mean over cases of the share of tests that pass."
    )
    lint_free_rate: Metric = Field(
        description="Mean over cases of the share of samples that compile without a clippy lint."
    )


class Extensions(Value):
    """What `[report]` of forgetest.toml asks for besides the score; null where it does not."""

    classes: dict[str, int] = Field(description="Scored samples by class.")
    suite_scores: dict[str, float | None] = Field(
        description="Score of each eval set; null where no case of it is scored."
    )
    overall_run_score: float | None = Field(
        description="Mean of the suite scores, weighted as `[report]` says."
    )
    penalized_score: float | None = Field(
        None, description="The same, less what each failure costs; null without penalties."
    )
    latency_score: float | None = Field(
        None,
        description="Score of the times of all answered requests; null without `latency`.",
    )


class AfterRound(Value):
    """How far a model was after one round; a sample that passed earlier stays passed."""

    round: int = Field(description="The round, from 1.")
    asked: int = Field(description="Scored samples that were asked in this round.")
    passed: int = Field(description="Scored samples that pass by then.")
    pass_rate: Metric = Field(description="Mean over cases of the share that passes by then.")
    usd: Usd | None = Field(
        description="US dollars of all rounds so far; null as long as any price is not known."
    )
    usd_per_solved: Usd | None = Field(description="The same for each sample that passes.")
    secs: float | None = Field(
        description="Seconds of all requests so far; null as long as any was not timed."
    )
    secs_per_solved: float | None = Field(description="The same for each sample that passes.")


class RepairGain(Value):
    """What all rounds gained over the first alone, on the same samples."""

    repaired: int = Field(description="Samples that pass in a later round, and not in the first.")
    delta: float = Field(description="Pass rate after the last round minus that after the first.")
    ci95: tuple[float, float] | None = Field(
        description="95 % interval of it, paired by case; null with fewer than two cases."
    )
    p_value: float = Field(
        description="Exact two-sided test on the same samples (McNemar): as much gained by chance."
    )


class RepairedCode(Value):
    """What became of the samples that had an error of rustc and were asked again."""

    samples: int = Field(description="Samples that had it in a round before their last.")
    repaired: int = Field(description="Samples of these whose last round compiles.")
    remained: int = Field(
        description="Samples of these whose last round has it still; the rest has other errors."
    )


class RoundsReport(Value):
    """What asking again was worth."""

    most: int = Field(description="Rounds of a sample at most.")
    feedback: Feedback = Field(description="What the model was shown of its last answer.")
    score_round: ScoreRound = Field(description="Which round a sample is scored by.")
    after: tuple[AfterRound, ...] = Field(description="The numbers after each round.")
    gain: RepairGain | None = Field(description="What was gained; null without a scored sample.")
    codes: dict[str, RepairedCode] = Field(
        description="What became of errors, by code of rustc or `uncoded`, the most common first."
    )


class ModelReport(Value):
    """One model's results."""

    model: ModelSpec = Field(description="The model.")
    overall: Block = Field(description="The numbers over all cases.")
    overall_macro: float | None = Field(
        description="Overall score: mean over eval sets of their pass rates (pass@1)."
    )
    overall_micro: float | None = Field(description="Samples that pass of all scored samples.")
    suites: dict[str, Block] = Field(
        description="The numbers of each eval set, by its id; `pass_rate` is the suite score."
    )
    tags: dict[str, Block] = Field(
        description="The numbers of the cases of each tag; a case counts in each of its tags."
    )
    difficulties: dict[str, Block] = Field(
        description="The numbers of the cases of each difficulty."
    )
    outcomes: dict[str, int] = Field(description="Scored samples by outcome.")
    integrity: dict[str, int] = Field(
        default_factory=dict, description="Scored samples by level of integrity."
    )
    integrity_flags: dict[str, int] = Field(
        default_factory=dict, description="Scored samples that have a flag, by flag."
    )
    passed_flagged: int = Field(0, description="Samples that pass and are not clean.")
    cheated: tuple[str, ...] = Field(
        (), description="Samples that cheated, as `set/case #sample`, counted from 1."
    )
    error_codes: dict[str, int] = Field(
        description="Samples that do not compile, by each code of rustc that they have."
    )
    lints: dict[str, int] = Field(description="Samples that have a clippy lint, by lint.")
    faults: dict[str, int] = Field(description="Unscored samples by kind of fault.")
    recalled: Recalled = Field(Recalled(), description="Verdicts that were not made anew.")
    cost: CostSum = Field(description="US dollars of all completions.")
    tokens: TokenSum = Field(description="Tokens of all completions.")
    latency: Latency | None = Field(
        description="Times of the successful requests; null where none was timed."
    )
    dropped_params: tuple[str, ...] = Field(
        description="Sampling parameters that the model rejects."
    )
    cases: tuple[CaseReport, ...] = Field(
        description="The numbers of each case, in the order of the plan."
    )
    extensions: Extensions | None = Field(
        None,
        description="What `[report]` asks for besides the score; left out without it.",
    )
    rounds: RoundsReport | None = unless(
        None, "What asking again was worth; left out where samples have only one round."
    )
    efficiency: Efficiency | None = unless(
        None,
        "Memory that passing samples take over what the reference takes; left out unless cases"
        " count memory and the run has the model reference/solution.",
    )


class CaseInfo(Value):
    """What a case was, for comparing runs."""

    id: str = Field(description="Id of the case in its eval set.")
    name: str = Field(description="Name for people.")
    line: int | None = Field(description="Line of the case in the file of its eval set, from 1.")
    hashes: CaseHashes = Field(
        description="Hashes of its parts, which tell whether two runs asked the same."
    )


class EvalSetInfo(Value):
    """What an eval set was."""

    id: str = Field(description="Id of the eval set.")
    name: str = Field(description="Name for people.")
    version: str = Field(description="Version that its author gave it.")
    file: str = Field(description="File that it was read from.")
    cases: tuple[CaseInfo, ...] = Field(description="The cases that were asked.")


class VariantInfo(Value):
    """A way in which models were asked."""

    hash: str = Field(
        description="First 16 hex digits of the SHA-256 of all that it changes: variants of one"
        " hash ask alike."
    )
    variant: Variant = Field(description="What it changes, with all texts and examples.")


class Report(Value):
    """The aggregate of a run."""

    schema_version: int = Field(SCHEMA_VERSION, description="Version of this schema.")
    forgetest: str = Field(description="Version of forgetest that wrote the report.")
    created: Moment = Field(description="When the run began: UTC, ISO 8601.")
    command: tuple[str, ...] = Field(
        description="The command line of the run; it never holds a key."
    )
    plan_digest: str = Field(
        description="SHA-256 of the plan: models, cases, samples and sampling."
    )
    scoring_profile: str = Field(description="Name of the weights of the score.")
    lint_rule: str = Field(description="Name of the rule by which lints are counted.")
    extractor: str = Field(description="Which code blocks of a completion are graded.")
    prompt_version: int = Field(description="Version of the frame around a case's prompt.")
    toolchain: ToolchainInfo = Field(description="The compiler, cargo and clippy that graded.")
    limits: dict[str, float | int] = Field(description="Limits of grading, such as `test_secs`.")
    sandbox: SandboxInfo | None = Field(
        None,
        description="The sandbox of the generated code; null of versions without one.",
    )
    endpoints: dict[str, str] = Field(description="Base URL of each model server, by provider.")
    samples_per_case: int = Field(description="Samples that were planned for each case and model.")
    pass_k: tuple[int, ...] = Field(description="Values of k for pass@k and pass^k, ascending.")
    sampling: Sampling = Field(description="How completions were drawn.")
    variants: dict[str, VariantInfo] = unless(
        {}, "The ways in which models were asked, by name; left out where all were asked as ever."
    )
    complete: bool = Field(description="Whether every planned sample is scored.")
    warnings: tuple[str, ...] = Field(
        description="What to know before trusting the numbers, the gravest first."
    )
    eval_sets: tuple[EvalSetInfo, ...] = Field(
        description="The eval sets and cases that were asked."
    )
    models: tuple[ModelReport, ...] = Field(
        description="The results, in the order in which the models were named."
    )
    agreement: Agreement | None = Field(
        None,
        description="Agreement with recorded verdicts; null where there are none.",
    )
    report_options: ReportTable | None = Field(
        None,
        description="What `[report]` of forgetest.toml asked for; left out without it.",
    )
    journal: JournalMark | None = Field(
        None,
        description="The journal that it was made from; null of versions without checksums.",
    )
    digest: str | None = Field(
        None, description="SHA-256 of the file up to this key; only files have it."
    )

    def variant(self, model: ModelSpec) -> Variant:
        """Return the way in which a model was asked; the default one where nothing is known."""
        info = self.variants.get(model.variant or "")
        return DEFAULT if info is None else info.variant
