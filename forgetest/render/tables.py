"""The terminal's tables of a report, as rich renderables that the CLI prints.

The terminal's tables as plain text, for a file.
"""

from collections.abc import Iterator, Sequence
from io import StringIO

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from forgetest.grading.verdict import Outcome
from forgetest.metrics import percent
from forgetest.render.agreement import agreement_tables
from forgetest.render.numbers import interval, money, passed_of, seconds
from forgetest.render.run import sandbox_line
from forgetest.render.safe import one_line
from forgetest.report.types import CaseReport, Metric, ModelReport, Recalled, Report

WIDE = 110  # columns from which the second half of the leaderboard is shown
TOP = 3  # error codes and lints named per model


def report_tables(report: Report, *, width: int) -> RenderableType:
    """Return the whole report for a terminal: leaderboard, cases, failures, warnings."""
    ranked = ranking(report)
    parts: list[RenderableType] = [leaderboard(report, ranked, width=width), Text()]
    parts.extend([case_table(report, ranked), Text(), failures(ranked)])
    parts.extend(Text(one_line(line, 500)) for line in extension_lines(ranked))
    parts.append(Text(f"sandbox {sandbox_line(report.sandbox)}", style="dim"))
    if report.warnings:
        parts.extend([Text(), warnings_table(report.warnings)])
    if report.agreement is not None:
        parts.append(agreement_tables(report.agreement))
    return Group(*parts)


def warnings_table(warnings: Sequence[str]) -> Table:
    """Return the warnings, one a row, wrapped under themselves."""
    table = Table.grid(padding=(0, 1))
    for warning in warnings:
        table.add_row(Text("!", style="bold yellow"), Text(warning, style="yellow"))
    return table


def ranking(report: Report) -> list[ModelReport]:
    """Return the models best first, by pass@1, then mean score, then name."""

    def order(model: ModelReport) -> tuple[float, float, str]:
        first = next(iter(model.overall.pass_at_k.values()))
        rate = _worth(model.overall.pass_at_k.get("1", first))
        return (-rate, -_worth(model.overall.mean_score), str(model.model))

    return sorted(report.models, key=order)


def _worth(metric: Metric) -> float:
    return -1.0 if metric.value is None else metric.value


def leaderboard(report: Report, ranked: list[ModelReport], *, width: int) -> Table:
    """Return one row per model: pass rates with their interval, score, rates and cost."""
    wide = width >= WIDE
    table = Table(box=None, pad_edge=False, header_style="bold", expand=False)
    table.add_column("#", justify="right")
    table.add_column("model", overflow="fold", min_width=12)
    for k in report.pass_k:
        table.add_column(f"pass@{k}", justify="right", no_wrap=True)
        if k == report.pass_k[0]:
            table.add_column("95 % interval", justify="right", no_wrap=True)
    for name in ("score", "compile", *(("tests", "lint-free", "p50") if wide else ()), "cost"):
        table.add_column(name, justify="right", no_wrap=True)
    for rank, model in enumerate(ranked, start=1):
        table.add_row(str(rank), Text(one_line(str(model.model))), *_row(report, model, wide=wide))
    return table


def _row(report: Report, model: ModelReport, *, wide: bool) -> Iterator[str | Text]:
    block = model.overall
    for k in report.pass_k:
        metric = block.pass_at_k[str(k)]
        yield Text(rate(metric), style="bold")
        if k == report.pass_k[0]:
            yield interval(metric.ci95)
    yield "–" if block.mean_score.value is None else f"{block.mean_score.value:.3f}"
    yield rate(block.compile_rate)
    if wide:
        yield rate(block.test_pass_rate)
        yield rate(block.lint_free_rate)
        yield "–" if model.latency is None else seconds(model.latency.p50)
    yield money(model.cost)


def rate(metric: Metric) -> str:
    """Return a percentage, or a dash where there is no value."""
    return "–" if metric.value is None else percent(metric.value)


