"""What a gate decides by, and how many samples would decide."""

from fractions import Fraction
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_strategies import calm, runs

from forgetest.metrics import (
    Counts,
    Tarone,
    case_evidence,
    case_samples_to_settle,
    fisher_one_sided,
    fisher_p_min,
    gate_evidence,
    holm,
    joint_gate_evidence,
    samples_to_settle,
    stratified_test,
    tarone,
)

Run = list[Counts]

SURE = [(5, 5)] * 6
ONE_BROKEN = [*SURE[1:], (5, 0)]


def test_one_broken_case_among_certain_ones_is_found_by_itself_and_by_all_together() -> None:
    found = gate_evidence(SURE, ONE_BROKEN, seed=1)
    assert [case.worse for case in found.cases] == [False] * 5 + [True]
    assert found.cases[-1].p_worse == found.p_worse == Fraction(1, 252)
    assert found.regressed
    assert found.shifted_down
    assert not found.improved


def test_a_broken_case_is_found_where_an_equal_gain_hides_it_from_the_sum() -> None:
    found = gate_evidence([(6, 6), (6, 0)], [(6, 0), (6, 6)], seed=1)
    assert (found.shifted_down, found.shifted_up) == (False, False)
    assert [(case.worse, case.better) for case in found.cases] == [(True, False), (False, True)]
    assert found.regressed
    assert found.improved


def test_a_small_loss_everywhere_is_found_only_by_all_together() -> None:
    found = gate_evidence([(4, 4)] * 12, [(4, 3)] * 12, seed=1)
    assert not any(case.worse for case in found.cases)
    assert found.shift.p_worse == Fraction(1, 2**12)
    assert found.regressed


def test_three_samples_can_not_show_a_broken_case() -> None:
    found = gate_evidence([(3, 3)], [(3, 0)], seed=1)
    assert found.cases[0].p_worse == found.shift.p_worse == Fraction(1, 20)
    assert not found.regressed
    assert gate_evidence([(4, 4)], [(4, 0)], seed=1).regressed


def test_the_shift_must_fall_below_half_of_alpha_and_a_case_may_reach_it() -> None:
    at_the_limit = gate_evidence([(3, 3)], [(3, 0)], alpha=Fraction(1, 10), seed=1)
    assert not at_the_limit.shifted_down
    assert at_the_limit.cases[0].worse
    assert at_the_limit.regressed


def test_each_direction_has_a_threshold_of_its_own() -> None:
    # With five passes in seven samples, only a loss of both of the two could be rare.
    baseline, current = [(5, 5)] * 2, [(2, 0)] * 2
    found = gate_evidence(baseline, current, alpha=Fraction(1, 5), seed=1)
    least = [fisher_p_min(a, b) for a, b in zip(baseline, current, strict=True)]
    most = [fisher_p_min(b, a) for a, b in zip(baseline, current, strict=True)]
    assert found.worse == tarone(least, Fraction(1, 10)) == Tarone(2, Fraction(1, 20))
    assert found.better == tarone(most, Fraction(1, 10)) == Tarone(1, Fraction(1, 10))


def test_runs_without_cases_show_nothing() -> None:
    found = gate_evidence([], [], seed=1)
    assert (found.regressed, found.improved, found.cases) == (False, False, ())
    assert joint_gate_evidence([], seed=1) == []


@calm
@given(runs(most_cases=8, most_samples=7))
def test_exchanged_runs_exchange_regression_and_improvement(pair: tuple[Run, Run]) -> None:
    found, exchanged = gate_evidence(*pair, seed=1), gate_evidence(*reversed(pair), seed=1)
    assert (found.regressed, found.improved) == (exchanged.improved, exchanged.regressed)
    assert (found.worse, found.better) == (exchanged.better, exchanged.worse)
    assert [case.p_worse for case in found.cases] == [case.p_better for case in exchanged.cases]


@calm
@given(st.lists(runs(most_cases=5, most_samples=7), min_size=1, max_size=4))
def test_models_judged_together_share_alpha(models: list[tuple[Run, Run]]) -> None:
    together = joint_gate_evidence(models, alpha=0.05, seed=1)
    shifts = [stratified_test(*pair, seed=1) for pair in models]
    assert [found.shift for found in together] == shifts
    assert [found.p_worse for found in together] == holm([shift.p_worse for shift in shifts])
    assert [found.p_better for found in together] == holm([shift.p_better for shift in shifts])
    all_pairs = [pair for both in models for pair in zip(*both, strict=True)]
    threshold = tarone([fisher_p_min(*pair) for pair in all_pairs], 0.025)
    assert {found.worse for found in together} == {threshold}
    expected = [fisher_one_sided(*pair) for pair in all_pairs]
    cases = list(chain.from_iterable(found.cases for found in together))
    assert [case.p_worse for case in cases] == expected
    assert [case.worse for case in cases] == [p <= threshold.threshold for p in expected]
    assert [len(found.cases) for found in together] == [len(before) for before, _ in models]


