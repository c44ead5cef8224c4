"""The metrics of many cases: means over rows, each row one case, all rows of equal weight.

Rows come in two forms, which may be mixed: a tuple (n, c), or the samples themselves as a list of
0 and 1. Tuples are always pairs and lists always samples, so [1, 1] is two passing samples and
(1, 1) is one. A row without samples is an unscored case: it leaves the mean.

The means of scores, over samples, cases and eval sets, and percentiles are at the end.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, fsum, isfinite, sqrt
from typing import TypeAlias, TypeVar

from forgetest.metrics.domain import (
    Counts,
    Number,
    Reason,
    as_float,
    check_counts,
    check_k,
    exact,
    mean,
    share,
    shown,
    takes_arrays,
    total,
    whole,
)
from forgetest.metrics.estimators import (
    EXACT_LIMIT,
    g_pass_at_k_tau_exact,
    mg_pass_at_k_exact,
    missing_reason,
    pass_at_k,
    pass_at_k_exact,
    pass_at_k_naive,
    pass_hat_k,
    pass_hat_k_exact,
    pass_to_the_k,
    tau_threshold,
)

Rows: TypeAlias = Sequence[Sequence[int]]
_V = TypeVar("_V", float, Fraction)


@takes_arrays
def counts(rows: Rows) -> list[Counts]:
    """Return (n, c) of every row.

    Raises ValueError for a tuple that is not (n, c) with 0 <= c <= n, and for a list with entries
    other than 0 and 1.
    """
    return [_pair(row) if isinstance(row, tuple) else _tally(row) for row in rows]


@takes_arrays
def short_cases(rows: Rows, k: int) -> list[int]:
    """Return the positions of the scored rows with fewer than k samples; errors as `counts`."""
    reasons = [missing_reason(n, k) for n, _ in counts(rows)]
    return [i for i, reason in enumerate(reasons) if reason is Reason.INSUFFICIENT_SAMPLES]


@takes_arrays
def missing_mean_reason(rows: Rows, k: int) -> Reason | None:
    """Return why the rows have no mean of pass@k, or None when they have one.

    `empty` without rows, `unscored` when no row has a sample, `insufficient_samples` when a scored
    row has fewer than k. Raises ValueError as `counts` and for a wrong k.
    """
    check_k(k)
    if not rows:
        return Reason.EMPTY
    if not any(n for n, _ in counts(rows)):
        return Reason.UNSCORED
    return Reason.INSUFFICIENT_SAMPLES if short_cases(rows, k) else None


@takes_arrays
def mean_pass_at_k(rows: Rows, k: int) -> float | None:
    """Return the mean over rows of pass@k (Chen et al. 2021), in 0 to 1.

    None unless there is a scored row and every scored row has k samples, see
    `missing_mean_reason`. Raises ValueError as `counts` and for a wrong k.
    """
    if _has_huge(rows):
        return _float_mean(rows, k, lambda n, c: pass_at_k(n, c, k))
    return as_float(mean_pass_at_k_exact(rows, k))


@takes_arrays
def mean_pass_at_k_exact(rows: Rows, k: int) -> Fraction | None:
    """Return `mean_pass_at_k` as the exact rational; None and errors are the same."""
    return _exact_mean(rows, k, lambda n, c: pass_at_k_exact(n, c, k))


@takes_arrays
def mean_pass_hat_k(rows: Rows, k: int) -> float | None:
    """Return the mean over rows of pass^k (Yao et al. 2024), in 0 to 1.

    None and ValueError as for `mean_pass_at_k`.
    """
    if _has_huge(rows):
        return _float_mean(rows, k, lambda n, c: pass_hat_k(n, c, k))
    return as_float(mean_pass_hat_k_exact(rows, k))


@takes_arrays
def mean_pass_hat_k_exact(rows: Rows, k: int) -> Fraction | None:
    """Return `mean_pass_hat_k` as the exact rational; None and errors are the same."""
    return _exact_mean(rows, k, lambda n, c: pass_hat_k_exact(n, c, k))


mean_g_pass_at_k = mean_pass_hat_k


@takes_arrays
def mean_pass_at_k_naive(rows: Rows, k: int) -> float | None:
    """Return the mean over rows of 1-(1-c/n)^k, for comparison only; k may exceed n.

    None when no row is scored. Raises ValueError as `counts` and for a wrong k.
    """
    return _float_mean(rows, k, lambda n, c: pass_at_k_naive(Fraction(c, n), k))


@takes_arrays
def mean_pass_to_the_k(rows: Rows, k: int) -> float | None:
    """Return the mean over rows of (c/n)^k, for comparison only; k may exceed n.

    None and ValueError as for `mean_pass_at_k_naive`.
    """
    return _float_mean(rows, k, lambda n, c: pass_to_the_k(Fraction(c, n), k))


@takes_arrays
def mean_g_pass_at_k_tau(rows: Rows, k: int, tau: Number) -> float | None:
    """Return the mean over rows of G-Pass@k at the share tau (Liu et al. 2024), in 0 to 1.

    None and ValueError as for `mean_pass_at_k`; ValueError also for tau outside 0 to 1.
    """
    tau_threshold(k, tau)
    return as_float(_exact_mean(rows, k, lambda n, c: g_pass_at_k_tau_exact(n, c, k, tau)))


@takes_arrays
def mean_mg_pass_at_k(rows: Rows, k: int) -> float | None:
    """Return the mean over rows of mG-Pass@k (Liu et al. 2024), in 0 to 1.

    None and ValueError as for `mean_pass_at_k`.
    """
    return as_float(_exact_mean(rows, k, lambda n, c: mg_pass_at_k_exact(n, c, k)))


@takes_arrays
def avg(
    matrix: Sequence[Sequence[Number]], weights: Sequence[Number] | None = None
) -> float | None:
    """Return the mean of all entries, rows of any length pooled; None without entries.

    With weights the entries are categories 0 to C, and the mean is that of their worths. Raises
    ValueError for NaN, for infinity, and with weights for an entry that is not a category.
    """
    entries = [entry for row in matrix for entry in row]
    if weights is None:
        return as_float(mean(exact(entry) for entry in entries))
    worths = [exact(weight) for weight in weights]
    places = [whole(entry) for entry in entries]
    if any(place not in range(len(worths)) for place in places):
        raise ValueError(f"outcomes must be categories 0 to {len(worths) - 1}, one per weight")
    return as_float(mean(worths[place or 0] for place in places))


def _pair(row: Sequence[int]) -> Counts:
    if len(row) != 2:  # noqa: PLR2004 - a pair is two
        raise ValueError(f"a tuple is a pair (n, c), not {shown(row)}; write samples as a list")
    check_counts(*row)
    return row[0], row[1]


def _tally(row: Sequence[int]) -> Counts:
    samples = [entry if type(entry) is int else whole(entry) for entry in row]
    if any(sample not in (0, 1) for sample in samples):
        raise ValueError(f"a list of samples holds 0 and 1 only, not {shown(row)}")
    return len(samples), samples.count(1)


def _has_huge(rows: Rows) -> bool:
    return any(n > EXACT_LIMIT for n, _ in counts(rows))


def _exact_mean(
    rows: Rows, k: int, metric: Callable[[int, int], Fraction | None]
) -> Fraction | None:
    return mean(_complete(rows, k, metric))


def _float_mean(rows: Rows, k: int, metric: Callable[[int, int], float | None]) -> float | None:
    values = _complete(rows, k, metric)
    return fsum(values) / len(values) if values else None


def _complete(rows: Rows, k: int, metric: Callable[[int, int], _V | None]) -> list[_V]:
    """Return the metric of every scored row, or nothing when one of them has no value."""
    check_k(k)
    values = [metric(n, c) for n, c in counts(rows) if n]
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else []


@takes_arrays
def case_score(scores: Sequence[Number]) -> Fraction | None:
    """Return the mean of a case's sample scores, never the best; None when nothing was scored.

    Raises ValueError for scores outside 0 to 1.
    """
    return mean(share(score, "score") for score in scores)


@takes_arrays
def score_sd(scores: Sequence[Number]) -> float | None:
    """Return the sample standard deviation (n-1 divisor) of a case's scores; None when n < 2.

    Raises ValueError for scores outside 0 to 1.
    """
    variance = var_case_score(scores)
    return None if variance is None else sqrt(variance * len(scores))


@takes_arrays
def var_case_score(scores: Sequence[Number]) -> Fraction | None:
    """Return the unbiased variance of `case_score`: the sample variance over n; None when n < 2.

    What `se_rerun` wants for the mean score. Raises ValueError for scores outside 0 to 1.
    """
    values, middle = [share(score, "score") for score in scores], case_score(scores)
    if middle is None or len(values) < 2:  # noqa: PLR2004 - one value has no spread
        return None
    squares = total((value - middle) ** 2 for value in values)
    return squares / ((len(values) - 1) * len(values))


@takes_arrays
def macro(suite_scores: Sequence[Number]) -> Fraction | None:
    """Return the mean over eval sets of their scores, each of equal weight; None without any.

    Raises ValueError for scores outside 0 to 1.
    """
    return mean(share(score, "score") for score in suite_scores)


@takes_arrays
def micro(suites: Sequence[Counts]) -> Fraction | None:
    """Return the pooled rate: passed over scored samples of all (n, c); None without samples.

    Raises ValueError unless 0 <= c <= n are ints and no bools.
    """
    for n, c in suites:
        check_counts(n, c)
    scored = sum(n for n, _ in suites)
    return Fraction(sum(c for _, c in suites), scored) if scored else None


@takes_arrays
def nearest_rank(values: Sequence[float], quantile: Number) -> float | None:
    """Return the sorted value number ceil(quantile * N), in the unit given; None without values.

    The nearest-rank percentile, quantile 0.95 for p95. Raises ValueError for NaN and infinity, and
    unless 0 < quantile <= 1.
    """
    rank = share(quantile, "quantile")
    if not rank:
        raise ValueError("quantile must be larger than 0")
    for value in values:
        if type(value) is not float or not isfinite(value):
            exact(value)
    ordered = sorted(values)
    return ordered[ceil(rank * len(ordered)) - 1] if ordered else None
