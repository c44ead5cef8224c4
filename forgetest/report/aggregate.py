"""The numbers of one case, and the same numbers over many: a model, an eval set, a tag.

Everything is recomputed from counts as exact rationals; the one rounding is the last step.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from forgetest.evalset.types import Case
from forgetest.grading.verdict import Verdict
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
from forgetest.report.score import (
    did_as_asked,
    lint_free,
    scored_round,
    tests_part,
    verdict_score,
)
from forgetest.report.types import Block, CaseReport, Metric, RoundReport, SampleReport
from forgetest.run.events import Round, SampleRecord
from forgetest.run.rounds import settled_rounds
from forgetest.sampling.variant import DEFAULT, Variant

TOO_FEW_CASES = "too_few_cases"

CaseValue = Callable[[CaseReport], Fraction]
AtK = Callable[[int, int, int], Fraction | None]


def case_report(
    case: Case,
    records: Sequence[SampleRecord],
    *,
    pass_k: Sequence[int],
    variant: Variant = DEFAULT,
) -> CaseReport:
    """Return the case's report from its records, one per planned sample, in order."""
    samples = tuple(sample_report(index, record, variant) for index, record in enumerate(records))
    verdicts = [sample.verdict for sample in samples if sample.verdict is not None]
    scores = [verdict_score(verdict) for verdict in verdicts]
    n, c = len(verdicts), sum(verdict.passed for verdict in verdicts)
    return CaseReport(
        eval_set=case.eval_set,
        case=case.id,
        name=case.name,
        tags=case.tags,
        difficulty=case.difficulty,
        planned=len(records),
        n=n,
        c=c,
        compiled=sum(did_as_asked(verdict) for verdict in verdicts),
        distinct_completions=_distinct(samples),
        mean_score=_mean(scores),
        score_sd=score_sd(scores),
        pass_rate=c / n if n else None,
        pass_at_k={str(k): at_k(n, c, k) for k in pass_k},
        pass_hat_k={str(k): hat_k(n, c, k) for k in pass_k},
        compile_rate=_mean([Fraction(did_as_asked(verdict)) for verdict in verdicts]),
        test_pass_rate=_mean([tests_part(verdict) for verdict in verdicts]),
        flaky=flaky(n, c),
        flakiness_percent=flakiness_percent(n, c),
        samples=samples,
    )


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


def case_scores(case: CaseReport) -> list[Fraction]:
    """Return the exact scores of the scored samples."""
    return [verdict_score(verdict) for verdict in _verdicts(case)]


def compile_share(case: CaseReport) -> Fraction:
    """Return the share of scored samples that compile."""
    return Fraction(case.compiled, case.n)


def tests_share(case: CaseReport) -> Fraction:
    """Return the mean share of tests that pass, over all scored samples."""
    return sum((tests_part(verdict) for verdict in _verdicts(case)), Fraction(0)) / case.n


def lint_free_share(case: CaseReport) -> Fraction:
    """Return the share of scored samples that are free of lints."""
    return Fraction(sum(map(lint_free, _verdicts(case))), case.n)


def _verdicts(case: CaseReport) -> list[Verdict]:
    return [sample.verdict for sample in case.samples if sample.verdict is not None]


def _mean(values: Sequence[Fraction]) -> float | None:
    return float(sum(values, Fraction(0)) / len(values)) if values else None


def _distinct(samples: Sequence[SampleReport]) -> int:
    """Count different completion texts: identical draws carry the evidence of one."""
    texts = {tuple(reply.text for reply in sample.completions) for sample in samples}
    return len(texts - {()})


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
    cases: Sequence[CaseReport], *, pass_k: Sequence[int], minimum: int | None = None
) -> Block:
    """Return the aggregates of some cases; below `minimum` scored cases no interval is given."""
    scored = [case for case in cases if case.n > 0]
    planned = sum(case.planned for case in cases)
    total = sum(case.n for case in scored)

    def mean(value: CaseValue) -> Metric:
        return mean_metric(scored, value, minimum=minimum)

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
        cases_flaky=sum(bool(case.flaky) for case in scored),
        samples=planned,
        samples_scored=total,
        samples_unscored=planned - total,
        samples_passed=sum(case.c for case in scored),
        samples_compiled=sum(case.compiled for case in scored),
        pass_rate=mean(lambda case: Fraction(case.c, case.n)),
        pass_at_k=means(pass_at_k_exact, var_pass_at_k_exact),
        pass_hat_k=means(pass_hat_k_exact, var_pass_hat_k_exact),
        mean_score=mean(_mean_score),
        compile_rate=mean(compile_share),
        test_pass_rate=mean(tests_share),
        lint_free_rate=mean(lint_free_share),
    )


def _mean_score(case: CaseReport) -> Fraction:
    return sum(case_scores(case), Fraction(0)) / case.n


def _mean_at_k(
    scored: Sequence[CaseReport], k: int, *, value: AtK, variance: AtK, minimum: int | None
) -> Metric:
    """Null unless every scored case has k samples, as the original HumanEval harness has it."""
    short = tuple(case.key for case in scored if case.n < k)
    if short:
        reason = str(Reason.INSUFFICIENT_SAMPLES)
        return Metric(value=None, reason=reason, short_cases=short)
    metric = mean_metric(
        scored, lambda case: value(case.n, case.c, k) or Fraction(0), minimum=minimum
    )
    again = se_rerun([variance(case.n, case.c, k) for case in scored])
    return metric.model_copy(update={"se_rerun": again})


def mean_metric(scored: Sequence[CaseReport], value: CaseValue, *, minimum: int | None) -> Metric:
    """Return the mean over cases with its modified Wilson interval and population error."""
    values = [value(case) for case in scored]
    interval = modified_wilson(values, samples=sum(case.n for case in scored))
    if interval is None:
        return Metric(value=None, reason=str(Reason.UNSCORED))
    mean = float(interval.mean)
    if minimum is not None and len(values) < minimum:
        return Metric(value=mean, reason=TOO_FEW_CASES)
    return Metric(
        value=mean, ci95=(interval.lower, interval.upper), se_population=se_population(values)
    )
