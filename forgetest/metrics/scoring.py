"""Scores: that of one sample, whether a mean score changed, and the ranks that scores give."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal, TypeAlias

from forgetest.metrics.domain import Number, exact, is_count, share, shown, takes_arrays


@dataclass(frozen=True, slots=True)
class ScoringProfile:
    """How a score is weighed; the weights sum to 1. Scores of different profiles do not compare."""

    name: str
    compile_weight: Fraction
    tests_weight: Fraction
    clippy_weight: Fraction
    most_warnings: int  # so many clippy warnings, or more, leave nothing of the clippy part


STANDARD = ScoringProfile(
    name="standard",
    compile_weight=Fraction(4, 10),
    tests_weight=Fraction(5, 10),
    clippy_weight=Fraction(1, 10),
    most_warnings=10,
)


@takes_arrays
def sample_score(
    compiled: bool, passed: int, failed: int, warnings: int, *, profile: ScoringProfile = STANDARD
) -> Fraction:
    """Return the score of one sample in 0 to 1, exactly.

    0 when it does not compile. Else, with T = passed + failed tests and W clippy warnings, the
    profile `standard` gives (40 T + 50 passed + T max(0, 10-W)) / (100 T), and
    (40 + max(0, 10-W)) / 100 when T = 0. Raises ValueError for counts that are not whole numbers
    from 0 up.
    """
    if not all(is_count(count) for count in (passed, failed, warnings)):
        given = ", ".join(map(shown, (passed, failed, warnings)))
        raise ValueError(f"tests and warnings must be counts: {given}")
    if not compiled:
        return Fraction()
    tests = Fraction(passed, passed + failed) if passed else Fraction()
    clippy = Fraction(max(0, profile.most_warnings - warnings), profile.most_warnings)
    weighed = profile.tests_weight * tests + profile.clippy_weight * clippy
    return profile.compile_weight + weighed


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
