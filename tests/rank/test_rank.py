"""Rankings of hand-made sides: figures, ties, evidence, common cases."""

import json
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from compared import report, side
from comparisons import HOSTILE
from ranked import all_of, ranked
from rich.console import Console

from forgetest.compare.read import read_side
from forgetest.compare.side import Side
from forgetest.metrics import bayes, exact_stratified_test, holm, modified_wilson
from forgetest.rank.entrants import NotRankableError
from forgetest.rank.rank import rank_models
from forgetest.rank.types import Ranking, RankOptions, UnrankedReason, letters_by_model
from forgetest.render.ranking import ranking_markdown, ranking_tables

THREE = {"p/best": all_of("PPPPP"), "p/good": all_of("PPPPF"), "p/bad": all_of("FFFFB")}


def changed(letters_of: Any, key: str, part: str, *, file: str = "b.json") -> Side:
    """Return a side in which a part of one case is another one."""
    data = report(letters_of)
    for item in data["eval_sets"]:
        for case in item["cases"]:
            if f"{item['id']}/{case['id']}" == key:
                case["hashes"][part] = "0" * 16
    return read_side(json.dumps(data).encode(), file=file)


def text(ranking: Ranking, width: int = 80) -> str:
    console = Console(width=width, no_color=True, highlight=False, force_terminal=False)
    with console.capture() as printed:
        console.print(ranking_tables(ranking, width=width))
    return printed.get()


def test_models_stand_best_first_with_competition_ranks() -> None:
    found = ranked({**THREE, "p/also-good": all_of("FPPPP"), "p/worst": all_of("BBBBB")})

    assert [(one.name, one.rank) for one in found.models] == [
        ("p/best", 1),
        ("p/also-good", 2),
        ("p/good", 2),
        ("p/bad", 4),
        ("p/worst", 4),
    ]


def test_rates_are_compared_exactly() -> None:
    near = {"s/a": "P" * 29 + "F", "s/b": "P" * 28 + "FF"}
    same = {"s/a": "P" * 28 + "FF", "s/b": "P" * 29 + "F"}

    assert [one.rank for one in ranked({"p/a": near, "p/b": same}).models] == [1, 1]


def test_the_figures_are_those_of_the_metrics() -> None:
    found = ranked({"p/m": {"s/a": "PPF", "s/b": "PFF"}}, k=(1, 2, 5)).models[0]

    interval = modified_wilson([Fraction(2, 3), Fraction(1, 3)], 6)
    shrunk = bayes([[1, 1, 0], [1, 0, 0]], (0, 1))
    assert interval is not None
    assert shrunk is not None
    assert found.pass_rate.value == 0.5
    assert found.pass_rate.interval == (interval.lower, interval.upper)
    assert found.pass_at_k["1"] == found.pass_rate
    assert found.pass_at_k["2"].value == pytest.approx((1 + 2 / 3) / 2)
    assert found.pass_at_k["5"].value is None
    assert found.pass_at_k["5"].reason == "insufficient_samples"
    assert (found.bayes.mean, found.bayes.sigma) == pytest.approx(tuple(shrunk))
    assert found.mean_score.value == pytest.approx((3 * 1 + 3 * (0.4 + 0.25 + 0.1)) / 6)
    assert (found.n, found.c) == (6, 3)
    assert (found.usd, found.cost_per_solved) == (Decimal("0.006"), Decimal("0.002"))


def test_cost_is_unknown_as_long_as_a_price_is_and_where_nothing_passed() -> None:
    data = report({"p/a": {"s/a": "PP"}, "p/b": {"s/a": "FF"}})
    data["models"][0]["cases"][0]["samples"][0]["completion"]["cost"]["usd"] = None

    found = rank_models([read_side(json.dumps(data).encode(), file="a")], RankOptions())

    assert (found.models[0].usd, found.models[0].cost_per_solved) == (None, None)
    assert found.models[1].usd == Decimal("0.002")
    assert found.models[1].cost_per_solved is None


def test_all_pairs_are_tested_and_corrected_by_holm() -> None:
    found = ranked(THREE)
    counts = {"p/best": [(5, 5)] * 10, "p/good": [(5, 4)] * 10, "p/bad": [(5, 0)] * 10}
    tests = [exact_stratified_test(counts[b], counts[a]) for a, b in combinations(counts, 2)]
    p = [one.two_sided for one in tests if one]

    assert [(one.higher, one.lower) for one in found.pairs] == list(combinations(counts, 2))
    assert [one.p for one in found.pairs] == [float(one) for one in p]
    assert [one.p_holm for one in found.pairs] == [float(one) for one in holm(p)]
    assert [one.neighbours for one in found.pairs] == [True, False, True]
    assert [one.differ for one in found.pairs] == [True, True, True]
    assert found.pairs[0].delta == pytest.approx(0.2)
    assert letters_by_model(found) == {"p/best": "a", "p/good": "b", "p/bad": "c"}


def test_what_noise_could_do_is_not_told_apart() -> None:
    close = {"p/a": all_of("PPPPP"), "p/b": {**all_of("PPPPP"), "s/c0": "PPPPF"}}

    found = ranked({**close, "p/c": all_of("BBBBB")})

    assert letters_by_model(found) == {"p/a": "a", "p/b": "a", "p/c": "b"}
    assert [one.differ for one in found.pairs] == [False, True, True]
    assert "indistinguishable" in text(found)


