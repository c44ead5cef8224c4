"""Exact means over samples, cases and eval sets, and order statistics of a column."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, isfinite, sqrt

from forgetest.metrics.domain import Counts, Number, check_counts, exact, mean, share, total
from forgetest.metrics.reading import takes_arrays


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
