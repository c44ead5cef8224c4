"""How sure a mean over cases is: Wilson intervals, standard errors, and the quantiles they need.

Intervals are of values in 0 to 1, plain, modified and clustered. The two standard errors answer two
questions: had other cases been drawn, and were these cases run again.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import cos, fsum, pi, sin, sqrt, tan
from statistics import NormalDist

from forgetest.metrics.domain import (
    Number,
    check_aligned,
    check_counts,
    exact,
    inner_share,
    is_count,
    mean,
    share,
    shown,
    takes_arrays,
    total,
)

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


@takes_arrays
def z_of_level(level: Number) -> float:
    """Return the normal quantile of a two-sided level: about 1.96 for 0.95.

    Raises ValueError unless the level lies strictly in 0 to 1.
    """
    return NormalDist().inv_cdf((1 + inner_share(level, "level")) / 2)


@takes_arrays
def student_t_quantile(p: Number, df: int) -> float:
    """Return the t that a Student t variable with df degrees of freedom stays below with chance p.

    Good to a relative 1e-12 for p from 0.0001 to 0.9999. With t = sqrt(df) tan(angle), the chance
    of staying within -t and t is a finite sum of sines and cosines (Abramowitz and Stegun 1964,
    26.7.3 and 26.7.4). It is concave in the angle, so Newton's steps from 0 rise to the root and
    never pass it. Takes time in proportion to df. Raises ValueError unless p lies strictly in
    0 to 1 and df is an int (not a bool) of at least 1.
    """
    chance = inner_share(p, "p")
    if not is_count(df) or df < 1:
        raise ValueError(f"df must be a whole number of at least 1, not {shown(df)}")
    if chance < 0.5:  # noqa: PLR2004 - the distribution is symmetric about its median
        return -_upper(1 - 2 * chance, df)
    return _upper(2 * chance - 1, df)


def _upper(within: float, df: int) -> float:
    """Return the t that a t variable stays within, on both sides, with the given chance."""
    slope = _slope_at_zero(df)
    angle = 0.0
    while True:
        step = (within - _chance_within(angle, df)) / (slope * cos(angle) ** (df - 1))
        if angle + step <= angle:
            return sqrt(df) * tan(angle)
        angle += step


def _chance_within(angle: float, df: int) -> float:
    series = fsum(_terms(cos(angle), df))
    if df % 2:
        return 2 / pi * (angle + sin(angle) * series)
    return sin(angle) * series


def _slope_at_zero(df: int) -> float:
    series = fsum(_terms(1.0, df))
    return 2 / pi * (1 + series) if df % 2 else series


def _terms(cosine: float, df: int) -> Iterator[float]:
    """Yield the terms of the finite series: powers of the cosine below df, in steps of two."""
    odd = df % 2
    term = cosine if odd else 1.0
    for power in range(odd, df - 1, 2):
        yield term
        term *= cosine * cosine * (power + 1) / (power + 2)


@dataclass(frozen=True, slots=True)
class WilsonInterval:
    """An interval for a mean in 0 to 1, and the number of independent samples it rests on."""

    mean: Fraction
    n_eff: Fraction
    lower: float
    upper: float


@takes_arrays
def wilson(n: int, c: int, *, level: Number = 0.95) -> WilsonInterval | None:
    """Return the Wilson score interval for c passes of n independent samples; None when n = 0.

    Wilson 1927. Raises ValueError unless 0 <= c <= n are ints and no bools, and the level lies
    strictly in 0 to 1.
    """
    check_counts(n, c)
    z = z_of_level(level)
    return _around(Fraction(c, n), Fraction(n), z) if n else None


@takes_arrays
def modified_wilson(
    values: Sequence[Number],
    samples: int,
    *,
    clusters: Clusters | None = None,
    level: Number = 0.95,
) -> WilsonInterval | None:
    """Return the Wilson interval of the mean of M case values, with an effective sample size.

    `values` are each case's pass rate, pass@k, pass^k or score in 0 to 1; `samples` is the number
    of scored samples behind all of them; `clusters` names the cluster of each case. n_eff is
    m(1-m)/S2, at most `samples`, with S2 the sum of squared residuals (summed by cluster first)
    over M^2; M or the number of clusters when m is 0 or 1; `samples` when only S2 is 0. With one
    sample a case it is the plain Wilson interval (Wilson 1927; effective sample size: Korn and
    Graubard 1998; Franco et al. 2019). None without values. Raises ValueError for values outside
    0 to 1, fewer samples than values, clusters of another number than values, and a level not
    strictly in 0 to 1.
    """
    shares = [share(value, "value") for value in values]
    (groups, squares), z = residuals(shares, clusters), z_of_level(level)
    if samples < len(shares):
        raise ValueError(f"{len(shares)} case values cannot rest on {samples} samples")
    middle = mean(shares)
    if middle is None:
        return None
    if middle in (0, 1):
        return _around(middle, Fraction(groups), z)
    return _around(middle, _effective(middle, squares / len(shares) ** 2, samples), z)


def _effective(middle: Fraction, spread: Fraction, samples: int) -> Fraction:
    return min(middle * (1 - middle) / spread, Fraction(samples)) if spread else Fraction(samples)


def _around(middle: Fraction, n_eff: Fraction, z: float) -> WilsonInterval:
    m, n = float(middle), float(n_eff)
    shrink = 1 + z * z / n
    centre = (m + z * z / (2 * n)) / shrink
    half = z / shrink * sqrt(m * (1 - m) / n + z * z / (4 * n * n))
    lower = 0.0 if middle == 0 else max(0.0, centre - half)
    upper = 1.0 if middle == 1 else min(1.0, centre + half)
    return WilsonInterval(middle, n_eff, lower, upper)
