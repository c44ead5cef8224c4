"""One model before and after: how its rates, cases, failures and costs changed, and how surely."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from statistics import variance

from forgetest.compare.gate import by_evidence, by_threshold, chosen
from forgetest.compare.pair import CasePair, ModelPair
from forgetest.compare.side import FailureKind, Side, SideCase
from forgetest.compare.types import (
    CaseComparison,
    CaseSide,
    CompareOptions,
    CountChange,
    Detectability,
    Estimate,
    Evidence,
    Failure,
    Group,
    MeanChange,
    ModelComparison,
    OutcomeChanges,
    Spent,
    UsageChange,
)
from forgetest.metrics import (
    CaseEvidence,
    Change,
    Counts,
    GateEvidence,
    Reason,
    case_samples_to_settle,
    cases_needed,
    change,
    exact,
    joint_gate_evidence,
    minimum_detectable_difference,
    modified_wilson,
    paired_delta,
    paired_differences,
    paired_interval,
    pass_at_k_exact,
    permutation_test,
    samples_to_settle,
    se_population,
)
from forgetest.report.usage import UsageTotals

FAILURES_KEPT = 5  # ways of failing that a case's excerpt names
TOO_FEW_CASES = "too_few_cases"
FEWEST = 5  # cases of a group below which no interval is given

Runs = tuple[list[Counts], list[Counts]]
CaseValue = Callable[[SideCase], Fraction]
Counted = Callable[[SideCase], Counter[str]]


def model_comparisons(
    pairs: Sequence[ModelPair], baseline: Side, current: Side, options: CompareOptions
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
        _model_comparison(pair, proof, baseline, current, options, ks=ks)
        for pair, proof in zip(with_cases, evidence, strict=True)
    )


def _counts(cases: Sequence[CasePair]) -> Runs:
    return [before.counts for before, _ in cases], [after.counts for _, after in cases]


def _model_comparison(
    pair: ModelPair,
    proof: GateEvidence,
    baseline: Side,
    current: Side,
    options: CompareOptions,
    *,
    ks: Sequence[int],
) -> ModelComparison:
    level = 1 - exact(options.alpha)
    rate = mean_change(pair.cases, pass_rate, level=level)
    cases = case_comparisons(pair.cases, proof, current, threshold=exact(options.threshold))
    moved = by_threshold(cases)
    before, after = baseline.models[pair.baseline], current.models[pair.current or ""]
    is_known = before.spec.is_asked and after.spec.is_asked
    proven = by_evidence(proof, rate, moved, margin=exact(options.margin))
    return ModelComparison(
        baseline=pair.baseline,
        current=pair.current or "",
        baseline_model=before.varied if is_known else None,
        current_model=after.varied if is_known else None,
        finding=chosen(options.rule, moved, proven),
        by_threshold=moved,
        by_evidence=proven,
        regressions=sum(case.change == "regression" for case in cases),
        improvements=sum(case.change == "improvement" for case in cases),
        pass_rate=rate,
        mean_score=mean_change(pair.cases, mean_score, level=level),
        pass_at_k={
            str(k): pass_at_k_change(pair.cases, lambda case: case.counts, k, level=level)
            for k in ks
        },
        evidence=_evidence(pair.cases, proof, seed=options.seed),
        detectability=_detectability(pair.cases, alpha=exact(options.alpha)),
        groups=group_changes(pair.cases, level=level),
        drift=outcome_changes(pair.cases, pass_k=ks, level=level),
        usage=usage_change(pair.cases),
        cases=cases,
    )


def _evidence(cases: Sequence[CasePair], proof: GateEvidence, *, seed: int) -> Evidence:
    scores = permutation_test(
        [before.scores for before, _ in cases], [after.scores for _, after in cases], seed=seed
    )
    return Evidence(
        p_worse=float(proof.shift.p_worse),
        p_better=float(proof.shift.p_better),
        two_sided=float(proof.shift.two_sided),
        p_worse_holm=float(proof.p_worse),
        p_better_holm=float(proof.p_better),
        draws=proof.shift.draws,
        score_p_worse=float(scores.p_worse),
        score_p_better=float(scores.p_better),
        score_two_sided=float(scores.two_sided),
        score_draws=scores.draws,
        seed=seed,
        case_tests=proof.worse.tests,
        case_threshold=float(proof.worse.threshold),
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


def case_comparisons(
    pairs: Sequence[CasePair], evidence: GateEvidence, side: Side, *, threshold: Fraction
) -> tuple[CaseComparison, ...]:
    """Return one comparison a case, in the order of the current run."""
    return tuple(
        _compared_case(before, after, proof, evidence, side, threshold=threshold)
        for (before, after), proof in zip(pairs, evidence.cases, strict=True)
    )


def _compared_case(
    before: SideCase,
    after: SideCase,
    proof: CaseEvidence,
    evidence: GateEvidence,
    side: Side,
    *,
    threshold: Fraction,
) -> CaseComparison:
    old, new = before.mean_score, after.mean_score
    (n_a, c_a), (n_b, c_b) = before.counts, after.counts
    moved = change(old, new, threshold)
    file, line = side.places.get(after.key, ("", None))
    return CaseComparison(
        eval_set=after.eval_set,
        case=after.case,
        name=after.name,
        file=file,
        line=line,
        baseline=_case_side(before, excerpt=moved != "same"),
        current=_case_side(after, excerpt=moved != "same"),
        score_delta=float(new - old),
        rate_delta=float(Fraction(c_b, n_b) - Fraction(c_a, n_a)),
        change=moved,
        p_worse=float(proof.p_worse),
        p_better=float(proof.p_better),
        worse=proof.worse,
        better=proof.better,
        samples_to_settle=_samples_to_settle(before, after, moved, proof, evidence),
    )


def _samples_to_settle(
    before: SideCase, after: SideCase, moved: Change, proof: CaseEvidence, evidence: GateEvidence
) -> int | None:
    """Return how many samples would settle an open change; None where none is open."""
    if moved == "regression" and not proof.worse:
        return case_samples_to_settle(before.counts, after.counts, evidence.worse.threshold)
    if moved == "improvement" and not proof.better:
        return case_samples_to_settle(after.counts, before.counts, evidence.better.threshold)
    return None


def _case_side(case: SideCase, *, excerpt: bool) -> CaseSide:
    n, c = case.counts
    kinds = sorted(case.failures.items(), key=_most_samples)[:FAILURES_KEPT] if excerpt else []
    return CaseSide(
        planned=case.planned,
        n=n,
        c=c,
        mean_score=float(case.mean_score),
        failures=tuple(_failure(kind, samples) for kind, samples in kinds),
        ways=len(case.failures),
        distinct_completions=case.distinct_completions,
    )


def _most_samples(item: tuple[FailureKind, int]) -> tuple[int, str]:
    kind, samples = item
    return -samples, repr(kind)  # ties keep one order whichever sample came first


def _failure(kind: FailureKind, samples: int) -> Failure:
    return Failure(
        outcome=kind.outcome,
        samples=samples,
        code=kind.code,
        message=kind.message,
        tests=kind.tests,
        assertion=kind.assertion,
    )


def mean_change(
    pairs: Sequence[CasePair], value: CaseValue, *, level: Fraction, minimum: int = 0
) -> MeanChange:
    """Return the mean of a case value in both runs, and of its change, with intervals.

    Below `minimum` cases there are no intervals, and the reason says so.
    """
    if not pairs:
        none = Estimate(value=None, reason=str(Reason.UNSCORED))
        return MeanChange(baseline=none, current=none, delta=None, reason=str(Reason.UNSCORED))
    befores, afters = zip(*((value(before), value(after)) for before, after in pairs), strict=True)
    few = len(pairs) < minimum
    changes = [after - before for before, after in zip(befores, afters, strict=True)]
    interval = None if few else paired_interval(changes, level=level)
    return MeanChange(
        baseline=_estimate(befores, [pair[0] for pair in pairs], level=level, few=few),
        current=_estimate(afters, [pair[1] for pair in pairs], level=level, few=few),
        delta=float(sum(changes, Fraction()) / len(changes)),
        interval=interval and (interval.lower, interval.upper),
        reason=None if interval else TOO_FEW_CASES,
    )


def _estimate(
    values: Sequence[Fraction], cases: Sequence[SideCase], *, level: Fraction, few: bool
) -> Estimate:
    interval = modified_wilson(values, sum(case.n for case in cases), level=level)
    if interval is None or few:
        mean = float(sum(values, Fraction()) / len(values))
        return Estimate(value=mean, reason=TOO_FEW_CASES)
    return Estimate(value=float(interval.mean), interval=(interval.lower, interval.upper))


def pass_at_k_change(
    pairs: Sequence[CasePair], counts: Callable[[SideCase], Counts], k: int, *, level: Fraction
) -> MeanChange:
    """Return the change of pass@k of some (n, c); no values unless every case has k samples."""
    if any(case.n < k for pair in pairs for case in pair):
        reason = str(Reason.INSUFFICIENT_SAMPLES)
        none = Estimate(value=None, reason=reason)
        return MeanChange(baseline=none, current=none, delta=None, reason=reason)
    return mean_change(pairs, lambda case: _at_k(counts(case), k), level=level)


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


def outcome_changes(
    pairs: Sequence[CasePair], *, pass_k: Iterable[int], level: Fraction
) -> OutcomeChanges:
    """Return how the samples of some cases fail, before and after."""
    return OutcomeChanges(
        samples_baseline=sum(before.n for before, _ in pairs),
        samples_current=sum(after.n for _, after in pairs),
        compile_rate=mean_change(pairs, compile_rate, level=level),
        compile_at_k={
            str(k): pass_at_k_change(pairs, lambda case: (case.n, case.compiled), k, level=level)
            for k in pass_k
        },
        lint_free_rate=mean_change(pairs, lint_free_rate, level=level),
        outcomes=_count_changes(pairs, _outcomes),
        error_codes=_count_changes(pairs, lambda case: case.error_codes),
        lints=_count_changes(pairs, lambda case: case.lints),
        flags=_count_changes(pairs, lambda case: case.flags),
    )


def _outcomes(case: SideCase) -> Counter[str]:
    return Counter(str(sample.outcome) for sample in case.samples)


def _count_changes(pairs: Sequence[CasePair], counted: Counted) -> tuple[CountChange, ...]:
    """Return the counts of both runs, the largest change first."""
    before, after = Counter[str](), Counter[str]()
    for old, new in pairs:
        before.update(counted(old))
        after.update(counted(new))
    changes = [
        CountChange(name=name, baseline=before[name], current=after[name])
        for name in before.keys() | after.keys()
    ]
    return tuple(sorted(changes, key=lambda item: (-abs(item.current - item.baseline), item.name)))


def usage_change(pairs: Sequence[CasePair]) -> UsageChange:
    """Return what the completions of some cases cost, before and after."""
    return UsageChange(
        baseline=_spent(UsageTotals.sum(before.usage for before, _ in pairs)),
        current=_spent(UsageTotals.sum(after.usage for _, after in pairs)),
    )


def _spent(totals: UsageTotals) -> Spent:
    return Spent(
        completions=totals.completions,
        cost=totals.cost,
        tokens=totals.tokens,
        latency=totals.latency,
        served=tuple(sorted(totals.served)),
    )


def group_changes(pairs: Sequence[CasePair], *, level: Fraction) -> tuple[Group, ...]:
    """Return the changes of each eval set, tag and difficulty, as the current run names them."""
    return tuple(
        Group(
            kind=kind,
            name=name,
            cases=len(chosen),
            pass_rate=mean_change(chosen, pass_rate, level=level, minimum=FEWEST),
            mean_score=mean_change(chosen, mean_score, level=level, minimum=FEWEST),
        )
        for kind, names_of in (("eval set", _set), ("tag", _tags), ("difficulty", _difficulty))
        for name, chosen in _grouped(pairs, names_of)
    )


def _grouped(
    pairs: Sequence[CasePair], names_of: Callable[[SideCase], tuple[str, ...]]
) -> list[tuple[str, list[CasePair]]]:
    pairs_by_name: dict[str, list[CasePair]] = {}
    for pair in pairs:
        for name in names_of(pair[1]):
            pairs_by_name.setdefault(name, []).append(pair)
    return sorted(pairs_by_name.items())


def _set(case: SideCase) -> tuple[str, ...]:
    return (case.eval_set,)


def _tags(case: SideCase) -> tuple[str, ...]:
    return tuple(dict.fromkeys(case.tags))


def _difficulty(case: SideCase) -> tuple[str, ...]:
    return () if case.difficulty is None else (case.difficulty,)
