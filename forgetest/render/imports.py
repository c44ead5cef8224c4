"""What `forgetest import` says: the formats there are, what was made, what was left out."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.table import Table

from forgetest.importers.types import Imported, Importer, LeftOut
from forgetest.render.safe import one_line
from forgetest.words import count

_LISTED = 50  # items left out that are named


def formats_table(importers: Sequence[Importer]) -> Table:
    """Return one row per format: its name and what it is."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("format", no_wrap=True)
    table.add_column("what it reads", overflow="fold")
    for one in importers:
        table.add_row(one.name, one.summary)
    return table


def import_lines(imported: Imported, files: Sequence[Path]) -> Iterator[str]:
    """Yield one line for each item left out, then the counts and the files written."""
    yield from _left_out_lines(imported.left_out)
    yield _counts(imported)
    for file in files:
        yield f"wrote {one_line(str(file))}"


def next_line(imported: Imported, files: Sequence[Path]) -> str:
    """Return the command that makes use of what was imported."""
    names = [shlex.quote(one_line(str(file))) for file in files]
    if imported.recorded:
        eval_set = names[0] if imported.eval_set else "SET.toml"
        return f"next: forgetest grade {names[-1]} -e {eval_set}"
    return f"next: forgetest run -e {names[0]} -m PROVIDER/MODEL"


def _left_out_lines(left_out: Sequence[LeftOut]) -> Iterator[str]:
    for one in left_out[:_LISTED]:
        yield f"left out: {one_line(one.item)}: {one_line(one.reason)}"
    rest = Counter(one_line(one.reason) for one in left_out[_LISTED:])
    for reason, number in rest.most_common(_LISTED):
        yield f"left out: {number:,} more: {reason}"


def _counts(imported: Imported) -> str:
    parts = []
    if imported.eval_set is not None:
        protocol = imported.eval_set.cases[0].protocol
        parts.append(f"{count(len(imported.eval_set.cases), 'case')} ({protocol} protocol)")
    if imported.recorded:
        judged = sum(one.passed is not None for one in imported.recorded)
        verdicts = f"{judged} with a verdict" if judged else "no verdicts"
        parts.append(f"{count(len(imported.recorded), 'completion')}, {verdicts}")
    parts.append(f"{len(imported.left_out)} left out")
    return "; ".join(parts)
