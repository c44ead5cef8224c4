"""Quantiles: Student's t for whole degrees of freedom, and the normal z of a level."""

from collections.abc import Iterator
from math import cos, fsum, pi, sin, sqrt, tan
from statistics import NormalDist

from forgetest.metrics.domain import Number, inner_share, is_count, shown
from forgetest.metrics.reading import takes_arrays


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
