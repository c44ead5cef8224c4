"""What the documents of the field define is here, under the names that docs/metrics.md lists."""

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_strategies import calm
from program import ROOT

from forgetest import metrics
from forgetest.metrics import Classification, Trial

PAGE = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| document")
]
NAMED = [row for row in ROWS if len(row) >= 3]
TRIALS = [True, True, False, True, True]


@pytest.mark.parametrize(("document", "name", "here"), [row[:3] for row in NAMED])
def test_every_name_of_the_table_leads_to_something_public(
    document: str, name: str, here: str
) -> None:
    ours = re.findall(r"`(\w+)`", here)
    assert document
    assert name
    assert ours
    assert all(word in metrics.__all__ for word in ours)


@pytest.mark.parametrize(
    "name",
    [
        *("passAtK", "passAtKNaive", "passToTheK"),
        *("computeMultiTrialMetrics", "computeStimulusScore", "computeSkillScore"),
        *("eval.bayes", "eval.avg", "eval.pass_at_k", "eval.pass_hat_k", "eval.g_pass_at_k"),
        *("eval.g_pass_at_k_tau", "eval.mg_pass_at_k", "Suite Score", "Overall Run Score"),
        *("Weighted Suites", "Penalty-Based Scoring", "Latency Scoring", "scores.accuracy"),
    ],
)
def test_the_documents_own_name_is_in_the_table(name: str) -> None:
    assert any(re.search(rf"\b{re.escape(name)}\b", row[1]) for row in NAMED)


def test_the_examples_of_the_page_are_true() -> None:
    block = PAGE.partition("```python")[2].partition("```")[0]
    found = {
        line.partition("#")[0].strip(): line.partition("#")[2].strip()
        for line in block.splitlines()
        if "#" in line
    }
    values = {code: eval(code, {"metrics": metrics}) for code in found}  # noqa: S307 - our own page
    shown = list(zip(values.values(), found.values(), strict=True))
    assert [str(value) for value, _ in shown[:2]] == [said for _, said in shown[:2]]
    assert shown[2][1] == f"mean {shown[2][0].mean:.6f}, sigma {shown[2][0].sigma:.6f}"
    assert (shown[3][0].pass_rate, shown[3][0].flaky, shown[3][0].flakiness_percent) == (
        0.8,
        True,
        20.0,
    )


def test_five_trials_have_the_metrics_of_the_example_with_k() -> None:
    found = metrics.compute_multi_trial_metrics(TRIALS)
    assert (found.pass_rate, found.pass_at_k, found.k) == (0.8, 1.0, 5)
    assert found.pass_to_the_k == pytest.approx(0.32768, abs=1e-15)
    at_two = metrics.compute_multi_trial_metrics(TRIALS, 2)
    assert (at_two.k, at_two.pass_at_k, at_two.pass_hat_k) == (2, 1.0, 0.6)
    assert at_two.pass_to_the_k == pytest.approx(0.64, abs=1e-15)
    beyond = metrics.compute_multi_trial_metrics(TRIALS, 6)
    assert (beyond.k, beyond.pass_at_k, beyond.pass_hat_k) == (6, None, None)


def test_a_stimulus_has_its_trials_their_mean_and_how_flaky_they_are() -> None:
    trials = [(1.0, True), (0.7, True), (0.0, False), (1.0, True)]
    found = metrics.compute_stimulus_score("sum", trials)
    assert found.trial_results == tuple(Trial(*trial) for trial in trials)
    assert found.aggregate == 0.675
    assert found.aggregate_exact == Fraction(27, 40)
    assert found.multi_trial == metrics.multi_trial([True, True, False, True])
    assert (found.unscored, found.flaky, found.flakiness_percent) == (False, True, 25.0)


@pytest.mark.parametrize("passed", [True, False])
def test_a_single_trial_is_not_flaky(passed: bool) -> None:
    found = metrics.compute_stimulus_score("one", [(1.0, passed)])
    assert (found.flaky, found.flakiness_percent, found.unscored) == (False, 0.0, False)


def test_without_graders_or_judged_trials_a_stimulus_is_unscored() -> None:
    for found in (
        metrics.compute_stimulus_score("s", []),
        metrics.compute_stimulus_score("s", [(1.0, True)], has_graders=False),
        metrics.compute_stimulus_score("s", [Trial(None, None)] * 2),
    ):
        assert found.unscored
        assert (found.aggregate, found.aggregate_exact, found.flaky) == (None, None, False)
    partly = metrics.compute_stimulus_score("s", [Trial(None, None), Trial(score=1, passed=True)])
    assert (partly.unscored, partly.aggregate, partly.multi_trial.trials) == (False, 1.0, 1)


@calm
@given(st.lists(st.tuples(st.integers(0, 20), st.booleans()), min_size=1, max_size=9))
def test_a_stimulus_says_what_its_trials_say(trials: list[tuple[int, bool]]) -> None:
    pairs = [(np.float64(score / 20), np.bool_(passed)) for score, passed in trials]
    found = metrics.compute_stimulus_score("s", pairs)
    passes = sum(passed for _, passed in trials)
    assert found.aggregate_exact == Fraction(sum(score for score, _ in trials), 20 * len(trials))
    assert found.flaky == (0 < passes < len(trials))
    assert found.flakiness_percent == 100 * min(passes, len(trials) - passes) / len(trials)


