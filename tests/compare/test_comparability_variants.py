"""How a model was asked, as a dimension of comparisons: never unseen, and at will their subject."""

import json
from typing import Any

import pytest
from compared import compared, report, side
from program import ROOT

from forgetest.compare.compare import compare_sides
from forgetest.compare.pair import PairingError, sides_between
from forgetest.compare.read import open_side, read_side
from forgetest.compare.side import Side
from forgetest.compare.types import CompareOptions, Comparison, ComparisonVerdict, GateResult
from forgetest.render.columns import plain_text
from forgetest.render.comparison.headline import headline, next_step
from forgetest.render.comparison.markdown import comparison_markdown
from forgetest.render.comparison.terminal import comparison_tables
from forgetest.sampling.plan import Sampling

PLAIN, TERSE = {"s/a": "PPFFF", "s/b": "BBBBB"}, {"s/a": "PPPPP", "s/b": "PPPPP"}
BOTH = {"p/m": PLAIN, "p/m@terse": TERSE}
OLD_REPORT = ROOT / "tests" / "corpus" / "old-house" / "graded.json"


def changed(**settings: Any) -> Side:
    """Return the run of `BOTH` in which the variant terse asks in another way."""
    data = report(BOTH)
    data["variants"]["terse"] = {"hash": "0123456789abcdef", "variant": settings}
    return read_side(json.dumps(data).encode(), file="b.json")


def between(run: Side, *names: str) -> Comparison:
    old, new, maps = sides_between(run, (names[0], names[1]))
    return compare_sides(old, new, CompareOptions(maps=maps))


def test_models_of_one_variant_compare_while_it_asks_alike() -> None:
    comparison = compared(side(BOTH), side(BOTH))

    assert [model.current for model in comparison.models] == ["p/m", "p/m@terse"]
    assert comparison.differences == ()


def test_a_variant_of_another_content_is_not_comparable_and_says_what_changed() -> None:
    long = "You write terse Rust.\n" * 9
    examples = [{"case": "basics/clamp", "prompt": "p", "answer": "a"}]
    comparison = compared(side(BOTH), changed(system=long, temperature=0.7, examples=examples))

    assert comparison.gate.result is GateResult.NOT_COMPARABLE
    assert comparison.models == ()
    shown = {item.what: (item.baseline, item.current) for item in comparison.differences}
    assert shown["system text of variant terse"][0] == '"You write terse Rust."'
    assert shown["system text of variant terse"][1].startswith("198 characters, ")
    assert shown["temperature of variant terse"] == ("0.2", "0.7")
    assert shown["set of examples of variant terse"][1].startswith("basics/clamp (")
    assert "another temperature of variant terse: 0.2 and 0.7" in comparison.gate.reasons
    assert next_step(comparison).endswith("add --map MODEL@terse=MODEL@terse")


def test_a_map_makes_a_changed_variant_the_subject() -> None:
    options = CompareOptions(maps=(("p/m@terse", "p/m@terse"),))
    comparison = compare_sides(side(BOTH), changed(system="Be terse."), options)

    assert comparison.gate.result is GateResult.PASSED
    assert [model.current for model in comparison.models] == ["p/m@terse", "p/m"]
    assert not any(item.refuses for item in comparison.differences)


def test_a_renamed_model_does_not_hide_a_changed_variant() -> None:
    other = read_side(
        json.dumps(report({"q/n@terse": TERSE})).encode().replace(b"terse Rust", b"verbose Rust"),
        file="b.json",
    )
    options = CompareOptions(maps=(("p/m@terse", "q/n@terse"),))

    assert compare_sides(side(BOTH), other, options).gate.result is GateResult.NOT_COMPARABLE


