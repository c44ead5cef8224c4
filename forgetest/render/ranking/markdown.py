"""A ranking as GitHub markdown; names of models and cases stand in code."""

from collections.abc import Iterator
from functools import partial

from forgetest.rank.types import Ranking
from forgetest.render.markdown import table
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
from forgetest.render.safe import GITHUB, code, escape


def ranking_markdown(ranking: Ranking) -> str:
    """Return the ranking as GitHub markdown, ending in a newline."""
    parts = [f"### {headline(ranking)}", _models(ranking)]
    if ranking.pairs:
        parts.append(_neighbours(ranking))
    parts.append(escape(legend(ranking)))
    parts.extend(["\n".join(f"- {line}" for line in told)] if (told := [*_told(ranking)]) else [])
    return "\n\n".join(parts) + "\n"


def _models(ranking: Ranking) -> str:
    header = ["model", "group", "rank", *map(escape, columns(ranking, wide=True))]
    rows = [
        [code(model.name), model.group, str(model.rank), *map(escape, found)]
        for model in ranking.models
        for found in [cells(ranking, model, wide=True)]
    ]
    return table(header, rows, texts=2)


def _neighbours(ranking: Ranking) -> str:
    header = ["neighbours", "", *map(escape, pair_titles(ranking, wide=True))]
    rows = [
        [
            f"{code(pair.higher)} over {code(pair.lower)}",
            pair_verdict(pair),
            *map(escape, pair_cells(pair, wide=True)),
        ]
        for pair in neighbours(ranking)
    ]
    return table(header, rows, texts=2)


def _told(ranking: Ranking) -> Iterator[str]:
    if ranking.differences:
        said = map(partial(differing_words, marks=GITHUB), ranking.differences)
        yield f"runs differ: {', '.join(said)}"
    yield from left_out_lines(ranking.left_out, GITHUB)
    yield from (escape(note, 500) for note in ranking.notes)
