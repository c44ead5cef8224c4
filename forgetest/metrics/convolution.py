"""Sums of independent whole numbers, as exact integer weights."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from itertools import accumulate
from operator import mul
from typing import TypeAlias

Spread: TypeAlias = dict[int, int]
"""The weight of each possible value; only the ratios of weights have a meaning."""

_MOST_STEPS = 2_000_000  # products in one convolution of lists: some seconds
_MOST_PAIRS = 5_000_000  # products in one merge of spreads: some seconds
_MOST_VALUES = 1_000_000  # values that one spread may hold: some hundred megabytes


def summed(weights: Sequence[Sequence[int]]) -> list[int] | None:
    """Return the weights of the sum of variables, each with weights for 0, 1, 2 and so on.

    None when that would take minutes.
    """
    if sum(len(each) for each in weights) ** 2 > 2 * _MOST_STEPS:
        return None
    return reduce(_convolved, weights, [1])


def two_sides(spreads: Iterable[Spread]) -> tuple[Spread, Spread] | None:
    """Return two spreads whose sum is distributed as the sum of all, smallest merged first.

    The last merge, the largest by far, is spared: `cumulated` works on two sides. None when a
    merge would take more memory than is decent.
    """
    sides = sorted(spreads, key=len, reverse=True)
    while len(sides) > 2:  # noqa: PLR2004 - two sides
        first, second = sides.pop(), sides.pop()
        if not _mergeable(first, second):
            return None
        sides.append(_merged(first, second))
        sides.sort(key=len, reverse=True)
    large, small = (*sides, {0: 1}, {0: 1})[:2]
    return large, small


def cumulated(large: Spread, small: Spread) -> Callable[[int], int]:
    """Return the function that gives the weight of all sums up to and including its argument."""
    values = sorted(large)
    weights = [0, *accumulate(large[value] for value in values)]

    def at_most(limit: int) -> int:
        return sum(
            weight * weights[bisect_right(values, limit - value)] for value, weight in small.items()
        )

    return at_most


def _convolved(first: Sequence[int], second: Sequence[int]) -> list[int]:
    short, long = sorted((first, second), key=len)
    rim = [0] * (len(short) - 1)
    padded, taps = [*rim, *long, *rim], short[::-1]
    width = len(short)
    return [sum(map(mul, padded[i : i + width], taps)) for i in range(len(long) + width - 1)]


def _mergeable(first: Spread, second: Spread) -> bool:
    pairs = len(first) * len(second)
    reach = sum(max(spread) - min(spread) for spread in (first, second)) + 1
    return pairs <= _MOST_PAIRS and min(pairs, reach) <= _MOST_VALUES


def _merged(first: Spread, second: Spread) -> Spread:
    result: Spread = {}
    for value, weight in first.items():
        for more, factor in second.items():
            result[value + more] = result.get(value + more, 0) + weight * factor
    return result
