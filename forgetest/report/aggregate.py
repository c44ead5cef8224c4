"""The numbers of one case, and the same numbers over many: a model, an eval set, a tag.

Everything is recomputed from counts as exact rationals; the one rounding is the last step.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import blake2b

from forgetest.evalset.types import Case
from forgetest.grading.verdict import Outcome, Verdict
from forgetest.metrics import (
    Reason,
    flakiness_percent,
    flaky,
    modified_wilson,
    pass_at_k,
    pass_at_k_exact,
    pass_hat_k,
    pass_hat_k_exact,
    score_sd,
    se_population,
    se_rerun,
    var_pass_at_k,
    var_pass_at_k_exact,
    var_pass_hat_k,
    var_pass_hat_k_exact,
)
from forgetest.report.efficiency import MemoryCount
from forgetest.report.samples import RoundReport, SampleReport
from forgetest.report.score import (
    did_as_asked,
    lint_free,
    scored_round,
    tests_part,
    verdict_score,
)
from forgetest.report.types import Block, CaseReport, Metric
from forgetest.run.events import Round, SampleRecord
from forgetest.run.rounds import settled_rounds
from forgetest.sampling.variant import DEFAULT, Variant

TOO_FEW_CASES = "too_few_cases"

AtK = Callable[[int, int, int], Fraction | None]
Share = Callable[["CaseFigures"], Fraction]


@dataclass(frozen=True, slots=True)
class CaseFigures:
    """A case's report, and what the numbers over many cases need of its samples, exactly."""

    report: CaseReport
    score: Fraction  # mean of the scored samples; 0 without any
    tests: Fraction  # mean share of tests that pass; 0 without any
    lint_free: int
    outcomes: Mapping[Outcome, int]  # of the scored samples

    @property
    def n(self) -> int:
        """Scored samples."""
        return self.report.n

    @property
    def c(self) -> int:
        """Samples that pass."""
        return self.report.c


@dataclass(slots=True)
class CaseCount:
    """Counts the samples of one case, of which none is kept."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    c: int = 0
    compiled: int = 0
    lint_free: int = 0
    scores: list[Fraction] = field(default_factory=list)  # a run has few different ones
    tests: Counter[Fraction] = field(default_factory=Counter)
    texts: set[bytes] = field(default_factory=set)  # digests of the completions
    memory: MemoryCount = field(default_factory=MemoryCount)

    def add(self, sample: SampleReport) -> None:
        """Count one sample."""
        if texts := [reply.text for reply in sample.completions]:
            self.texts.add(blake2b(repr(texts).encode(), digest_size=16).digest())
        if sample.verdict is not None:
            self._judge(sample.verdict)

    def _judge(self, verdict: Verdict) -> None:
        self.outcomes[verdict.outcome] += 1
        self.c += verdict.passed
        self.compiled += did_as_asked(verdict)
        self.lint_free += lint_free(verdict)
        self.scores.append(verdict_score(verdict))
        self.tests[tests_part(verdict)] += 1
        self.memory.add(verdict)

    def figures(
        self, case: Case, samples: Sequence[SampleReport], *, pass_k: Sequence[int]
    ) -> CaseFigures:
        """Return the figures of a case whose samples were all counted."""
        n, c = len(self.scores), self.c
        score = _mean(Counter(self.scores))
        tests = _mean(self.tests)
        report = CaseReport(
            eval_set=case.eval_set,
            case=case.id,
            name=case.name,
            tags=case.tags,
            difficulty=case.difficulty,
            planned=len(samples),
            n=n,
            c=c,
            compiled=self.compiled,
            distinct_completions=len(self.texts),
            mean_score=float(score) if n else None,
            score_sd=score_sd(self.scores),
            pass_rate=c / n if n else None,
            pass_at_k={str(k): at_k(n, c, k) for k in pass_k},
            pass_hat_k={str(k): hat_k(n, c, k) for k in pass_k},
            compile_rate=float(Fraction(self.compiled, n)) if n else None,
            test_pass_rate=float(tests) if n else None,
            flaky=flaky(n, c),
            flakiness_percent=flakiness_percent(n, c),
            memory=self.memory.means,
            samples=samples,
        )
        return CaseFigures(report, score, tests, self.lint_free, dict(self.outcomes))


def _mean(values: Counter[Fraction]) -> Fraction:
    """Return the mean of values that are counted; 0 without any."""
    total = sum((value * number for value, number in values.items()), Fraction(0))
    return total / max(1, values.total())


def case_report(
    case: Case, samples: Sequence[SampleReport], *, pass_k: Sequence[int]
) -> CaseReport:
    """Return the case's report from its samples, in order."""
    counting = CaseCount()
    for sample in samples:
        counting.add(sample)
    return counting.figures(case, samples, pass_k=pass_k).report


def at_k(n: int, c: int, k: int) -> Metric:
    """Return pass@k of one case with the standard error of running it again."""
    return _metric(pass_at_k(n, c, k), var_pass_at_k(n, c, k), n=n)


