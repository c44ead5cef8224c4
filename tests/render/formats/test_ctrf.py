"""CTRF, by its published schema."""

import json
from typing import Any

from formatted import hostile, made, run, two_models
from jsonschema import Draft7Validator, FormatChecker
from program import ROOT

from forgetest.render.run import ShownRun

SCHEMA = json.loads((ROOT / "tests" / "corpus" / "schemas" / "ctrf-schema-0.0.json").read_text())


def results(*runs: ShownRun) -> dict[str, Any]:
    data = json.loads(made("ctrf", *runs)["ctrf.json"])
    Draft7Validator(SCHEMA, format_checker=FormatChecker()).validate(data)
    return dict(data["results"])


def test_unscored_is_other_and_never_failed() -> None:
    told = results(two_models())

    states = {test["name"]: test["status"] for test in told["tests"] if test["suite"][0] == "p/bad"}
    assert states == {
        "set/alpha": "failed",
        "set/beta": "other",
        "set/gamma": "other",
        "set/delta": "skipped",
    }
    summary = told["summary"]
    kinds = ("tests", "passed", "failed", "skipped", "pending", "other")
    assert [summary[kind] for kind in kinds] == [8, 2, 2, 2, 0, 2]


def test_a_test_says_where_its_case_is_and_what_became_of_its_samples() -> None:
    test = results(two_models())["tests"][2]

    assert (test["filePath"], test["line"], test["tags"]) == ("eval-sets/set.toml", 7, ["t"])
    assert test["message"] == "passed 1 of 2; tests_failed 1"
    assert test["trace"] == "#2 tests_failed: test `b` failed"
    assert (test["duration"], test["extra"]["n"], test["extra"]["pass@1"]) == (1000, 2, 0.5)


def test_several_runs_are_told_apart_by_the_first_suite() -> None:
    one, two = run({"p/m": {"a": "P"}}, label="one"), run({"p/m": {"a": "P"}}, label="two")

    told = results(one, two)

    assert [test["suite"] for test in told["tests"]] == [
        ["one", "p/m", "set"],
        ["two", "p/m", "set"],
    ]
    assert told["tests"][0]["testId"] == told["tests"][1]["testId"]
    assert told["summary"]["suites"] == 2


def test_hostile_texts_break_nothing() -> None:
    (test,) = results(hostile())["tests"]

    assert test["rawStatus"] == "compile_failed"
    assert "\x1b" not in test["trace"]
