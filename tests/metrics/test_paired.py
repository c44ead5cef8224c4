"""Differences between two runs, their interval, and what it would take to see one."""

from fractions import Fraction
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_strategies import calm

from forgetest.metrics import (
    Counts,
    between_case_variance,
    binary_difference_variance,
    cases_needed,
    difference_variance,
    exact_stratified_test,
    minimum_detectable_difference,
    paired_delta,
    paired_differences,
    paired_interval,
    se_population,
    student_t_quantile,
    var_pass_at_k_exact,
)

CLOSE = {"rel": 0, "abs": 1e-12}
Run = list[Counts]

EIGHTY_THREE = (
    [(1, 1)] * 8 + [(1, 0)] * 4 + [(1, 1)] * 50 + [(1, 0)] * 21,
    [(1, 0)] * 8 + [(1, 1)] * 4 + [(1, 1)] * 50 + [(1, 0)] * 21,
)
FIVE = (
    [(5, c) for c in (5, 4, 5, 0, 3)],
    [(5, c) for c in (3, 2, 5, 0, 4)],
)
UNEQUAL = ([(3, 3), (5, 1)], [(5, 2), (4, 1)])
BROKEN = ([(5, 5)], [(5, 0)])
BROKEN_ONCE = ([(1, 1)], [(1, 0)])
UNCHANGED = ([(1, 1)] * 14 + [(1, 0)] * 6, [(1, 1)] * 14 + [(1, 0)] * 6)
ALL_WORSE = ([(1, 1)] * 10, [(1, 0)] * 10)


@pytest.mark.parametrize(
    ("runs", "delta", "p_worse", "two_sided"),
    [
        (EIGHTY_THREE, "-4/83", "397/2048", "397/1024"),
        (FIVE, "-3/25", "991/4536", "991/2268"),
        (UNEQUAL, "-11/40", "25/168", "71/336"),
        (BROKEN, "-1", "1/252", "1/126"),
        (BROKEN_ONCE, "-1", "1/2", "1"),
        (UNCHANGED, "0", "1", "1"),
        (ALL_WORSE, "-1", "1/1024", "1/512"),
    ],
)
def test_deltas_and_exact_p_values_of_the_specification(
    runs: tuple[Run, Run], delta: str, p_worse: str, two_sided: str
) -> None:
    found = exact_stratified_test(*runs)
    assert found is not None
    assert paired_delta(*runs) == Fraction(delta)
    assert (found.p_worse, found.two_sided) == (Fraction(p_worse), Fraction(two_sided))


@pytest.mark.parametrize(
    ("runs", "lower", "upper"),
    [
        (EIGHTY_THREE, -0.13275348173002265, 0.038635834671199118),
        (FIVE, -0.51113801391966732, 0.33970944249109589),
        (UNCHANGED, -0.12599125675906163, 0.12599125675906163),
        (ALL_WORSE, -1.0, -0.52057955849587128),
    ],
)
def test_intervals_of_the_specification(runs: tuple[Run, Run], lower: float, upper: float) -> None:
    found = paired_interval(paired_differences(*runs))
    assert found is not None
    assert (found.lower, found.upper) == pytest.approx((lower, upper), **CLOSE)


@pytest.mark.parametrize(
    ("runs", "error"),
    [
        (EIGHTY_THREE, 0.041651248051488718),
        (FIVE, 0.12),
        (UNCHANGED, 0.0),
        (ALL_WORSE, 0.0),
        (BROKEN, None),
        (BROKEN_ONCE, None),
    ],
)
def test_errors_of_the_difference_of_the_specification(
    runs: tuple[Run, Run], error: float | None
) -> None:
    found = se_population(paired_differences(*runs))
    assert found is None if error is None else found == pytest.approx(error, rel=1e-15)


@pytest.mark.parametrize("runs", [BROKEN, BROKEN_ONCE, ([], [])])
def test_fewer_than_two_cases_have_no_interval(runs: tuple[Run, Run]) -> None:
    assert paired_interval(paired_differences(*runs)) is None


def test_no_cases_have_no_delta() -> None:
    assert paired_delta([], []) is None


def test_the_interval_takes_mean_scores_too() -> None:
    found = paired_interval([Fraction(-1, 10), 0.05, 0])
    assert found is not None
    assert found.lower < -0.05 / 3 < found.upper


def test_clusters_widen_by_their_own_error_and_students_t() -> None:
    # Small enough that neither end is clipped: the degrees of freedom must show.
    differences = [Fraction(value, 10) for value in (-1, -1, 0, 0, 1, 0)]
    clusters = ["a", "a", "b", "b", "c", "c"]
    error = se_population(differences, clusters=clusters)
    found = paired_interval(differences, clusters=clusters)
    squares = Fraction(25, 9) + Fraction(1, 9) + Fraction(16, 9)
    assert error == pytest.approx(sqrt(Fraction(3, 2) * squares) / 60, rel=1e-15)
    half = student_t_quantile(0.975, 2) * sqrt(Fraction(3, 2) * squares) / 60
    assert found is not None
    assert (found.lower, found.upper) == pytest.approx((-1 / 60 - half, -1 / 60 + half), rel=1e-14)


def test_clusters_without_spread_keep_a_width_as_if_each_were_one_case() -> None:
    assert paired_interval([0] * 6, clusters=[1, 1, 2, 2, 3, 3]) == paired_interval([0] * 3)
    assert paired_interval([1, 0, 0, 1], clusters=[1, 1, 2, 2]) == paired_interval([0.5, 0.5])


