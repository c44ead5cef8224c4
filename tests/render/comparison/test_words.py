"""What a comparison says in sentences: rule and evidence both named, no difference rounded away."""

import json
from io import StringIO

import comparisons as made
import pytest
from compared import compared, report
from rich.console import Console

from forgetest.compare.compare import compare_sides
from forgetest.compare.read import read_side
from forgetest.compare.types import CompareOptions, ComparisonVerdict, CountChange, Detectability
from forgetest.render.comparison import numbers
from forgetest.render.comparison.markdown import comparison_markdown
from forgetest.render.comparison.terminal import comparison_tables
from forgetest.render.comparison.words import (
    attribution_words,
    coverage_words,
    detectability_line,
    difference_words,
    drift_words,
    gate_words,
    rates,
    repeat_words,
    rests_on,
    samples_to_settle,
    test_lines,
    usage_line,
)

evidence_lines = test_lines
del test_lines  # else pytest takes it for a test


@pytest.mark.parametrize(
    ("delta", "shown"),
    [
        (-0.0761, "-7.6"),
        (0.031, "+3.1"),
        (0.0, "0.0"),
        (-0.0004, "-<0.1"),
        (0.00049, "+<0.1"),
        (-1.0, "-100.0"),
        (-0.9999, "->99.9"),
        (None, "–"),
    ],
)
def test_a_change_that_is_not_nothing_is_never_shown_as_nothing(
    delta: float | None, shown: str
) -> None:
    assert numbers.points(delta) == shown


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (0.0031, "p 0.003"),
        (0.0002, "p < 0.001"),
        (0.0, "p < 0.001"),
        (0.9999, "p > 0.999"),
        (1.0, "p 1.000"),
        (0.5, "p 0.500"),
    ],
)
def test_a_chance_has_three_digits_and_is_never_nothing(p: float, shown: str) -> None:
    assert numbers.chance(p) == shown


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [(100, 121.5, "+21.5 %"), (10_000, 9_999, "-<0.1 %"), (5, 5, "0.0 %"), (0, 3, "–")],
)
def test_a_relative_change_is_signed(before: float, after: float, shown: str) -> None:
    assert numbers.share_change(before, after) == shown


def test_the_level_of_the_intervals_follows_alpha() -> None:
    assert [numbers.level(alpha) for alpha in (0.05, 0.01, 0.025)] == ["95 %", "99 %", "97.5 %"]


def test_the_numbers_of_one_model_are_told_in_one_line() -> None:
    assert rates(made.a_regression().models[0]) == (
        "pass rate 71.4 % to 63.8 %, -7.6 points, p 0.001"
    )
    assert rates(made.an_improvement().models[0]).endswith("+15.0 points, p 0.001")
    assert rates(made.no_change().models[0]).endswith("71.4 %, 0.0 points")


def test_what_would_settle_a_change_is_more_than_there_is_and_the_least_that_decides() -> None:
    model = made.noise().models[0]  # 5 samples; 14 for all cases together, 12 for one alone
    less = model.detectability.model_copy(update={"samples_to_settle": 3})

    assert samples_to_settle(model) == 12
    assert samples_to_settle(model.model_copy(update={"detectability": less})) == 12
    assert samples_to_settle(made.no_change().models[0].model_copy(update={"cases": ()})) == 14


def test_a_threshold_that_fired_within_noise_says_what_would_settle_it() -> None:
    found = made.noise()

    assert rests_on(found.models[0], found.options) == (
        "threshold 0.05: regressed · evidence at alpha 0.05: inconclusive · within noise:"
        " 12 samples per case or 120 cases like these would settle it"
    )


def test_rules_that_disagree_are_both_named() -> None:
    model = made.model(
        made.broken_cases()[3:],
        threshold=ComparisonVerdict.SAME,
        by_evidence=ComparisonVerdict.REGRESSED,
    )

    assert rests_on(model, made.comparison(model).options) == (
        "threshold 0.05: same · evidence at alpha 0.05: regressed ·"
        " beyond noise, but below the threshold"
    )


