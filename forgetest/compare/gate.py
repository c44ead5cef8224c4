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
        reasons = tuple(_refusals(differences)) or ("the runs have no scored case in common",)
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


def _forced(
    differences: Sequence[Difference], coverage: Coverage, options: CompareOptions
) -> Iterator[str]:
    """Yield why numbers that were compared anyway cannot gate."""
    if options.rule is None and not options.strict:
        return
    yield from _refusals(differences)
    forced = sum(case.compared_anyway for case in coverage.left_out)
    if forced:
        yield f"{forced} changed cases were compared anyway"


def _regression(
    findings: Mapping[Rule, ComparisonVerdict], options: CompareOptions
) -> Iterator[str]:
    for rule, finding in findings.items():
        if options.rule in {rule, Rule.EITHER} and finding is ComparisonVerdict.REGRESSED:
            yield f"regressed by the {rule} rule"


def _incomplete(coverage: Coverage, options: CompareOptions) -> Iterator[str]:
    if options.rule is None or coverage.unscored_share <= options.allow_unscored:
        return
    yield (
        f"{coverage.unscored_share:.1%} of the samples are unscored or gone,"
        f" {options.allow_unscored:.1%} may be (--allow-unscored)"
    )


def _inconclusive(finding: ComparisonVerdict, options: CompareOptions) -> Iterator[str]:
    if options.strict and finding is ComparisonVerdict.INCONCLUSIVE:
        yield "inconclusive, and --strict wants certainty"


def _changed(coverage: Coverage, options: CompareOptions) -> Iterator[str]:
    changed = sum(case.gap is UncomparedReason.CHANGED for case in coverage.left_out)
    if options.strict and changed:
        yield f"{count(changed, 'case')} changed, and --strict wants all compared"


def exit_code(gate: Gate) -> ExitCode:
    """Return the exit code of a gate's result."""
    return EXIT_CODES[gate.result]
