"""The tables of a benchmark, for a terminal and for docs/benchmarks.md."""

from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

Cells = Sequence[str]
Titled = tuple[str, Cells, list[Cells]]
"""A title, the cells of the head, the rows."""


def print_lines(lines: Iterable[str], console: Console) -> None:
    """Print what is said about a run, one line each."""
    for line in lines:
        console.print(line, highlight=False, soft_wrap=True)


def print_tables(tables: Iterable[Titled], console: Console) -> None:
    """Print every table."""
    for title, head, rows in tables:
        table = Table(*head, title=title, title_justify="left", box=SIMPLE_HEAD)
        for cells in rows:
            table.add_row(*cells)
        console.print(table)


def as_markdown(lines: Iterable[str], tables: Iterable[Titled]) -> str:
    """Return a list of the lines and every table as markdown, ending in a newline."""
    blocks = ["\n".join(f"- {line}" for line in lines)]
    for title, head, rows in tables:
        table = [_row(head), _row(["---"] * len(head)), *map(_row, rows)]
        blocks.append(f"### {title}\n\n" + "\n".join(table))
    return "\n\n".join(blocks) + "\n"


def _row(cells: Cells) -> str:
    return f"| {' | '.join(cells)} |"
