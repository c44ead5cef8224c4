"""The report: every rate follows from its counts, and what is not known is null with a reason."""

import json
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from records import BROKEN, FAIL, FAULT, PASS, case, completion, manifest, records, verdict

from forgetest.errors import ForgetestError
from forgetest.report.build import build_report
from forgetest.report.files import dump_report, parse_report
from forgetest.report.types import Report
from forgetest.run.events import SampleRecord
from forgetest.sampling.plan import parse_model


def report(
    letters: dict[str, str], *, pass_k: tuple[int, ...] = (1,), tags: tuple[str, ...] = ()
) -> Report:
    cases = [case(key.split("/")[1], eval_set=key.split("/")[0], tags=tags) for key in letters]
    n = max(len(outcomes) for outcomes in letters.values())
    return build_report(manifest(cases, n=n, pass_k=pass_k), records(letters))


def mixed(passes: int, n: int = 5) -> str:
    return PASS * passes + BROKEN * (n - passes)


def test_the_interval_of_five_cases_is_the_specified_one() -> None:
    counts = (5, 4, 0, 3, 5)
    letters = {f"set/c{i}": mixed(c) for i, c in enumerate(counts)}

    metric = report(letters).models[0].overall.pass_at_k["1"]

    assert metric.value == 17 / 25
    assert metric.ci95 == pytest.approx((0.34798862044288238, 0.89429994744236947), abs=1e-12)
    assert metric.se_population == pytest.approx(0.18547236990991408, abs=1e-12)


def test_macro_weighs_sets_alike_and_micro_pools_samples() -> None:
    letters = {f"a/c{i}": PASS if i < 18 else FAIL for i in range(20)}
    letters |= {f"b/c{i}": PASS if i < 8 else FAIL for i in range(10)}

    model = report(letters).models[0]

    assert model.overall_macro == 0.85
    assert model.overall_micro == 26 / 30


def test_k_above_the_scored_samples_is_null_and_names_the_short_cases() -> None:
    found = report({"set/a": PASS * 3, "set/b": PASS + FAULT + FAULT}, pass_k=(1, 3)).models[0]

    assert found.overall.pass_at_k["1"].value == 1.0
    assert found.overall.pass_at_k["3"].value is None
    assert found.overall.pass_at_k["3"].reason == "insufficient_samples"
    assert found.overall.pass_at_k["3"].short_cases == ("set/b",)


def test_a_fault_leaves_the_denominator_and_is_counted_and_said() -> None:
    found = report({"set/a": PASS + FAULT + FAULT + FAIL})

    block = found.models[0].overall
    assert (
        block.samples,
        block.samples_scored,
        block.samples_unscored,
        block.samples_passed,
    ) == (4, 2, 2, 1)
    assert block.pass_rate.value == 0.5
    assert not found.complete
    assert "2 of 4 samples are unscored (first fault: no answer)" in found.warnings[0]
    assert found.models[0].faults == {"provider": 2}


def test_a_case_without_any_score_leaves_the_mean_and_is_counted() -> None:
    block = report({"set/a": PASS, "set/b": FAULT}).models[0].overall

    assert (block.cases, block.cases_unscored, block.pass_rate.value) == (1, 1, 1.0)


def test_nothing_scored_is_null_everywhere() -> None:
    model = report({"set/a": FAULT}).models[0]

    assert model.overall.pass_rate.value is None
    assert model.overall.pass_rate.reason == "unscored"
    assert model.overall_macro is None
    assert model.overall_micro is None
    assert model.latency is None


def test_groups_below_five_cases_have_no_interval() -> None:
    letters = {f"set/c{i}": PASS for i in range(4)}

    tag = report(letters, tags=("strings",)).models[0].tags["strings"]

    assert tag.pass_rate.value == 1.0
    assert tag.pass_rate.ci95 is None
    assert tag.pass_rate.reason == "too_few_cases"


def test_error_codes_count_once_a_sample() -> None:
    assert report({"set/a": BROKEN * 2 + PASS}).models[0].error_codes == {"E0308": 2}


