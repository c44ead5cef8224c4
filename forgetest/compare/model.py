"""One model before and after: rates, evidence, what could have been seen, how failures moved."""

from collections.abc import Sequence
from fractions import Fraction
from statistics import variance

from forgetest.compare.cases import case_comparisons
from forgetest.compare.drift import drift, groups, usage
from forgetest.compare.findings import by_evidence, by_threshold, chosen
from forgetest.compare.pair import CasePair, ModelPair
from forgetest.compare.shift import mean_score, pass_rate, shift, shift_at_k
from forgetest.compare.side import Side
from forgetest.compare.types import Detectability, Evidence, ModelComparison, Options
from forgetest.metrics import (
    Counts,
    GateEvidence,
    cases_needed,
    exact,
    joint_gate_evidence,
    minimum_detectable_difference,
    paired_delta,
    paired_differences,
    permutation_test,
    samples_to_settle,
    se_population,
)

Runs = tuple[list[Counts], list[Counts]]


def model_comparisons(
    pairs: Sequence[ModelPair], baseline: Side, current: Side, options: Options
) -> tuple[ModelComparison, ...]:
    """Return one comparison for each pair of models that have cases in common.

    The evidence is that of all pairs together: Holm over the models, Tarone over all their cases.
    """
    with_cases = [pair for pair in pairs if pair.cases and pair.current is not None]
    evidence = joint_gate_evidence(
        [_counts(pair.cases) for pair in with_cases], alpha=options.alpha, seed=options.seed
    )
    ks = sorted(set(baseline.pass_k) | set(current.pass_k))
    return tuple(
        _comparison(pair, found, current, options, ks=ks)
        for pair, found in zip(with_cases, evidence, strict=True)
    )


def _counts(cases: Sequence[CasePair]) -> Runs:
    return [before.counts for before, _ in cases], [after.counts for _, after in cases]


def _comparison(
    pair: ModelPair, found: GateEvidence, current: Side, options: Options, *, ks: Sequence[int]
) -> ModelComparison:
    level = 1 - exact(options.alpha)
    rate = shift(pair.cases, pass_rate, level=level)
    cases = case_comparisons(pair.cases, found, current, threshold=exact(options.threshold))
    moved = by_threshold(cases)
    proven = by_evidence(found, rate, moved, margin=exact(options.margin))
    return ModelComparison(
        baseline=pair.baseline,
        current=pair.current or "",
        finding=chosen(options.rule, moved, proven),
        by_threshold=moved,
        by_evidence=proven,
        regressions=sum(case.change == "regression" for case in cases),
        improvements=sum(case.change == "improvement" for case in cases),
        pass_rate=rate,
        mean_score=shift(pair.cases, mean_score, level=level),
        pass_at_k={
            str(k): shift_at_k(pair.cases, lambda case: case.counts, k, level=level) for k in ks
        },
        evidence=_evidence(pair.cases, found, seed=options.seed),
        detectability=_detectability(pair.cases, alpha=exact(options.alpha)),
        groups=groups(pair.cases, level=level),
        drift=drift(pair.cases, pass_k=ks, level=level),
        usage=usage(pair.cases),
        cases=cases,
    )


def _evidence(cases: Sequence[CasePair], found: GateEvidence, *, seed: int) -> Evidence:
    scores = permutation_test(
        [before.scores for before, _ in cases], [after.scores for _, after in cases], seed=seed
    )
    return Evidence(
        p_worse=float(found.shift.p_worse),
        p_better=float(found.shift.p_better),
        two_sided=float(found.shift.two_sided),
        p_worse_holm=float(found.p_worse),
        p_better_holm=float(found.p_better),
        draws=found.shift.draws,
        score_p_worse=float(scores.p_worse),
        score_p_better=float(scores.p_better),
        score_two_sided=float(scores.two_sided),
        score_draws=scores.draws,
        seed=seed,
        case_tests=found.worse.tests,
        case_threshold=float(found.worse.threshold),
    )


def _detectability(cases: Sequence[CasePair], *, alpha: Fraction) -> Detectability:
    """Return what could be seen; nothing where all cases moved alike, which says nothing."""
    runs = _counts(cases)
    changes, delta = paired_differences(*runs), paired_delta(*runs)
    error = se_population(changes)
    return Detectability(
        standard_error=error,
        minimum_difference=minimum_detectable_difference(error, alpha=alpha) if error else None,
        samples_to_settle=samples_to_settle(*runs, alpha=alpha),
        cases_to_settle=cases_needed(delta, variance(changes), alpha=alpha)
        if delta and error
        else None,
    )
