"""The terminal's table of the cases that changed, and of what failed in those that dropped."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from forgetest.compare.types import Comparison
from forgetest.render.comparison.cases import (
    Moved,
    beyond_noise,
    case_cells,
    failure_lines,
    improved,
    name_of,
    regressed,
    settled,
)
from forgetest.render.safe import one_line
from forgetest.words import count

ROWS = 40  # of each direction
EXCERPTS = 10  # dropped cases of which failures are told
WIDE = 110  # columns from which scores are shown beside several models
MODEL = 24  # columns at most for a model's name


def changed_cases(comparison: Comparison, *, width: int) -> Iterator[RenderableType]:
    """Yield the table of what dropped, the largest drop first, then of what rose."""
    fell, rose = regressed(comparison), improved(comparison)
    if not fell and not rose:
        return
    several = len(comparison.models) > 1
    table = _columns(several=several, short=_short(comparison, width))
    for one in fell[:ROWS]:
        table.add_row(*_row(comparison, one, "-", width=width))
    for one in rose[:ROWS]:
        table.add_row(*_row(comparison, one, "+", width=width))
    yield Text()
    yield table
    yield from more(len(fell) - ROWS, "case that dropped", "cases that dropped")
    yield from more(len(rose) - ROWS, "case that rose", "cases that rose")


def _columns(*, several: bool, short: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("", no_wrap=True)
    table.add_column("changed cases", overflow="fold", min_width=14)
    if several:
        table.add_column("model", overflow="ellipsis", no_wrap=True, max_width=MODEL)
    for name in ("passed", *(() if short else ("score",)), "change", "p", "noise"):
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _short(comparison: Comparison, width: int) -> bool:
    """Tell whether scores have to give way to the names of several models."""
    return len(comparison.models) > 1 and width < WIDE


def _row(comparison: Comparison, one: Moved, sign: str, *, width: int) -> Iterator[Text]:
    colour = "red" if sign == "-" else "green"
    yield Text(sign, style=colour)
    yield Text(name_of(comparison, one), style=colour)
    if len(comparison.models) > 1:
        yield Text(one_line(one.model.current))
    passed, score, *rest, noise = case_cells(one)
    yield Text(passed)
    if not _short(comparison, width):
        yield Text(score)
    yield from map(Text, rest)
    if width >= WIDE:
        noise = "; ".join(filter(None, [noise, settled(one)]))
    yield Text(noise, style="bold" if beyond_noise(one) else "dim")


def more(rest: int, noun: str, plural: str) -> Iterator[Text]:
    """Yield a line that says how many more there are, where there are more."""
    if rest > 0:
        yield Text(f"   and {count(rest, noun, plural)} more; --format json has all", style="dim")


def excerpts(comparison: Comparison, *, width: int) -> Iterator[RenderableType]:
    """Yield what failed in the cases that dropped the most."""
    shown = [one for one in regressed(comparison) if one.case.current.failures]
    if not shown:
        return
    yield Text()
    yield Text("what failed", style="bold")
    for one in shown[:EXCERPTS]:
        yield _title(comparison, one, width)
        for line in failure_lines(one.case.current):
            yield _cut(Text(f"  {line}"), width)
    yield from more(len(shown) - EXCERPTS, "case", "cases")


def _title(comparison: Comparison, one: Moved, width: int) -> Text:
    line = "" if one.case.line is None else f":{one.case.line}"
    name = one_line(name_of(comparison, one), width // 2)
    who = f" {one_line(one.model.current, MODEL)}" if len(comparison.models) > 1 else ""
    place = (f"  {one_line(one.case.file)}{line}", "dim")
    return _cut(Text.assemble(("- ", "red"), (name, "red"), who, place), width)


def _cut(line: Text, width: int) -> Text:
    """Return a line that never wraps, so that no text of a model starts a line of output."""
    line.no_wrap = True
    line.truncate(width, overflow="ellipsis")
    return line
