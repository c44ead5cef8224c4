"""Tests of "nothing has changed" between two runs: Fisher's, the exact stratified one, permutation.

Fisher's exact test is of one case in two runs, each a pair (n, c).

The exact stratified test is of the passes of all cases: McNemar's question for any number of
samples a case. Each case is a stratum. Given its pooled passes s, those of the current run are
hypergeometric when nothing has changed, and the difference of pass rates is a straight line in
them. Cases of the same (n_A, n_B) share their grid, so their sums are convolved as lists of
integers; the groups then meet on a grid common to all.

The permutation test is of scores: how often do randomly exchanged labels differ as much?
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, chain
from math import comb, gcd, lcm, sqrt
from operator import add
from random import Random
from typing import TypeAlias

from forgetest.metrics.combinatorics import (
    Spread,
    cumulated,
    hypergeometric_ways,
    is_quick,
    summed,
    two_sides,
)
from forgetest.metrics.domain import Counts, Number, check_aligned, check_k, share, takes_arrays
from forgetest.metrics.paired import check_pairs, paired_differences


@takes_arrays
def fisher_one_sided(baseline: Counts, current: Counts) -> Fraction:
    """Return the chance, nothing having changed, that current passes as rarely as it did or rarer.

    Given the pooled passes, those of current are hypergeometric (Fisher 1935); small values speak
    for a regression. Exchange the arguments to ask for an improvement. Raises ValueError unless
    n >= 1 and 0 <= c <= n are ints in both.
    """
    return _at_most(baseline, current, current[1])


@takes_arrays
def fisher_p_min(baseline: Counts, current: Counts) -> Fraction:
    """Return the value of `fisher_one_sided` if all the pooled failures had fallen on current.

    The smallest p that the case can reach, which decides whether testing it makes sense (Tarone
    1990). Raises ValueError as `fisher_one_sided`.
    """
    return _at_most(baseline, current, max(0, baseline[1] + current[1] - baseline[0]))


def _at_most(baseline: Counts, current: Counts, passes: int) -> Fraction:
    check_pairs([baseline], [current])
    (n_a, c_a), (n_b, c_b) = baseline, current
    _, ways = hypergeometric_ways(n_a + n_b, c_a + c_b, n_b, most=passes)
    return Fraction(sum(ways), comb(n_a + n_b, n_b))


_MOST_BYTES_MOVED = 250_000_000  # about when drawing becomes faster than counting


@dataclass(frozen=True, slots=True)
class PermutationPool:
    """The pooled scores of one case in whole units; a difference of means is times `scale`."""

    scores: tuple[int, ...]
    current: tuple[int, ...]
    pooled: int  # the sum of the scores
    scale: int

    @property
    def observed(self) -> int:
        """The difference as the samples really fell."""
        return self._difference(sum(self.current))

    @property
    def grid(self) -> int:
        """The step that all possible differences are apart, and multiples of it; 0 if all alike."""
        low = min(self.scores)
        return gcd(*(score - low for score in self.scores)) * self._exchange

    @property
    def longest_step(self) -> int:
        """The most that exchanging two samples changes the difference."""
        return (max(self.scores) - min(self.scores)) * self._exchange

    @property
    def variance(self) -> Fraction:
        """The variance of the difference over all relabellings, exactly.

        (1/n_A + 1/n_B) S^2 on the scale, S^2 being the variance of the N pooled scores with divisor
        N-1: sampling without replacement (Cochran 1977, theorem 2.2). The mean is 0.
        """
        size, drawn = len(self.scores), len(self.current)
        squares = size * sum(score**2 for score in self.scores) - self.pooled**2
        return Fraction(squares * self.scale**2, drawn * (size - drawn) * (size - 1))

    def relabelled(self, rng: Random, draws: int) -> list[int]:
        """Return the differences of so many random relabellings."""
        sums = _subset_sums(self.scores, len(self.current))
        if sums is None:
            size = len(self.current)
            return [self._difference(sum(rng.sample(self.scores, size))) for _ in range(draws)]
        ways = sum(sums.values())
        differences = [self._difference(total) for total in sums]
        return rng.choices(differences, [count / ways for count in sums.values()], k=draws)

    @property
    def _per_current(self) -> int:
        return self.scale // len(self.current)

    @property
    def _per_baseline(self) -> int:
        return self.scale // (len(self.scores) - len(self.current))

    @property
    def _exchange(self) -> int:
        return self._per_current + self._per_baseline

    def _difference(self, total: int) -> int:
        """Return the difference of means when the samples given to current sum to `total`."""
        return total * self._per_current - (self.pooled - total) * self._per_baseline


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
    divided anew between the two runs; p = (hits+1) / (draws+1), hits being the draws whose sum of
    differences of case means is at least as extreme, compared exactly. Same seed, same p-values.
    The exact relative for passes is `exact_stratified_test`. The added ones keep p valid (Phipson
    and Smyth 2010).

    Cases whose summed difference has a standard deviation of at least ten times what exchanging any
    two of their samples could change are not relabelled one by one: no sample matters to such a
    sum, so it is drawn as normal with its exact mean (0) and variance and rounded to the values
    that it can have (the limit theorem for sampling without replacement, Hajek 1960). Its p-values
    are within 0.01 of those from relabelling, and large runs take a second instead of minutes.

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
        totals = list(map(add, totals, pool.relabelled(rng, draws)))
    return ShiftTest(
        p_worse=_p_value(sum(total <= observed for total in totals), draws),
        p_better=_p_value(sum(total >= observed for total in totals), draws),
        two_sided=_p_value(sum(abs(total) >= abs(observed) for total in totals), draws),
        draws=draws,
    )


def _p_value(hits: int, draws: int) -> Fraction:
    return Fraction(hits + 1, draws + 1)


def _parted(
    pools: Iterable[PermutationPool],
) -> tuple[list[PermutationPool], list[PermutationPool]]:
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


def _normal(pools: Sequence[PermutationPool], rng: Random, draws: int) -> list[int]:
    """Return draws of the normal limit of the cases' summed difference, on its own grid.

    The observed sum lies on the grid, and with it every other that relabelling can give.
    """
    observed, grid = sum(pool.observed for pool in pools), gcd(*(pool.grid for pool in pools))
    deviation = sqrt(sum(pool.variance for pool in pools) / grid**2)
    shift = observed / grid
    steps = (round(rng.gauss(0, deviation) - shift) for _ in range(draws))
    return [observed + step * grid for step in steps]


def _pools(
    baseline: Sequence[Sequence[Number]], current: Sequence[Sequence[Number]]
) -> list[PermutationPool]:
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


def _pool(baseline: Sequence[int], current: Sequence[int], scale: int) -> PermutationPool:
    scores = (*baseline, *current)
    return PermutationPool(scores, tuple(current), sum(scores), scale)


_Pair: TypeAlias = tuple[Counts, Counts]


@dataclass(frozen=True, slots=True)
class _Group:
    """Cases of the same (n_A, n_B), and in how many ways each can have its passes in current."""

    n_a: int
    n_b: int
    pooled: int  # passes of all
    least: int  # of them in current
    ways: list[list[int]]  # of each case, from its least number of passes up

    @classmethod
    def of(cls, pairs: Sequence[_Pair]) -> "_Group":
        (n_a, _), (n_b, _) = pairs[0]
        pooled = [c_a + c_b for (_, c_a), (_, c_b) in pairs]
        draws = [hypergeometric_ways(n_a + n_b, passes, n_b) for passes in pooled]
        ways = [_lowest_terms(case) for _, case in draws]
        return cls(n_a, n_b, sum(pooled), sum(least for least, _ in draws), ways)

    def spread(self, scale: int) -> Spread:
        """Return the spread of the summed differences, times scale."""
        per_a, per_b = scale // self.n_a, scale // self.n_b
        return {
            passes * (per_a + per_b) - self.pooled * per_a: weight
            for passes, weight in enumerate(summed(self.ways), self.least)
        }


@takes_arrays
def exact_stratified_test(
    baseline: Sequence[Counts], current: Sequence[Counts]
) -> ShiftTest | None:
    """Return the exact p-values of the summed case differences, given each case's pooled passes.

    p_worse is the chance of a sum as low as observed or lower, p_better as high or higher,
    two_sided as far from 0 or farther. With one sample a case it is McNemar's exact test (McNemar
    1947; Fisher 1935 for each stratum). Cases whose pooled samples all pass or all fail drop out.
    None when so many different (n_A, n_B) or samples meet that exact sums would take seconds: then
    `stratified_test` draws them. Raises ValueError unless both hold (n, c) with n >= 1 and
    0 <= c <= n for the same cases.
    """
    check_pairs(baseline, current)
    groups = _groups(zip(baseline, current, strict=True))
    if not is_quick(group.ways for group in groups):
        return None
    scale = lcm(*(n for n, _ in (*baseline, *current)))
    sides = two_sides(group.spread(scale) for group in groups)
    if sides is None:
        return None
    return _tails(*sides, int(sum(paired_differences(baseline, current)) * scale))


@takes_arrays
def stratified_test(
    baseline: Sequence[Counts], current: Sequence[Counts], *, seed: int, draws: int = 10_000
) -> ShiftTest:
    """Return `exact_stratified_test`, or its p-values from seeded draws where it has no result.

    `draws` of the result is None when the p-values are exact. Raises ValueError as the exact test.
    """
    exactly = exact_stratified_test(baseline, current)
    if exactly is not None:
        return exactly
    return permutation_test(_samples(baseline), _samples(current), seed=seed, draws=draws)


def _tails(large: Spread, small: Spread, observed: int) -> ShiftTest:
    at_most = cumulated(large, small)
    total = sum(large.values()) * sum(small.values())
    far = abs(observed)
    beyond = at_most(-far) + total - at_most(far - 1) if far else total
    return ShiftTest(
        p_worse=Fraction(at_most(observed), total),
        p_better=Fraction(total - at_most(observed - 1), total),
        two_sided=Fraction(beyond, total),
    )


def _groups(pairs: Iterable[_Pair]) -> list[_Group]:
    alike: defaultdict[Counts, list[_Pair]] = defaultdict(list)
    for pair in pairs:
        (n_a, c_a), (n_b, c_b) = pair
        if 0 < c_a + c_b < n_a + n_b:
            alike[n_a, n_b].append(pair)
    parts = list(alike.values())
    if len(parts) == 1:
        parts = [parts[0][::2], parts[0][1::2]]
    return [_Group.of(part) for part in parts if part]


def _lowest_terms(ways: Sequence[int]) -> list[int]:
    shared = gcd(*ways)
    return [way // shared for way in ways]


def _samples(pairs: Sequence[Counts]) -> list[list[int]]:
    return [[1] * c + [0] * (n - c) for n, c in pairs]
