"""JUnit XML, by Jenkins' schema and by a reader that CI tools use."""

import functools

import junitparser
import pytest
import xmlschema
from formatted import hostile, judged, made, run, two_models
from hypothesis import given
from hypothesis import strategies as st
from program import ROOT
from records import record

from forgetest.grading.verdict import Outcome
from forgetest.render.run import ShownRun
from forgetest.run.events import SampleRecord


@functools.cache
def schema() -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(ROOT / "tests" / "corpus" / "schemas" / "junit-10.xsd")


def parsed(*runs: ShownRun) -> junitparser.JUnitXml:
    text = made("junit", *runs)["junit.xml"]
    schema().validate(text.partition("\n")[2])  # without the declaration, which takes bytes
    return junitparser.JUnitXml.fromstring(text.encode())


def test_wrong_is_a_failure_a_fault_an_error_and_nothing_planned_is_skipped() -> None:
    bad = next(suite for suite in parsed(two_models()) if suite.name == "p/bad")

    kinds = {case.name: [type(one).__name__ for one in case.result] for case in bad}
    assert kinds == {
        "alpha": ["Failure"],
        "beta": [],
        "gamma": ["Error"],
        "delta": ["Skipped"],
        "beta #2": ["Error"],
    }
    assert (bad.tests, bad.failures, bad.errors, bad.skipped) == (5, 1, 2, 1)


def test_a_failure_tells_the_counts_and_the_commonest_failure() -> None:
    wrong = SampleRecord(verdict=judged(Outcome.TEST_TIMEOUT, "test `t` took over 5 s"))
    whole = run({"p/m": {"alpha": "PBBF"}}, extra={"p/m|set/alpha|3": wrong})

    (suite,) = parsed(whole)
    (case,) = suite
    (failure,) = case.result

    assert failure.type == "compile_failed"
    assert failure.message == "passed 1 of 4; compile_failed 2 (E0308 2); test_timeout 1"
    assert failure.text.splitlines() == [
        "#2 compile_failed",
        "#3 compile_failed",
        "#4 test_timeout: test `t` took over 5 s",
    ]


def test_a_lost_sample_is_an_error_of_its_own_and_no_failure_of_its_case() -> None:
    (suite,) = parsed(run({"p/m": {"alpha": "PPx", "beta": "Fx", "gamma": "xx"}}))

    kinds = {case.name: [type(one).__name__ for one in case.result] for case in suite}
    assert kinds == {
        "alpha": [],
        "beta": ["Failure"],
        "gamma": ["Error"],
        "alpha #3": ["Error"],
        "beta #2": ["Error"],
    }
    assert (suite.tests, suite.failures, suite.errors) == (5, 1, 3)
    assert [case.result[0].message for case in suite if "#" in case.name] == [
        "unscored: provider: no answer"
    ] * 2


def test_rates_and_counts_are_properties_of_the_suite() -> None:
    suites = parsed(two_models())
    told = {one.name: one.value for one in next(iter(suites)).properties()}

    assert (told["n"], told["c"], told["unscored"]) == ("6", "5", "0")
    assert float(told["pass@1"]) == pytest.approx(5 / 6)
    assert (told["set/gamma n"], told["set/gamma c"], told["set/gamma pass@2"]) == ("2", "1", "1.0")


def test_times_are_the_seconds_of_requests_and_grading() -> None:
    (suite,) = parsed(run({"p/m": {"alpha": "PPP", "beta": "PPx"}}))

    assert [case.time for case in suite] == [1.5, 1.0, 0.0]  # the last: a lost sample
    assert suite.time == 2.5


def test_several_runs_are_suites_of_one_file() -> None:
    one, two = run({"p/m": {"a": "P"}}, label="one"), run({"p/m": {"a": "F"}}, label="two")

    suites = parsed(one, two)

    assert [suite.name for suite in suites] == ["one: p/m", "two: p/m"]
    assert suites.failures == 1


def test_many_failures_are_told_in_a_bounded_number_of_lines() -> None:
    (suite,) = parsed(run({"p/m": {"alpha": "F" * 50}}))
    (case,) = suite

    assert len(case.result[0].text.splitlines()) == 21
    assert case.result[0].text.endswith("and 30 more")


def test_hostile_texts_are_texts_without_control_characters() -> None:
    (suite,) = parsed(hostile())
    (case,) = suite
    text = made("junit", hostile())["junit.xml"]

    assert "<script>" in case.result[0].text
    assert not any(sign in text for sign in ("\0", "\x1b", "\uffff", "\u202e"))


@given(st.text(alphabet=st.characters(exclude_categories=()), min_size=1))
def test_whatever_a_label_or_a_reason_holds_the_file_is_xml(text: str) -> None:
    wrong = SampleRecord(
        verdict=judged(Outcome.COMPILE_FAILED, "x").model_copy(update={"reasons": (text,)})
    )
    whole = run({"p/m": {"alpha": "P"}}, extra={"p/m|set/alpha|0": wrong})

    parsed(ShownRun(whole.report, (), text))


def test_a_sample_without_a_verdict_counts_as_unscored() -> None:
    answered = record("P", "p/m|set/alpha|0").model_copy(update={"verdict": None})
    (suite,) = parsed(run({"p/m": {"alpha": "P"}}, extra={"p/m|set/alpha|0": answered}))
    (case,) = suite

    assert case.result[0].message == "passed 0 of 0; 1 unscored (not graded)"