def hat_k(n: int, c: int, k: int) -> Metric:
    """Return pass^k of one case with the standard error of running it again."""
    return _metric(pass_hat_k(n, c, k), var_pass_hat_k(n, c, k), n=n)


def _metric(value: float | None, variance: float | None, *, n: int) -> Metric:
    if value is None:
        reason = Reason.INSUFFICIENT_SAMPLES if n else Reason.UNSCORED
        return Metric(value=None, reason=str(reason))
    return Metric(value=value, se_rerun=None if variance is None else variance**0.5)


def sample_report(index: int, record: SampleRecord, variant: Variant = DEFAULT) -> SampleReport:
    """Return what the report says of one sample, asked in a variant."""
    rounds = settled_rounds(record, variant)
    place = None if rounds is None else scored_round(rounds, variant.score_round)
    shown = record if rounds is None or place is None else rounds[place]
    verdict = None if rounds is None else shown.verdict
    fault, extraction = record.fault, shown.extraction
    conversation = variant.rounds > 1
    return SampleReport(
        index=index,
        scored=verdict is not None,
        passed=verdict.passed if verdict else None,
        score=float(verdict_score(verdict)) if verdict else None,
        outcome=verdict.outcome if verdict else None,
        status=verdict.status if verdict else None,
        fault=fault.message if fault else None,
        fault_kind=fault.kind if fault else None,
        flags=verdict.flags if verdict else (),
        integrity=verdict.integrity.level if verdict else None,
        code=extraction.code if extraction else None,
        extraction_rule=str(extraction.rule) if extraction else None,
        verdict=verdict,
        completion=shown.completion,
        rounds=tuple(map(_round, rounds or record.rounds)) if conversation else (),
        scored_round=place + 1 if conversation and place is not None else None,
    )


def _round(answered: Round) -> RoundReport:
    extraction, verdict = answered.extraction, answered.verdict
    return RoundReport(
        feedback=answered.feedback,
        completion=answered.completion,
        code=extraction.code if extraction else None,
        extraction_rule=str(extraction.rule) if extraction else None,
        outcome=verdict.outcome if verdict else None,
        verdict=verdict,
    )


def block(
    cases: Sequence[CaseFigures], *, pass_k: Sequence[int], minimum: int | None = None
) -> Block:
    """Return the aggregates of some cases; below `minimum` scored cases no interval is given."""
    scored = [case for case in cases if case.n > 0]
    planned = sum(case.report.planned for case in cases)
    total = sum(case.n for case in scored)

    def mean(share: Share) -> Metric:
        return mean_metric([share(case) for case in scored], samples=total, minimum=minimum)

    def means(value: AtK, variance: AtK) -> dict[str, Metric]:
        return {
            str(k): _mean_at_k(scored, k, value=value, variance=variance, minimum=minimum)
            for k in pass_k
        }

    return Block(
        cases=len(scored),
        cases_unscored=len(cases) - len(scored),
        cases_always=sum(case.c == case.n for case in scored),
        cases_never=sum(case.c == 0 for case in scored),
        cases_flaky=sum(bool(case.report.flaky) for case in scored),
        samples=planned,
        samples_scored=total,
        samples_unscored=planned - total,
        samples_passed=sum(case.c for case in scored),
        samples_compiled=sum(case.report.compiled for case in scored),
        pass_rate=mean(lambda case: Fraction(case.c, case.n)),
        pass_at_k=means(pass_at_k_exact, var_pass_at_k_exact),
        pass_hat_k=means(pass_hat_k_exact, var_pass_hat_k_exact),
        mean_score=mean(lambda case: case.score),
        compile_rate=mean(lambda case: Fraction(case.report.compiled, case.n)),
        test_pass_rate=mean(lambda case: case.tests),
        lint_free_rate=mean(lambda case: Fraction(case.lint_free, case.n)),
    )


def _mean_at_k(
    scored: Sequence[CaseFigures], k: int, *, value: AtK, variance: AtK, minimum: int | None
) -> Metric:
    """Null unless every scored case has k samples, as the original HumanEval harness has it."""
    short = tuple(case.report.key for case in scored if case.n < k)
    if short:
        reason = str(Reason.INSUFFICIENT_SAMPLES)
        return Metric(value=None, reason=reason, short_cases=short)
    values = [value(case.n, case.c, k) or Fraction(0) for case in scored]
    metric = mean_metric(values, samples=sum(case.n for case in scored), minimum=minimum)
    again = se_rerun([variance(case.n, case.c, k) for case in scored])
    return metric.model_copy(update={"se_rerun": again})


def mean_metric(values: Sequence[Fraction], *, samples: int, minimum: int | None) -> Metric:
    """Return the mean over cases with its modified Wilson interval and population error.

    `samples` are the scored samples of all these cases.
    """
    interval = modified_wilson(values, samples=samples)
    if interval is None:
        return Metric(value=None, reason=str(Reason.UNSCORED))
    mean = float(interval.mean)
    if minimum is not None and len(values) < minimum:
        return Metric(value=mean, reason=TOO_FEW_CASES)
    return Metric(
        value=mean, ci95=(interval.lower, interval.upper), se_population=se_population(values)
    )
