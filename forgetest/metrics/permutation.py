"""The within-case permutation test on scores: would labels drawn by lot differ as much."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, chain
from math import gcd, lcm, sqrt
from operator import add
from random import Random

from forgetest.metrics.deals import Pool
from forgetest.metrics.domain import Number, check_aligned, check_k, share
from forgetest.metrics.reading import takes_arrays

_STEPS_WIDE = 10  # standard deviations of a sum in its longest steps, from which it is normal


@dataclass(frozen=True, slots=True)
class ShiftTest:
    """How likely the sum of case differences is, nothing having changed; `draws` None is exact."""

    p_worse: Fraction  # as low as observed, or lower
    p_better: Fraction  # as high as observed, or higher
    two_sided: Fraction  # as far from 0 as observed, or farther
    draws: int | None = None


@takes_arrays
def permutation_test(
    baseline: Sequence[Sequence[Number]],
    current: Sequence[Sequence[Number]],
    *,
    seed: int,
    draws: int = 10_000,
) -> ShiftTest:
    """Return the p-values of the mean difference between two runs' scores, by random relabelling.

    Row i of both holds the sample scores of case i. In each draw the scores of every case are
    dealt anew to the two runs; p = (hits+1) / (draws+1), hits being the draws whose sum of
    differences of case means is at least as extreme, compared exactly. Same seed, same p-values.
    The exact relative for passes is `exact_stratified_test`. The added ones keep p valid (Phipson
    and Smyth 2010).

    Cases whose summed difference has a standard deviation of at least ten times what exchanging any
    two of their samples could change are not dealt one by one: no sample matters to such a sum, so
    it is drawn as normal with its exact mean (0) and variance and rounded to the values that it can
    have (the limit theorem for sampling without replacement, Hajek 1960). Its p-values are within
    0.01 of those from deals, and large runs take a second instead of minutes.

    Raises ValueError for runs of different length, a case without scores in one of them, scores
    outside 0 to 1, and draws < 1.
    """
    check_k(draws, "draws")
    pools = _pools(baseline, current)
    observed = sum(pool.observed for pool in pools)
    rng = Random(seed)  # noqa: S311 - a test statistic must be repeatable, not secret
    many, few = _parted(pool for pool in pools if pool.longest_step)
    totals = _normal(many, rng, draws) if many else [0] * draws
    for pool in few:
        totals = list(map(add, totals, pool.dealt(rng, draws)))
    return ShiftTest(
        p_worse=_p_value(sum(total <= observed for total in totals), draws),
        p_better=_p_value(sum(total >= observed for total in totals), draws),
        two_sided=_p_value(sum(abs(total) >= abs(observed) for total in totals), draws),
        draws=draws,
    )


def _p_value(hits: int, draws: int) -> Fraction:
    return Fraction(hits + 1, draws + 1)


def _parted(pools: Iterable[Pool]) -> tuple[list[Pool], list[Pool]]:
    """Return the cases whose sum is as good as normal, as many as can be, and the others.

    Only cases of short steps can be among the first, so they are tried in that order.
    """
    ordered = sorted(pools, key=lambda pool: pool.longest_step)
    variances = accumulate(pool.variance for pool in ordered)
    wide = [
        variance >= (_STEPS_WIDE * pool.longest_step) ** 2
        for pool, variance in zip(ordered, variances, strict=True)
    ]
    end = len(wide) - wide[::-1].index(True) if any(wide) else 0
    return ordered[:end], ordered[end:]


def _normal(pools: Sequence[Pool], rng: Random, draws: int) -> list[int]:
    """Return draws of the normal limit of the cases' summed difference, on its own grid.

    The observed sum lies on the grid, and with it every other that deals can give.
    """
    observed, grid = sum(pool.observed for pool in pools), gcd(*(pool.grid for pool in pools))
    deviation = sqrt(sum(pool.variance for pool in pools) / grid**2)
    shift = observed / grid
    steps = (round(rng.gauss(0, deviation) - shift) for _ in range(draws))
    return [observed + step * grid for step in steps]


def _pools(baseline: Sequence[Sequence[Number]], current: Sequence[Sequence[Number]]) -> list[Pool]:
    """Return the cases with all scores as multiples of their common unit."""
    check_aligned(baseline, current, "baseline and current")
    if not all(baseline) or not all(current):
        raise ValueError("a compared case must have scored samples in both runs")
    known = {score: share(score, "score") for score in set(chain(*baseline, *current))}
    unit = lcm(*(score.denominator for score in known.values()))
    units = {score: int(value * unit) for score, value in known.items()}
    scale = lcm(*(len(row) for row in (*baseline, *current)))
    return [
        _pool([units[score] for score in old], [units[score] for score in new], scale)
        for old, new in zip(baseline, current, strict=True)
    ]


def _pool(baseline: Sequence[int], current: Sequence[int], scale: int) -> Pool:
    scores = (*baseline, *current)
    return Pool(scores, tuple(current), sum(scores), scale)
