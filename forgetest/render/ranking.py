"""A ranking for people: tables of the terminal, and markdown.

What a ranking says, in cells and sentences that terminal and markdown share.

The terminal's view of a ranking: the models with their letters, then how neighbours differ.

A ranking as GitHub markdown; names of models and cases stand in code.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from forgetest.rank.types import Differing, PairTest, Ranked, Ranking, UnrankedCase
from forgetest.render.comparison.numbers import (
    NONE,
    chance,
    estimate_bounds,
    level,
    point_bounds,
    points,
    rate,
    score,
)
from forgetest.render.markdown import table
from forgetest.render.numbers import dollars, interval, unscored_mark
from forgetest.render.safe import GITHUB, PLAIN, Marks, code, escape, one_line
from forgetest.render.tables import WIDE, warnings_table
from forgetest.value import count

VALUES = 4  # of something that differs
CASES = 5  # left out and named, of one kind


def headline(ranking: Ranking) -> str:
    """Return `3 models of 2 runs on 40 common cases`, and how many pairs are told apart."""
    runs = f" of {len(ranking.runs)} runs" if len(ranking.runs) > 1 else ""
    models = count(len(ranking.models), "model")
    cases = count(ranking.cases, "common case" if len(ranking.models) > 1 else "case")
    apart = sum(pair.differ for pair in ranking.pairs)
    told = f": {apart} of {count(len(ranking.pairs), 'pair')} told apart" if ranking.pairs else ""
    return f"{models}{runs} on {cases}{told}"


def legend(ranking: Ranking) -> str:
    """Return what letters, intervals and Bayes@N mean, and by which test models are told apart."""
    alpha = f"{ranking.options.alpha:g}"
    return (
        "models that share a letter are not told apart: exact stratified tests of all pairs,"
        f" Holm, alpha {alpha}; tests are about these cases, intervals about cases like these;"
        " Bayes@N is a shrunk estimate, not a pass rate"
    )


def columns(ranking: Ranking, *, wide: bool) -> list[str]:
    """Return the titles of the columns behind the model's name; fewer where it is narrow."""
    bounds = f"{level(ranking.options.alpha)} interval"
    found = ["pass@1", bounds, *(f"pass@{k}" for k in further(ranking, wide=wide)), "score"]
    if not wide:
        return [*found, "Bayes@N"]
    return [*found, bounds, "Bayes@N", "n", "$/solved"]


def cells(ranking: Ranking, model: Ranked, *, wide: bool) -> list[str]:
    """Return a model's cells below `columns`."""
    at_k = [rate(model.pass_at_k[str(k)]) for k in further(ranking, wide=wide)]
    shrunk = score(model.bayes.mean)
    found = [rate(model.pass_rate), interval(model.pass_rate.interval), *at_k]
    found.append(score(model.mean_score.value))
    if not wide:
        return [*found, shrunk]
    price = NONE if model.cost_per_solved is None else dollars(model.cost_per_solved)
    scored = f"{model.n}{unscored_mark(model.n, model.n + model.unscored)}"
    spread = f"{shrunk} ± {score(model.bayes.sigma)}"
    return [*found, estimate_bounds(model.mean_score), spread, scored, price]


def further(ranking: Ranking, *, wide: bool) -> list[int]:
    """Return the k of pass@k beside 1, which is the pass rate; where it is narrow, one of them."""
    names = dict.fromkeys(k for model in ranking.models for k in model.pass_at_k)
    found = [int(k) for k in names if k != "1"]
    return found if wide else found[:1]


def neighbours(ranking: Ranking) -> list[PairTest]:
    """Return the tests of models that stand next to each other."""
    return [pair for pair in ranking.pairs if pair.neighbours]


def pair_titles(ranking: Ranking, *, wide: bool) -> list[str]:
    """Return the titles of the figures of a pair."""
    p = ["p", "Holm's p"] if wide else ["Holm's p"]
    return ["points", f"{level(ranking.options.alpha)} interval", *p]


def pair_cells(pair: PairTest, *, wide: bool) -> list[str]:
    """Return the cells below `pair_titles`."""
    drawn = "" if pair.draws is None else " drawn"
    p = [p_value(pair.p) + drawn] if wide else []
    return [points(pair.delta), point_bounds(pair.interval), *p, p_value(pair.p_holm)]


def pair_verdict(pair: PairTest) -> str:
    """Return `differ` or `not told apart`."""
    return "differ" if pair.differ else "not told apart"


def p_value(p: float) -> str:
    """Return a p-value for a cell; it is never 0."""
    return chance(p).removeprefix("p ").replace("< ", "<").replace("> ", ">")


def differing_words(one: Differing, marks: Marks = PLAIN) -> str:
    """Return `temperature 0.2, 0.8`."""
    shown = [marks.name(value or "none") for value in one.values[:VALUES]]
    more = ", …" if len(one.values) > VALUES else ""
    return f"{marks.prose(one.what)} {', '.join(shown)}{more}"


def left_out_lines(left: Sequence[UnrankedCase], marks: Marks = PLAIN) -> Iterator[str]:
    """Yield a line for each kind of gap: how many cases, which, and of whom."""
    alike = Counter((one.gap, one.parts, one.of) for one in left)
    for (gap, parts, of), number in alike.items():
        cases = [one.case for one in left if (one.gap, one.parts, one.of) == (gap, parts, of)]
        named = ", ".join(marks.name(case) for case in cases[:CASES])
        more = f" and {number - CASES} more" if number > CASES else ""
        why = ", ".join([*parts, *(f"{_IN[gap]}{marks.name(name)}" for name in of)])
        yield f"{count(number, 'case')} {gap} ({why}): {named}{more}"


_IN = {"missing": "in ", "unscored": "of ", "changed": ""}


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


def ranking_markdown(ranking: Ranking) -> str:
    """Return the ranking as GitHub markdown, ending in a newline."""
    parts = [f"### {headline(ranking)}", _models_markdown(ranking)]
    if ranking.pairs:
        parts.append(_neighbours_markdown(ranking))
    parts.append(escape(legend(ranking)))
    parts.extend(
        ["\n".join(f"- {line}" for line in told)] if (told := [*_told_markdown(ranking)]) else []
    )
    return "\n\n".join(parts) + "\n"


def _models_markdown(ranking: Ranking) -> str:
    header = ["model", "group", "rank", *map(escape, columns(ranking, wide=True))]
    rows = [
        [code(model.name), model.group, str(model.rank), *map(escape, found)]
        for model in ranking.models
        for found in [cells(ranking, model, wide=True)]
    ]
    return table(header, rows, texts=2)


def _neighbours_markdown(ranking: Ranking) -> str:
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


def _told_markdown(ranking: Ranking) -> Iterator[str]:
    if ranking.differences:
        said = map(partial(differing_words, marks=GITHUB), ranking.differences)
        yield f"runs differ: {', '.join(said)}"
    yield from left_out_lines(ranking.left_out, GITHUB)
    yield from (escape(note, 500) for note in ranking.notes)