def test_one_cluster_has_no_interval() -> None:
    assert paired_interval([0, 1], clusters=["a", "a"]) is None


@calm
@given(
    differences=st.lists(st.fractions(-1, 1, max_denominator=10), min_size=2, max_size=12),
    marks=st.lists(st.integers(0, 3), min_size=12, max_size=12),
)
def test_an_interval_lies_within_minus_1_to_1_and_mirrors(
    differences: list[Fraction], marks: list[int]
) -> None:
    for clusters in (None, [0, 1, *marks][: len(differences)]):
        found = paired_interval(differences, clusters=clusters)
        mirrored = paired_interval([-value for value in differences], clusters=clusters)
        assert found is not None
        assert mirrored is not None
        assert -1 <= found.lower < found.upper <= 1
        expected = (-found.upper, -found.lower)
        assert (mirrored.lower, mirrored.upper) == pytest.approx(expected, **CLOSE)


@pytest.mark.parametrize(
    ("differences", "clusters", "level", "message"),
    [
        ([0.5, 1.5], None, 0.95, "-1 to 1"),
        ([0.5, float("nan")], None, 0.95, "finite"),
        ([0.5, 0.5], [1], 0.95, "same length"),
        ([0.5, 0.5], None, 95, "level"),
        ([0.5], None, 1, "level"),
    ],
)
def test_differences_that_can_not_be_are_refused(
    differences: list[float], clusters: list[int] | None, level: float, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        paired_interval(differences, clusters=clusters, level=level)


@pytest.mark.parametrize(
    ("baseline", "current", "message"),
    [
        ([(1, 1)], [], "same length"),
        ([(0, 0)], [(1, 1)], "scored samples in both"),
        ([(1, 1)], [(0, 0)], "scored samples in both"),
        ([(1, 2)], [(1, 1)], "0 <= c <= n"),
        ([(1, True)], [(1, 1)], "0 <= c <= n"),
    ],
)
def test_runs_that_do_not_pair_are_refused(baseline: Run, current: Run, message: str) -> None:
    calls = (paired_differences, paired_delta, exact_stratified_test, between_case_variance)
    for call in calls:
        with pytest.raises(ValueError, match=message):
            call(baseline, current)


def test_the_five_cases_say_how_many_it_would_take() -> None:
    noise = [var_pass_at_k_exact(n, c, 1) or Fraction() for run in FIVE for n, c in run]
    mean_a, mean_b = sum(noise[:5]) / 5, sum(noise[5:]) / 5
    assert (mean_a, mean_b) == (Fraction(1, 50), Fraction(4, 125))
    between = between_case_variance(*FIVE)
    assert between == Fraction(1, 50)
    total = difference_variance(between, (5 * mean_a, 5), (5 * mean_b, 5))
    assert total == Fraction(9, 125)
    assert cases_needed(0.05, total) == 227
    assert cases_needed(Fraction(-1, 20), total) == 227


def test_the_five_cases_say_what_they_can_detect() -> None:
    assert minimum_detectable_difference(0.12) == pytest.approx(0.3362, abs=5e-5)
    assert minimum_detectable_difference(1) == pytest.approx(2.8016, abs=5e-5)


@pytest.mark.parametrize(
    ("cases", "independent", "alike", "very_alike"),
    [
        (20, 0.406, 0.287, 0.182),
        (50, 0.257, 0.182, 0.115),
        (100, 0.182, 0.128, 0.081),
        (164, 0.142, 0.100, 0.063),
        (500, 0.081, 0.057, 0.036),
    ],
)
def test_detectable_differences_before_any_run(
    cases: int, independent: float, alike: float, very_alike: float
) -> None:
    found = [
        minimum_detectable_difference(sqrt(binary_difference_variance(0.7, rho) / cases))
        for rho in (0, 0.5, 0.8)
    ]
    assert found == pytest.approx([independent, alike, very_alike], abs=5.1e-4)


def test_five_points_take_660_cases_with_one_sample_each() -> None:
    assert cases_needed(0.05, binary_difference_variance(0.7, 0.5)) == 660


def test_more_power_and_less_alarm_take_more_cases() -> None:
    assert cases_needed(0.05, 0.2, power=0.9) > cases_needed(0.05, 0.2)
    assert cases_needed(0.05, 0.2, alpha=0.01) > cases_needed(0.05, 0.2)
    assert cases_needed(0.05, 0) == 1


@pytest.mark.parametrize(
    "runs", [([(5, 3)], [(5, 2)]), ([(5, 3), (1, 1)], [(5, 2), (5, 5)]), ([], [])]
)
def test_the_variance_between_cases_needs_two_cases_with_two_samples(runs: tuple[Run, Run]) -> None:
    assert between_case_variance(*runs) is None


def test_the_variance_between_cases_is_never_negative() -> None:
    assert between_case_variance([(5, 3), (5, 3)], [(5, 2), (5, 2)]) == 0


def test_plans_of_no_numbers_are_refused() -> None:
    calls = [
        lambda: minimum_detectable_difference(-0.1),
        lambda: minimum_detectable_difference(0.1, alpha=0),
        lambda: minimum_detectable_difference(0.1, power=1),
        lambda: cases_needed(0, 0.1),
        lambda: cases_needed(0.1, -0.1),
        lambda: cases_needed(0.1, float("nan")),
        lambda: difference_variance(-1, (0, 1), (0, 1)),
        lambda: difference_variance(0, (0, 0), (0, 1)),
        lambda: binary_difference_variance(1.1, 0),
        lambda: binary_difference_variance(0.5, 1.1),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"must|finite"):
            call()
