"""What a gate makes of a comparison, and the exit code."""

from collections.abc import Iterator, Mapping, Sequence

from forgetest.compare.findings import chosen
from forgetest.compare.types import (
    Coverage,
    Difference,
    Finding,
    Gap,
    Gate,
    GateResult,
    Options,
    Rule,
)
from forgetest.errors import ExitCode
from forgetest.words import count

EXIT_CODES = {
    GateResult.PASSED: ExitCode.DONE,
    GateResult.REGRESSION: ExitCode.REGRESSION,
    GateResult.INCOMPLETE: ExitCode.UNSCORED,
    GateResult.INCONCLUSIVE: ExitCode.UNSCORED,
    GateResult.NOT_COMPARABLE: ExitCode.UNSCORED,
}


def gate(
    findings: Mapping[Rule, Finding],
    differences: Sequence[Difference],
    coverage: Coverage,
    options: Options,
) -> Gate:
    """Return the gate's result: the gravest that applies, with every reason of that kind.

    `findings` is what each rule makes of all models.

    A regression is one whatever else is missing; where none was found, missing samples and cases
    mean that none may be claimed absent.
    """
    if not coverage.compared:
        said = tuple(_refusals(differences)) or ("the runs have no scored case in common",)
        return Gate(rule=options.rule, result=GateResult.NOT_COMPARABLE, reasons=said)
    finding = chosen(options.rule, findings[Rule.THRESHOLD], findings[Rule.EVIDENCE])
    for result, reasons in (
        (GateResult.NOT_COMPARABLE, _forced(differences, coverage, options)),
        (GateResult.REGRESSION, _regression(findings, options)),
        (GateResult.INCOMPLETE, _incomplete(coverage, options)),
        (GateResult.INCONCLUSIVE, _inconclusive(finding, options)),
        (GateResult.NOT_COMPARABLE, _changed(coverage, options)),
    ):
        said = tuple(reasons)
        if said:
            return Gate(rule=options.rule, result=result, reasons=said)
    return Gate(rule=options.rule, result=GateResult.PASSED)


def _refusals(differences: Sequence[Difference]) -> Iterator[str]:
    for one in differences:
        if one.refuses:
            yield f"another {one.what}: {one.baseline} and {one.current}"


def _forced(
    differences: Sequence[Difference], coverage: Coverage, options: Options
) -> Iterator[str]:
    """Yield why numbers that were compared anyway can not gate."""
    if options.rule is None and not options.strict:
        return
    yield from _refusals(differences)
    forced = sum(one.compared_anyway for one in coverage.left_out)
    if forced:
        yield f"{forced} changed cases were compared anyway"


def _regression(findings: Mapping[Rule, Finding], options: Options) -> Iterator[str]:
    for rule, finding in findings.items():
        if options.rule in {rule, Rule.EITHER} and finding is Finding.REGRESSED:
            yield f"regressed by the {rule} rule"


def _incomplete(coverage: Coverage, options: Options) -> Iterator[str]:
    if options.rule is None or coverage.unscored_share <= options.allow_unscored:
        return
    yield (
        f"{coverage.unscored_share:.1%} of the samples are unscored or gone,"
        f" {options.allow_unscored:.1%} may be (--allow-unscored)"
    )


def _inconclusive(finding: Finding, options: Options) -> Iterator[str]:
    if options.strict and finding is Finding.INCONCLUSIVE:
        yield "inconclusive, and --strict wants certainty"


def _changed(coverage: Coverage, options: Options) -> Iterator[str]:
    changed = sum(one.gap is Gap.CHANGED for one in coverage.left_out)
    if options.strict and changed:
        yield f"{count(changed, 'case')} changed, and --strict wants all compared"


def exit_code(found: Gate) -> ExitCode:
    """Return the exit code of a gate's result."""
    return EXIT_CODES[found.result]
