"""Exact integers behind the tests: hypergeometric counts, and sums of independent whole numbers."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from itertools import accumulate
from math import comb
from operator import mul
from typing import TypeAlias


def hypergeometric_ways(
    population: int, marked: int, drawn: int, *, most: int | None = None
) -> tuple[int, list[int]]:
    """Return the least possible number of marked ones in a draw, and the ways for each from there.

    The ways are C(marked, x) * C(population-marked, drawn-x) for consecutive x; they sum to
    C(population, drawn). With `most` they end at that x, which must be possible. Expects
    0 <= marked, drawn <= population.
    """
    plain = population - marked
    least = max(0, drawn - plain)
    ways = [comb(marked, least) * comb(plain, drawn - least)]
    for x in range(least, min(marked, drawn) if most is None else most):
        up = ways[-1] * (marked - x) * (drawn - x)
        ways.append(up // ((x + 1) * (plain - drawn + x + 1)))
    return least, ways


Spread: TypeAlias = dict[int, int]
"""The weight of each possible value; only the ratios of weights have a meaning."""

_MOST_NANOSECONDS = 1.3e9  # that all convolutions, or one merge, may take by estimate
_NANOSECONDS, _SQUARE_BITS = 200, 900  # of one product, and how much of it more takes another
_MOST_VALUES = 1_000_000  # values that one spread may hold: some hundred megabytes


def is_quick(groups: Iterable[Sequence[Sequence[int]]]) -> bool:
    """Tell whether `summed` of all the groups takes no more than about a second."""
    return sum(map(_summing, groups)) <= _MOST_NANOSECONDS


def summed(weights: Sequence[Sequence[int]]) -> list[int]:
    """Return the weights of the sum of variables, each with weights for 0, 1, 2 and so on."""
    return reduce(_convolved, weights, [1])


def two_sides(spreads: Iterable[Spread]) -> tuple[Spread, Spread] | None:
    """Return two spreads whose sum is distributed as the sum of all, smallest merged first.

    The last merge, the largest by far, is spared: `cumulated` works on two sides. None when a
    merge would take more than about a second, or more memory than is decent.
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


def _summing(weights: Sequence[Sequence[int]]) -> float:
    """Return about how many nanoseconds `summed` takes: half the square of all values, in products.

    On average, a factor is half as long as all weights together.
    """
    widths = [max(variable).bit_length() for variable in weights]
    products = sum(map(len, weights)) ** 2 / 2
    return products * _product(sum(widths) / 2, max(widths, default=0))


def _product(bits: float, other_bits: float) -> float:
    return _NANOSECONDS + bits * other_bits / _SQUARE_BITS


def _convolved(first: Sequence[int], second: Sequence[int]) -> list[int]:
    short, long = sorted((first, second), key=len)
    rim = [0] * (len(short) - 1)
    padded, taps = [*rim, *long, *rim], short[::-1]
    width = len(short)
    return [sum(map(mul, padded[i : i + width], taps)) for i in range(len(long) + width - 1)]


def _mergeable(first: Spread, second: Spread) -> bool:
    pairs = len(first) * len(second)
    reach = sum(max(spread) - min(spread) for spread in (first, second)) + 1
    widths = (max(spread.values()).bit_length() for spread in (first, second))
    quick = pairs * _product(*widths) <= _MOST_NANOSECONDS
    return quick and min(pairs, reach) <= _MOST_VALUES


def _merged(first: Spread, second: Spread) -> Spread:
    result: Spread = {}
    for value, weight in first.items():
        for more, factor in second.items():
            result[value + more] = result.get(value + more, 0) + weight * factor
    return result
