"""The one model of a table: columns are data, and each form of output draws the same columns.

A `Column` has a title, a function from a row to its `Cell`, and the views that show it. The
terminal and markdown draw columns here, the HTML page in `html/page.py`, CSV in `formats/csv.py`.
The columns of a report are in `leaderboard.py`; those of a ranking and of a check stand in
`ranking.py` and `checking.py`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Flag, auto
from io import StringIO
from itertools import groupby
from textwrap import wrap
from typing import Any, Generic, TypeVar

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from forgetest.metrics import percent
from forgetest.render.safe import escape, one_line
from forgetest.report.types import Metric

WIDE = 110  # columns of a terminal from which the wide tables are drawn
FILE_WIDTH = 120  # columns of a file
NONE = "–"  # shown where there is no value
NOT_COMPUTED = Metric(value=None, reason="not computed in this run")
SCORE = "{:.3f}".format
TEXT_WIDTH = 28  # columns that a longer text gets at least
GAP = 2  # between two columns

Row = TypeVar("Row")


class View(Flag):
    """Where a column is shown."""

    NARROW = auto()  # a terminal of fewer than `WIDE` columns
    WIDE = auto()  # a wider one
    MARKDOWN = auto()
    PAGE = auto()  # HTML
    CSV = auto()
    TERMINAL = NARROW | WIDE
    TEXT = NARROW | WIDE | MARKDOWN
    PEOPLE = NARROW | WIDE | MARKDOWN | PAGE
    EVERYWHERE = NARROW | WIDE | MARKDOWN | PAGE | CSV


def terminal_view(width: int) -> View:
    """Return the view of a terminal of so many columns."""
    return View.WIDE if width >= WIDE else View.NARROW


@dataclass(frozen=True, slots=True)
class Cell:
    """What one row has in one column."""

    shown: str
    value: str | float | None = None  # what CSV holds, and what the page sorts by if it is a number
    note: str = ""  # smaller, below it, on the page
    why: str = ""  # why there is no value, on the page
    style: str = ""  # its colour in a terminal
    metric: Metric | None = None  # drawn next to it on the page, with its interval


def text_cell(text: str | None, style: str = "") -> Cell:
    """Return a cell with a text."""
    return Cell(NONE if text is None else text, text, style=style)


def number_cell(value: float | None, form: Callable[[float], str] = "{:,}".format) -> Cell:
    """Return a cell with a number, shown as `form` writes it; a dash where there is none."""
    return Cell(NONE if value is None else form(value), value)


def fact_cell(fact: bool | None) -> Cell:
    """Return a cell with `true` or `false`; a dash where that is not known."""
    return text_cell(None if fact is None else str(fact).lower())


def metric_cell(
    metric: Metric, form: Callable[[float], str] = percent, *, interval: str = ""
) -> Cell:
    """Return a cell with a metric; one without a value says why."""
    if metric.value is None:
        return Cell(NONE, why=(metric.reason or "").replace("_", " "), metric=metric)
    return Cell(form(metric.value), metric.value, note=interval, metric=metric)


@dataclass(frozen=True, kw_only=True)
class Column(Generic[Row]):
    """One column; figures align right and never wrap, texts to the left and may."""

    title: str
    cell: Callable[[Row], Cell]
    views: View = View.PEOPLE
    explains: str = ""  # what the column means, said by the page
    legend: bool = False  # whether the terminal and markdown say it, too, below the table
    is_text: bool = False
    markdown: Callable[[str], str] = escape  # how markdown writes its cells
    strong: bool = False
    low_is_good: bool = False  # so the page sorts it upwards first
    interval: bool = False  # whether the page draws the interval of its metric
    min_width: int | None = None
    terminal_title: str | None = None  # a shorter one
    key: bool = False  # says what a row is: each part of a folded table begins with it
    group: int | None = None  # columns of one group are folded together


AnyColumn = TypeVar("AnyColumn", bound=Column[Any])


def shown_in(view: View, columns: Iterable[AnyColumn]) -> list[AnyColumn]:
    """Return the columns of a view."""
    return [column for column in columns if column.views & view]


def terminal_table(
    columns: Iterable[Column[Row]], rows: Iterable[Row], *, width: int
) -> RenderableType:
    """Return the table for a terminal of so many columns.

    A table that is wider and has key columns is folded: the columns without room go into further
    tables below, each of which begins with the key columns.
    """
    shown, rows = shown_in(terminal_view(width), columns), list(rows)
    parts = [_terminal_part(part, rows) for part in _parts(shown, rows, width)]
    return parts[0] if len(parts) == 1 else Group(*spaced(parts))


def balanced(text: str, width: int) -> str:
    """Return a sentence in lines of about the same length, so that no word is alone on a line."""
    lines = narrower = wrap(text, max(width, 1), break_on_hyphens=False)
    while width > 1 and len(narrower) == len(lines):
        lines, width = narrower, width - 1
        narrower = wrap(text, width, break_on_hyphens=False)
    return "\n".join(lines)


def spaced(parts: Sequence[RenderableType]) -> Iterator[RenderableType]:
    """Yield the parts with an empty line between two."""
    for place, part in enumerate(parts):
        yield from [Text()] if place else []
        yield part


def _parts(
    columns: Sequence[Column[Row]], rows: Sequence[Row], width: int
) -> list[list[Column[Row]]]:
    """Return the columns of each table that a folded table consists of."""
    keys = [column for column in columns if column.key]
    if not keys:
        return [list(columns)]
    widths = {id(column): _least_width(column, rows) + GAP for column in columns}
    parts: list[list[Column[Row]]] = [[]]
    for _, group in groupby(columns, key=_fold_key):
        members = list(group)
        taken = sum(widths[id(column)] for column in (*parts[-1], *members))
        if taken - GAP > width and any(not column.key for column in parts[-1]):
            parts.append(list(keys))
        parts[-1].extend(members)
    return parts


def _fold_key(column: Column[Any]) -> int:
    return id(column) if column.group is None else column.group


def legend_of(columns: Iterable[Column[Any]]) -> list[tuple[str, str]]:
    """Return title and meaning of the columns whose titles do not say what they mean."""
    explained = (column for column in columns if column.legend)
    return [(item.title, f"{item.explains[0].lower()}{item.explains[1:]}") for item in explained]


def _least_width(column: Column[Row], rows: Sequence[Row]) -> int:
    """Return the columns of the terminal that a column needs; a text may be folded."""
    cells = (cell_len(one_line(column.cell(row).shown)) for row in rows)
    longest = max(cells, default=0)
    if column.is_text:
        longest = min(longest, max(TEXT_WIDTH, column.min_width or 0))
    return max(longest, cell_len(_terminal_title(column)), column.min_width or 0)


def _terminal_title(column: Column[Row]) -> str:
    return column.title if column.terminal_title is None else column.terminal_title


def _terminal_part(columns: Sequence[Column[Row]], rows: Sequence[Row]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        title = _terminal_title(column)
        if column.is_text:
            table.add_column(title, overflow="fold", min_width=column.min_width)
        else:
            table.add_column(title, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*(_terminal_cell(column, column.cell(row)) for column in columns))
    return table


def _terminal_cell(column: Column[Row], cell: Cell) -> Text:
    return Text(one_line(cell.shown), style=cell.style or ("bold" if column.strong else ""))


def markdown_table(columns: Iterable[Column[Row]], rows: Iterable[Row]) -> str:
    """Return the table as GitHub markdown; titles are ours, cells are written safely."""
    shown = shown_in(View.MARKDOWN, columns)
    rule = ["---" if column.is_text else "---:" for column in shown]
    cells = [[*_markdown_cells(shown, row)] for row in rows]
    return _lines([column.title for column in shown], rule, cells)


def _markdown_cells(columns: Sequence[Column[Row]], row: Row) -> Iterator[str]:
    for column in columns:
        written = column.markdown(column.cell(row).shown)
        yield f"**{written}**" if column.strong else written


def markdown_rows(header: list[str], rows: list[list[str]], *, texts: int = 1) -> str:
    """Return a markdown table of written cells; the first `texts` columns are not figures."""
    rule = [*["---"] * texts, *["---:"] * (len(header) - texts)]
    return _lines(header, rule, rows)


def _lines(header: list[str], rule: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in [header, rule, *rows])


def warnings_table(warnings: Sequence[str], *, width: int) -> Table:
    """Return the warnings, one a row, wrapped under themselves."""
    table = Table.grid(padding=(0, 1))
    for warning in warnings:
        text = balanced(warning, width - len("! "))
        table.add_row(Text("!", style="bold yellow"), Text(text, style="yellow"))
    return table


def plain_text(*parts: RenderableType) -> str:
    """Return what is printed of the parts, one below the other, without colour."""
    page = StringIO()
    console = Console(file=page, width=FILE_WIDTH, highlight=False, no_color=True)
    for part in parts:
        console.print(part)
    return page.getvalue()
