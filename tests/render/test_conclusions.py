"""What a run found, in words, and what to type next."""

import json
from collections.abc import Mapping

import pytest
from compared import report

from forgetest.render.conclusions import conclusions, next_steps
from forgetest.report.files import parse_report
from forgetest.report.types import Report

CASES = [f"s/c{place:02}" for place in range(20)]


def made(letters: Mapping[str, str]) -> Report:
    """Return a report in which each model has one word of letters for every case."""
    data = report({model: dict.fromkeys(CASES, word) for model, word in letters.items()})
    return parse_report(json.dumps(data).encode(), file="r.json")


def said(letters: Mapping[str, str]) -> list[str]:
    return list(conclusions([("", made(letters))]))


def test_a_difference_beyond_noise_is_a_win_with_its_size_and_its_p() -> None:
    assert said({"acme/cheap": "PFFF", "acme/good": "PPPF"}) == [
        "acme/good beats acme/cheap by 50.0 points (75.0 % to 25.0 %), p < 0.001"
    ]


def test_a_difference_within_noise_says_what_could_have_been_seen() -> None:
    data = report(
        {
            "a/x": {key: "PP" if place % 2 else "PF" for place, key in enumerate(CASES)},
            "a/y": {key: "PP" if place % 3 else "PF" for place, key in enumerate(CASES)},
        }
    )
    (line,) = conclusions([("", parse_report(json.dumps(data).encode(), file="r.json"))])

    assert line == (
        "a/y and a/x are not distinguishable: 7.5 points apart, p 0.597;"
        " smallest detectable difference 21.0"
    )


def test_models_that_never_differ_have_nothing_that_could_be_detected() -> None:
    (line,) = said({"a/x": "PF", "a/y": "PF"})

    assert line.startswith("a/x and a/y are not distinguishable: 0.0 points apart, p 1.000;")
    assert line.endswith("too few cases that vary")


def test_one_model_alone_is_no_comparison() -> None:
    assert said({"a/x": "P"}) == []


def test_models_without_an_answer_are_named_in_one_line_with_the_reason() -> None:
    dead = {"a/y": "x", "a/z": "x"}

    assert said({"a/x": "P", **dead}) == ["a/y, a/z: no sample is scored: no answer"]
    assert list(next_steps(made(dead), "")) == []


def test_anchors_are_no_rivals_and_are_named_when_they_do_not_hold() -> None:
    fine = said({"a/x": "P", "reference/solution": "P", "reference/stub": "F"})
    wrong = said({"a/x": "P", "reference/solution": "F", "reference/stub": "P"})

    assert fine == ["anchors: solution passes everything and stub passes nothing, as they should"]
    assert wrong == [
        f"BROKEN CASES: {model} in 20 cases (s/c00, s/c01, s/c02 and 17 more);"
        " no model can be judged by that: run forgetest validate --deep"
        for model in ("reference/solution fails", "reference/stub passes")
    ]


def test_the_next_commands_name_the_eval_sets_of_the_run() -> None:
    good, bad = (made({"reference/solution": letter}) for letter in "PF")
    sets = [
        good.eval_sets[0].model_copy(update={"file": file})
        for file in ("<forgetest>/starter.toml", "my sets/mine.toml")
    ]
    good, bad = (item.model_copy(update={"eval_sets": tuple(sets)}) for item in (good, bad))

    assert next(iter(next_steps(good, ""))).startswith(
        "next: forgetest run -e starter -e 'my sets/mine.toml' --models PROVIDER/MODEL  "
    )
    (line,) = conclusions([("run", bad)])
    assert line.startswith("BROKEN CASES: reference/solution fails in 20 cases (s/c00, ")
    assert line.endswith(": run forgetest validate --deep starter 'my sets/mine.toml'")
    assert not any("--models" in line for line in next_steps(bad, ""))  # mend the cases first


def test_many_models_are_compared_with_the_leader_and_the_rest_is_counted() -> None:
    *named, rest = said({f"a/m{place}": "P" * place + "F" * (8 - place) for place in range(8)})

    assert len(named) == 4
    assert all(line.startswith("a/m7 ") for line in named)
    assert rest == "and 3 more models: forgetest rank compares all pairs"


@pytest.mark.parametrize(
    ("letters", "run", "steps"),
    [
        (
            {"a/x": "PF", "reference/stub": "FF"},
            "",
            [
                "next: forgetest show --failed  20 cases with failing samples",
                "      forgetest show c00       the case that fails most, with code and errors",
                "      forgetest report --open  the page",
            ],
        ),
        ({"a/x": "PP"}, "old/run", ["next: forgetest report old/run --open  the page"]),
        (
            {"reference/solution": "P", "reference/stub": "F"},
            "",
            [
                "next: forgetest run --models PROVIDER/MODEL  the same cases for a model",
                "      forgetest report --open                the page",
            ],
        ),
    ],
)
def test_what_to_type_next_leads_to_what_failed(
    letters: Mapping[str, str], run: str, steps: list[str]
) -> None:
    assert list(next_steps(made(letters), run)) == steps
