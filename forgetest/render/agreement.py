"""How far verdicts agree with recorded ones, as tables for a terminal."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from forgetest.metrics import percent
from forgetest.render.safe import one_line
from forgetest.report.agreement import Agreement, Disagreement

_NAMED = 50  # differences of one kind that are listed
_REASON = 80  # characters of a reason that are shown


def agreement_tables(found: Agreement) -> RenderableType:
    """Return the share that agrees, who stands where, and every completion that differs."""
    parts: list[RenderableType] = [Text(), Text(headline(found), style="bold")]
    parts.append(_confusion(found))
    for title, differences in (
        ("disagreements", found.disagreements),
        ("failed in another way", found.other_failures),
        ("disagreements on flaky ones", found.flaky_disagreements),
    ):
        parts.extend(_listed(title, differences))
    return Group(*parts)


def headline(found: Agreement) -> str:
    """Return how many verdicts agree, and how many could not be compared."""
    share = f" ({percent(Fraction(found.agree, found.compared))})" if found.compared else ""
    words = [f"recorded verdicts: {found.agree} of {found.compared} agree{share}"]
    if found.flaky:
        words.append(f"{found.flaky} flaky ones apart")
    if found.unscored:
        words.append(f"{found.unscored} unscored")
    return "; ".join(words)


def _confusion(found: Agreement) -> Table:
    ours = sorted({name for row in found.confusion.values() for name in row})
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("recorded", overflow="fold")
    for name in ours:
        table.add_column(name, justify="right")
    for recorded, row in found.confusion.items():
        table.add_row(Text(one_line(recorded)), *(str(row.get(name, "–")) for name in ours))
    return table


def _listed(title: str, differences: Sequence[Disagreement]) -> Iterator[RenderableType]:
    if not differences:
        return
    yield Text()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(title, overflow="fold")
    for name in ("recorded", "ours", "reason"):
        table.add_column(name, overflow="fold")
    for one in differences[:_NAMED]:
        sample = f"{one.case} #{one.sample} {one_line(one.model)}"
        reason = Text(one_line(one.reason, _REASON))
        table.add_row(Text(sample), Text(one_line(one.recorded)), Text(one.ours), reason)
    yield table
    if len(differences) > _NAMED:
        yield Text(f"and {len(differences) - _NAMED} more")
