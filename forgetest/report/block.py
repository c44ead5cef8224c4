"""Aggregates over cases: one block for a model, a suite, a tag, a difficulty.

Everything is recomputed from counts as exact rationals; the one rounding is the last step.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from forgetest.metrics import (
    Reason,
    modified_wilson,
    pass_at_k_exact,
    pass_hat_k_exact,
    se_population,
    se_rerun,
    var_pass_at_k_exact,
    var_pass_hat_k_exact,
)
from forgetest.report.case import case_scores, compile_share, lint_free_share, tests_share
from forgetest.report.types import Block, CaseReport, Metric

TOO_FEW_CASES = "too_few_cases"

CaseValue = Callable[[CaseReport], Fraction]
AtK = Callable[[int, int, int], Fraction | None]


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
