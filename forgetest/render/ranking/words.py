"""What a ranking says, in cells and sentences that terminal and markdown share."""

from collections import Counter
from collections.abc import Iterator, Sequence

from forgetest.rank.types import Differing, LeftOut, PairTest, Ranked, Ranking
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
from forgetest.render.numbers import dollars, interval, unscored_mark
from forgetest.render.safe import PLAIN, Marks
from forgetest.words import count

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


def left_out_lines(left: Sequence[LeftOut], marks: Marks = PLAIN) -> Iterator[str]:
    """Yield a line for each kind of gap: how many cases, which, and of whom."""
    alike = Counter((one.gap, one.parts, one.of) for one in left)
    for (gap, parts, of), number in alike.items():
        cases = [one.case for one in left if (one.gap, one.parts, one.of) == (gap, parts, of)]
        named = ", ".join(marks.name(case) for case in cases[:CASES])
        more = f" and {number - CASES} more" if number > CASES else ""
        why = ", ".join([*parts, *(f"{_IN[gap]}{marks.name(name)}" for name in of)])
        yield f"{count(number, 'case')} {gap} ({why}): {named}{more}"


_IN = {"missing": "in ", "unscored": "of ", "changed": ""}
