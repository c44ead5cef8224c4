"""The exact stratified test against enumeration, McNemar and plain convolution in floats."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from math import comb, isclose
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_strategies import calm, runs

from forgetest.metrics import (
    Counts,
    ShiftTest,
    exact_stratified_test,
    fisher_one_sided,
    paired_differences,
    permutation_test,
    stratified_test,
)

Run = list[Counts]


def random_runs(cases: int, sizes: list[int], seed: int = 1) -> tuple[Run, Run]:
    rng = Random(seed)  # noqa: S311 - a test must be repeatable, not secret
    found: tuple[Run, Run] = ([], [])
    for _ in range(cases):
        rate = rng.random()
        for run in found:
            n = rng.choice(sizes)
            run.append((n, sum(rng.random() < rate for _ in range(n))))
    return found


def relabelled_differences(baseline: Counts, current: Counts) -> list[Fraction]:
    """Return the difference of rates under every way to deal the pooled samples."""
    (n_a, c_a), (n_b, c_b) = baseline, current
    pooled = [1] * (c_a + c_b) + [0] * (n_a + n_b - c_a - c_b)
    dealt = [sum(deal) for deal in combinations(pooled, n_b)]
    return [Fraction(c, n_b) - Fraction(sum(pooled) - c, n_a) for c in dealt]


@calm
@given(runs(most_cases=3, most_samples=3))
def test_the_p_values_are_shares_of_all_relabellings(pair: tuple[Run, Run]) -> None:
    observed = sum(paired_differences(*pair))
    every = [relabelled_differences(*both) for both in zip(*pair, strict=True)]
    sums = Counter(sum(deal) for deal in product(*every))
    total = sum(sums.values())
    assert exact_stratified_test(*pair) == ShiftTest(
        p_worse=Fraction(sum(w for s, w in sums.items() if s <= observed), total),
        p_better=Fraction(sum(w for s, w in sums.items() if s >= observed), total),
        two_sided=Fraction(sum(w for s, w in sums.items() if abs(s) >= abs(observed)), total),
    )


@calm
@given(worse=st.integers(0, 30), better=st.integers(0, 30), same=st.integers(0, 9))
def test_with_one_sample_a_case_it_is_mcnemars_exact_test(
    worse: int, better: int, same: int
) -> None:
    baseline = [(1, 1)] * worse + [(1, 0)] * better + [(1, 1)] * same
    current = [(1, 0)] * worse + [(1, 1)] * better + [(1, 1)] * same
    found = exact_stratified_test(baseline, current)
    pairs = worse + better
    fewer = sum(comb(pairs, i) for i in range(min(worse, better) + 1))
    assert found is not None
    assert found.two_sided == min(Fraction(1), Fraction(2 * fewer, 2**pairs))
    assert found.p_worse == Fraction(sum(comb(pairs, i) for i in range(better + 1)), 2**pairs)


@calm
@given(runs(most_cases=1, most_samples=12))
def test_with_one_case_it_is_fishers_one_sided_test(pair: tuple[Run, Run]) -> None:
    for baseline, current in zip(*pair, strict=True):
        found = exact_stratified_test(*pair)
        assert found is not None
        assert found.p_worse == fisher_one_sided(baseline, current)
        assert found.p_better == fisher_one_sided(current, baseline)


@calm
@given(runs(most_cases=8, most_samples=6))
def test_exchanged_runs_exchange_worse_and_better(pair: tuple[Run, Run]) -> None:
    found, exchanged = exact_stratified_test(*pair), exact_stratified_test(*reversed(pair))
    assert found is not None
    assert exchanged is not None
    assert (found.p_worse, found.p_better) == (exchanged.p_better, exchanged.p_worse)
    assert found.two_sided == exchanged.two_sided
    assert found.p_worse + found.p_better >= 1


@calm
@given(runs(most_cases=6, most_samples=5))
def test_cases_whose_samples_all_agree_drop_out(pair: tuple[Run, Run]) -> None:
    baseline, current = pair
    certain = ([*baseline, (4, 4), (9, 0)], [*current, (7, 7), (2, 0)])
    assert exact_stratified_test(*certain) == exact_stratified_test(*pair)


def test_no_cases_give_no_evidence() -> None:
    assert exact_stratified_test([], []) == ShiftTest(Fraction(1), Fraction(1), Fraction(1))


def convolved_in_floats(baseline: Run, current: Run) -> float:
    """Return p_worse for equal n by convolving the doubles of every case's distribution."""
    chances = {0: 1.0}
    for (n, c_a), (_, c_b) in zip(baseline, current, strict=True):
        pooled, grown = c_a + c_b, Counter[int]()
        for c in range(max(0, pooled - n), min(pooled, n) + 1):
            weight = comb(pooled, c) * comb(2 * n - pooled, n - c) / comb(2 * n, n)
            for reached, chance in chances.items():
                grown[reached + 2 * c - pooled] += chance * weight
        chances = dict(grown)
    observed = sum(c_b - c_a for (_, c_a), (_, c_b) in zip(baseline, current, strict=True))
    return sum(chance for reached, chance in chances.items() if reached <= observed)


@pytest.mark.parametrize(("cases", "n"), [(164, 20), (500, 5), (974, 1)])
def test_whole_benchmarks_are_tested_exactly(cases: int, n: int) -> None:
    pair = random_runs(cases, [n])
    found = exact_stratified_test(*pair)
    assert found is not None
    assert isclose(found.p_worse, convolved_in_floats(*pair), rel_tol=1e-9)
    assert stratified_test(*pair, seed=1) == found


def test_a_few_lost_samples_keep_a_benchmark_exact() -> None:
    found = exact_stratified_test(*random_runs(164, [5] * 20 + [4, 3]))
    assert found is not None
    assert found.draws is None


def test_n_of_every_kind_is_drawn_by_lot_and_says_so() -> None:
    pair = random_runs(60, [17, 19, 23, 29])
    assert exact_stratified_test(*pair) is None
    found = stratified_test(*pair, seed=7, draws=500)
    samples = [[[1] * c + [0] * (n - c) for n, c in run] for run in pair]
    assert found == permutation_test(*samples, seed=7, draws=500)
    assert found.draws == 500


def test_more_samples_than_can_be_summed_are_drawn_by_lot() -> None:
    pair = ([(4000, 2000)] * 3, [(4000, 1990)] * 3)
    assert exact_stratified_test(*pair) is None
    assert stratified_test(*pair, seed=1, draws=50).draws == 50


def test_lots_come_near_the_exact_values() -> None:
    pair = random_runs(30, [4, 5], seed=3)
    exactly = exact_stratified_test(*pair)
    samples = [[[1] * c + [0] * (n - c) for n, c in run] for run in pair]
    drawn = permutation_test(*samples, seed=11)
    assert exactly is not None
    # Three standard errors of 10,000 draws, and the seed is fixed.
    for p, q in (
        (drawn.p_worse, exactly.p_worse),
        (drawn.p_better, exactly.p_better),
        (drawn.two_sided, exactly.two_sided),
    ):
        assert abs(p - q) < 0.015