def case_table(report: Report, ranked: list[ModelReport]) -> Table:
    """Return one row per case, one column per model (numbered as in the leaderboard): c of n."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("case", overflow="fold", min_width=16)
    for rank in range(1, len(ranked) + 1):
        table.add_column(f"#{rank}", justify="right", no_wrap=True)
    several = len(report.eval_sets) > 1
    rows = zip(*(model.cases for model in ranked), strict=True)
    for cases in rows:
        name = cases[0].key if several else cases[0].case
        table.add_row(Text(one_line(name)), *(cell(case) for case in cases))
    return table


def cell(case: CaseReport) -> Text:
    """Return `c/n`, coloured; unscored samples are marked and never hidden."""
    shown = passed_of(case.c, case.n, case.planned)
    if case.n == 0:
        return Text(shown, style="yellow")
    style = "green" if case.c == case.n else "red" if case.c == 0 else "yellow"
    return Text(shown, style=style)


def extension_lines(ranked: Sequence[ModelReport]) -> Iterator[str]:
    """Yield what `[report]` asks for, a line a model; nothing where it asks for nothing."""
    for model in ranked:
        found = model.extensions
        if found is None:
            continue
        scores = [
            ("overall run score", found.overall_run_score),
            ("penalized", found.penalized_score),
            ("latency score", found.latency_score),
        ]
        told = [f"{name} {score:.3f}" for name, score in scores if score is not None]
        yield f"{model.model}: {' · '.join(told) or 'nothing to weigh'}"


def failures(ranked: list[ModelReport]) -> Table:
    """Return what became of each model's samples, with the commonest errors and lints."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("#", justify="right")
    table.add_column("what became of the samples", overflow="fold")
    for rank, model in enumerate(ranked, start=1):
        table.add_row(str(rank), Text(one_line(breakdown(model), 2000)))
    return table


def breakdown(model: ModelReport) -> str:
    """Return `passed 12 · compile_failed 9 (E0425 6, E0308 3) · ...` for one model."""
    parts = [
        f"{outcome} {count}{_codes(model, outcome)}{_flagged(model, outcome)}"
        for outcome, count in sorted(model.outcomes.items(), key=_passed_first)
    ]
    parts.extend(f"unscored: {kind} {count}" for kind, count in sorted(model.faults.items()))
    if model.integrity_flags:
        parts.append(f"flags: {_top(model.integrity_flags)}")
    if model.lints:
        parts.append(f"lints: {_top(model.lints)}")
    parts.extend(_recalled(model.recalled))
    return " · ".join(parts) or "nothing"


def _recalled(recalled: Recalled) -> Iterator[str]:
    if recalled.cached:
        yield f"verdicts of earlier runs {recalled.cached}"
    if recalled.duplicate:
        yield f"verdicts of identical code {recalled.duplicate}"


def _passed_first(item: tuple[str, int]) -> tuple[bool, int, str]:
    outcome, count = item
    return (outcome != Outcome.PASSED, -count, outcome)


def _codes(model: ModelReport, outcome: str) -> str:
    if outcome != Outcome.COMPILE_FAILED or not model.error_codes:
        return ""
    return f" ({_top(model.error_codes)})"


def _flagged(model: ModelReport, outcome: str) -> str:
    """Say how many of the passes are not clean."""
    if outcome != Outcome.PASSED or not model.passed_flagged:
        return ""
    return f" ({model.passed_flagged} flagged)"


def _top(counts: dict[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    named = ", ".join(f"{name} {count}" for name, count in ordered[:TOP])
    return named if len(ordered) <= TOP else f"{named}, …"


FILE_WIDTH = 120  # columns of a file


def plain_text(*parts: RenderableType) -> str:
    """Return what is printed of the parts, one below the other, without colour."""
    page = StringIO()
    console = Console(file=page, width=FILE_WIDTH, highlight=False, no_color=True)
    for part in parts:
        console.print(part)
    return page.getvalue()
