"""Compares the verdicts of a graded recording with those that its rows carry."""

from collections.abc import Iterator

from forgetest.agreement import Judged, agreement
from forgetest.evalset.types import Case
from forgetest.plan import Plan
from forgetest.replay import ReplaySource, open_recording
from forgetest.report.types import CaseReport, ModelReport, Report


def with_agreement(report: Report, plan: Plan) -> Report:
    """Return the report, with the agreement added when the recordings carry verdicts."""
    cases = {case.key: case for eval_set in plan.eval_sets for case in eval_set.cases}
    judged = [one for model in report.models for one in _judged(model, cases)]
    return report.model_copy(update={"agreement": agreement(judged)})


def _judged(model: ModelReport, cases: dict[str, Case]) -> Iterator[Judged]:
    source = open_recording(model.model.model)
    if any(row.recorded for row in source.rows):
        for case in model.cases:
            yield from _judged_case(case, cases[case.key], source)


def _judged_case(found: CaseReport, case: Case, source: ReplaySource) -> Iterator[Judged]:
    rows = source.recorded(case)
    for sample in found.samples:
        row = rows[sample.index]
        if row.recorded is not None:
            reasons = sample.verdict.reasons if sample.verdict else ()
            yield Judged(
                model=row.model or "",
                case=found.key,
                sample=sample.index + 1,
                recorded_passed=row.recorded.passed,
                recorded=row.recorded.words,
                flaky=row.recorded.flaky,
                passed=sample.passed if sample.scored else None,
                outcome=sample.outcome,
                reason=reasons[0] if reasons else "",
            )
