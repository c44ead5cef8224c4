"""The verdict of a comparison, by the threshold and by the evidence, and what a gate says to it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from forgetest.compare.types import (
    CaseComparison,
    CompareOptions,
    ComparisonVerdict,
    Coverage,
    Difference,
    Gate,
    GateResult,
    MeanChange,
    Rule,
    UncomparedReason,
)
from forgetest.errors import ExitCode
from forgetest.metrics import GateEvidence, Number
from forgetest.value import count

NAMED = 3  # missing cases that a reason names

# The first of these that any model has is the verdict on all of them.
_GRAVITY = (
    ComparisonVerdict.REGRESSED,
    ComparisonVerdict.INCONCLUSIVE,
    ComparisonVerdict.IMPROVED,
    ComparisonVerdict.SAME,
    ComparisonVerdict.NOT_COMPARABLE,
)


def by_threshold(cases: Sequence[CaseComparison]) -> ComparisonVerdict:
    """Return regressed when any case dropped by more than the threshold; rises do not make up."""
    moves = {case.change for case in cases}
    if not moves:
        return ComparisonVerdict.NOT_COMPARABLE
    if "regression" in moves:
        return ComparisonVerdict.REGRESSED
    return ComparisonVerdict.IMPROVED if "improvement" in moves else ComparisonVerdict.SAME


def by_evidence(
    evidence: GateEvidence, rate: MeanChange, moved: ComparisonVerdict, *, margin: Fraction
) -> ComparisonVerdict:
    """Return what the samples prove.

    A change is proven by all cases together, if it is larger than the margin, or by one case alone.
    With a margin the same is proven too: the whole interval of the change lies within it. Without
    one, nothing having moved by more than the threshold is the same. All else is inconclusive.
    """
    if rate.delta is None:
        return ComparisonVerdict.NOT_COMPARABLE
    if is_regression(evidence, rate.delta, margin=margin):
        return ComparisonVerdict.REGRESSED
    if (evidence.shifted_up and rate.delta > margin) or any(case.better for case in evidence.cases):
        return ComparisonVerdict.IMPROVED
    settled = _within(rate, margin) if margin else moved is ComparisonVerdict.SAME
    return ComparisonVerdict.SAME if settled else ComparisonVerdict.INCONCLUSIVE


def is_regression(evidence: GateEvidence, delta: Number, *, margin: Fraction) -> bool:
    """Tell whether samples prove a drop: of one case, or of all by more than the margin."""
    return (evidence.shifted_down and -delta > margin) or any(c.worse for c in evidence.cases)


def _within(rate: MeanChange, margin: Fraction) -> bool:
    return rate.interval is not None and max(-rate.interval[0], rate.interval[1]) <= margin


def chosen(
    rule: Rule | None, threshold: ComparisonVerdict, evidence: ComparisonVerdict
) -> ComparisonVerdict:
    """Return the finding of the gate's rule; where there is no gate, what is proven."""
    if rule is Rule.EITHER:
        return gravest((threshold, evidence))
    return threshold if rule is Rule.THRESHOLD else evidence


def gravest(findings: Iterable[ComparisonVerdict]) -> ComparisonVerdict:
    """Return the verdict on several models: regressed when any is; not comparable without any."""
    given = set(findings)
    return next(
        (verdict for verdict in _GRAVITY if verdict in given), ComparisonVerdict.NOT_COMPARABLE
    )


EXIT_CODES = {
    GateResult.PASSED: ExitCode.DONE,
    GateResult.REGRESSION: ExitCode.REGRESSION,
    GateResult.INCOMPLETE: ExitCode.UNSCORED,
    GateResult.INCONCLUSIVE: ExitCode.UNSCORED,
    GateResult.NOT_COMPARABLE: ExitCode.UNSCORED,
}


