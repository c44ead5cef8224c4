"""The cache folder as tables."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from forgetest.grading.depository import Stored
from forgetest.process import MIB
from forgetest.render.numbers import seconds

KIB = 1024
DAY = 24 * 3600


@dataclass(frozen=True, slots=True)
class Kept:
    """One kind of thing that the cache holds: size and last use of each."""

    name: str
    entries: Sequence[tuple[int, float]]
    budget: int | None


def cache_table(kept: Sequence[Kept], *, now: float) -> Table:
    """Return one row per kind: how many, how much of which budget, when last used."""
    table = _table("what", ("entries", "size", "budget", "last used", "oldest use"))
    for kind in kept:
        used = [last for _, last in kind.entries]
        table.add_row(
            kind.name,
            f"{len(kind.entries):,}",
            bytes_text(sum(size for size, _ in kind.entries)),
            "–" if kind.budget is None else bytes_text(kind.budget),
            age(now - max(used)) if used else "–",
            age(now - min(used)) if used else "–",
        )
    return table


def sets_table(sets: Sequence[tuple[Stored, bool]], *, now: float) -> Table:
    """Return one row per set of dependencies, the last used first."""
    table = _table("dependencies", ("size", "last used", "state"))
    for one, in_use in sorted(sets, key=lambda row: -row[0].used):
        state = "in use" if in_use else ""
        table.add_row(one.label, bytes_text(one.size), age(now - one.used), state)
    return table


def bytes_text(size: int) -> str:
    """Return bytes in KiB or MiB, with a decimal where it tells something."""
    if size < MIB:
        return f"{size / KIB:.1f} KiB"
    return f"{size / MIB:.1f} MiB" if size < 100 * MIB else f"{size / MIB:,.0f} MiB"


def age(secs: float) -> str:
    """Return how long ago something was, in a unit a person would choose."""
    if secs < DAY:
        return f"{seconds(max(round(secs), 0))} ago" if secs >= 1 else "now"
    return f"{secs / DAY:.0f} days ago"


def _table(first: str, rest: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(first, overflow="fold")
    for name in rest:
        table.add_column(name, justify="right", no_wrap=True)
    return table
