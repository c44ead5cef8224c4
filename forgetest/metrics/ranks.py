"""Ranks of models by score."""

from collections.abc import Sequence

from forgetest.metrics.domain import Number, exact
from forgetest.metrics.reading import takes_arrays


@takes_arrays
def competition_ranks(scores: Sequence[Number], tol: Number = 1e-12) -> list[int]:
    """Return the rank of each score in the order given: 1 is the highest, ties share, 1 2 2 4.

    Standard competition ranking. A score ties with the best of its group when it is at most `tol`
    below it, so a chain of small steps does not tie its two ends. Raises ValueError for NaN and
    infinity, and for a negative tol.
    """
    values, slack = [exact(score) for score in scores], exact(tol)
    if slack < 0:
        raise ValueError(f"tol must not be negative, not {tol}")
    ranks = [0] * len(values)
    leader = 0
    order = sorted(range(len(values)), key=lambda i: -values[i])
    for place, i in enumerate(order):
        if values[order[leader]] - values[i] > slack:
            leader = place
        ranks[i] = leader + 1
    return ranks