def gate(
    findings: Mapping[Rule, ComparisonVerdict],
    differences: Sequence[Difference],
    coverage: Coverage,
    options: CompareOptions,
) -> Gate:
    """Return the gate's result: the gravest that applies, with every reason of that kind.

    `findings` is what each rule makes of all models. Missing samples do not excuse a regression;
    without one, they mean that none can be ruled out.
    """
    if not coverage.compared:
        reasons = tuple(_refusals(differences)) or (_nothing_compared(coverage),)
        return Gate(rule=options.rule, result=GateResult.NOT_COMPARABLE, reasons=reasons)
    finding = chosen(options.rule, findings[Rule.THRESHOLD], findings[Rule.EVIDENCE])
    for result, sentences in (
        (GateResult.NOT_COMPARABLE, _forced(differences, coverage, options)),
        (GateResult.REGRESSION, _regression(findings, options)),
        (GateResult.INCOMPLETE, _incomplete(coverage, options)),
        (GateResult.INCONCLUSIVE, _inconclusive(finding, options)),
        (GateResult.NOT_COMPARABLE, _changed(coverage, options)),
    ):
        reasons = tuple(sentences)
        if reasons:
            return Gate(rule=options.rule, result=result, reasons=reasons)
    return Gate(rule=options.rule, result=GateResult.PASSED)


def _refusals(differences: Sequence[Difference]) -> Iterator[str]:
    for item in differences:
        if item.refuses:
            yield f"another {item.what}: {item.baseline} and {item.current}"


def _nothing_compared(coverage: Coverage) -> str:
    """Return why no case was compared."""
    gaps = {case.gap for case in coverage.left_out}
    if coverage.unscored_run:
        return f"no sample of the {coverage.unscored_run} is scored"
    if coverage.missing_models and gaps == {UncomparedReason.REMOVED}:
        return "the runs have no model in common"
    if UncomparedReason.CHANGED in gaps and gaps <= {
        UncomparedReason.CHANGED,
        UncomparedReason.NEW,
    }:
        parts = sorted({part for case in coverage.left_out for part in case.parts})
        return f"every case changed ({', '.join(parts)})"
    return "the runs have no scored case in common"


def _forced(
    differences: Sequence[Difference], coverage: Coverage, options: CompareOptions
) -> Iterator[str]:
    """Yield why numbers that were compared anyway cannot gate."""
    if options.rule is None and not options.strict:
        return
    yield from _refusals(differences)
    forced = sum(case.compared_anyway for case in coverage.left_out)
    if forced:
        yield f"{count(forced, 'changed case')} compared anyway (--allow-incomparable)"


def _regression(
    findings: Mapping[Rule, ComparisonVerdict], options: CompareOptions
) -> Iterator[str]:
    for rule, finding in findings.items():
        if options.rule in {rule, Rule.EITHER} and finding is ComparisonVerdict.REGRESSED:
            yield f"regressed by the {rule} rule"


def _incomplete(coverage: Coverage, options: CompareOptions) -> Iterator[str]:
    if options.rule is None or coverage.unscored_share <= options.allow_unscored:
        return
    for model in coverage.missing_models:
        yield f"model {model} is missing"
    yield from _missing_cases(coverage)
    for run, unscored, planned in (
        ("", coverage.unscored_current, coverage.planned_current),
        (" of the baseline", coverage.unscored_baseline, coverage.planned_baseline),
    ):
        if unscored:
            verb = "is" if unscored == 1 else "are"
            yield f"{unscored:,} of {count(planned, 'sample')}{run} {verb} unscored"


def _missing_cases(coverage: Coverage) -> Iterator[str]:
    """Yield the cases that are gone from models that are still there."""
    gone = dict.fromkeys(
        case.key
        for case in coverage.left_out
        if case.gap is UncomparedReason.REMOVED
        and not case.allowed
        and case.model not in coverage.missing_models
    )
    if len(gone) == 1:
        yield f"{next(iter(gone))} is missing"
    elif gone:
        names = ", ".join(list(gone)[:NAMED])
        rest = f" and {len(gone) - NAMED:,} more" if len(gone) > NAMED else ""
        yield f"{len(gone):,} cases are missing: {names}{rest}"


def _inconclusive(finding: ComparisonVerdict, options: CompareOptions) -> Iterator[str]:
    if options.strict and finding is ComparisonVerdict.INCONCLUSIVE:
        yield "within noise, and --strict demands certainty"


def _changed(coverage: Coverage, options: CompareOptions) -> Iterator[str]:
    changed = sum(case.gap is UncomparedReason.CHANGED for case in coverage.left_out)
    if options.strict and changed:
        yield f"{count(changed, 'case')} changed, and --strict demands that all are compared"


def exit_code(gate: Gate) -> ExitCode:
    """Return the exit code of a gate's result."""
    return EXIT_CODES[gate.result]
