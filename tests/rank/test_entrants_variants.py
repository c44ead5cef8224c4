"""Variants as what is ranked: over the models that were asked in all, case by case and model."""

import json

import pytest
from compared import report, side
from ranked import TEN, all_of, ranked
from records import VARIANTS

from forgetest.compare.read import read_side
from forgetest.compare.side import Side
from forgetest.metrics import paired_interval, stratified_test
from forgetest.rank.entrants import AskedWays, NotRankableError
from forgetest.rank.types import RankBy, Ranking
from forgetest.render.columns import plain_text
from forgetest.render.conclusions import conclusions
from forgetest.render.ranking import ranking_markdown, ranking_tables
from forgetest.report.types import Report
from forgetest.sampling.plan import parse_model

GOOD, FAIR, POOR = all_of("PPPPP"), all_of("PPPFF"), all_of("PFFFF")
ASKED = {
    "p/a": FAIR,
    "p/a@terse": GOOD,
    "q/b": POOR,
    "q/b@terse": FAIR,
    "q/once": GOOD,
    "reference/solution": GOOD,
}


def by_variant(*sides: Side) -> Ranking:
    return ranked(*sides, by=RankBy.VARIANT)


def test_variants_are_ranked_over_the_models_that_were_asked_in_all() -> None:
    ranking = by_variant(side(ASKED))

    assert [(model.name, model.rank, model.c, model.n) for model in ranking.models] == [
        ("terse", 1, 80, 100),
        ("default", 2, 40, 100),
    ]
    assert ranking.asked == ("p/a", "q/b")
    assert ranking.cases == 10
    assert [model.pass_rate.value for model in ranking.models] == [0.8, 0.4]
    assert ranking.notes[-1] == "left out, because they were not asked in every variant: q/once"


def test_the_test_takes_models_apart_and_the_interval_takes_cases_together() -> None:
    (test,) = by_variant(side(ASKED)).pairs

    low, high = [(5, 3), (5, 1)] * 10, [(5, 5), (5, 3)] * 10
    shift = stratified_test(low, high, seed=1)
    clusters = [key for key in TEN for _ in range(2)]
    interval = paired_interval([0.4] * 20, clusters=clusters)
    assert test.p == pytest.approx(float(shift.two_sided))
    assert interval is not None
    assert test.interval == pytest.approx((interval.lower, interval.upper))
    assert test.differ


def test_a_case_that_one_model_has_no_sample_of_counts_for_none() -> None:
    gap = {**FAIR, "s/c3": "xxxxx"}

    ranking = by_variant(side({**ASKED, "q/b@terse": gap}))

    assert ranking.cases == 9
    assert [case.case for case in ranking.left_out] == ["s/c3"]
    assert ranking.left_out[0].of == ("q/b@terse",)


def test_one_model_ranks_its_variants_as_models_are_ranked() -> None:
    run = side({"p/a": FAIR, "p/a@terse": GOOD})

    (variants,), (models,) = by_variant(run).pairs, ranked(run).pairs

    assert (variants.p, variants.interval) == (models.p, models.interval)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("p/a", "q/b"), "all models were asked in one variant, default: ask them in several"),
        (("p/a@terse", "q/b@careful"), "no model was asked in all variants (terse, careful)"),
        (("reference/stub",), "all models were asked in one variant, none"),
    ],
)
def test_what_has_no_variants_in_common_is_refused(asked: tuple[str, ...], said: str) -> None:
    with pytest.raises(NotRankableError) as refused:
        by_variant(side(dict.fromkeys(asked, FAIR)))

    assert said in str(refused.value)


def test_several_runs_give_variants_once_each() -> None:
    then, now = side({"p/a": FAIR}), side({"p/a@terse": GOOD}, file="b.json")

    ranking = by_variant(then, now)

    assert [(model.name, model.run) for model in ranking.models] == [
        ("terse", "b.json"),
        ("default", "a.json"),
    ]
    with pytest.raises(NotRankableError, match="p/a is in 2 runs: rank variants of one run"):
        by_variant(then, now, side({"p/a": FAIR}, file="c.json"))


def test_a_variant_that_changed_between_runs_is_refused_by_variant_and_noted_by_model() -> None:
    data = report({"q/b@terse": GOOD, "q/b": FAIR})
    data["variants"]["terse"] = {"hash": "0", "variant": {"system": "other"}}
    other = read_side(json.dumps(data).encode(), file="b.json")
    run = side({"p/a": FAIR, "p/a@terse": GOOD})

    with pytest.raises(NotRankableError, match="not the same variant in all runs: terse"):
        by_variant(run, other)
    assert "variants that are not the same in all runs: terse" in ranked(run, other).notes


def test_model_and_variant_are_two_columns() -> None:
    ranking = ranked(side({name: ASKED[name] for name in ("p/a", "p/a@terse", "q/once")}))

    for width in (80, 120):
        lines = plain_text(ranking_tables(ranking, width=width)).splitlines()
        assert any(line.split()[:4] == ["#", "model", "variant", "pass@1"] for line in lines)
        assert any("p/a " in line and "default" in line for line in lines)
    assert "| `p/a` | `terse` |" in ranking_markdown(ranking)
    found = json.loads(ranking.model_dump_json())["models"]
    assert [model.get("spec", {}).get("variant") for model in found] == ["terse", None, None]


def test_a_ranking_without_variants_is_written_as_ever() -> None:
    ranking = ranked(side({"p/a": FAIR, "q/b": POOR}))

    found = json.loads(ranking.model_dump_json())
    assert "by" not in found["options"]
    assert "asked" not in found
    assert all("spec" not in model for model in found["models"])
    assert "variant" not in plain_text(ranking_tables(ranking, width=120))


def test_the_end_of_a_run_says_how_the_variants_of_each_model_stand() -> None:
    data = {name: ASKED[name] for name in ASKED if name != "reference/solution"}

    lines = [*conclusions([("", Report.model_validate(report(data)))])]

    assert "p/a: terse beats default by 40.0 points (100.0 % to 60.0 %), p < 0.001" in lines
    assert "q/b: terse beats default by 40.0 points (60.0 % to 20.0 %), p 0.001" in lines
    assert lines[-1] == "variants over all models: forgetest rank --by variant"
    assert not any(line.startswith("p/a@terse beats p/a ") for line in lines)


def test_anchors_and_recordings_have_no_variants() -> None:
    names = ("p/a@terse", "p/a", "reference/stub", "replay/file.jsonl#x@terse")

    ways = AskedWays.of(parse_model(name, VARIANTS) for name in names)

    assert ways == AskedWays(variants=("default", "terse"), models=("p/a",), others=())