def test_the_tests_behind_a_finding_are_told_with_their_limits() -> None:
    found = made.a_regression()

    assert evidence_lines(found.models[0], found.options) == [
        "passes: p 0.001 for a drop, p 0.999 for a rise (exact test; significant below 0.025)",
        "scores: p 0.001 for a drop, p 0.999 for a rise (10,000 permutations)",
        (
            "single cases: 1 fell and 0 rose beyond noise"
            " (p at most 0.00313, Tarone's correction for 8 cases)"
        ),
    ]


def test_what_could_have_been_seen_is_said_in_points() -> None:
    seen = Detectability(standard_error=0.04, minimum_difference=0.123)
    single = Detectability(standard_error=None, minimum_difference=None)
    alike = compared({"set/a": "PP", "set/b": "PP"}, {"set/a": "BB", "set/b": "BB"}).models[0]

    assert detectability_line(seen) == "smallest detectable change: 12.3 points (80 % power)"
    assert detectability_line(single) == (
        "smallest detectable change: unknown (one case has no spread)"
    )
    assert detectability_line(alike.detectability) == (
        "smallest detectable change: unknown (all cases moved alike, so there is no spread)"
    )


def test_samples_that_are_all_one_text_are_told_beside_the_headline() -> None:
    same, mixed = report({"set/a": "P" * 10, "set/b": "P" * 10}), report({"set/a": "B" * 10})
    for place, distinct in ((0, 1), (1, 9)):
        same["models"][0]["cases"][place]["distinct_completions"] = distinct
    sides = [read_side(json.dumps(data).encode(), file="r.json") for data in (same, mixed)]
    found = compare_sides(*sides, CompareOptions())

    words = (
        "in 1 of 1 case, n = 10 are 1 distinct completion: p takes the samples for independent"
        " and may overstate the evidence"
    )
    assert repeat_words(found) == words
    assert repeat_words(made.a_regression()) == ""
    terminal = Console(width=80, record=True, file=StringIO())
    terminal.print(comparison_tables(found, width=80))
    assert " ".join(terminal.export_text().split()).index(words) < 600
    assert f"\n- ⚠️ repeated samples: {words}\n" in comparison_markdown(found)


def test_differences_coverage_and_gate_are_told_in_a_line_each() -> None:
    found = made.a_regression()

    assert difference_words(made.RUSTC) == "rustc 1.94.0 -> 1.95.0"
    assert coverage_words(found.coverage, 1) == (
        "40 cases compared; changed (prompt): rust-basics/word-count; 1 new;"
        " removed: rust-basics/old-one; unscored samples 0 to 2"
    )
    assert gate_words(found) == (
        "threshold 0.05: regression (more than noise; --gate evidence would fail too)"
    )
    assert gate_words(made.comparison(found.models[0], rule=None)) == (
        "not requested; the result would be regression"
    )


def test_a_model_that_is_missing_is_told_without_its_cases() -> None:
    cases = {"set/a": "PP", "set/b": "PP"}
    found = compared({"acme/old": cases}, {"acme/new": cases}, rule="evidence")
    console = Console(width=80, record=True, file=StringIO())
    console.print(comparison_tables(found, width=80))

    assert coverage_words(found.coverage, 1) == "0 cases compared"
    for shown in (console.export_text(), comparison_markdown(found)):
        assert "the runs have no model in common" in shown
        assert "--map acme/old=acme/new" in shown
        assert "set/a" not in shown


def test_drift_names_the_largest_change_first_and_nothing_that_stood_still() -> None:
    changes = [CountChange(name=f"E{i:04}", baseline=i, current=0) for i in range(9)]

    assert drift_words(changes)[:2] == ["E0008 8 to 0", "E0007 7 to 0"]
    assert drift_words(changes)[-1] == "and 2 more"
    assert "E0000 0 to 0" not in drift_words(changes)


def test_a_difference_is_split_into_model_and_environment() -> None:
    split = made.regraded().models[0].attribution

    assert split is not None
    assert attribution_words(split) == (
        "model -6.6 points, environment -1.0: rustc 1.94.0 -> 1.95.0; 1 verdict changed"
    )


def test_usage_names_cost_and_what_changed() -> None:
    assert usage_line(made.a_regression().models[0].usage) == "cost $0.41 -> $0.52 (+26.8 %)"
