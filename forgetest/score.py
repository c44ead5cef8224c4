"""From a verdict to a number: the scoring profile, and what counts as a lint."""

from fractions import Fraction

from forgetest.grading.verdict import Outcome, Verdict
from forgetest.metrics import STANDARD, sample_score

PROFILE = STANDARD.name
LINT_RULE = "clippy::all, forced, on the sample's own lines"  # what W counts


def score(verdict: Verdict) -> Fraction:
    """Return the sample's score, an exact number from 0 to 1.

    0.4 compile + 0.5 tests + 0.1 clippy. A case whose code must not compile has no tests or lints
    to weigh: rejected as asked is 1, taken by rustc is 0.
    """
    if verdict.outcome is Outcome.WRONGLY_COMPILED:
        return Fraction(0)
    if verdict.passed and not verdict.compiled:
        return Fraction(1)
    return sample_score(
        verdict.compiled,
        verdict.tests_passed,
        verdict.tests_failed,
        len(verdict.lints),
    )
