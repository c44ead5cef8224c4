"""Wilson intervals for a mean of case values in 0 to 1, plain, modified and clustered."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from forgetest.metrics.domain import Number, check_counts, mean, share
from forgetest.metrics.reading import takes_arrays
from forgetest.metrics.spread import Clusters, residuals
from forgetest.metrics.student import z_of_level


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
        raise ValueError(f"{len(shares)} case values can not rest on {samples} samples")
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
