"""Tables for spreadsheets and data frames: a row per sample, a row per case and model.

As in RFC 4180: a header, commas, CRLF, quotes where needed. A text that a spreadsheet would take
for a formula gets an apostrophe in front (OWASP, "CSV Injection"); numbers are left alone.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO

from forgetest.render.formats.standing import Files, commonest, error_codes, grading_secs, reason
from forgetest.render.run import ShownRun
from forgetest.report.types import CaseReport, Metric, ModelReport, SampleReport

SAMPLES, CASES = "samples.csv", "cases.csv"

Cell = str | float | None
Row = Mapping[str, Cell]

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - full width


def csv_files(runs: Sequence[ShownRun]) -> Files:
    """Return samples.csv and cases.csv over all runs; the first column names the run."""
    return {SAMPLES: _table(sample_rows(runs)), CASES: _table(case_rows(runs))}


def sample_rows(runs: Sequence[ShownRun]) -> list[Row]:
    """Return a row per planned sample; what is not known is None, unscored is no failure."""
    return [
        {**_who(run, model, case), **_sample(sample)}
        for run in runs
        for model in run.report.models
        for case in model.cases
        for sample in case.samples
    ]


def case_rows(runs: Sequence[ShownRun]) -> list[Row]:
    """Return a row per case and model; runs with other k have their own columns."""
    ks = list(dict.fromkeys(k for run in runs for k in run.report.pass_k))
    return [
        {**_who(run, model, case), **_case(case, ks)}
        for run in runs
        for model in run.report.models
        for case in model.cases
    ]


def _who(run: ShownRun, model: ModelReport, case: CaseReport) -> Row:
    return {
        "run": run.label,
        "model": str(model.model),
        "eval_set": case.eval_set,
        "case": case.case,
        "name": case.name,
        "difficulty": case.difficulty,
        "tags": " ".join(case.tags),
    }


def _sample(sample: SampleReport) -> Row:
    return {**_judged(sample), **_asked(sample)}


def _judged(sample: SampleReport) -> Row:
    verdict = sample.verdict
    return {
        "sample": sample.index + 1,
        "scored": _fact(sample.scored),
        "passed": _fact(sample.passed),
        "score": sample.score,
        "outcome": sample.outcome,
        "reason": reason(sample),
        "error_codes": " ".join(error_codes(sample)),
        "tests_passed": verdict.tests_passed if verdict else None,
        "tests_failed": verdict.tests_failed if verdict else None,
        "lints": len(verdict.lints) if verdict else None,
        "lint_codes": " ".join(_lints(sample)),
        "integrity": sample.integrity,
        "flags": " ".join((*sample.flags, *(verdict.integrity.flags if verdict else ()))),
        "extraction_rule": sample.extraction_rule,
        "fault_kind": sample.fault_kind,
        "grading_secs": grading_secs(sample) if verdict else None,
    }


def _asked(sample: SampleReport) -> Row:
    reply = sample.completion
    usage = reply.usage if reply else None
    return {
        "finish": reply.finish if reply else None,
        "attempts": reply.attempts if reply else None,
        "input_tokens": usage.input_tokens if usage else None,
        "output_tokens": usage.output_tokens if usage else None,
        "reasoning_tokens": usage.reasoning_tokens if usage else None,
        "cache_read_tokens": usage.cache_read_tokens if usage else None,
        "usd": float(reply.cost.usd) if reply and reply.cost.usd is not None else None,
        "latency_secs": reply.latency_secs if reply else None,
    }


def _lints(sample: SampleReport) -> dict[str, None]:
    lints = sample.verdict.lints if sample.verdict else ()
    return dict.fromkeys(lint.code for lint in lints if lint.code)


def _case(case: CaseReport, ks: Iterable[int]) -> Row:
    rates = {f"pass@{k}": _value(case.pass_at_k.get(str(k))) for k in ks}
    hats = {f"pass^{k}": _value(case.pass_hat_k.get(str(k))) for k in ks}
    return {
        "planned": case.planned,
        "n": case.n,
        "c": case.c,
        "unscored": case.planned - case.n,
        "compiled": case.compiled,
        "distinct_completions": case.distinct_completions,
        "pass_rate": case.pass_rate,
        **rates,
        **hats,
        "compile_rate": case.compile_rate,
        "test_pass_rate": case.test_pass_rate,
        "mean_score": case.mean_score,
        "score_sd": case.score_sd,
        "flaky": _fact(case.flaky),
        "flakiness_percent": case.flakiness_percent,
        "commonest": commonest(case),
    }


def _value(metric: Metric | None) -> float | None:
    return metric.value if metric else None


def _fact(value: bool | None) -> str | None:
    return None if value is None else str(value).lower()


def _table(rows: Sequence[Row]) -> str:
    page = StringIO(newline="")
    if rows:
        writer = csv.writer(page)  # its own dialect is RFC 4180's
        writer.writerow(rows[0])
        writer.writerows([_cell(cell) for cell in row.values()] for row in rows)
    return page.getvalue()


def _cell(cell: Cell) -> str | float | None:
    if not isinstance(cell, str):
        return cell
    text = cell.replace("\0", "")  # readers in C end there
    return f"'{text}" if text.startswith(_FORMULA) else str(text)
