"""How far verdicts agree with recorded ones, as tables for a terminal."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from forgetest.metrics import percent
from forgetest.render.columns import NONE
from forgetest.render.numbers import more
from forgetest.render.safe import one_line
from forgetest.report.agreement import Agreement, Disagreement
from forgetest.value import count

_NAMED = 50  # differences of one kind that are listed
_REASON = 80  # characters of a reason that are shown


def agreement_tables(agreement: Agreement) -> RenderableType:
    """Return the share that agrees, the confusion matrix, and every completion that differs."""
    parts: list[RenderableType] = [Text(), Text(agreement_headline(agreement), style="bold")]
    parts.append(_confusion(agreement))
    for title, differences in (
        ("disagreements", agreement.disagreements),
        ("failed in another way", agreement.other_failures),
        ("disagreements on unsteady samples", agreement.flaky_disagreements),
    ):
        parts.extend(_listed(title, differences))
    return Group(*parts)


def agreement_headline(agreement: Agreement) -> str:
    """Return how many verdicts agree, and how many were not compared."""
    share = (
        f" ({percent(Fraction(agreement.agree, agreement.compared))})" if agreement.compared else ""
    )
    words = [f"recorded verdicts: {agreement.agree} of {agreement.compared} agree{share}"]
    if agreement.flaky:
        words.append(f"{count(agreement.flaky, 'unsteady sample')} counted separately")
    if agreement.unscored:
        words.append(f"{agreement.unscored} unscored")
    return "; ".join(words)


def _confusion(agreement: Agreement) -> Table:
    ours = sorted({name for row in agreement.confusion.values() for name in row})
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("recorded", overflow="fold")
    for name in ours:
        table.add_column(name, justify="right")
    for recorded, row in agreement.confusion.items():
        table.add_row(Text(one_line(recorded)), *(str(row.get(name, NONE)) for name in ours))
    return table


def _listed(title: str, differences: Sequence[Disagreement]) -> Iterator[RenderableType]:
    if not differences:
        return
    yield Text()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(title, overflow="fold")
    for name in ("recorded", "ours", "reason"):
        table.add_column(name, overflow="fold")
    for differing in differences[:_NAMED]:
        sample = f"{differing.case} #{differing.sample} {one_line(differing.model)}"
        reason = Text(one_line(differing.reason, _REASON))
        recorded = Text(one_line(differing.recorded))
        table.add_row(Text(sample), recorded, Text(differing.ours), reason)
    yield table
    if len(differences) > _NAMED:
        yield Text(more(len(differences) - _NAMED))
