"""Fewer of many, chosen evenly: some of each group, spread over the group's length."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

T = TypeVar("T")


def thinned(values: Sequence[T], most: int, group: Callable[[T], Hashable]) -> tuple[T, ...]:
    """Return at most `most` of the values, in their order, evenly over their groups."""
    if len(values) <= most:
        return tuple(values)
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for index, value in enumerate(values):
        groups[group(value)].append(index)
    kept: set[int] = set()
    shares = _shares([len(members) for members in groups.values()], most)
    for members, count in zip(groups.values(), shares, strict=True):
        kept.update(members[n * len(members) // count] for n in range(count))
    return tuple(values[index] for index in sorted(kept))


def _shares(sizes: Sequence[int], most: int) -> list[int]:
    """Return how many each group keeps: one more for each in turn, until all are given."""
    shares = [0] * len(sizes)
    while most > 0:
        for index, size in enumerate(sizes):
            if most > 0 and shares[index] < size:
                shares[index] += 1
                most -= 1
    return shares
