"""The within-case permutation test on scores: would labels drawn by lot differ as much."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, gcd, lcm
from operator import add
from random import Random

from forgetest.metrics.convolution import Spread
from forgetest.metrics.domain import Number, check_aligned, check_k, share
from forgetest.metrics.hypergeometric import hypergeometric_ways

_MOST_BYTES_MOVED = 250_000_000  # about when drawing becomes faster than counting


@dataclass(frozen=True, slots=True)
class ShiftTest:
    """How likely the sum of case differences is, nothing having changed; `draws` None is exact."""

    p_worse: Fraction  # as low as observed, or lower
    p_better: Fraction  # as high as observed, or higher
    two_sided: Fraction  # as far from 0 as observed, or farther
    draws: int | None = None


@dataclass(frozen=True, slots=True)
class _Case:
    """The scores of one case in whole units; the difference of means is `scale` times too large."""

    pool: tuple[int, ...]
    current: tuple[int, ...]
    pooled: int  # the sum of the pool
    scale: int

    def difference(self, total: int) -> int:
        """Return the difference of means when the samples dealt to current sum to `total`."""
        per_current = self.scale // len(self.current)
        per_baseline = self.scale // (len(self.pool) - len(self.current))
        return total * per_current - (self.pooled - total) * per_baseline

    def dealt(self, rng: Random, draws: int) -> list[int]:
        """Return the differences of so many random deals of the pool."""
        sums = _subset_sums(self.pool, len(self.current))
        if sums is None:
            size = len(self.current)
            return [self.difference(sum(rng.sample(self.pool, size))) for _ in range(draws)]
        ways = sum(sums.values())
        differences = [self.difference(total) for total in sums]
        return rng.choices(differences, [each / ways for each in sums.values()], k=draws)


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
    and Smyth 2010). Raises ValueError for runs of different length, a case without scores in one of
    them, scores outside 0 to 1, and draws < 1.
    """
    check_k(draws, "draws")
    cases = _whole(baseline, current)
    observed = sum(case.difference(sum(case.current)) for case in cases)
    rng = Random(seed)  # noqa: S311 - a test statistic must be repeatable, not secret
    totals = [0] * draws
    for case in cases:
        if len(set(case.pool)) > 1:
            totals = list(map(add, totals, case.dealt(rng, draws)))
    return ShiftTest(
        p_worse=_p_value(sum(total <= observed for total in totals), draws),
        p_better=_p_value(sum(total >= observed for total in totals), draws),
        two_sided=_p_value(sum(abs(total) >= abs(observed) for total in totals), draws),
        draws=draws,
    )


def _p_value(hits: int, draws: int) -> Fraction:
    return Fraction(hits + 1, draws + 1)


def _whole(
    baseline: Sequence[Sequence[Number]], current: Sequence[Sequence[Number]]
) -> list[_Case]:
    """Return the cases with all scores as multiples of their common unit."""
    check_aligned(baseline, current, "baseline and current")
    if not all(baseline) or not all(current):
        raise ValueError("a compared case must have scored samples in both runs")
    before, after = _exact_rows(baseline), _exact_rows(current)
    unit = lcm(*(score.denominator for row in (*before, *after) for score in row))
    scale = lcm(*(len(row) for row in (*before, *after)))
    return [
        _case(_units(old, unit), _units(new, unit), scale)
        for old, new in zip(before, after, strict=True)
    ]


def _case(baseline: tuple[int, ...], current: tuple[int, ...], scale: int) -> _Case:
    pool = baseline + current
    return _Case(pool, current, sum(pool), scale)


def _exact_rows(rows: Sequence[Sequence[Number]]) -> list[list[Fraction]]:
    return [[share(score, "score") for score in row] for row in rows]


def _units(scores: Sequence[Fraction], unit: int) -> tuple[int, ...]:
    return tuple(int(score * unit) for score in scores)


def _subset_sums(pool: Sequence[int], size: int) -> Spread | None:
    """Return in how many ways `size` of the pool give each sum; None when counting is too slow."""
    if len(set(pool)) == 2:  # noqa: PLR2004 - passes and failures have a closed form
        return _two_valued_sums(pool, size)
    low = min(pool)
    unit = gcd(*(value - low for value in pool)) or 1
    ways = _packed_ways([(value - low) // unit for value in pool], size)
    if ways is None:
        return None
    return {size * low + x * unit: way for x, way in enumerate(ways) if way}


def _two_valued_sums(pool: Sequence[int], size: int) -> Spread:
    low, high = min(pool), max(pool)
    least, ways = hypergeometric_ways(len(pool), pool.count(high), size)
    return {size * low + x * (high - low): way for x, way in enumerate(ways, least)}


def _packed_ways(steps: Sequence[int], size: int) -> list[int] | None:
    """Return the ways to each sum from 0 up, counted in the slots of one long integer per size.

    Adding a member shifts all sums of the smaller subsets at once, in machine code.
    """
    width = comb(len(steps), min(size, len(steps) // 2)).bit_length() // 8 + 1
    reach = sum(sorted(steps)[-size:]) + 1
    if width * reach * size * len(steps) > _MOST_BYTES_MOVED:
        return None
    by_size = [1] + [0] * size
    for step in steps:
        for taken in range(size, 0, -1):
            by_size[taken] += by_size[taken - 1] << (8 * width * step)
    slots = by_size[size].to_bytes(width * reach, "little")
    return [int.from_bytes(slots[i : i + width], "little") for i in range(0, len(slots), width)]
