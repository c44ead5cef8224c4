"""Repeated trials of one case, flakiness, and ranks of models."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_strategies import calm

from forgetest.metrics import MultiTrial, competition_ranks, flakiness_percent, flaky, multi_trial


def test_five_trials_with_one_failure_say_all_of_this() -> None:
    assert multi_trial([True, True, False, True, True]) == MultiTrial(
        trials=5,
        passes=4,
        pass_rate=0.8,
        pass_at_k=1.0,
        pass_hat_k=0.0,
        pass_to_the_k=0.32768,
        flaky=True,
        flakiness_percent=20.0,
        k=5,
    )


def test_no_trials_say_nothing() -> None:
    assert multi_trial([]) == MultiTrial(0, 0, None, None, None, None, None, None, 0)


@pytest.mark.parametrize("trials", [["T"], [None], [True, 2], [0.5], [float("nan")], [[True]]])
def test_a_trial_is_true_or_false_or_one_or_zero(trials: list[bool]) -> None:
    with pytest.raises(ValueError, match="true or false"):
        multi_trial(trials)


@pytest.mark.parametrize(
    ("trials", "is_flaky", "percent"),
    [
        ("TTFTT", True, 20.0),
        ("TF", True, 50.0),
        ("TTT", False, 0.0),
        ("FFF", False, 0.0),
        ("T", None, None),
        ("F", None, None),
        ("", None, None),
    ],
)
def test_flakiness_needs_two_trials_that_disagree(
    trials: str, is_flaky: bool | None, percent: float | None
) -> None:
    n, c = len(trials), trials.count("T")
    assert (flaky(n, c), flakiness_percent(n, c)) == (is_flaky, percent)
    outcome = multi_trial([trial == "T" for trial in trials])
    assert (outcome.flaky, outcome.flakiness_percent) == (is_flaky, percent)


@pytest.mark.parametrize(("n", "c"), [(3, 4), (3, -1), (True, 0), (2.0, 1)])
def test_flakiness_of_no_counts_is_refused(n: int, c: int) -> None:
    for metric in (flaky, flakiness_percent):
        with pytest.raises(ValueError, match="0 <= c <= n"):
            metric(n, c)


@pytest.mark.parametrize(
    ("scores", "ranks"),
    [
        ([0.95, 0.87, 0.87, 0.72, 0.65], [1, 2, 2, 4, 5]),
        ([0.65, 0.87, 0.95, 0.87], [4, 2, 1, 2]),
        ([0.5, 0.5, 0.5], [1, 1, 1]),
        ([0.3, 0.1 + 0.2], [1, 1]),
        ([Fraction(1, 3), Fraction(1, 2)], [2, 1]),
        ([0.7], [1]),
        ([], []),
    ],
)
def test_ties_share_a_rank_and_the_next_rank_is_skipped(
    scores: list[float], ranks: list[int]
) -> None:
    assert competition_ranks(scores) == ranks


def test_a_chain_of_small_steps_does_not_tie_its_ends() -> None:
    assert competition_ranks([0.5, 0.45, 0.4], tol=0.05) == [1, 1, 3]


@calm
@given(st.lists(st.integers(0, 20), max_size=12))
def test_a_rank_is_one_more_than_the_number_of_better_scores(scores: list[int]) -> None:
    expected = [1 + sum(other > score for other in scores) for score in scores]
    assert competition_ranks(scores) == expected


@pytest.mark.parametrize(
    ("scores", "tol", "message"),
    [([0.5], -1e-9, "negative"), ([float("nan")], 0.1, "finite"), ([0.5], float("inf"), "finite")],
)
def test_ranks_of_no_numbers_are_refused(scores: list[float], tol: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        competition_ranks(scores, tol)
