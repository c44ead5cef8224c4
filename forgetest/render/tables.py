"""A report for the terminal: leaderboard, cases, outcomes and warnings."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from forgetest.grading.verdict import Outcome
from forgetest.render.agreement import agreement_tables
from forgetest.render.case_table import case_columns, case_rows, pivot_columns
from forgetest.render.columns import (
    GAP,
    balanced,
    legend_of,
    terminal_table,
    terminal_view,
    warnings_table,
)
from forgetest.render.conclusions import BROKEN, conclusions
from forgetest.render.leaderboard import (
    RankedModel,
    model_columns,
    report_rows,
    suite_columns,
    suite_rows,
)
from forgetest.render.rounds import round_columns, round_lines, round_rows
from forgetest.render.run import sandbox_line
from forgetest.render.safe import one_line
from forgetest.report.types import ModelReport, Recalled, Report
from forgetest.value import count

TOP = 3  # error codes and lints named per model


def report_tables(report: Report, *, width: int) -> RenderableType:
    """Return the whole report for a terminal of so many columns."""
    rows = report_rows(report.models)
    parts: list[RenderableType] = [leaderboard(report, rows, width=width), Text()]
    if suites := suite_rows(rows):
        parts.extend([terminal_table(suite_columns(_labels(rows)), suites, width=width), Text()])
    if rounds := round_rows(rows):
        parts.append(terminal_table(round_columns(), rounds, width=width))
        parts.extend(Text(one_line(line, 500)) for line in round_lines(rows))
        parts.append(Text())
    parts.extend([case_table(report, rows, width=width), Text(), outcomes_table(rows, width=width)])
    parts.extend(Text(one_line(line, 500)) for line in extension_lines(rows))
    parts.append(Text(f"sandbox {sandbox_line(report.sandbox)}", style="dim"))
    if report.warnings:
        parts.extend([Text(), warnings_table(report.warnings, width=width)])
    if report.agreement is not None:
        parts.append(agreement_tables(report.agreement))
    parts.extend(conclusion_lines(report, width=width))
    return Group(*parts)


def conclusion_lines(report: Report, *, width: int) -> Iterator[Text]:
    """Yield an empty line and what was found, in words; nothing where there is nothing to say."""
    lines = [*conclusions([("", report)])]
    yield from [Text()] if lines else []
    for line in lines:
        style = "bold red" if line.startswith(BROKEN) else "bold"
        yield Text(balanced(one_line(line, 500), width), style=style)


def leaderboard(report: Report, rows: Sequence[RankedModel], *, width: int) -> RenderableType:
    """Return one row per model: pass rates with their interval, score, rates, time and cost."""
    columns = model_columns(report.pass_k, rows)
    legend = (f"{title:7}  {meaning}" for title, meaning in legend_of(columns))
    table = terminal_table(columns, rows, width=width)
    return Group(table, *(Text(line, style="dim") for line in legend))


def case_table(report: Report, rows: Sequence[RankedModel], *, width: int) -> RenderableType:
    """Return one row per case: of each model, labelled as in the leaderboard, c/n and scores."""
    columns = case_columns(report.pass_k, several_sets=len(report.eval_sets) > 1)
    anchors = [row.label for row in rows if row.rank is None]
    pivoted = pivot_columns(columns, terminal_view(width), _labels(rows), anchors=anchors)
    return terminal_table(pivoted, case_rows([row.model for row in rows]), width=width)


def _labels(rows: Sequence[RankedModel]) -> list[str]:
    return [row.label for row in rows]


def extension_lines(rows: Sequence[RankedModel]) -> Iterator[str]:
    """Yield the scores that `[report]` asks for, a line for each model; nothing without it."""
    for row in rows:
        extensions = row.model.extensions
        if extensions is None:
            continue
        scores = [
            ("overall run score", extensions.overall_run_score),
            ("penalized", extensions.penalized_score),
            ("latency score", extensions.latency_score),
        ]
        known = [f"{name} {score:.3f}" for name, score in scores if score is not None]
        yield f"{row.name}: {' · '.join(known) or 'no scored case'}"


def outcomes_table(rows: Sequence[RankedModel], *, width: int) -> Table:
    """Return the outcomes of each model's samples, with the most common errors and lints."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("#", justify="right")
    table.add_column("outcomes", overflow="fold")
    labels = [row.label.removeprefix("#") for row in rows]
    room = width - max(map(cell_len, labels), default=0) - GAP
    for label, row in zip(labels, rows, strict=True):
        table.add_row(label, Text(balanced(one_line(outcomes_line(row.model), 2000), room)))
    return table


def outcomes_line(model: ModelReport) -> str:
    """Return `passed 12 · compile_failed 9 (E0425 6, E0308 3) · ...` for one model."""
    parts = [
        f"{outcome} {number}{_codes(model, outcome)}{_flagged(model, outcome)}"
        for outcome, number in sorted(model.outcomes.items(), key=_passed_first)
    ]
    parts.extend(f"unscored: {kind} {number}" for kind, number in sorted(model.faults.items()))
    if model.integrity_flags:
        parts.append(f"flags: {_top(model.integrity_flags)}")
    if model.lints:
        parts.append(f"lints: {_top(model.lints)}")
    parts.extend(_reused(model.recalled))
    return " · ".join(parts) or "nothing"


def _reused(recalled: Recalled) -> Iterator[str]:
    if recalled.cached:
        yield f"{count(recalled.cached, 'verdict')} from earlier runs"
    if recalled.duplicate:
        yield f"{count(recalled.duplicate, 'duplicate')}, graded once"


def _passed_first(item: tuple[str, int]) -> tuple[bool, int, str]:
    outcome, number = item
    return (outcome != Outcome.PASSED, -number, outcome)


def _codes(model: ModelReport, outcome: str) -> str:
    if outcome != Outcome.COMPILE_FAILED or not model.error_codes:
        return ""
    return f" ({_top(model.error_codes)})"


def _flagged(model: ModelReport, outcome: str) -> str:
    """Return how many of the passes are flagged."""
    if outcome != Outcome.PASSED or not model.passed_flagged:
        return ""
    return f" ({model.passed_flagged} flagged)"


def _top(counts: dict[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    named = ", ".join(f"{name} {number}" for name, number in ordered[:TOP])
    return named if len(ordered) <= TOP else f"{named}, …"
