"""The evidence that a gate decides by: all cases of a model together, and each case alone.

Either can show a regression, so each is tested at alpha/2 in its direction, and the chance of any
false alarm in that direction stays at alpha or less. Models that are judged together share it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import TypeAlias

from forgetest.metrics.domain import Counts, Number, check_aligned, share
from forgetest.metrics.fisher import fisher_one_sided, fisher_p_min
from forgetest.metrics.multiplicity import Tarone, holm, tarone
from forgetest.metrics.permutation import ShiftTest
from forgetest.metrics.reading import takes_arrays
from forgetest.metrics.stratified import stratified_test

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
