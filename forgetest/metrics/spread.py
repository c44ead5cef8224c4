"""Standard errors of a mean over cases: had other tasks been drawn, had these been run again."""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from math import sqrt

from forgetest.metrics.domain import Number, check_aligned, exact, mean, total
from forgetest.metrics.reading import takes_arrays

Clusters = Sequence[Hashable]


@takes_arrays
def se_population(values: Sequence[Number], *, clusters: Clusters | None = None) -> float | None:
    """Return the standard error of the mean of M case values, had other such tasks been drawn.

    The standard deviation (M-1 divisor) over sqrt(M). With a cluster named for each case:
    sqrt(G/(G-1) * sum over G clusters of (sum of residuals)^2) / M, the cluster-robust form of
    Miller 2024 (arXiv 2411.00640) with the small-sample factor. None with fewer than two cases or
    clusters. Raises ValueError for NaN, infinity, and clusters of another number than values.
    """
    groups, squares = residuals([exact(value) for value in values], clusters)
    if groups < 2:  # noqa: PLR2004 - one group has no spread
        return None
    return sqrt(Fraction(groups, groups - 1) * squares / len(values) ** 2)


@takes_arrays
def se_rerun(variances: Sequence[Number | None]) -> float | None:
    """Return the standard error of the mean over cases, had the same tasks been run again.

    sqrt(sum of the cases' unbiased variances) / M; the variances come from `var_pass_at_k`,
    `var_pass_hat_k` or `var_case_score`. None without cases, or when a case has no variance.
    Raises ValueError for NaN, infinity and a negative variance.
    """
    known = [exact(variance) for variance in variances if variance is not None]
    if any(variance < 0 for variance in known):
        raise ValueError("a variance must not be negative")
    if not known or len(known) < len(variances):
        return None
    return sqrt(total(known)) / len(known)


def residuals(values: Sequence[Fraction], clusters: Clusters | None) -> tuple[int, Fraction]:
    """Return the number of clusters and the sum of their squared sums of residuals from the mean.

    Without clusters each value is its own. Raises ValueError for clusters of another number than
    values.
    """
    middle = mean(values) or Fraction()
    if clusters is None:
        return len(values), total(value**2 for value in values) - len(values) * middle**2
    check_aligned(values, clusters, "values and clusters")
    sums: dict[Hashable, Fraction] = {}
    for value, group in zip(values, clusters, strict=True):
        sums[group] = sums.get(group, Fraction()) + value - middle
    return len(sums), total(residual**2 for residual in sums.values())
