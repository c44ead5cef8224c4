"""The score of one sample, from counts and a named scoring profile."""

from dataclasses import dataclass
from fractions import Fraction

from forgetest.metrics.domain import is_count, shown
from forgetest.metrics.reading import takes_arrays


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
    (40 + max(0, 10-W)) / 100 when T = 0. Raises ValueError for counts that are no whole numbers
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


@takes_arrays
def sample_passes(compiled: bool, passed: int, failed: int, *, missing: int = 0) -> bool:
    """Return whether the counts let a sample pass: compiled, a test passed, none failed or missing.

    The score plays no part, nor do clippy warnings: 99 of 100 tests is not correct code. A case
    may demand more than its counts say. Raises ValueError as `sample_score`.
    """
    if not all(is_count(count) for count in (passed, failed, missing)):
        given = ", ".join(map(shown, (passed, failed, missing)))
        raise ValueError(f"numbers of tests must be counts: {given}")
    return compiled and passed > 0 and failed == 0 and missing == 0
