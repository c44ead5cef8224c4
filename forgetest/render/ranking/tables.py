"""The terminal's view of a ranking: the models with their letters, then how neighbours differ."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from forgetest.rank.types import Ranking
from forgetest.render.ranking.words import (
    cells,
    columns,
    differing_words,
    headline,
    left_out_lines,
    legend,
    neighbours,
    pair_cells,
    pair_titles,
    pair_verdict,
)
from forgetest.render.safe import one_line
from forgetest.render.tables import WIDE, warnings_table

NAME = 200
GAP = 2
LEAST = 12


def ranking_tables(ranking: Ranking, *, width: int) -> RenderableType:
    """Return the whole ranking for a terminal of so many columns."""
    parts: list[RenderableType] = [Text(headline(ranking), style="bold"), Text()]
    parts.append(_models(ranking, wide=width >= WIDE))
    if ranking.pairs:
        parts.extend([Text(), _neighbours(ranking, wide=width >= WIDE), Text()])
    parts.append(Text(legend(ranking), style="dim"))
    told = list(_told(ranking))
    if told:
        parts.extend([Text(), warnings_table(told)])
    return Group(*parts)


def _models(ranking: Ranking, *, wide: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, GAP, 0, 0))
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True, style="cyan")
    table.add_column("model", overflow="fold", min_width=LEAST)
    for title in columns(ranking, wide=wide):
        table.add_column(title, justify="right", no_wrap=True)
    for model in ranking.models:
        found = [Text(cell) for cell in cells(ranking, model, wide=wide)]
        found[0].stylize("bold")
        table.add_row(str(model.rank), model.group, Text(one_line(model.name, NAME)), *found)
    return table


def _neighbours(ranking: Ranking, *, wide: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, GAP, 0, 0))
    table.add_column("neighbours", overflow="fold", min_width=LEAST)
    for title in pair_titles(ranking, wide=wide):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for pair in neighbours(ranking):
        verdict = Text(pair_verdict(pair), style="green" if pair.differ else "yellow")
        name = f"{one_line(pair.higher, NAME)} over {one_line(pair.lower, NAME)}"
        table.add_row(Text(name), *map(Text, pair_cells(pair, wide=wide)), verdict)
    return table


def _told(ranking: Ranking) -> Iterator[str]:
    if ranking.differences:
        yield f"runs differ: {' · '.join(map(differing_words, ranking.differences))}"
    yield from left_out_lines(ranking.left_out)
    yield from (one_line(note, 500) for note in ranking.notes)
