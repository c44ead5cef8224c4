"""A mean over the same cases, before and after."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from forgetest.compare.pair import CasePair
from forgetest.compare.side import SideCase
from forgetest.compare.types import Estimate, Shift
from forgetest.metrics import Counts, Reason, modified_wilson, paired_interval, pass_at_k_exact

TOO_FEW_CASES = "too_few_cases"
FEWEST = 5  # cases of a group below which no interval is given

Value = Callable[[SideCase], Fraction]


def shift(pairs: Sequence[CasePair], value: Value, *, level: Fraction, minimum: int = 0) -> Shift:
    """Return the mean of a case value in both runs, and of its change, with intervals.

    Below `minimum` cases there are no intervals, and the reason says so.
    """
    if not pairs:
        none = Estimate(value=None, reason=str(Reason.UNSCORED))
        return Shift(baseline=none, current=none, delta=None, reason=str(Reason.UNSCORED))
    befores, afters = zip(*((value(before), value(after)) for before, after in pairs), strict=True)
    few = len(pairs) < minimum
    changes = [after - before for before, after in zip(befores, afters, strict=True)]
    interval = None if few else paired_interval(changes, level=level)
    return Shift(
        baseline=_estimate(befores, [pair[0] for pair in pairs], level=level, few=few),
        current=_estimate(afters, [pair[1] for pair in pairs], level=level, few=few),
        delta=float(sum(changes, Fraction()) / len(changes)),
        interval=interval and (interval.lower, interval.upper),
        reason=None if interval else TOO_FEW_CASES,
    )


def _estimate(
    values: Sequence[Fraction], cases: Sequence[SideCase], *, level: Fraction, few: bool
) -> Estimate:
    found = modified_wilson(values, sum(case.n for case in cases), level=level)
    if found is None or few:
        mean = float(sum(values, Fraction()) / len(values))
        return Estimate(value=mean, reason=TOO_FEW_CASES)
    return Estimate(value=float(found.mean), interval=(found.lower, found.upper))


def shift_at_k(
    pairs: Sequence[CasePair], counts: Callable[[SideCase], Counts], k: int, *, level: Fraction
) -> Shift:
    """Return the shift of pass@k of some (n, c); without values unless every case has k samples."""
    if any(case.n < k for pair in pairs for case in pair):
        reason = str(Reason.INSUFFICIENT_SAMPLES)
        none = Estimate(value=None, reason=reason)
        return Shift(baseline=none, current=none, delta=None, reason=reason)
    return shift(pairs, lambda case: _at_k(counts(case), k), level=level)


def _at_k(counts: Counts, k: int) -> Fraction:
    return pass_at_k_exact(*counts, k) or Fraction()


def pass_rate(case: SideCase) -> Fraction:
    """Return c / n."""
    return Fraction(case.c, case.n)


def mean_score(case: SideCase) -> Fraction:
    """Return the case's score."""
    return case.mean_score


def compile_rate(case: SideCase) -> Fraction:
    """Return the share of scored samples that compile."""
    return Fraction(case.compiled, case.n)


def lint_free_rate(case: SideCase) -> Fraction:
    """Return the share of scored samples that are free of lints."""
    return Fraction(case.lint_free, case.n)
