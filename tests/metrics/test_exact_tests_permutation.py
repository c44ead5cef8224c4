"""The within-case permutation test on scores."""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from random import Random
from statistics import pvariance

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_strategies import calm

from forgetest.metrics import (
    Counts,
    ShiftTest,
    exact_stratified_test,
    permutation_test,
    sample_score,
)
from forgetest.metrics.exact_tests import PermutationPool

Scores = list[list[Fraction]]
Run = list[Counts]


def as_scores(run: Run) -> list[list[int]]:
    return [[1] * c + [0] * (n - c) for n, c in run]


def largest_difference(first: ShiftTest, second: ShiftTest) -> float:
    return max(
        abs(float(first.p_worse - second.p_worse)),
        abs(float(first.p_better - second.p_better)),
        abs(float(first.two_sided - second.two_sided)),
    )


def dealt_case_by_case(baseline: Scores, current: Scores, *, seed: int, draws: int) -> ShiftTest:
    """Return the p-values from deals of every single case, of hundredths and equal n."""
    rng = Random(seed)  # noqa: S311 - a test must be repeatable, not secret
    before, after = (
        [[int(score * 100) for score in row] for row in run] for run in (baseline, current)
    )
    pools = [
        PermutationPool((*a, *b), tuple(b), sum(a) + sum(b), len(a))
        for a, b in zip(before, after, strict=True)
    ]
    totals = [
        sum(deal) for deal in zip(*(pool.relabelled(rng, draws) for pool in pools), strict=True)
    ]
    observed = sum(map(sum, after)) - sum(map(sum, before))
    return ShiftTest(
        Fraction(sum(total <= observed for total in totals), draws),
        Fraction(sum(total >= observed for total in totals), draws),
        Fraction(sum(abs(total) >= abs(observed) for total in totals), draws),
    )


def test_one_broken_case_is_as_rare_as_its_relabellings() -> None:
    found = permutation_test([[1] * 3], [[0] * 3], seed=1, draws=20_000)
    assert float(found.p_worse) == pytest.approx(1 / 20, abs=0.005)
    assert float(found.two_sided) == pytest.approx(1 / 10, abs=0.007)
    assert found.p_better == 1
    assert found.draws == 20_000


def test_the_same_seed_gives_the_same_values_and_another_seed_others() -> None:
    runs = [[[0.3, 0.9, 0.5]] * 5, [[0.2, 0.7, 0.6]] * 5]
    first = permutation_test(*runs, seed=5, draws=300)
    assert permutation_test(*runs, seed=5, draws=300) == first
    assert permutation_test(*runs, seed=6, draws=300) != first


@pytest.mark.parametrize("runs", [([], []), ([[0.5, 0.5]], [[0.5]]), ([[0.1], [1]], [[0.1], [1]])])
def test_scores_that_never_vary_are_no_evidence(runs: tuple[Scores, Scores]) -> None:
    found = permutation_test(*runs, seed=1, draws=40)
    assert (found.p_worse, found.p_better, found.two_sided) == (1, 1, 1)


def test_no_draw_reaches_a_p_of_zero() -> None:
    found = permutation_test([[1] * 9] * 9, [[0] * 9] * 9, seed=1, draws=99)
    assert found.p_worse == found.two_sided == Fraction(1, 100)


def test_ties_with_the_observed_sum_count_as_hits_though_floats_would_miss_them() -> None:
    # 1/3 and 2/3 in every deal: both deals give differences of the same size.
    found = permutation_test([[Fraction(1, 3)]], [[Fraction(2, 3)]], seed=1, draws=50)
    assert found.two_sided == 1
    found = permutation_test([[0.1, 0.2]], [[0.3, 0.4]], seed=1, draws=2000)
    assert float(found.two_sided) == pytest.approx(1 / 3, abs=0.05)


@calm
@given(
    baseline=st.lists(st.sampled_from([0, 40, 65, 83, 99, 100]), min_size=1, max_size=4),
    current=st.lists(st.sampled_from([0, 40, 65, 83, 99, 100]), min_size=1, max_size=4),
)
def test_one_case_is_near_the_share_of_its_relabellings(
    baseline: list[int], current: list[int]
) -> None:
    pool = [*baseline, *current]
    sums = Counter(sum(deal) for deal in combinations(pool, len(current)))
    reached = sum(ways for total, ways in sums.items() if total <= sum(current))
    expected = reached / sum(sums.values())
    before, after = ([Fraction(score, 100) for score in run] for run in (baseline, current))
    found = permutation_test([before], [after], seed=2, draws=2000)
    assert float(found.p_worse) == pytest.approx(expected, abs=0.06)


def test_scores_too_various_to_count_are_dealt_one_by_one() -> None:
    # Doubles have no common grid, so the sums of subsets cannot be counted in slots.
    baseline = [[0.123456789012 + i / 37 for i in range(20)]]
    current = [[0.023456789012 + i / 41 for i in range(20)]]
    found = permutation_test(baseline, current, seed=3, draws=2000)
    rounded = [[[round(score, 2) for score in row] for row in run] for run in (baseline, current)]
    counted = permutation_test(*rounded, seed=3, draws=2000)
    assert float(found.p_worse) == pytest.approx(float(counted.p_worse), abs=0.05)


