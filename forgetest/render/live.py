"""What a person watching a run sees: bars on a terminal, plain lines elsewhere."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from math import ceil

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from forgetest.errors import FaultKind
from forgetest.grading.verdict import Level
from forgetest.metrics import percent
from forgetest.render.numbers import dollars, seconds
from forgetest.render.safe import one_line
from forgetest.run.events import Event, Faulted, Graded
from forgetest.run.tally import Tallies, Tally

BAR = 10
LINE = 100  # columns of a graded sample's line in a log; `forgetest show` has the rest
WIDE, NARROW = 100, 64  # columns from which there is room for both bars, and for one


def live_view(
    tallies: Tallies, waits: Sequence[str], *, elapsed: float, width: int, machines: str = ""
) -> RenderableType:
    """Return one row per model, what all of them have cost and have left, and what is waited for.

    `machines` says what grades where it is not this machine.

    A narrow terminal keeps a model's own name and the counts, and has fewer bars.
    """
    parts: list[RenderableType] = [live_table(tallies, elapsed=elapsed, width=width)]
    if len(tallies.by_model) > 1:
        parts.append(Text(totals_line(tallies), style="dim"))
    if machines:
        parts.append(Text(machines, style="dim"))
    parts.extend(Text(line, style="yellow") for line in waits)
    return Group(*parts)


def live_table(tallies: Tallies, *, elapsed: float, width: int) -> RenderableType:
    """Return one row per model: answered and graded, pass rate, cost, time left."""
    faults = any(tally.faulted for tally in tallies.by_model.values())
    again = any(tally.again for tally in tallies.by_model.values())
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("model", overflow="ellipsis", no_wrap=True, min_width=12)
    for name in ("answered", "graded"):
        table.add_column(name, no_wrap=True, justify="left" if width >= NARROW else "right")
    shown = ("asked again", again), ("pass rate", True), ("unscored", faults)
    for name in (*(name for name, there in shown if there), "cost", "time left"):
        table.add_column(name, no_wrap=True, justify="right")
    names = list(tallies.by_model) if width >= WIDE else own_names(list(tallies.by_model))
    for name, tally in zip(names, tallies.by_model.values(), strict=True):
        cells = _cells(tally, elapsed, again=again, faults=faults, width=width)
        table.add_row(one_line(name), *cells)
    return table


def own_names(models: Sequence[str]) -> list[str]:
    """Return each model's name behind its last slash, whole where that is not its alone."""
    own = [model.rpartition("/")[2] for model in models]
    return [model if own.count(name) > 1 else name for model, name in zip(models, own, strict=True)]


def totals_line(tallies: Tallies) -> str:
    """Return `42 of 60 samples left · $0.12 so far`; an unknown price is marked."""
    models = tallies.by_model.values()
    left = sum(tally.planned - tally.settled for tally in models)
    known = dollars(sum((tally.usd for tally in models), Decimal(0)))
    unknown = " + ?" if any(tally.unpriced for tally in models) else ""
    return f"{left} of {sum(t.planned for t in models)} samples left · {known}{unknown} so far"


def wait_line(provider: str, why: str, secs: float) -> str:
    """Return `waiting for openai: 429, 6 s left`."""
    return one_line(f"waiting for {provider}: {why}{', ' if why else ''}{ceil(secs)} s left")


def _cells(
    tally: Tally, elapsed: float, *, again: bool, faults: bool, width: int
) -> Iterator[RenderableType]:
    yield _bar(tally.answered, tally, drawn=width >= WIDE)
    yield _bar(tally.graded, tally, drawn=width >= NARROW)
    if again:
        yield ", ".join(f"round {number}: {tally.again[number]}" for number in sorted(tally.again))
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


def _bar(done: int, tally: Tally, *, drawn: bool) -> RenderableType:
    if not drawn:
        return Text(f"{done}/{tally.planned}")
    grid = Table.grid(padding=(0, 1))
    bar = ProgressBar(total=max(tally.planned, 1), completed=done, width=BAR)
    grid.add_row(bar, Text(f"{done}/{tally.planned}"))
    return grid


def cost_so_far(tally: Tally) -> str:
    """Return the dollars spent so far; `?` where prices are not known."""
    if tally.answers and tally.unpriced == tally.answers:
        return "?"
    return dollars(tally.usd)


def plain_line(event: Event, tallies: Tallies) -> str | None:
    """Return a sample in one line by the event that settles it, None for a completion."""
    model, _, rest = event.sample.partition("|")
    case, _, index = rest.partition("|")
    tally = tallies.by_model[model]
    head = f"[{tally.settled}/{tally.planned}] {model} {case} #{int(index) + 1}:"
    match event:
        case Graded():
            return _cut(f"{head} {event.verdict.outcome}{_in_round(event)}{_why(event)}")
        case Faulted(kind=FaultKind.STOPPED):
            return None  # a line for the whole run has said so
        case Faulted():
            return f"{head} unscored ({event.kind}): {one_line(event.message)}"
        case _:
            return None


def _in_round(event: Graded) -> str:
    if event.round == 1:
        return ""
    return f" in round {event.round}" if event.verdict.passed else f" after {event.round} rounds"


def _cut(line: str) -> str:
    return line if len(line) <= LINE else f"{line[: LINE - 1]}…"


def _why(event: Graded) -> str:
    """Return why it does not pass, or what a pass is flagged for."""
    reasons, integrity = event.verdict.reasons, event.verdict.integrity
    if event.verdict.passed:
        clean = integrity.level is Level.CLEAN
        return "" if clean else f" ({integrity.level}: {one_line(integrity.reason)})"
    return f" ({one_line(reasons[0])})" if reasons else ""
