"""The evidence that a gate decides by: all cases of a model together, and each case alone.

Either can show a regression, so each is tested at alpha/2 in its direction, and the chance of any
false alarm in that direction stays at alpha or less. Models that are judged together share it.

Corrections for many tests at once (Holm, Benjamini-Hochberg, Tarone) are here too, and the sign
e-value, which stays valid however often one looks.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from math import factorial
from typing import TypeAlias

from forgetest.metrics.domain import (
    Counts,
    Number,
    check_aligned,
    exact,
    is_count,
    share,
    shown,
    takes_arrays,
)
from forgetest.metrics.exact_tests import ShiftTest, fisher_one_sided, fisher_p_min, stratified_test


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


Runs: TypeAlias = tuple[Sequence[Counts], Sequence[Counts]]
"""Baseline and current of one model: position i of both is the same case."""


@dataclass(frozen=True, slots=True)
class CaseEvidence:
    """What the samples of one case say about a change, in both directions."""

    p_worse: Fraction  # Fisher's one-sided p
    p_better: Fraction
    worse: bool  # p_worse reaches the threshold of its direction
    better: bool


@dataclass(frozen=True, slots=True)
class CasesEvidence:
    """Cases that were tested together, and the thresholds that their p-values had to reach."""

    cases: tuple[CaseEvidence, ...]
    worse: Tarone
    better: Tarone


@dataclass(frozen=True, slots=True)
class GateEvidence:
    """All that speaks for a change of one model between two runs."""

    alpha: Fraction  # the chance of any false alarm, for each direction
    shift: ShiftTest  # of all cases together
    p_worse: Fraction  # of the shift, adjusted for the models judged together
    p_better: Fraction
    cases: tuple[CaseEvidence, ...]
    worse: Tarone  # over the cases of all models judged together
    better: Tarone

    @property
    def shifted_down(self) -> bool:
        """Whether all cases together show a regression."""
        return self.p_worse < self.alpha / 2

    @property
    def shifted_up(self) -> bool:
        """Whether all cases together show an improvement."""
        return self.p_better < self.alpha / 2

    @property
    def regressed(self) -> bool:
        """Whether all cases together, or some case alone, show a regression."""
        return self.shifted_down or any(case.worse for case in self.cases)

    @property
    def improved(self) -> bool:
        """Whether all cases together, or some case alone, show an improvement."""
        return self.shifted_up or any(case.better for case in self.cases)


@takes_arrays
def case_evidence(
    baseline: Sequence[Counts], current: Sequence[Counts], *, alpha: Number = Fraction(1, 40)
) -> CasesEvidence:
    """Return Fisher's p-values of each case, and which of them reach Tarone's threshold.

    Each direction is tested at alpha of its own: the chance that any unchanged case of those given
    is called worse is at most alpha, and likewise better. The cases may be those of several models,
    one model's after another's. Raises ValueError as `fisher_one_sided`, for runs of different
    length, and unless alpha lies in 0 to 1 and is not 0.
    """
    check_aligned(baseline, current, "baseline and current")
    pairs = list(zip(baseline, current, strict=True))
    worse = tarone([fisher_p_min(a, b) for a, b in pairs], alpha)
    better = tarone([fisher_p_min(b, a) for a, b in pairs], alpha)
    return CasesEvidence(tuple(_case(a, b, worse, better) for a, b in pairs), worse, better)


@takes_arrays
def gate_evidence(
    baseline: Sequence[Counts],
    current: Sequence[Counts],
    *,
    alpha: Number = Fraction(1, 20),
    seed: int,
) -> GateEvidence:
    """Return the evidence that one model changed, at alpha for each direction.

    Half of alpha is for all cases together (`stratified_test`), half for any case alone
    (`case_evidence`). The seed counts only where the stratified test has to draw. Raises ValueError
    as `case_evidence`.
    """
    return joint_gate_evidence([(baseline, current)], alpha=alpha, seed=seed)[0]


@takes_arrays
def joint_gate_evidence(
    models: Sequence[Runs], *, alpha: Number = Fraction(1, 20), seed: int
) -> list[GateEvidence]:
    """Return each model's evidence, with alpha for any false alarm of all of them together.

    The p-values of the models' shifts are adjusted by Holm's steps, and Tarone's threshold is that
    of the cases of all models. Raises ValueError as `case_evidence`.
    """
    level = share(alpha, "alpha")
    for runs in models:
        check_aligned(*runs, "baseline and current")
    together = case_evidence(*_one_after_another(models), alpha=level / 2)
    shifts = [stratified_test(*runs, seed=seed) for runs in models]
    worse = holm([shift.p_worse for shift in shifts])
    better = holm([shift.p_better for shift in shifts])
    ends = accumulate((len(baseline) for baseline, _ in models), initial=0)
    return [
        GateEvidence(
            alpha=level,
            shift=shift,
            p_worse=p_worse,
            p_better=p_better,
            cases=together.cases[start:end],
            worse=together.worse,
            better=together.better,
        )
        for shift, p_worse, p_better, (start, end) in zip(
            shifts, worse, better, pairwise(ends), strict=True
        )
    ]


def _one_after_another(models: Sequence[Runs]) -> Runs:
    baseline = [case for runs in models for case in runs[0]]
    return baseline, [case for runs in models for case in runs[1]]


def _case(baseline: Counts, current: Counts, worse: Tarone, better: Tarone) -> CaseEvidence:
    p_worse, p_better = fisher_one_sided(baseline, current), fisher_one_sided(current, baseline)
    return CaseEvidence(
        p_worse=p_worse,
        p_better=p_better,
        worse=p_worse <= worse.threshold,
        better=p_better <= better.threshold,
    )


@takes_arrays
def sign_e_value(b: int, c: int) -> Fraction:
    """Return the e-value against "worse and better are equally likely", from discordant pairs.

    b and c count the pairs of each direction. E = 2^(b+c) B(b+1/2, c+1/2) / B(1/2, 1/2), the
    mixture over Beta(1/2, 1/2); p <= 1/E holds at every time of looking (Ville's inequality).
    Raises ValueError unless b and c are ints from 0 up and no bools.
    """
    if not (is_count(b) and is_count(c)):
        raise ValueError(f"pairs must be counted from 0 up, not {shown(b)} and {shown(c)}")
    ways = factorial(2 * b) * factorial(2 * c)
    return Fraction(ways, 2 ** (b + c) * factorial(b) * factorial(c) * factorial(b + c))