def test_a_benchmark_of_graded_samples_is_tested() -> None:
    tallies = [(6 - i % 4, i % 4, i % 3) for i in range(20)]
    scores = [sample_score(True, *tally) for tally in tallies]  # noqa: FBT003 - they all compile
    found = permutation_test([scores] * 164, [scores[::-1]] * 164, seed=1, draws=1000)
    assert found.two_sided == 1


@calm
@given(
    baseline=st.lists(st.sampled_from([0, 40, 65, 83]), min_size=1, max_size=4),
    current=st.lists(st.sampled_from([0, 40, 65, 83]), min_size=1, max_size=4),
)
def test_a_pool_knows_the_variance_and_the_grid_of_its_deals(
    baseline: list[int], current: list[int]
) -> None:
    scores, scale = (*baseline, *current), len(baseline) * len(current)
    pool = PermutationPool(scores, tuple(current), sum(scores), scale)
    dealt = [
        sum(deal) * len(baseline) - (sum(scores) - sum(deal)) * len(current)
        for deal in combinations(scores, len(current))
    ]
    assert pvariance(map(Fraction, dealt)) == pool.variance
    assert sum(dealt) == 0
    assert set(pool.relabelled(Random(1), 50)) <= set(dealt)  # noqa: S311 - repeatable
    assert all((one - pool.observed) % (pool.grid or 1) == 0 for one in dealt)
    assert max(dealt) - min(dealt) <= pool.longest_step * min(len(baseline), len(current))


def lopsided(cases: int, losses: int, n_a: int, n_b: int) -> tuple[Run, Run]:
    """Return runs with one failing sample a case, in so many cases one of current's."""
    baseline = [(n_a, n_a)] * losses + [(n_a, n_a - 1)] * (cases - losses)
    return baseline, [(n_b, n_b - 1)] * losses + [(n_b, n_b)] * (cases - losses)


@pytest.mark.parametrize(
    "runs",
    [
        lopsided(400, 220, 1, 1),  # McNemar's test
        lopsided(400, 200, 1, 1),
        lopsided(630, 146, 20, 5),  # as uneven as can be and still drawn as normal
        lopsided(2400, 100, 20, 1),
        ([(20, 14)] * 40, [(20, 13)] * 40),
        ([(20, 1)] * 200, [(20, 1)] * 190 + [(20, 0)] * 10),
        ([(5, 4), (10, 3)] * 90, [(5, 3), (10, 4)] * 90),
    ],
)
def test_sums_of_many_deals_are_as_good_as_normal(runs: tuple[Run, Run]) -> None:
    exactly = exact_stratified_test(*runs)
    found = permutation_test(*map(as_scores, runs), seed=4, draws=60_000)
    assert exactly is not None
    assert largest_difference(found, exactly) < 0.01


@pytest.mark.parametrize(("cases", "n", "shift"), [(60, 20, 1), (164, 5, 2), (300, 3, 1)])
def test_partial_scores_of_many_cases_have_the_p_values_of_deals(
    cases: int, n: int, shift: int
) -> None:
    rng = Random(cases)  # noqa: S311 - a test must be repeatable, not secret
    scores = [Fraction(one, 100) for one in (0, 50, 65, 83, 99, 100)]
    baseline = [rng.choices(scores, k=n) for _ in range(cases)]
    current = [rng.choices(scores, [shift + 5, 5, 5, 5, 5, 5], k=n) for _ in range(cases)]
    found = permutation_test(baseline, current, seed=1, draws=10_000)
    dealt = dealt_case_by_case(baseline, current, seed=2, draws=10_000)
    assert 0.001 < found.p_worse < 0.999
    # 0.01, and three standard errors of either 10,000 draws.
    assert largest_difference(found, dealt) < 0.02


def test_a_case_that_outweighs_the_others_is_dealt() -> None:
    # 200 cases of small differences, and one whose single samples decide the sign.
    small = [[Fraction(500 + i, 1000) for i in range(10)]] * 200
    found = permutation_test([*small, [1]], [*small, [0]], seed=1, draws=4000)
    assert float(found.p_worse) == pytest.approx(1 / 4, abs=0.03)
    assert float(found.two_sided) == pytest.approx(1 / 2, abs=0.03)


def test_few_samples_are_dealt_though_their_run_is_large() -> None:
    found = permutation_test([[1] * 40], [[1] * 39 + [0]], seed=1, draws=4000)
    assert float(found.p_worse) == pytest.approx(1 / 2, abs=0.03)
    assert found.p_better == 1


def test_a_thousand_cases_of_a_hundred_samples_do_not_take_minutes() -> None:
    rng = Random(1)  # noqa: S311 - a test must be repeatable, not secret
    runs = [[rng.choices([0, 0.5, 0.65, 0.83, 1], k=100) for _ in range(1000)] for _ in range(2)]
    assert 0 < permutation_test(*runs, seed=1).p_worse < 1


@pytest.mark.parametrize(
    ("baseline", "current", "draws", "message"),
    [
        ([[0.5]], [], 10, "same length"),
        ([[0.5]], [[]], 10, "scored samples in both"),
        ([[]], [[0.5]], 10, "scored samples in both"),
        ([[1.5]], [[0.5]], 10, "0 to 1"),
        ([[float("nan")]], [[0.5]], 10, "finite"),
        ([[0.5]], [[0.5]], 0, "draws"),
        ([[0.5]], [[0.5]], True, "draws"),
    ],
)
def test_runs_that_can_not_be_relabelled_are_refused(
    baseline: Scores, current: Scores, draws: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        permutation_test(baseline, current, seed=1, draws=draws)
