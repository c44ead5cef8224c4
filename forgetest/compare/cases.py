"""Each case before and after: by the threshold, and by what its samples prove."""

from collections.abc import Sequence
from fractions import Fraction

from forgetest.compare.pair import CasePair
from forgetest.compare.side import Mishap, Side, SideCase
from forgetest.compare.types import CaseComparison, CaseSide, Failure
from forgetest.metrics import CaseEvidence, Change, GateEvidence, case_samples_to_settle, change

FAILURES_KEPT = 5  # ways of failing that a case's excerpt names


def case_comparisons(
    pairs: Sequence[CasePair], evidence: GateEvidence, side: Side, *, threshold: Fraction
) -> tuple[CaseComparison, ...]:
    """Return one comparison a case, in the order of the current run."""
    return tuple(
        _comparison(before, after, found, evidence, side, threshold=threshold)
        for (before, after), found in zip(pairs, evidence.cases, strict=True)
    )


def _comparison(
    before: SideCase,
    after: SideCase,
    found: CaseEvidence,
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
        baseline=_side(before, excerpt=moved != "same"),
        current=_side(after, excerpt=moved != "same"),
        score_delta=float(new - old),
        rate_delta=float(Fraction(c_b, n_b) - Fraction(c_a, n_a)),
        change=moved,
        p_worse=float(found.p_worse),
        p_better=float(found.p_better),
        worse=found.worse,
        better=found.better,
        samples_to_settle=_settling(before, after, moved, found, evidence),
    )


def _settling(
    before: SideCase, after: SideCase, moved: Change, found: CaseEvidence, evidence: GateEvidence
) -> int | None:
    """Return how many samples would settle an open change; None where none is open."""
    if moved == "regression" and not found.worse:
        return case_samples_to_settle(before.counts, after.counts, evidence.worse.threshold)
    if moved == "improvement" and not found.better:
        return case_samples_to_settle(after.counts, before.counts, evidence.better.threshold)
    return None


def _side(case: SideCase, *, excerpt: bool) -> CaseSide:
    n, c = case.counts
    commonest = sorted(case.mishaps.items(), key=_order)[:FAILURES_KEPT] if excerpt else []
    return CaseSide(
        planned=case.planned,
        n=n,
        c=c,
        mean_score=float(case.mean_score),
        failures=tuple(_failure(mishap, count) for mishap, count in commonest),
        ways=len(case.mishaps),
    )


def _order(item: tuple[Mishap, int]) -> tuple[int, str]:
    mishap, count = item
    return -count, repr(mishap)  # ties stand in the same order whichever sample came first


def _failure(mishap: Mishap, count: int) -> Failure:
    return Failure(
        outcome=mishap.outcome,
        samples=count,
        code=mishap.code,
        message=mishap.message,
        tests=mishap.tests,
    )
