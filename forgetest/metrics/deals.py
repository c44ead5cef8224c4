"""What becomes of a case's pooled scores when they are dealt anew to the two runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, gcd
from random import Random

from forgetest.metrics.convolution import Spread
from forgetest.metrics.hypergeometric import hypergeometric_ways

_MOST_BYTES_MOVED = 250_000_000  # about when drawing becomes faster than counting


@dataclass(frozen=True, slots=True)
class Pool:
    """The scores of one case in whole units; the difference of means is `scale` times too large."""

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
        """The variance of the difference over all deals, exactly.

        (1/n_A + 1/n_B) S^2 on the scale, S^2 being the variance of the N pooled scores with divisor
        N-1: sampling without replacement (Cochran 1977, theorem 2.2). The mean is 0.
        """
        size, drawn = len(self.scores), len(self.current)
        squares = size * sum(score**2 for score in self.scores) - self.pooled**2
        return Fraction(squares * self.scale**2, drawn * (size - drawn) * (size - 1))

    def dealt(self, rng: Random, draws: int) -> list[int]:
        """Return the differences of so many random deals."""
        sums = _subset_sums(self.scores, len(self.current))
        if sums is None:
            size = len(self.current)
            return [self._difference(sum(rng.sample(self.scores, size))) for _ in range(draws)]
        ways = sum(sums.values())
        differences = [self._difference(total) for total in sums]
        return rng.choices(differences, [each / ways for each in sums.values()], k=draws)

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
        """Return the difference of means when the samples dealt to current sum to `total`."""
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