def test_a_model_has_to_show_more_beside_others() -> None:
    lost = ([(1, 1)] * 6, [(1, 0)] * 6)  # p = 1/64
    same = ([(1, 1)] * 6, [(1, 1)] * 6)
    assert gate_evidence(*lost, seed=1).regressed
    beside = joint_gate_evidence([same, lost], seed=1)
    assert [found.p_worse for found in beside] == [1, Fraction(1, 32)]
    assert not any(found.regressed for found in beside)


@pytest.mark.parametrize("alpha", [0, -0.1, 1.2])
def test_an_alpha_that_is_none_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="alpha"):
        gate_evidence(SURE, SURE, alpha=alpha, seed=1)


@pytest.mark.parametrize(
    ("baseline", "current", "message"),
    [
        (SURE, SURE[1:], "same length"),
        ([(5, 6)], [(5, 5)], "c <= n"),
        ([(0, 0)], [(1, 1)], "scored"),
    ],
)
def test_runs_that_do_not_pair_are_refused(baseline: Run, current: Run, message: str) -> None:
    for function in (gate_evidence, case_evidence):
        with pytest.raises(ValueError, match=message):
            function(baseline, current, **({"seed": 1} if function is gate_evidence else {}))
    shifted = [(baseline, current), (current, baseline)]
    with pytest.raises(ValueError, match=message):
        joint_gate_evidence(shifted, seed=1)


def test_samples_to_settle_follow_the_pooled_variance() -> None:
    # v = 2 * 0.65 * 0.35 * 20/19, delta = 0.1, M = 30: 7.8489 v / (30 * 0.01) = 12.53
    assert samples_to_settle([(10, 7)] * 30, [(10, 6)] * 30) == 13
    assert samples_to_settle([(10, 6)] * 30, [(10, 7)] * 30) == 13
    assert samples_to_settle([(10, 7)] * 120, [(10, 6)] * 120) == 4


def test_with_one_sample_a_case_all_that_differs_counts_as_noise() -> None:
    # Mean of squared differences 12/83, delta 4/83: 7.8489 * (12/83) / (83 * (4/83)^2) = 5.89
    baseline, current = [1] * 8 + [0] * 4 + [1] * 71, [0] * 8 + [1] * 4 + [1] * 71
    single = [[(1, c) for c in run] for run in (baseline, current)]
    assert samples_to_settle(*single) == 6


def test_samples_to_settle_a_broken_case_are_near_those_that_do() -> None:
    for cases in (1, 20):
        broken = [(3, 3)] * cases, [(3, 3)] * (cases - 1) + [(3, 0)]
        assert samples_to_settle(*broken) == 5
    assert gate_evidence([(5, 5)] * 20, [(5, 5)] * 19 + [(5, 0)], seed=1).regressed


def test_more_power_and_less_alpha_take_more_samples() -> None:
    pair = [(10, 7)] * 30, [(10, 6)] * 30
    assert samples_to_settle(*pair, power=0.95) == 21
    assert samples_to_settle(*pair, alpha=0.01) == 19


def test_a_difference_that_is_not_there_is_never_settled() -> None:
    assert samples_to_settle([], []) is None
    assert samples_to_settle([(5, 5), (5, 3)], [(5, 3), (5, 5)]) is None
    assert samples_to_settle([(5, 5)], [(5, 5)]) is None


@pytest.mark.parametrize(
    ("baseline", "current", "threshold", "expected"),
    [
        ((3, 3), (3, 0), Fraction(1, 40), 4),
        ((3, 3), (3, 0), Fraction(1, 20), 3),
        ((5, 4), (5, 1), Fraction(1, 40), 7),
        ((1, 1), (1, 0), Fraction(1, 400), 6),
        ((10, 7), (10, 6), Fraction(1, 40), 184),
        ((10, 7), (10, 6), Fraction(1, 100), None),
        ((5, 3), (5, 3), Fraction(1, 2), None),
        ((5, 3), (5, 4), Fraction(1, 1), None),
        ((2, 2), (6, 0), Fraction(1, 40), 4),
    ],
)
def test_samples_that_settle_one_case(
    baseline: Counts, current: Counts, threshold: Fraction, expected: int | None
) -> None:
    assert case_samples_to_settle(baseline, current, threshold) == expected


def test_rounded_rates_of_fewer_samples_than_there_are_settle_nothing() -> None:
    # At n = 2 the rates round to 2/2 and 0/2 and would reach 1/6; n = 4 is not enough.
    assert fisher_one_sided((4, 3), (4, 1)) > Fraction(1, 5)
    assert case_samples_to_settle((4, 3), (4, 1), Fraction(1, 5)) == 5


def test_a_search_ends_where_it_was_told_to() -> None:
    assert case_samples_to_settle((10, 7), (10, 6), 0.025, most=184) == 184
    assert case_samples_to_settle((10, 7), (10, 6), 0.025, most=183) is None
    assert case_samples_to_settle((3, 3), (3, 0), 0.025, most=3) is None


@pytest.mark.parametrize(
    ("baseline", "threshold", "most", "message"),
    [((0, 0), 0.05, 9, "scored"), ((5, 5), 1.5, 9, "threshold"), ((5, 5), 0.05, 0, "most")],
)
def test_a_case_that_can_not_be_planned_is_refused(
    baseline: Counts, threshold: float, most: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        case_samples_to_settle(baseline, (5, 1), threshold, most=most)
