"""The difference between two runs over the same cases, and its interval.

Baseline and current are aligned: position i of both is the same case, scored in both runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from forgetest.metrics.domain import (
    Counts,
    Number,
    check_aligned,
    check_counts,
    exact,
    mean,
    takes_arrays,
    total,
)
from forgetest.metrics.intervals import (
    Clusters,
    residuals,
    se_population,
    student_t_quantile,
    z_of_level,
)


@dataclass(frozen=True, slots=True)
class Interval:
    """Two ends of an interval, in the unit of what it encloses."""

    lower: float
    upper: float


@takes_arrays
def paired_differences(baseline: Sequence[Counts], current: Sequence[Counts]) -> list[Fraction]:
    """Return each case's pass rate in current minus that in baseline, from (n, c) pairs.

    Raises ValueError when the two differ in length, and unless n >= 1 and 0 <= c <= n are ints.
    """
    check_pairs(baseline, current)
    pairs = zip(baseline, current, strict=True)
    return [Fraction(c_b, n_b) - Fraction(c_a, n_a) for (n_a, c_a), (n_b, c_b) in pairs]


@takes_arrays
def paired_delta(baseline: Sequence[Counts], current: Sequence[Counts]) -> Fraction | None:
    """Return the mean over cases of the paired differences, in -1 to 1; None without cases.

    Raises ValueError as `paired_differences`.
    """
    return mean(paired_differences(baseline, current))


@takes_arrays
def paired_interval(
    differences: Sequence[Number], *, clusters: Clusters | None = None, level: Number = 0.95
) -> Interval | None:
    """Return an interval for the mean of the case differences, clipped to -1 to 1.

    Differences are of pass rates or of mean scores. Plain: append one difference of +1 and one of
    -1, then m' +- z sqrt(s2 / (M+2)) with m' and s2 the mean and variance (divisor M+2) of the M+2
    values; with one sample a case it is Bonett and Price 2012. With a cluster named for each case:
    the mean +- t (G-1 degrees of freedom) times the cluster-robust standard error of Miller 2024
    (arXiv 2411.00640), or, when that error is 0, the plain form with the G clusters as cases,
    which keeps its width. None with fewer than two cases or clusters. Raises ValueError for
    differences outside -1 to 1, clusters of another number, and a level not strictly in 0 to 1.
    """
    values = [exact(difference) for difference in differences]
    if any(abs(value) > 1 for value in values):
        raise ValueError("differences must lie in -1 to 1")
    z, middle = z_of_level(level), mean(values)
    groups, _ = residuals(values, clusters)
    if middle is None or groups < 2:  # noqa: PLR2004 - one group has no spread
        return None
    if clusters is None:
        return _bonett_price(values, z)
    error = se_population(values, clusters=clusters)
    if not error:
        return _bonett_price([middle] * groups, z)
    t = student_t_quantile((1 + exact(level)) / 2, groups - 1)
    return _clipped(float(middle), t * error)


def check_pairs(baseline: Sequence[Counts], current: Sequence[Counts]) -> None:
    """Raise ValueError unless both hold (n, c) with n >= 1 and 0 <= c <= n for the same cases."""
    check_aligned(baseline, current, "baseline and current")
    for n, c in (*baseline, *current):
        check_counts(n, c)
        if n == 0:
            raise ValueError("a compared case must have scored samples in both runs")


def _bonett_price(values: Sequence[Fraction], z: float) -> Interval:
    size = len(values) + 2
    middle = total(values) / size
    spread = (total(value**2 for value in values) + 2) / size - middle**2
    return _clipped(float(middle), z * sqrt(spread / size))


def _clipped(middle: float, half: float) -> Interval:
    return Interval(max(-1.0, middle - half), min(1.0, middle + half))
