"""The within-case permutation test on scores."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_strategies import calm

from forgetest.metrics import permutation_test, sample_score

Scores = list[list[Fraction]]


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
    # Doubles have no common grid, so the sums of subsets can not be counted in slots.
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
