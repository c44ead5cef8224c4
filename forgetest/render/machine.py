"""The tables and lines of the smaller commands: cache, doctor, import."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table
from rich.text import Text

from forgetest.grading.depository import Stored
from forgetest.importers.types import Imported, Importer, SkippedItem
from forgetest.render.columns import NONE
from forgetest.render.numbers import seconds
from forgetest.render.safe import one_line
from forgetest.system.process import MIB
from forgetest.system.toolchain import Check
from forgetest.value import count

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
            NONE if kind.budget is None else bytes_text(kind.budget),
            age(now - max(used)) if used else NONE,
            age(now - min(used)) if used else NONE,
        )
    return table


def sets_table(sets: Sequence[tuple[Stored, bool]], *, now: float) -> Table:
    """Return one row per set of dependencies, the last used first."""
    table = _table("dependencies", ("size", "last used", "state"))
    for stored, in_use in sorted(sets, key=lambda row: -row[0].used):
        state = "in use" if in_use else ""
        table.add_row(stored.label, bytes_text(stored.size), age(now - stored.used), state)
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


def checks_table(checks: Sequence[Check]) -> Table:
    """Return one row per thing a machine needs: there or not, and what would install it.

    What nothing installs, such as a broken plugin, is left out, with the reason.
    """
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("", "what", "found"):
        table.add_column(name, overflow="fold")
    for check in checks:
        mark = Text("ok", style="green") if check.ok else Text("missing", style="red")
        if not check.ok and not check.needed:
            mark = Text("optional" if check.fix else "left out", style="yellow")
        table.add_row(mark, check.name, check.found if check.ok else check.fix or check.found)
    return table


def missing_lines(checks: Sequence[Check]) -> list[str]:
    """Return one line for each needed thing that is missing, with the command that installs it."""
    return [
        f"{check.name}: {check.found}; {check.fix}"
        for check in checks
        if check.needed and not check.ok
    ]


_LISTED = 50  # items left out that are named


def formats_table(importers: Sequence[Importer]) -> Table:
    """Return one row per format: its name and what it is."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("format", no_wrap=True)
    table.add_column("what it reads", overflow="fold")
    for importer in importers:
        table.add_row(importer.name, importer.summary)
    return table


def import_lines(imported: Imported, files: Sequence[Path]) -> Iterator[str]:
    """Yield one line for each item left out, then the counts and the files written."""
    yield from _left_out_lines(imported.left_out)
    yield _counts(imported)
    for file in files:
        yield f"wrote {one_line(str(file))}"


def next_line(imported: Imported, files: Sequence[Path]) -> str:
    """Return the command to run next on what was imported."""
    names = [shlex.quote(one_line(str(file))) for file in files]
    if imported.recorded:
        eval_set = names[0] if imported.eval_set else "SET.toml"
        return f"next: forgetest grade {names[-1]} -e {eval_set}"
    return f"next: forgetest run -e {names[0]} -m PROVIDER/MODEL"


def _left_out_lines(left_out: Sequence[SkippedItem]) -> Iterator[str]:
    for skipped in left_out[:_LISTED]:
        yield f"left out: {one_line(skipped.item)}: {one_line(skipped.reason)}"
    rest = Counter(one_line(skipped.reason) for skipped in left_out[_LISTED:])
    for reason, number in rest.most_common(_LISTED):
        yield f"left out: {number:,} more: {reason}"


def _counts(imported: Imported) -> str:
    parts = []
    if imported.eval_set is not None:
        protocol = imported.eval_set.cases[0].protocol
        parts.append(f"{count(len(imported.eval_set.cases), 'case')} ({protocol} protocol)")
    if imported.recorded:
        judged = sum(sample.passed is not None for sample in imported.recorded)
        verdicts = f"{judged} with a verdict" if judged else "no verdicts"
        parts.append(f"{count(len(imported.recorded), 'completion')}, {verdicts}")
    parts.append(f"{len(imported.left_out)} left out")
    return "; ".join(parts)
