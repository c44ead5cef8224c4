"""What a person watching a run sees: bars on a terminal, plain lines elsewhere."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from forgetest.errors import FaultKind
from forgetest.grading.verdict import Level
from forgetest.metrics import percent
from forgetest.render.numbers import dollars, seconds
from forgetest.render.safe import one_line
from forgetest.run.events import Event, Faulted, Graded, Tallies, Tally

BAR = 10


def live_table(tallies: Tallies, *, elapsed: float) -> RenderableType:
    """Return one row per model: asked and graded bars, pass rate, cost, time left."""
    faults = any(tally.faulted for tally in tallies.by_model.values())
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("model", overflow="ellipsis", no_wrap=True, max_width=26)
    for name in ("asked", "graded"):
        table.add_column(name, no_wrap=True)
    for name in ("pass rate", *(("unscored",) if faults else ()), "cost", "time left"):
        table.add_column(name, no_wrap=True, justify="right")
    for model, tally in tallies.by_model.items():
        table.add_row(model, *_cells(tally, elapsed, faults=faults))
    return table


def _cells(tally: Tally, elapsed: float, *, faults: bool) -> Iterator[RenderableType]:
    yield _bar(tally.asked, tally)
    yield _bar(tally.settled, tally)
    yield percent(tally.passed / tally.graded) if tally.graded else "–"
    if faults:
        yield Text(str(tally.faulted), style="yellow")
    yield cost_so_far(tally)
    yield _left(tally, elapsed)


def _left(tally: Tally, elapsed: float) -> str:
    if tally.settled == tally.planned:
        return "done"
    left = tally.secs_left(elapsed)
    return "–" if left is None else seconds(left)


def _bar(done: int, tally: Tally) -> RenderableType:
    grid = Table.grid(padding=(0, 1))
    bar = ProgressBar(total=max(tally.planned, 1), completed=done, width=BAR)
    grid.add_row(bar, Text(f"{done}/{tally.planned}"))
    return grid


def cost_so_far(tally: Tally) -> str:
    """Return the dollars spent so far; `?` where prices are not known."""
    if tally.asked and tally.unpriced == tally.asked:
        return "?"
    return dollars(tally.usd)


def plain_line(event: Event, tallies: Tallies) -> str | None:
    """Return a settled sample in one line, None for an event that settles nothing."""
    model, _, rest = event.sample.partition("|")
    case, _, index = rest.partition("|")
    tally = tallies.by_model[model]
    head = f"[{tally.settled}/{tally.planned}] {model} {case} #{int(index) + 1}:"
    match event:
        case Graded():
            return f"{head} {event.verdict.outcome}{_why(event)}"
        case Faulted(kind=FaultKind.STOPPED):
            return None  # a line for the whole run has said so
        case Faulted():
            return f"{head} unscored ({event.kind}): {one_line(event.message)}"
        case _:
            return None


def _why(event: Graded) -> str:
    """Return why it does not pass, or what a pass is flagged for."""
    reasons, integrity = event.verdict.reasons, event.verdict.integrity
    if event.verdict.passed:
        clean = integrity.level is Level.CLEAN
        return "" if clean else f" ({integrity.level}: {one_line(integrity.reason)})"
    return f" ({one_line(reasons[0])})" if reasons else ""
