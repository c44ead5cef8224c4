"""`[report]` of forgetest.toml: weighted suites, penalties and latencies, beside the score."""

import json
from typing import Any

import pytest
from compared import side
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from metrics_strategies import calm
from program import ROOT, Program
from records import BROKEN, FAIL, FAULT, PASS, case, manifest, record, records, verdict

from forgetest.compare.read import read_side
from forgetest.errors import ConfigFileError
from forgetest.grading.verdict import Outcome
from forgetest.metrics import Classification
from forgetest.render.markdown import report_markdown
from forgetest.render.schemas import json_schema
from forgetest.report.build import build_report
from forgetest.report.files import dump_report, parse_report
from forgetest.report.score import CLASS_OF, verdict_score
from forgetest.report.types import Report
from forgetest.run.events import SampleRecord
from forgetest.run.settings import FAILURES, ReportTable
from forgetest.runner.config import parse_config

PAGE = ROOT / "docs" / "metrics.md"
WORDS = {"one/a": PASS * 2, "one/b": PASS + FAIL, "two/c": BROKEN + FAULT, "two/d": PASS + BROKEN}


def report(
    options: dict[str, Any] | None, words: dict[str, str] = WORDS, **more: SampleRecord
) -> Report:
    """Return the report of a run of these options, from `set/case` -> letters."""
    cases = [case(key.split("/")[1], eval_set=key.split("/")[0]) for key in words]
    table = None if options is None else ReportTable.model_validate(options).asked
    made = manifest(cases, n=max(map(len, words.values())))
    return build_report(
        made.model_copy(update={"report_options": table}), {**records(words), **more}
    )


def extended(options: dict[str, Any], words: dict[str, str] = WORDS, **more: SampleRecord) -> Any:
    return report(options, words, **more).models[0].extensions


def test_suites_weigh_what_the_options_say_and_one_otherwise() -> None:
    found = extended({"suite_weights": {"one": 3}})
    assert found.suite_scores == {"one": 0.75, "two": 0.25}
    assert found.overall_run_score == (3 * 0.75 + 0.25) / 4
    assert extended({"suite_weights": {"one": 0}}).overall_run_score == 0.25
    assert extended({"suite_weights": {"one": 0, "two": 0}}).overall_run_score is None
    assert found.classes == {"fail": 3, "pass": 4}
    assert (found.penalized_score, found.latency_score) == (None, None)


def test_without_weights_the_overall_run_score_is_the_macro_mean_of_the_report() -> None:
    made = report({"penalties": {}})
    model = made.models[0]
    assert model.extensions is not None
    assert model.extensions.overall_run_score == model.overall_macro
    assert model.extensions.penalized_score == model.overall_macro
    assert model.extensions.suite_scores == {
        name: block.pass_rate.value for name, block in model.suites.items()
    }


def test_a_failure_costs_what_its_outcome_or_its_class_costs() -> None:
    by_outcome = extended({"penalties": {"compile_failed": 0.5}})
    # one: a 1, b 1/2; two: c 1/2, d 3/4
    assert by_outcome.penalized_score == (0.75 + 0.625) / 2
    both = extended({"penalties": {"compile_failed": 0.5, "fail": 0}})
    assert both.penalized_score == (1 + 0.625) / 2
    assert extended({"penalties": {"refusal": 0}}).penalized_score == 0.5


def test_a_latency_counts_for_right_and_wrong_answers() -> None:
    slow = record(FAIL, "p/m|one/a|0")
    assert slow.completion is not None
    times = {"p/m|one/a|0": 7.0, "p/m|one/a|1": 1.0}
    more = {}
    for (key, secs), letter in zip(times.items(), (FAIL, PASS), strict=True):
        made = record(letter, key)
        assert made.completion is not None
        answer = made.completion.model_copy(update={"latency_secs": secs})
        more[key] = SampleRecord(
            completion=answer, extraction=made.extraction, verdict=made.verdict
        )
    found = extended({"latency": {"full_secs": 2, "none_secs": 12}}, {"one/a": FAIL + PASS}, **more)
    assert found.latency_score == 0.75


