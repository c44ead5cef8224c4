"""Tables for spreadsheets and data frames: a row per sample, a row per case and model.

As in RFC 4180: a header, commas, CRLF, quotes where needed. A text that a spreadsheet would take
for a formula gets an apostrophe in front (OWASP, "CSV Injection"); numbers are left alone.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from io import StringIO
from typing import TypeVar

from forgetest.render.case_table import CaseColumn, case_columns, case_names
from forgetest.render.columns import View, shown_in
from forgetest.render.formats.standing import Files, Pieces, error_codes, grading_secs, reason
from forgetest.render.run import ShownRun
from forgetest.report.samples import SampleReport
from forgetest.report.types import CaseReport, ModelReport

Amount = TypeVar("Amount", int, float, Decimal)

SAMPLES, CASES = "samples.csv", "cases.csv"

Value = str | float | bool | None
Row = Mapping[str, Value]

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - full width


def csv_files(runs: Sequence[ShownRun]) -> Files:
    """Return samples.csv and cases.csv over all runs; the first column names the run."""
    return {
        SAMPLES: Pieces(lambda: _table(sample_rows(runs))),
        CASES: Pieces(lambda: _table(case_rows(runs))),
    }


def sample_rows(runs: Sequence[ShownRun]) -> Iterator[Row]:
    """Yield a row per planned sample; what is not known is None, unscored is not a failure."""
    names = shown_in(View.CSV, case_names(several_sets=True))
    varied = _shows_variants(runs)
    for run in runs:
        for model in run.report.models:
            for case in model.cases:
                known = {**_who(run, model, varied=varied), **_values(names, case)}
                yield from ({**known, **_sample(sample)} for sample in case.samples)


def case_rows(runs: Sequence[ShownRun]) -> Iterator[Row]:
    """Yield a row per case and model; runs with other k have their own columns."""
    ks = list(dict.fromkeys(k for run in runs for k in run.report.pass_k))
    columns = shown_in(View.CSV, case_columns(ks, several_sets=True))
    varied = _shows_variants(runs)
    return (
        {**_who(run, model, varied=varied), **_values(columns, case)}
        for run in runs
        for model in run.report.models
        for case in model.cases
    )


def _shows_variants(runs: Sequence[ShownRun]) -> bool:
    """Tell whether rows name a variant: all do where any model was asked in one."""
    return any(model.model.variant for run in runs for model in run.report.models)


def _who(run: ShownRun, model: ModelReport, *, varied: bool) -> Row:
    variant = {"variant": model.model.variant_shown} if varied else {}
    return {"run": run.label, "model": model.model.plain, **variant}


def _values(columns: Iterable[CaseColumn], case: CaseReport) -> Row:
    return {column.title: column.cell(case).value for column in columns}


def _sample(sample: SampleReport) -> Row:
    return {**_judged(sample), **_asked(sample)}


def _judged(sample: SampleReport) -> Row:
    verdict = sample.verdict
    return {
        "sample": sample.index + 1,
        "scored": sample.scored,
        "passed": sample.passed,
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
    """Return how the reply ended, and what all rounds of the sample took."""
    replies, reply = sample.completions, sample.completion
    usages = [each.usage for each in replies]
    usd = _sum([each.cost.usd for each in replies])
    return {
        "finish": reply.finish if reply else None,
        "attempts": _sum([each.attempts for each in replies]),
        "input_tokens": _sum([usage.input_tokens for usage in usages]),
        "output_tokens": _sum([usage.output_tokens for usage in usages]),
        "reasoning_tokens": _sum([usage.reasoning_tokens for usage in usages]),
        "cache_read_tokens": _sum([usage.cache_read_tokens for usage in usages]),
        "usd": None if usd is None else float(usd),
        "latency_secs": _sum([each.latency_secs for each in replies]),
    }


def _sum(values: Sequence[Amount | None]) -> Amount | None:
    """Return the sum; None without values, and as long as any is not known."""
    known = [value for value in values if value is not None]
    if not values or len(known) < len(values):
        return None
    return sum(known[1:], known[0])


def _lints(sample: SampleReport) -> dict[str, None]:
    lints = sample.verdict.lints if sample.verdict else ()
    return dict.fromkeys(lint.code for lint in lints if lint.code)


def _table(rows: Iterable[Row]) -> Iterator[str]:
    """Yield the lines of a table, with its header where there is any row."""
    line = StringIO(newline="")
    writer = csv.writer(line)  # its own dialect is RFC 4180's
    for place, row in enumerate(rows):
        if not place:
            writer.writerow(row)
        writer.writerow([_cell(cell) for cell in row.values()])
        yield line.getvalue()
        line.seek(0)
        line.truncate()


def _cell(cell: Value) -> Value:
    if isinstance(cell, bool):
        return str(cell).lower()
    if not isinstance(cell, str):
        return cell
    text = cell.replace("\0", "")  # readers in C end there
    return f"'{text}" if text.startswith(_FORMULA) else str(text)
