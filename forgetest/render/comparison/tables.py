"""The terminal's view of a comparison: the verdict first, then what it rests on."""

from collections.abc import Iterator
from functools import partial

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from forgetest.compare.types import Comparison, Finding, GateResult
from forgetest.render.comparison.advice import gate_words, next_step
from forgetest.render.comparison.changed import changed_cases, excerpts, more
from forgetest.render.comparison.models import model_parts
from forgetest.render.comparison.numbers import level
from forgetest.render.comparison.words import (
    coverage_words,
    difference_words,
    left_cells,
    run_words,
    same_rustc,
    summary_cells,
    verdict_line,
)
from forgetest.render.safe import Marks, one_line
from forgetest.render.tables import warnings_table

ROWS = 40  # of a long list
LABEL = 8
STYLES = {
    Finding.REGRESSED: "bold red",
    Finding.IMPROVED: "bold green",
    Finding.SAME: "bold green",
    Finding.INCONCLUSIVE: "bold yellow",
    Finding.NOT_COMPARABLE: "bold yellow",
}
brief = partial(one_line, limit=80)
BRIEF = Marks(brief, one_line)


def comparison_tables(comparison: Comparison, *, width: int) -> RenderableType:
    """Return the whole comparison for a terminal of so many columns."""
    parts: list[RenderableType] = [_verdict(comparison), _head(comparison)]
    if len(comparison.models) > 1:
        parts.extend([Text(), _summary(comparison)])
    parts.extend(changed_cases(comparison, width=width))
    parts.extend(excerpts(comparison, width=width))
    for model in comparison.models:
        parts.extend([Text(), *model_parts(model, comparison.options)])
    parts.extend(_left_out(comparison))
    if comparison.notes:
        parts.extend([Text(), warnings_table([one_line(note, 500) for note in comparison.notes])])
    return Group(*parts)


def _verdict(comparison: Comparison) -> Text:
    finding, rest = verdict_line(comparison, BRIEF).split(": ", 1)
    return Text.assemble((finding.upper(), STYLES[comparison.finding]), (f": {rest}", "bold"))


def _head(comparison: Comparison) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", width=LABEL, no_wrap=True)
    grid.add_column(overflow="fold")
    for label, words in _head_rows(comparison):
        grid.add_row(label, words)
    return grid


def _head_rows(comparison: Comparison) -> Iterator[tuple[str, Text]]:
    yield "to do", Text(next_step(comparison), style="bold")
    passed = comparison.gate.result is GateResult.PASSED
    yield "gate", Text(gate_words(comparison), style="" if passed else "yellow")
    yield "baseline", Text(run_words(comparison.baseline, BRIEF))
    yield "current", Text(run_words(comparison.current, BRIEF))
    rustc = same_rustc(comparison)
    if rustc:
        yield "rustc", Text(brief(rustc))
    if comparison.differences:
        told = [difference_words(difference, BRIEF) for difference in comparison.differences]
        yield "differs", Text(" · ".join(told), style="yellow")
    yield "cases", Text(coverage_words(comparison.coverage, len(comparison.models)))


def _summary(comparison: Comparison) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("model", overflow="fold", min_width=12)
    table.add_column("finding", no_wrap=True)
    interval = f"{level(comparison.options.alpha)} interval"
    for name in ("pass rate", "change", interval, "p"):
        table.add_column(name, justify="right", no_wrap=True)
    for model in comparison.models:
        found = Text(model.finding, style=STYLES[model.finding])
        table.add_row(Text(brief(model.current)), found, *map(Text, summary_cells(model)))
    return table


def _left_out(comparison: Comparison) -> Iterator[RenderableType]:
    left = comparison.coverage.left_out
    if not left:
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("left out", "model", "why"):
        table.add_column(name, overflow="fold")
    for one in left[:ROWS]:
        table.add_row(*map(Text, left_cells(one)))
    yield Text()
    yield table
    yield from more(len(left) - ROWS, "case", "cases")