def test_a_suite_that_could_not_be_scored_leaves_the_mean() -> None:
    found = extended({"suite_weights": {"two": 9}}, {"one/a": PASS, "two/b": FAULT})
    assert found.suite_scores == {"one": 1.0, "two": None}
    assert found.overall_run_score == 1.0
    partly = extended({"penalties": {"fail": 0.5}}, {"one/a": PASS, "one/b": FAULT})
    assert partly.penalized_score == partly.overall_run_score == 1.0


@calm
@given(
    st.dictionaries(st.sampled_from(["one", "two", "three"]), st.floats(0, 100)),
    st.dictionaries(st.sampled_from(FAILURES), st.floats(0, 1)),
    st.dictionaries(
        st.sampled_from(["one/a", "one/b", "two/c"]),
        st.text("PFBx", min_size=1, max_size=4),
        min_size=1,
    ),
)
def test_options_never_change_a_score_or_a_rate(
    weights: dict[str, float], penalties: dict[str, float], words: dict[str, str]
) -> None:
    options = {"suite_weights": weights, "penalties": penalties}
    plain, asked = (
        json.loads(dump_report(report(None, words))),
        json.loads(dump_report(report(options, words))),
    )
    assert plain.pop("digest") != asked.pop("digest")
    assert asked.pop("report_options") == {
        "suite_weights": weights,
        "penalties": penalties,
        "latency": None,
    }
    for model in asked["models"]:
        extensions = model.pop("extensions")
        for name in ("overall_run_score", "penalized_score"):
            assert extensions[name] is None or 0 <= extensions[name] <= 1
    asked["warnings"] = [text for text in asked["warnings"] if "[report]" not in text]
    assert asked == plain


@pytest.mark.parametrize("options", [None, {}])
def test_a_report_without_options_has_no_trace_of_them(options: dict[str, Any] | None) -> None:
    text = dump_report(report(options))
    assert "report_options" not in text
    assert "extensions" not in text
    assert dump_report(parse_report(text.encode(), file="r")) == text


def test_a_report_with_options_reads_back_and_compares() -> None:
    made = report({"suite_weights": {"one": 3}, "latency": {"full_secs": 1, "none_secs": 2}})
    text = dump_report(made)
    assert parse_report(text.encode(), file="r") == made
    assert dump_report(parse_report(text.encode(), file="r")) == text
    assert read_side(text.encode(), file="r").models.keys() == {"p/m"}
    Draft202012Validator(json_schema("report")).validate(json.loads(text))
    Draft202012Validator(json_schema("report")).validate(json.loads(dump_report(report(None))))
    assert side({"s/a": "P"}).models


def test_people_see_the_numbers_and_a_weight_that_weighs_nothing() -> None:
    made = report({"suite_weights": {"one": 3, "tow": 1}, "penalties": {"fail": 0.5}})
    assert "p/m: overall run score 0.625 · penalized 0.812" in report_markdown(made)
    assert any(
        "suite_weights names tow, which is not an eval set" in text for text in made.warnings
    )
    assert "overall run score" not in report_markdown(report(None))


def test_every_outcome_has_a_class_and_the_page_has_the_same() -> None:
    assert set(CLASS_OF) == set(Outcome)
    table = PAGE.read_text(encoding="utf-8").partition("FailProof's class | outcomes here |\n")[2]
    rows = [line.split("|")[1:3] for line in table.partition("\n\n")[0].splitlines()[1:]]
    told = {
        name.strip(" `"): {word.strip(" `") for word in outcomes.split(",")}
        for name, outcomes in rows
    }
    assert told == {
        str(name): {str(outcome) for outcome, own in CLASS_OF.items() if own is name}
        for name in Classification
    }


