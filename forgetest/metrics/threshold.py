"""Whether a score has changed by more than a threshold, in points and never relatively."""

from decimal import Decimal
from fractions import Fraction
from typing import Literal, TypeAlias

from forgetest.metrics.domain import Number, exact, share
from forgetest.metrics.reading import takes_arrays

Change: TypeAlias = Literal["regression", "improvement", "same"]

_FLOAT_SLACK = Fraction(1, 10**9)


@takes_arrays
def change(baseline: Number, current: Number, threshold: Number = Fraction(1, 20)) -> Change:
    """Return what became of a mean score: a change counts only when larger than the threshold.

    Rationals and Decimals are compared exactly. Where baseline or current is a float, whose true
    value is not known to the last digit, the change must exceed the threshold by 1e-9. A float
    threshold is read as the decimal that it prints as. Raises ValueError for scores outside 0 to 1
    and a negative threshold.
    """
    drop = share(baseline, "baseline") - share(current, "current")
    limit = exact(threshold)
    if limit < 0:
        raise ValueError(f"threshold must not be negative, not {threshold}")
    if not all(isinstance(score, (int, Fraction, Decimal)) for score in (baseline, current)):
        limit += _FLOAT_SLACK
    if drop > limit:
        return "regression"
    return "improvement" if -drop > limit else "same"