@pytest.mark.parametrize("names", [("p/m", "p/m@terse"), ("p/m@default", "p/m@terse")])
def test_two_ways_of_asking_one_model_are_compared(names: tuple[str, str]) -> None:
    comparison = between(side(BOTH), *names)

    (model,) = comparison.models
    assert model.variants == ("default", "terse")
    assert comparison.finding is ComparisonVerdict.IMPROVED
    assert headline(comparison).text == (
        "Improved: pass rate rose 80.0 points; variant default -> terse"
    )
    assert [(item.what, item.baseline, item.current) for item in comparison.differences] == [
        ("variant's system text", "default", '"You write terse Rust."'),
        ("variant's temperature", "default", "0.2"),
    ]
    assert json.loads(comparison.model_dump_json())["models"][0]["current_model"] == {
        "provider": "p",
        "model": "m",
        "variant": "terse",
    }


def test_names_of_variants_compare_every_model_that_was_asked_in_both() -> None:
    run = side({**BOTH, "q/n": PLAIN, "q/n@terse": TERSE, "q/once": PLAIN})

    comparison = between(run, "default", "terse")

    assert comparison.options.maps == (("p/m", "p/m@terse"), ("q/n", "q/n@terse"))
    assert headline(comparison).text.endswith("; variant default -> terse")
    assert comparison.notes == ()
    table = plain_text(comparison_tables(comparison, width=80))
    assert "\nmodel " in table
    assert "variant  " not in table.split("changed cases")[0].splitlines()[8]


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("default", "ters"), "has no model 'ters'; did you mean terse?"),
        (("careful", "terse"), "asked no model in both variants"),
        (("p/m", "terse"), "--between p/m terse: name two models, or two variants"),
    ],
)
def test_names_that_pair_nothing_are_refused(names: tuple[str, str], said: str) -> None:
    run = side({**BOTH, "q/n@careful": PLAIN})

    with pytest.raises(PairingError) as refused:
        sides_between(run, names)

    assert said in str(refused.value)


def test_tables_have_a_column_of_variants_where_they_differ() -> None:
    comparison = compared(side(BOTH), side(BOTH))

    lines = plain_text(comparison_tables(comparison, width=80)).splitlines()
    markdown = comparison_markdown(comparison)

    assert any(line.split()[:4] == ["model", "variant", "finding", "pass"] for line in lines)
    assert any(line.split()[:3] == ["p/m", "default", "same"] for line in lines)
    assert "| model | variant | finding | pass rate | change | p |" in markdown
    assert "| `p/m` | `terse` | same |" in markdown


def test_a_report_of_before_there_were_variants_compares_by_default() -> None:
    then = open_side(str(OLD_REPORT))
    now = json.loads(OLD_REPORT.read_text(encoding="utf-8"))
    del now["digest"]
    (first, *_) = now["models"]
    now["models"].append({**first, "model": {**first["model"], "variant": "terse"}})
    now["variants"] = {"terse": {"hash": "0123456789abcdef", "variant": {"system": "x"}}}

    comparison = compare_sides(
        then, read_side(json.dumps(now).encode(), file="b.json"), CompareOptions()
    )

    assert comparison.gate.result is GateResult.PASSED
    assert [model.current for model in comparison.models] == list(then.models)
    assert not any(item.refuses for item in comparison.differences)


def test_every_field_of_the_sampling_can_be_told_apart() -> None:
    sampling = Sampling(temperature=0.5, stop=("END",), reasoning_effort="low", thinking_tokens=99)
    other = side(BOTH, sampling=sampling.model_dump(mode="json"))

    differences = compared(side(BOTH), other).differences

    assert {item.what: item.current for item in differences} == {
        "temperature": "0.5",
        "stop": '["END"]',
        "reasoning_effort": "low",
        "thinking_tokens": "99",
    }


def test_of_a_recording_nobody_knows_how_it_was_asked() -> None:
    recorded = report({"replay/m": TERSE})
    recorded["models"][0]["model"]["model"] = "p/m@terse"
    side_ = read_side(json.dumps(recorded).encode(), file="b.json")
    options = CompareOptions(maps=(("replay/p/m@terse", "p/m@terse"),))

    comparison = compare_sides(side_, side(BOTH), options)

    assert comparison.differences == ()
    assert "variant" not in headline(comparison).text
