"""Model and variant in the files of other tools: apart where a key names them, never merged."""

import csv
import json
from io import StringIO
from typing import Any

import pytest
from formatted import made, run
from records import VARIANTS

from forgetest.render.run import ShownRun

ASKED = {"p/m": {"alpha": "PF"}, "p/m@terse": {"alpha": "PP"}, "p/m@careful": {"alpha": "BB"}}


@pytest.fixture(scope="module")
def asked() -> ShownRun:
    return run(ASKED)


def only(files: dict[str, str]) -> Any:
    (text,) = files.values()
    return json.loads(text)


@pytest.mark.parametrize("name", ["samples.csv", "cases.csv"])
def test_csv_has_a_column_of_variants_where_there_are_some(asked: ShownRun, name: str) -> None:
    rows = list(csv.DictReader(StringIO(made("csv", asked)[name])))
    plain = list(csv.DictReader(StringIO(made("csv", run({"p/m": {"alpha": "P"}}))[name])))

    assert list(rows[0])[:3] == ["run", "model", "variant"]
    assert {(row["model"], row["variant"]) for row in rows} == {
        ("p/m", "default"),
        ("p/m", "terse"),
        ("p/m", "careful"),
    }
    assert "variant" not in plain[0]


def test_ctrf_and_sarif_label_both_and_tell_results_apart(asked: ShownRun) -> None:
    tests = only(made("ctrf", asked))["results"]["tests"]
    results = only(made("sarif", asked))["runs"][0]["results"]

    assert [test["labels"].get("variant") for test in tests] == [None, "terse", "careful"]
    assert {test["labels"]["model"] for test in tests} == {"p/m"}
    assert len({test["testId"] for test in tests}) == 3
    assert {item["properties"].get("variant") for item in results} == {None, "careful"}
    assert any("p/m@careful" in item["message"]["text"] for item in results)


def test_junit_has_a_suite_for_each_with_its_variant(asked: ShownRun) -> None:
    text = made("junit", asked)["junit.xml"]

    assert text.count("<testsuite ") == 3
    assert '<testsuite name="p/m@terse"' in text
    assert '<property name="variant" value="terse" />' in text


def test_inspect_shows_what_was_really_sent(asked: ShownRun) -> None:
    logs = [json.loads(text) for text in made("inspect", asked).values()]

    by_model = {log["eval"]["model"]: log for log in logs}
    terse, careful = by_model["p/m@terse"], by_model["p/m@careful"]
    said = {name: log["samples"][0]["messages"] for name, log in by_model.items()}
    assert said["p/m@terse"][0]["content"] == VARIANTS["terse"].system
    assert said["p/m@careful"][1]["content"].endswith("Think of edge cases first.")
    assert terse["eval"]["model_generate_config"] == {"temperature": 0.2}
    assert careful["eval"]["model_generate_config"] == {}
    assert terse["eval"]["metadata"]["variant_hash"] == VARIANTS["terse"].hash
    assert "variant" not in by_model["p/m"]["eval"]["metadata"]


def test_multipl_e_says_the_variants_temperature(asked: ShownRun) -> None:
    files = made("multipl-e", asked)
    rows = [json.loads(text) for name, text in files.items() if ".results" not in name]

    assert {row["model"]: row["temperature"] for row in rows} == {
        "p/m": None,
        "p/m@terse": 0.2,
        "p/m@careful": None,
    }


def test_humaneval_has_a_folder_for_each_and_rows_that_stay_apart(asked: ShownRun) -> None:
    files = made("humaneval", asked)
    rows = [json.loads(line) for text in files.values() for line in text.splitlines()]

    assert len(files) == 6
    assert {row["model"] for row in rows} == set(ASKED)
