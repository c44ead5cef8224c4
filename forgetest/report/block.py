"""Aggregates over cases: one block for a model, a suite, a tag, a difficulty (scoring.md 4.4)."""

import math
from collections.abc import Callable, Sequence

from forgetest.metrics import Reason, modified_wilson, se_population
from forgetest.report.types import Block, CaseReport, Metric

Value = Callable[[CaseReport], float | None]


def block(
    cases: Sequence[CaseReport], *, pass_k: Sequence[int], minimum: int | None = None
) -> Block:
    """Return the aggregates of some cases; below `minimum` scored cases no interval is given."""
    scored = [case for case in cases if case.n > 0]
    samples = sum(case.planned for case in cases)
    total = sum(case.n for case in scored)

    def mean(value: Value) -> Metric:
        return mean_metric(scored, value, minimum=minimum)

    return Block(
        cases=len(scored),
        cases_unscored=len(cases) - len(scored),
        cases_always=sum(case.c == case.n for case in scored),
        cases_never=sum(case.c == 0 for case in scored),
        cases_flaky=sum(bool(case.flaky) for case in scored),
        samples=samples,
        samples_scored=total,
        samples_unscored=samples - total,
        samples_passed=sum(case.c for case in scored),
        samples_compiled=sum(case.compiled for case in scored),
        pass_rate=mean(lambda case: case.pass_rate),
        pass_at_k={str(k): _at_k(scored, k, hat=False, minimum=minimum) for k in pass_k},
        pass_hat_k={str(k): _at_k(scored, k, hat=True, minimum=minimum) for k in pass_k},
        mean_score=mean(lambda case: case.mean_score),
        compile_rate=mean(lambda case: case.compile_rate),
        test_pass_rate=mean(lambda case: case.test_pass_rate),
        clippy_clean_rate=mean(clippy_clean),
    )


def clippy_clean(case: CaseReport) -> float | None:
    """Return the share of scored samples that compile without a clippy lint."""
    verdicts = [sample.verdict for sample in case.samples if sample.verdict is not None]
    if not verdicts:
        return None
    return sum(item.compiled and not item.lints for item in verdicts) / len(verdicts)


def _at_k(scored: Sequence[CaseReport], k: int, *, hat: bool, minimum: int | None) -> Metric:
    """Null unless every scored case has k samples, as the original HumanEval harness has it."""
    short = tuple(f"{case.eval_set}/{case.case}" for case in scored if case.n < k)
    if short:
        reason = str(Reason.INSUFFICIENT_SAMPLES)
        return Metric(value=None, reason=reason, short_cases=short)

    def of(case: CaseReport) -> Metric:
        return (case.pass_hat_k if hat else case.pass_at_k)[str(k)]

    metric = mean_metric(scored, lambda case: of(case).value, minimum=minimum)
    return metric.model_copy(update={"se_rerun": _rerun([of(case) for case in scored])})


def _rerun(metrics: Sequence[Metric]) -> float | None:
    """Return sqrt(sum of variances) / M; None when a case has fewer than 2k samples."""
    errors = [metric.se_rerun for metric in metrics]
    known = [error for error in errors if error is not None]
    if not errors or len(known) < len(errors):
        return None
    return float(sum(error**2 for error in known) ** 0.5 / len(errors))


def mean_metric(scored: Sequence[CaseReport], value: Value, *, minimum: int | None) -> Metric:
    """Return the mean over cases with its modified Wilson interval and population error."""
    values = [item for item in map(value, scored) if item is not None]
    if not values:
        return Metric(value=None, reason=str(Reason.UNSCORED))
    mean = math.fsum(values) / len(values)
    if minimum is not None and len(values) < minimum:
        return Metric(value=mean, reason="too_few_cases")
    bounds = modified_wilson(values, samples=sum(case.n for case in scored))
    return Metric(
        value=mean,
        ci95=(bounds.lower, bounds.upper),
        se_population=se_population(values),
    )
