"""The hypergeometric distribution as exact integers; every combinatorial metric rests on it."""

from math import comb


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
