"""An absolute gate over a report: which numbers fall short, and which cannot be judged."""

from decimal import Decimal

import pytest
from formatted import run

from forgetest.errors import ConfigError
from forgetest.render.minimum import minimum_lines
from forgetest.report.minimum import judged_models, parse_minimum, shortfalls
from forgetest.report.types import Report

# Of good, 5 of 6 samples pass; of bad, one of 4, and two cases are unscored in part or whole.
REPORT = run(
    {
        "p/good": {"alpha": "PP", "beta": "PP", "gamma": "PF"},
        "p/bad": {"alpha": "BB", "beta": "PF", "gamma": "xx"},
        "reference/stub": {"alpha": "BB", "beta": "BB", "gamma": "BB"},
    },
    pass_k=(1, 2),
).report


def lines(report: Report, *minimums: str) -> list[str]:
    """Return what is said of a report under some minimums."""
    demanded = [parse_minimum(text) for text in minimums]
    missed = shortfalls(report, demanded)
    models = len(judged_models(report))
    return list(minimum_lines(missed, demanded=len(demanded), models=models))


def test_each_model_that_is_below_a_minimum_is_named_and_anchors_are_not() -> None:
    assert lines(REPORT, "pass@1=0.8", "compile=40%") == [
        "fail-under: p/bad: pass@1 is 25.0 %, below 80.0 %",
    ]
    assert lines(REPORT, "pass@1=0.25", "pass@2=0.5", "pass^2=0") == [
        "fail-under: 2 models met 3 minimums"
    ]


@pytest.mark.parametrize(
    ("minimum", "said"),
    [
        ("score=0.9", "p/bad: score is 0.438, below 0.900"),
        ("suite=0.9", "p/good: suite:set is 83.3 %, below 90.0 %"),
        ("suite:set=90%", "p/good: suite:set is 83.3 %, below 90.0 %"),
        ("overall=0.9", "p/good: overall is 83.3 %, below 90.0 %"),
        ("tests=1", "p/good: tests is 91.7 %, below 100.0 %"),
        ("pass^2=0.67", "p/good: pass^2 is 66.7 %, below 67.0 %"),
        ("pass@1=0.83334", "p/good: pass@1 is 0.8333333333333334, below 0.83334"),
    ],
)
def test_every_metric_has_the_name_that_the_documents_give_it(minimum: str, said: str) -> None:
    assert lines(REPORT, minimum)[0] == f"fail-under: {said}"


def test_what_is_reached_exactly_is_met() -> None:
    report = run({"p/m": {name: "P" if name != "e" else "F" for name in "abcde"}}).report

    assert shortfalls(report, [parse_minimum("pass@1=0.8")]) == ()
    assert shortfalls(report, [parse_minimum("pass@1=80%")]) == ()
    assert len(shortfalls(report, [parse_minimum("pass@1=0.8001")])) == 1


def test_a_number_that_is_not_known_is_neither_met_nor_missed() -> None:
    report = run({"p/m": {"alpha": "xx"}}).report
    (unknown,) = shortfalls(report, [parse_minimum("pass@1=0")])

    assert (unknown.value, unknown.least) == (None, Decimal(0))
    assert lines(report, "pass@1=0")[0].startswith("fail-under: p/m: pass@1 cannot be judged: ")


def test_a_run_of_anchors_alone_is_judged_by_them() -> None:
    report = run({"reference/solution": {"alpha": "F"}}).report

    assert len(shortfalls(report, [parse_minimum("pass@1=1")])) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pass@1", "must be METRIC=NUMBER"),
        ("pass@0=1", "the metrics are|did you mean"),
        ("scor=0.5", 'did you mean "score"'),
        ("score=high", "must be METRIC=NUMBER"),
        ("score=70", "between 0 and 1"),
        ("suite:=1", "the metrics are|did you mean"),
        ("score=nan", "between 0 and 1|must be"),
    ],
)
def test_what_is_no_minimum_is_refused_with_what_is_one(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        parse_minimum(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [("pass@5=1", "add --pass-k 5"), ("suite:sets=1", 'did you mean "set"')],
)
def test_what_a_report_does_not_have_is_refused(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        shortfalls(REPORT, [parse_minimum(text)])