def test_the_weights_of_the_score_stay_what_they_are() -> None:
    assert [float(verdict_score(verdict(letter))) for letter in (PASS, FAIL, BROKEN)] == [
        1.0,
        0.75,
        0.0,
    ]


WHOLE = """
[report]
suite_weights = { rust-basics = 2, rust-unsafe = 0.5 }
penalties = { refusal = 0.5, tests_failed = 0.8 }
latency = { full_secs = 2, none_secs = 30 }
"""


def test_the_table_is_read_and_an_empty_one_asks_for_nothing() -> None:
    found = parse_config(WHOLE, file="f.toml", environ={}).report
    assert found.suite_weights == {"rust-basics": 2, "rust-unsafe": 0.5}
    assert found.latency is not None
    assert found.asked == found
    assert parse_config("[report]\n", file="f.toml", environ={}).report.asked is None
    assert parse_config("", file="f.toml", environ={}).report.asked is None
    assert WHOLE.strip().splitlines()[1].split("=")[0] in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("penalties = { refusl = 0.5 }", 'unknown failure "refusl"; did you mean refusal'),
        ("penalties = { passed = 0.5 }", 'unknown failure "passed"'),
        ("penalties = { zzz = 0.5 }", "use fail, refusal"),
        ("penalties = { refusal = 1.5 }", "less than or equal to 1"),
        ("penalties = { refusal = -1 }", "greater than or equal to 0"),
        ("penalties = { refusal = nan }", "finite number"),
        ("suite_weights = { a = -1 }", "greater than or equal to 0"),
        ("suite_weights = { a = inf }", "finite number"),
        ('suite_weights = { a = "b" }', "valid number"),
        ("latency = { full_secs = 3, none_secs = 2 }", "full_secs must be less than none_secs"),
        ("latency = { full_secs = 3 }", "field required"),
        ("weights = { a = 1 }", 'did you mean "suite_weights"'),
    ],
)
def test_a_wrong_option_is_one_line_at_its_place(text: str, said: str) -> None:
    with pytest.raises(ConfigFileError) as caught:
        parse_config(f"[run]\nsamples = 1\n[report]\n{text}\n", file="f.toml", environ={})
    (problem,) = caught.value.problems
    assert said in problem.message
    assert "report" in problem.message
    assert "\n" not in problem.message
    assert problem.line == 4


SET = """
[eval_set]
id = "tiny"
name = "Tiny"
version = "1"

[[cases]]
id = "one"
name = "One"
prompt = "Write `fn one() -> u8` that returns 1."
reference_solution = "pub fn one() -> u8 { 1 }"

[cases.expectations]
test_file = "#[test] fn it_is_one() { assert_eq!(one(), 1); }"
"""


@pytest.mark.cargo
def test_a_run_keeps_the_options_that_it_began_with_and_grading_again_takes_new_ones(
    forgetest: Program,
) -> None:
    (forgetest.folder / "tiny.toml").write_text(SET, encoding="utf-8")
    config = forgetest.folder / "forgetest.toml"
    config.write_text("[report]\nsuite_weights = { tiny = 2 }\n", encoding="utf-8")
    done = forgetest("run", "--eval-set", "tiny.toml", "--models", "reference/solution")
    assert done.code == 0, done.err
    (folder,) = (forgetest.folder / "runs").iterdir()

    config.write_text("[report]\npenalties = { fail = 0 }\n", encoding="utf-8")
    assert forgetest("run", "--resume", folder).code == 0
    kept = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert kept["report_options"]["suite_weights"] == {"tiny": 2}
    assert kept["models"][0]["extensions"]["overall_run_score"] == 1.0
    assert "overall run score 1.000" in forgetest("report", folder).out

    again = forgetest("grade", folder, "--format", "json")
    assert again.code == 0, again.err
    assert json.loads(again.out)["report_options"]["penalties"] == {"fail": 0}
