"""What a person watching a run sees: bars on a terminal, plain lines elsewhere."""

from rich.console import RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from forgetest.event import Event, Faulted, Graded
from forgetest.metrics import percent
from forgetest.render.numbers import dollars, seconds
from forgetest.tally import Tallies, Tally

BAR = 14


def live_table(tallies: Tallies, *, elapsed: float) -> RenderableType:
    """Return one row per model: asked and graded bars, pass rate, cost, time left."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("model", overflow="ellipsis", no_wrap=True, max_width=26)
    for name in ("asked", "graded", "pass rate", "cost", "left"):
        table.add_column(name, no_wrap=True, justify="right" if name != "asked" else "left")
    for model, tally in tallies.by_model.items():
        table.add_row(
            model, _bar(tally.asked, tally), _bar(tally.settled, tally), *_cells(tally, elapsed)
        )
    return table


def _bar(done: int, tally: Tally) -> RenderableType:
    grid = Table.grid(padding=(0, 1))
    bar = ProgressBar(total=max(tally.planned, 1), completed=done, width=BAR)
    grid.add_row(bar, Text(f"{done}/{tally.planned}"))
    return grid


def _cells(tally: Tally, elapsed: float) -> tuple[Text, str, str]:
    left = tally.secs_left(elapsed)
    faults = f" {tally.faulted} unscored" if tally.faulted else ""
    rate = percent(tally.passed / tally.graded) if tally.graded else "–"
    text = Text(rate).append(faults, style="yellow")
    return text, cost_so_far(tally), "–" if left is None else seconds(left)


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
            reason = "" if event.verdict.passed else _why(event)
            return f"{head} {event.verdict.outcome}{reason}"
        case Faulted():
            return f"{head} unscored ({event.kind}): {one_line(event.message)}"
        case _:
            return None


def _why(event: Graded) -> str:
    reasons = event.verdict.reasons
    return f" ({one_line(reasons[0])})" if reasons else ""


def one_line(text: str, limit: int = 160) -> str:
    """Return text that is safe in a terminal line: no control or bidi character."""
    printable = "".join(sign if sign.isprintable() else " " for sign in text)
    folded = " ".join(printable.split())
    return folded if len(folded) <= limit else f"{folded[: limit - 1]}…"
