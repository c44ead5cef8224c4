"""The sums of a check: what was found about a case, a set, all of them. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from forgetest.check.types import (
    CaseCheck,
    Finding,
    FindingKind,
    SetCheck,
    Severity,
    Soundness,
    Strength,
    Totals,
)
from forgetest.evalset.types import Case, EvalSet
from forgetest.metrics import percent


def checked(
    case: Case, sound: Soundness, strong: Strength | None, *, cached: bool, least: float | None
) -> CaseCheck:
    """Return the check of a case; a share below `least` makes its tests weak."""
    findings = (*sound.findings, *_of_strength(strong, least))
    return CaseCheck(
        case=case.key,
        file=case.file,
        line=case.line,
        difficulty=case.difficulty,
        tags=case.tags,
        broken=any(finding.severity is Severity.BROKEN for finding in findings),
        cached=cached,
        findings=findings,
        soundness=sound,
        strength=strong,
        test_strength=strong.share if strong else None,
    )


def _of_strength(strong: Strength | None, least: float | None) -> Iterator[Finding]:
    if strong is None:
        return
    if least is not None and strong.share is not None and strong.share < least:
        message = (
            f"the tests notice {strong.killed} of {strong.counted} mutants:"
            f" {percent(strong.share)}, and {percent(least)} are wanted"
        )
        yield Finding(kind=FindingKind.STRENGTH, severity=Severity.WEAK, message=message)
    for name in strong.stale:
        message = (
            f"equivalent_mutants lists {name!r}, but a test notices it, or there is no such mutant;"
            " remove it"
        )
        yield Finding(kind=FindingKind.STALE, severity=Severity.NOTE, message=message)


def set_check(item: EvalSet, checks: Mapping[str, CaseCheck]) -> SetCheck:
    """Return the check of a set from those of its cases."""
    cases = tuple(checks[case.key] for case in item.cases)
    return SetCheck(
        eval_set=item.id,
        name=item.name,
        version=item.version,
        source=item.source.name if item.source else None,
        totals=totals(cases),
        cases=cases,
    )


def totals(cases: Sequence[CaseCheck]) -> Totals:
    """Return the sums over cases; the strength is that of all mutants together."""
    strong = [case.strength for case in cases if case.strength]
    shares = [case.test_strength for case in cases if case.test_strength is not None]
    killed = sum(counts.killed for counts in strong)
    counted = sum(counts.counted for counts in strong)
    return Totals(
        cases=len(cases),
        broken=sum(case.broken for case in cases),
        unchecked=sum(_has(case, Severity.UNCHECKED) for case in cases),
        weak=sum(_has(case, Severity.WEAK) for case in cases),
        mutants=sum(counts.made for counts in strong),
        not_compiled=sum(counts.not_compiled for counts in strong),
        equivalent=sum(len(counts.equivalent) for counts in strong),
        killed=killed,
        survived=counted - killed,
        test_strength=killed / counted if counted else None,
        lowest_strength=min(shares, default=None),
    )


def _has(case: CaseCheck, severity: Severity) -> bool:
    return any(finding.severity is severity for finding in case.findings)
