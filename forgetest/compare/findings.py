"""The verdict of a comparison: by the threshold rule, and by the evidence."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from forgetest.compare.types import CaseComparison, Finding, Rule, Shift
from forgetest.metrics import GateEvidence, Number

# The first that any model has is the verdict on all of them.
_GRAVITY = (
    Finding.REGRESSED,
    Finding.INCONCLUSIVE,
    Finding.IMPROVED,
    Finding.SAME,
    Finding.NOT_COMPARABLE,
)


def by_threshold(cases: Sequence[CaseComparison]) -> Finding:
    """Return regressed when any case dropped by more than the threshold; rises do not make up."""
    moves = {case.change for case in cases}
    if not moves:
        return Finding.NOT_COMPARABLE
    if "regression" in moves:
        return Finding.REGRESSED
    return Finding.IMPROVED if "improvement" in moves else Finding.SAME


def by_evidence(
    evidence: GateEvidence, rate: Shift, moved: Finding, *, margin: Fraction
) -> Finding:
    """Return what the samples prove.

    A change is proven by all cases together, if it is larger than the margin, or by one case alone.
    With a margin the same is proven too: the whole interval of the change lies within it. Without
    one, nothing having moved by more than the threshold is the same. All else is inconclusive.
    """
    if rate.delta is None:
        return Finding.NOT_COMPARABLE
    if is_regression(evidence, rate.delta, margin=margin):
        return Finding.REGRESSED
    if (evidence.shifted_up and rate.delta > margin) or any(case.better for case in evidence.cases):
        return Finding.IMPROVED
    settled = _within(rate, margin) if margin else moved is Finding.SAME
    return Finding.SAME if settled else Finding.INCONCLUSIVE


def is_regression(evidence: GateEvidence, delta: Number, *, margin: Fraction) -> bool:
    """Tell whether samples prove a drop: of one case, or of all by more than the margin."""
    return (evidence.shifted_down and -delta > margin) or any(c.worse for c in evidence.cases)


def _within(rate: Shift, margin: Fraction) -> bool:
    return rate.interval is not None and max(-rate.interval[0], rate.interval[1]) <= margin


def chosen(rule: Rule | None, threshold: Finding, evidence: Finding) -> Finding:
    """Return the finding of the gate's rule; where there is no gate, what is proven."""
    if rule is Rule.EITHER:
        return gravest((threshold, evidence))
    return threshold if rule is Rule.THRESHOLD else evidence


def gravest(findings: Iterable[Finding]) -> Finding:
    """Return the verdict on several models: regressed when any is; not comparable without any."""
    found = set(findings)
    return next((one for one in _GRAVITY if one in found), Finding.NOT_COMPARABLE)