def test_a_smaller_alpha_tells_fewer_apart_and_widens_intervals() -> None:
    lax, strict = ranked(THREE, alpha=0.05), ranked(THREE, alpha=0.0001)

    assert letters_by_model(lax)["p/good"] != letters_by_model(lax)["p/best"]
    assert letters_by_model(strict)["p/good"] == letters_by_model(strict)["p/best"]
    wide, narrow = (one.models[1].pass_rate.interval or (0, 0) for one in (strict, lax))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_only_cases_that_all_runs_have_unchanged_and_scored_count() -> None:
    one = side({"p/a": {"s/both": "P", "s/new": "F", "s/lost": "P", "s/told": "F"}})
    two = changed({"p/b": {"s/both": "P", "s/lost": "x", "s/told": "F"}}, "s/told", "tests")

    found = ranked(one, two)

    assert found.cases == 1
    assert [(gap.case, gap.gap, gap.parts, gap.of) for gap in found.left_out] == [
        ("s/lost", UnrankedReason.UNSCORED, (), ("p/b",)),
        ("s/new", UnrankedReason.MISSING, (), ("b.json",)),
        ("s/told", UnrankedReason.CHANGED, ("tests",), ()),
    ]
    assert [(model.n, model.c) for model in found.models] == [(1, 1), (1, 1)]
    said = " ".join(text(found).split())
    assert "1 case changed (tests): s/told" in said
    assert "1 case missing (in b.json): s/new" in said
    assert "1 case unscored (of p/b): s/lost" in said


def test_without_a_common_case_there_is_no_ranking() -> None:
    with pytest.raises(NotRankableError) as raised:
        ranked({"p/a": {"s/a": "P"}}, side({"p/b": {"s/b": "P"}}, file="b.json"))

    assert str(raised.value) == "no case is common to all models: 2 missing (s/a, s/b)"
    assert raised.value.code == 3


def test_a_model_without_any_scored_sample_is_left_out_and_named() -> None:
    found = ranked({"p/a": {"s/a": "P"}, "p/b": {"s/a": "x"}})

    assert [one.name for one in found.models] == ["p/a"]
    assert "left out, because none of their samples is scored: p/b" in found.notes


@pytest.mark.parametrize(
    ("field", "value"),
    [("scoring_profile", "other"), ("lint_rule", "other"), ("prompt_version", 9)],
)
def test_numbers_of_other_rules_are_refused(field: str, value: object) -> None:
    other = side(THREE, file="b.json", **{field: value})

    with pytest.raises(NotRankableError, match="their numbers do not mean the same"):
        ranked(THREE, other)


def test_what_else_differs_is_named_once_for_all_runs() -> None:
    sides = [
        side({f"p/{rule}": {"s/a": "P"}}, file=f"{rule}.json", extractor=rule)
        for rule in ("first", "last", "all")
    ]

    found = ranked(*sides)

    assert [(one.what, one.values) for one in found.differences] == [
        ("extractor", ("all", "last", "first"))
    ]


def test_models_of_the_same_name_get_the_labels_of_their_runs() -> None:
    sides = [
        side({"p/m": {"s/a": "P"}, f"p/{name}": {"s/a": "P"}}, file=f"runs/{name}/report.json")
        for name in ("x", "y")
    ]

    found = ranked(*sides)

    assert {one.name for one in found.models} == {"p/m @ x", "p/m @ y", "p/x", "p/y"}


def test_labels_are_as_long_as_they_must_be() -> None:
    def labels(*files: str) -> list[str]:
        return [one.label for one in ranked(*(side(THREE, file=file) for file in files)).runs]

    assert labels("a/r.json", "b/s.json") == ["r.json", "s.json"]
    assert labels("a/r.json", "b/r.json") == ["a/r.json", "b/r.json"]
    assert labels("a/run", "b/run/report.json") == ["a/run", "b/run/report.json"]
    assert labels("r.json", "r.json") == ["r.json", "r.json #2"]


def test_the_same_run_twice_is_said_to_be_that() -> None:
    found = ranked(side(THREE, file="a.json"), side(THREE, file="b.json"))

    assert "a.json and b.json are the same run" in found.notes


@pytest.mark.parametrize("width", [80, 100, 160])
def test_the_table_fits(width: int) -> None:
    shown = text(ranked(THREE, k=(1, 3, 5)), width)

    assert max(map(len, shown.splitlines())) <= width
    assert "3 models on 10 common cases: 3 of 3 pairs differ significantly" in shown
    assert "Bayes@N is a shrunk estimate" in " ".join(shown.split())


def test_hostile_names_change_nothing() -> None:
    found = ranked({"p/a": all_of("PP"), "p/b": all_of("FF")})
    models = tuple(one.model_copy(update={"name": HOSTILE}) for one in found.models)
    pairs = tuple(one.model_copy(update={"higher": HOSTILE}) for one in found.pairs)
    hostile = found.model_copy(update={"models": models, "pairs": pairs, "notes": (HOSTILE,)})

    shown, page = text(hostile, 160), ranking_markdown(hostile)

    for written in (shown, page):
        assert all(sign == "\n" or sign.isprintable() or sign == "\u200b" for sign in written)
    assert "\n::" not in page
