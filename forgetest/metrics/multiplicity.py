"""Many tests at once: adjusted p-values, and thresholds that skip what could never be decided."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from forgetest.metrics.domain import Number, exact, share
from forgetest.metrics.reading import takes_arrays


@dataclass(frozen=True, slots=True)
class Tarone:
    """How many tests are corrected for, and the p-value that each must not exceed."""

    tests: int
    threshold: Fraction


@takes_arrays
def tarone(smallest: Sequence[Number], alpha: Number) -> Tarone:
    """Return the smallest K with at most K tests whose p can reach alpha/K, and alpha/K.

    `smallest` holds the least p-value that each test can reach, such as `fisher_p_min`; holding
    each p against the threshold keeps the chance of any false alarm at alpha or less (Tarone 1990).
    Raises ValueError for p-values outside 0 to 1, and unless alpha lies in 0 to 1 and is not 0.
    """
    floors, level = sorted(share(p, "p") for p in smallest), share(alpha, "alpha")
    if not level:
        raise ValueError("alpha must be larger than 0")
    tests = 1
    while bisect_right(floors, level / tests) > tests:
        tests += 1
    return Tarone(tests, level / tests)


@takes_arrays
def holm(p_values: Sequence[Number]) -> list[Fraction]:
    """Return Holm's adjusted p-values, in the order given; they control any false alarm.

    The i-th smallest of m becomes the largest so far of (m-i+1) p, at most 1 (Holm 1979). Raises
    ValueError for p-values outside 0 to 1.
    """
    values = [share(p, "p") for p in p_values]
    order = _ascending(values)
    raised = [(len(values) - place) * values[i] for place, i in enumerate(order)]
    return _restored(order, list(accumulate(raised, max)))


@takes_arrays
def benjamini_hochberg(p_values: Sequence[Number]) -> list[Fraction]:
    """Return Benjamini and Hochberg's adjusted p-values, in the order given.

    They control the expected share of false alarms among the alarms. The i-th smallest of m becomes
    the least of m p_j / j over j >= i, at most 1 (Benjamini and Hochberg 1995). Raises ValueError
    for p-values outside 0 to 1.
    """
    values = [share(p, "p") for p in p_values]
    order = _ascending(values)
    raised = [len(values) * values[i] / place for place, i in enumerate(order, 1)]
    return _restored(order, list(accumulate(reversed(raised), min))[::-1])


def _ascending(values: Sequence[Fraction]) -> list[int]:
    return sorted(range(len(values)), key=values.__getitem__)


def _restored(order: Sequence[int], adjusted: Sequence[Fraction]) -> list[Fraction]:
    result = [exact(1)] * len(order)
    for i, value in zip(order, adjusted, strict=True):
        result[i] = min(value, exact(1))
    return result