def test_a_skill_passes_when_the_mean_of_its_stimuli_reaches_the_threshold() -> None:
    stimuli = [
        metrics.compute_stimulus_score("a", [(1.0, True), (0.4, False)]),
        metrics.compute_stimulus_score("b", [(0.7, True)] * 2),
        metrics.compute_stimulus_score("c", []),
    ]
    found = metrics.compute_skill_score("skill", stimuli, 0.7)
    assert (found.aggregate, found.threshold, found.passed) == (0.7, 0.7, True)
    assert (found.pass_rate, found.pass_at_k, found.pass_to_the_k) == (0.75, 1.0, 0.625)
    assert found.stimulus_scores == tuple(stimuli)
    assert not metrics.compute_skill_score("skill", stimuli, Decimal("0.7000001")).passed
    assert not metrics.compute_skill_score("nothing", stimuli[2:], 0).passed


def test_means_that_meet_a_decimal_threshold_pass_whatever_doubles_do() -> None:
    thirds = [metrics.compute_stimulus_score("s", [(0.1, True), (0.2, True), (0.3, True)])]
    assert metrics.compute_skill_score("skill", thirds, 0.2).passed


@pytest.mark.parametrize(
    "trials", [[(2, True)], [("a", True)], [(0.5, "yes")], [5], [(None, True)], [(1, True, 1)]]
)
def test_what_is_no_trial_is_refused_in_one_line(trials: list[object]) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        metrics.compute_stimulus_score("s", trials)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("threshold", [1.1, -0.1, "0.5", None, float("nan")])
def test_a_threshold_is_a_share(threshold: object) -> None:
    with pytest.raises(ValueError, match=r"threshold|numbers"):
        metrics.compute_skill_score("s", [], threshold)


def test_only_a_pass_is_accurate() -> None:
    assert [metrics.accuracy(word) for word in Classification] == [1, 0, 0, 0, 0]
    assert [metrics.accuracy(word) for word in ("pass", "Pass", "timeout", "")] == [1, 0, 0, 0]


def test_the_worked_examples_of_suites_hold() -> None:
    suites = [
        metrics.suite_score([1] * 18 + [0] * 2),
        metrics.suite_score([1] * 8 + [0] * 2),
    ]
    assert metrics.suite_score([1] * 7 + [0] * 3) == Fraction(7, 10)
    assert suites == [Fraction(9, 10), Fraction(8, 10)]
    assert metrics.overall_run_score(suites) == Fraction(85, 100)
    assert metrics.micro([(20, 18), (10, 8)]) == Fraction(26, 30)


def test_a_case_of_a_suite_weighs_the_same_with_more_samples() -> None:
    assert metrics.suite_score([(5, 4), [1, 0], 1]) == Fraction(8 + 5 + 10, 30)
    assert metrics.suite_score([(0, 0), 1]) == 1
    assert metrics.suite_score([]) is None
    assert metrics.suite_score(np.array([[1, 0], [1, 1]])) == Fraction(3, 4)
    assert metrics.suite_score(np.array([True, False])) == Fraction(1, 2)


def test_weights_move_the_overall_score_and_equal_ones_do_not() -> None:
    scores = [0.9, 0.8]
    assert metrics.overall_run_score(scores, [3, 1]) == Fraction(7, 8)
    assert metrics.overall_run_score(scores, [7, 7]) == metrics.overall_run_score(scores)
    assert metrics.overall_run_score(scores, [0, 1]) == Fraction(4, 5)
    assert metrics.overall_run_score(scores, [0, 0]) is None
    assert metrics.overall_run_score([]) is None
    for wrong in ([1], [-1, 1], ["a", 1]):
        with pytest.raises(ValueError, match=r"."):
            metrics.overall_run_score(scores, wrong)


def test_a_refusal_may_cost_less_than_a_violation() -> None:
    kinds = {"pass": 5, "refusal": 2, "policy_violation": 3}
    assert metrics.penalized_score(kinds, {}) == Fraction(1, 2)
    assert metrics.penalized_score(kinds, {"refusal": 0.5}) == Fraction(6, 10)
    assert metrics.penalized_score(kinds, {"refusal": 0, "policy_violation": 1}) == Fraction(7, 10)
    assert metrics.penalized_score({}, {}) is None
    with pytest.raises(ValueError, match="penalty"):
        metrics.penalized_score(kinds, {"refusal": 2})


@pytest.mark.parametrize(
    ("latencies", "expected"),
    [
        ([1, 2], 1),
        ([12, 40], 0),
        ([7], Fraction(1, 2)),
        ([2, 7, 12], Fraction(1, 2)),
        (np.array([2.0, 12.0], dtype="float32"), Fraction(1, 2)),
        ([], None),
    ],
)
def test_a_latency_is_worth_less_the_longer_it_is(
    latencies: list[float], expected: Fraction | None
) -> None:
    assert metrics.latency_score(latencies, 2, 12) == expected


@pytest.mark.parametrize(("full", "none"), [(2, 2), (3, 2), (-1, 2), (0, float("inf"))])
def test_the_ends_of_a_latency_score_are_in_order(full: float, none: float) -> None:
    with pytest.raises(ValueError, match=r"latency score|finite"):
        metrics.latency_score([1.0], full, none)