def test_one_unknown_price_makes_the_total_unknown_and_keeps_what_is_known() -> None:
    made = manifest([case("a")], n=2)
    known = records({"set/a": PASS * 2})
    first = known["p/m|set/a|0"]
    assert first.completion is not None
    cost = first.completion.cost.model_copy(update={"usd": None, "source": "unknown"})
    unpriced = first.completion.model_copy(update={"cost": cost})

    model = build_report(
        made, {**known, "p/m|set/a|0": first.model_copy(update={"completion": unpriced})}
    ).models[0]

    assert model.cost.usd is None
    assert float(model.cost.known_usd) == 0.001
    assert model.cost.unknown == 1


letters_of_a_case = st.text(alphabet=PASS + FAIL + BROKEN + FAULT, min_size=3, max_size=3)


@given(st.lists(letters_of_a_case, min_size=1, max_size=6))
def test_every_rate_follows_from_the_samples_and_survives_json(outcomes: list[str]) -> None:
    made = report({f"set/c{i}": word for i, word in enumerate(outcomes)}, pass_k=(1, 2))

    text = dump_report(made)
    assert parse_report(text.encode(), file="r") == made
    assert text == dump_report(parse_report(text.encode(), file="r"))
    assert all(math.isfinite(number) for number in numbers(json.loads(text)))
    block = made.models[0].overall
    rates = [
        Fraction(word.count(PASS), 3 - word.count(FAULT))
        for word in outcomes
        if set(word) != {FAULT}
    ]
    expected = float(sum(rates, Fraction(0)) / len(rates)) if rates else None
    assert block.pass_rate.value == expected
    assert block.samples_passed == sum(word.count(PASS) for word in outcomes)


def numbers(node: Any) -> list[float]:
    match node:
        case dict():
            return [n for value in node.values() for n in numbers(value)]
        case list():
            return [n for value in node for n in numbers(value)]
        case bool() | str() | None:
            return []
        case _:
            return [float(node)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not a JSON report"),
        ("[]", "schema_version is missing"),
        ('{"schema_version": 99, "forgetest": "9.0"}', "written by forgetest 9.0 with schema 99"),
        ('{"schema_version": 1, "x": NaN}', "NaN is not a JSON number"),
        ('{"schema_version": 1}', "forgetest: Field required"),
    ],
)
def test_what_is_no_report_is_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(ForgetestError, match=said) as caught:
        parse_report(text.encode(), file="r.json")

    assert "\n" not in str(caught.value)


def recorded(names: dict[str, str | None]) -> list[str]:
    """Return the models of a report of recordings: planned name -> the recording's own model."""
    plan = manifest([case("a")], models=("p/m",), n=1)
    specs = tuple(parse_model(name) for name in names)
    plan = plan.model_copy(update={"plan": plan.plan.model_copy(update={"models": specs})})
    found = {}
    for name, own in names.items():
        answer = completion("x").model_copy(update={"served_model": own})
        found[f"{name}|set/a|0"] = SampleRecord(completion=answer, verdict=verdict("P"))
    return [str(model.model) for model in build_report(plan, found).models]


def test_recordings_are_named_by_their_own_model_and_never_by_the_path_of_a_file() -> None:
    assert recorded(
        {
            "replay/runs/old/a.jsonl#acme/good": "acme/good",
            "replay/b.jsonl": "cheap",
            "replay//home/me/c.jsonl": None,
            "openai/gpt-x": "gpt-x-2026-08-01",
        }
    ) == ["replay/acme/good", "replay/cheap", "replay/c.jsonl", "openai/gpt-x"]


def test_recordings_of_one_model_are_told_apart_by_their_files() -> None:
    assert recorded(
        {"replay/old/a.jsonl#m": "m", "replay/new/b.jsonl": "m", "replay/c.jsonl": "other"}
    ) == ["replay/a.jsonl#m", "replay/b.jsonl#m", "replay/other"]
    assert recorded({"replay/old/a.jsonl": "m", "replay/new/a.jsonl": "m"}) == [
        "replay/old/a.jsonl",
        "replay/new/a.jsonl",
    ]
