"""One case of one model: n, c and what follows from them (scoring.md 4.3)."""

from collections.abc import Sequence
from fractions import Fraction
from statistics import stdev

from forgetest.evalset.types import Case
from forgetest.event import Record
from forgetest.grading.verdict import Verdict
from forgetest.metrics import (
    Reason,
    flakiness_percent,
    is_flaky,
    pass_at_k,
    pass_hat_k,
    var_pass_at_k,
    var_pass_hat_k,
)
from forgetest.report.types import CaseReport, Metric, SampleReport
from forgetest.score import score


def case_report(case: Case, records: Sequence[Record], *, pass_k: Sequence[int]) -> CaseReport:
    """Return the case's report from its records, one per planned sample, in order."""
    samples = tuple(_sample(index, record) for index, record in enumerate(records))
    verdicts = [record.verdict for record in records if record.verdict is not None]
    scores = [score(verdict) for verdict in verdicts]
    n, c = len(verdicts), sum(verdict.passed for verdict in verdicts)
    return CaseReport(
        eval_set=case.eval_set,
        case=case.id,
        name=case.name,
        tags=case.tags,
        difficulty=case.difficulty,
        planned=len(records),
        n=n,
        c=c,
        compiled=sum(compiled_part(verdict) for verdict in verdicts),
        distinct_completions=_distinct(records),
        mean_score=float(sum(scores, Fraction(0)) / n) if n else None,
        score_sd=stdev([float(item) for item in scores]) if n > 1 else None,
        pass_rate=c / n if n else None,
        pass_at_k={str(k): at_k(n, c, k) for k in pass_k},
        pass_hat_k={str(k): hat_k(n, c, k) for k in pass_k},
        compile_rate=_mean([compiled_part(verdict) for verdict in verdicts]),
        test_pass_rate=_mean([tests_part(verdict) for verdict in verdicts]),
        flaky=is_flaky(n, c),
        flakiness_percent=flakiness_percent(n, c),
        samples=samples,
    )


def at_k(n: int, c: int, k: int) -> Metric:
    """Return pass@k of one case with the standard error of running it again."""
    return _metric(pass_at_k(n, c, k), var_pass_at_k(n, c, k), n=n)


def hat_k(n: int, c: int, k: int) -> Metric:
    """Return pass^k of one case with the standard error of running it again."""
    return _metric(pass_hat_k(n, c, k), var_pass_hat_k(n, c, k), n=n)


def _metric(value: float | None, variance: float | Fraction | None, *, n: int) -> Metric:
    if value is None:
        reason = Reason.INSUFFICIENT_SAMPLES if n else Reason.UNSCORED
        return Metric(value=None, reason=str(reason))
    return Metric(value=value, se_rerun=None if variance is None else float(variance) ** 0.5)


def compiled_part(verdict: Verdict) -> bool:
    """Return whether the code did what the case asks of the compiler."""
    return verdict.compiled or (verdict.passed and not verdict.compiled)


def tests_part(verdict: Verdict) -> Fraction:
    """Return P / (P + F), 0 when no test ran."""
    total = verdict.tests_passed + verdict.tests_failed
    if total == 0:
        return Fraction(int(verdict.passed))
    return Fraction(verdict.tests_passed, total)


def _mean(values: Sequence[Fraction | bool]) -> float | None:
    if not values:
        return None
    return float(sum((Fraction(value) for value in values), Fraction(0)) / len(values))


def _distinct(records: Sequence[Record]) -> int:
    """Count different completion texts: identical draws carry the evidence of one."""
    return len({record.completion.text for record in records if record.completion is not None})


def _sample(index: int, record: Record) -> SampleReport:
    verdict, fault = record.verdict, record.fault
    found = record.extraction
    return SampleReport(
        index=index,
        scored=verdict is not None,
        passed=verdict.passed if verdict else None,
        score=float(score(verdict)) if verdict else None,
        outcome=verdict.outcome if verdict else None,
        status=verdict.status if verdict else None,
        fault=fault.message if fault else None,
        fault_kind=fault.kind if fault else None,
        flags=verdict.flags if verdict else (),
        code=found.code if found else None,
        extraction_rule=str(found.rule) if found else None,
        verdict=verdict,
        completion=record.completion,
    )
