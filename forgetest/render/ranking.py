"""A ranking for people: the models with the letters of their groups, then how neighbours differ.

Terminal and markdown draw the same columns and say the same sentences; in markdown, names of
models and cases are put in code.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from rich.console import Group, RenderableType
from rich.text import Text

from forgetest.rank.types import Differing, PairTest, Ranked, Ranking, UnrankedCase
from forgetest.render.columns import (
    NONE,
    Cell,
    Column,
    View,
    markdown_table,
    number_cell,
    terminal_table,
    text_cell,
    warnings_table,
)
from forgetest.render.comparison.numbers import (
    chance,
    estimate_bounds,
    level,
    point_bounds,
    points,
    rate,
    score,
)
from forgetest.render.numbers import and_more, dollars, interval, unscored_mark
from forgetest.render.safe import GITHUB, PLAIN, Marks, code, escape, one_line
from forgetest.value import count

VALUES = 4  # named of something that differs
CASES = 5  # named of the cases left out for one reason
_PLAIN = Marks(one_line, partial(one_line, limit=500))
_FULL = View.WIDE | View.MARKDOWN


def ranking_tables(ranking: Ranking, *, width: int) -> RenderableType:
    """Return the whole ranking for a terminal of so many columns."""
    parts: list[RenderableType] = [Text(ranking_headline(ranking), style="bold"), Text()]
    parts.append(terminal_table(rank_columns(ranking), ranking.models, width=width))
    if ranking.pairs:
        pairs = terminal_table(pair_columns(ranking), neighbours(ranking), width=width)
        parts.extend([Text(), pairs, Text()])
    parts.append(Text(ranking_legend(ranking), style="dim"))
    if warnings := [*_warnings(ranking, _PLAIN)]:
        parts.extend([Text(), warnings_table(warnings, width=width)])
    return Group(*parts)


def ranking_markdown(ranking: Ranking) -> str:
    """Return the ranking as GitHub markdown, ending in a newline."""
    parts = [f"### {ranking_headline(ranking)}"]
    parts.append(markdown_table(rank_columns(ranking), ranking.models))
    if ranking.pairs:
        parts.append(markdown_table(pair_columns(ranking), neighbours(ranking)))
    parts.append(escape(ranking_legend(ranking)))
    if warnings := [*_warnings(ranking, GITHUB)]:
        parts.append("\n".join(f"- {line}" for line in warnings))
    return "\n\n".join(parts) + "\n"


def ranking_headline(ranking: Ranking) -> str:
    """Return `3 models of 2 runs on 40 common cases: 1 of 3 pairs differ significantly`.

    Variants are `over 2 models`.
    """
    runs = f" of {len(ranking.runs)} runs" if len(ranking.runs) > 1 else ""
    models = count(len(ranking.models), str(ranking.options.by))
    if ranking.asked:
        models = f"{models} over {count(len(ranking.asked), 'model')}"
    cases = count(ranking.cases, "common case" if len(ranking.models) > 1 else "case")
    if not ranking.pairs:
        return f"{models}{runs} on {cases}"
    differ = sum(pair.differ for pair in ranking.pairs)
    verb = "differs" if len(ranking.pairs) == 1 else "differ"
    pairs = f"{differ} of {count(len(ranking.pairs), 'pair')} {verb} significantly"
    return f"{models}{runs} on {cases}: {pairs}"


def ranking_legend(ranking: Ranking) -> str:
    """Return what letters, intervals and Bayes@N mean, and which test compares the models."""
    return (
        f"{str(ranking.options.by).capitalize()}s that share a letter are statistically"
        " indistinguishable: exact stratified tests of all pairs, Holm's correction, alpha"
        f" {ranking.options.alpha:g}. Tests are about these cases{_and_models(ranking)}, intervals"
        " about cases like these. Bayes@N is a shrunk estimate, not a pass rate."
    )


def _and_models(ranking: Ranking) -> str:
    """Return over which models variants are ranked; nothing where models are."""
    return f" and these models ({and_more(ranking.asked, VALUES)})" if ranking.asked else ""


def rank_columns(ranking: Ranking) -> list[Column[Ranked]]:
    """Return the columns of the models."""
    column = Column[Ranked]
    bounds = f"{level(ranking.options.alpha)} interval"
    return [
        column(title="#", cell=lambda model: number_cell(model.rank)),
        column(
            title="group",
            terminal_title="",
            cell=lambda model: text_cell(model.group, style="cyan"),
            is_text=True,
        ),
        *_name_columns(ranking),
        column(title="pass@1", cell=lambda model: Cell(rate(model.pass_rate)), strong=True),
        column(title=bounds, cell=lambda model: Cell(interval(model.pass_rate.interval))),
        *_pass_columns(ranking),
        column(title="score", cell=lambda model: Cell(score(model.mean_score.value))),
        column(
            title=bounds,
            cell=lambda model: Cell(estimate_bounds(model.mean_score)),
            views=_FULL,
        ),
        column(
            title="Bayes@N",
            cell=lambda model: Cell(score(model.bayes.mean)),
            views=View(0) if _is_varied(ranking) else View.NARROW,  # names need the room
        ),
        column(title="Bayes@N", cell=_spread, views=_FULL),
        column(title="n", cell=_scored, views=_FULL),
        column(title="per solved", cell=_price, views=_FULL),
    ]


def _name_columns(ranking: Ranking) -> Iterator[Column[Ranked]]:
    """Yield what says which model or variant it is; a variant has a column of its own."""
    yield Column(
        title=str(ranking.options.by),
        cell=lambda model: text_cell(model.title),
        is_text=True,
        markdown=code,
        min_width=12,
    )
    if _is_varied(ranking):
        yield Column(
            title="variant",
            cell=lambda model: text_cell(model.variant_shown),
            is_text=True,
            markdown=code,
        )


def _is_varied(ranking: Ranking) -> bool:
    return any(model.spec is not None for model in ranking.models)


def _pass_columns(ranking: Ranking) -> Iterator[Column[Ranked]]:
    """Yield pass@k for each k but 1, which is the pass rate; a narrow terminal has the first."""
    names = dict.fromkeys(k for model in ranking.models for k in model.pass_at_k if k != "1")
    for place, k in enumerate(names):
        views = _FULL if place else View.PEOPLE
        yield Column(title=f"pass@{k}", cell=partial(_pass_at, k=k), views=views)


def _pass_at(model: Ranked, *, k: str) -> Cell:
    return Cell(rate(model.pass_at_k[k]))


def _spread(model: Ranked) -> Cell:
    return Cell(f"{score(model.bayes.mean)} ± {score(model.bayes.sigma)}")


def _scored(model: Ranked) -> Cell:
    return Cell(f"{model.n}{unscored_mark(model.n, model.n + model.unscored)}")


def _price(model: Ranked) -> Cell:
    return Cell(NONE if model.cost_per_solved is None else dollars(model.cost_per_solved))


def neighbours(ranking: Ranking) -> list[PairTest]:
    """Return the tests of models that are neighbours."""
    return [pair for pair in ranking.pairs if pair.neighbours]


def pair_columns(ranking: Ranking) -> list[Column[PairTest]]:
    """Return the columns of how two models differ."""
    column = Column[PairTest]
    return [
        column(
            title="neighbours",
            cell=lambda pair: text_cell(f"{pair.higher} over {pair.lower}"),
            is_text=True,
            markdown=code,
            min_width=12,
        ),
        column(title="points", cell=lambda pair: Cell(points(pair.delta))),
        column(
            title=f"{level(ranking.options.alpha)} interval",
            cell=lambda pair: Cell(point_bounds(pair.interval)),
        ),
        column(title="p", cell=_p, views=_FULL),
        column(title="Holm's p", cell=lambda pair: Cell(p_value(pair.p_holm))),
        column(title="", cell=_pair_verdict),
    ]


def _p(pair: PairTest) -> Cell:
    drawn = "" if pair.draws is None else " drawn"
    return Cell(f"{p_value(pair.p)}{drawn}")


def _pair_verdict(pair: PairTest) -> Cell:
    if pair.differ:
        return Cell("differ", style="green")
    return Cell("indistinguishable", style="yellow")


def p_value(p: float) -> str:
    """Return a p-value for a cell; it is never 0."""
    return chance(p).removeprefix("p ").replace("< ", "<").replace("> ", ">")


def _warnings(ranking: Ranking, marks: Marks) -> Iterator[str]:
    if ranking.differences:
        differences = map(partial(differing_words, marks=marks), ranking.differences)
        yield f"runs differ: {' · '.join(differences)}"
    yield from left_out_lines(ranking.left_out, marks)
    yield from map(marks.prose, ranking.notes)


def differing_words(difference: Differing, marks: Marks = PLAIN) -> str:
    """Return `temperature 0.2, 0.8`."""
    values = [marks.name(value or "none") for value in difference.values]
    return f"{marks.prose(difference.what)} {and_more(values, VALUES)}"


def left_out_lines(left: Sequence[UnrankedCase], marks: Marks = PLAIN) -> Iterator[str]:
    """Yield a line for each kind of gap: how many cases, which, and of whom."""
    kinds = Counter((case.gap, case.parts, case.of) for case in left)
    for (gap, parts, of), number in kinds.items():
        cases = [case.case for case in left if (case.gap, case.parts, case.of) == (gap, parts, of)]
        why = ", ".join([*parts, *(f"{_IN[gap]}{marks.name(name)}" for name in of)])
        named = and_more([marks.name(case) for case in cases], CASES)
        yield f"{count(number, 'case')} {gap} ({why}): {named}"


_IN = {"missing": "in ", "unscored": "of ", "changed": ""}
