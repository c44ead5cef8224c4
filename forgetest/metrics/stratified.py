"""The exact stratified test on passes: McNemar's question for any number of samples a case.

Each case is a stratum. Given its pooled passes s, those of the current run are hypergeometric when
nothing has changed, and the difference of pass rates is a straight line in them. Cases of the same
(n_A, n_B) share their grid, so their sums are convolved as lists of integers; the groups then meet
on a grid common to all.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

from forgetest.metrics.convolution import Spread, cumulated, is_quick, summed, two_sides
from forgetest.metrics.domain import Counts
from forgetest.metrics.hypergeometric import hypergeometric_ways
from forgetest.metrics.paired import check_pairs, paired_differences
from forgetest.metrics.permutation import ShiftTest, permutation_test
from forgetest.metrics.reading import takes_arrays

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
        ways = [_lowest_terms(each) for _, each in draws]
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
