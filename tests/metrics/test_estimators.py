"""pass@k and pass^k against the specification's vectors, enumeration and their identities."""

from fractions import Fraction
from itertools import combinations
from math import comb, perm

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_strategies import calm, cases

from forgetest.metrics import (
    Reason,
    g_pass_at_k,
    missing_reason,
    pass_at_k,
    pass_at_k_exact,
    pass_at_k_naive,
    pass_hat_k,
    pass_hat_k_exact,
    pass_to_the_k,
)

VECTORS = [
    (1, 0, 1, "0", "0"),
    (1, 1, 1, "1", "1"),
    (5, 0, 5, "0", "0"),
    (5, 1, 5, "1", "0"),
    (5, 3, 5, "1", "0"),
    (5, 4, 1, "4/5", "4/5"),
    (5, 4, 5, "1", "0"),
    (5, 5, 5, "1", "1"),
    (10, 3, 1, "3/10", "3/10"),
    (10, 3, 5, "11/12", "0"),
    (10, 3, 8, "1", "0"),
    (10, 1, 10, "1", "0"),
    (10, 5, 2, "7/9", "2/9"),
    (20, 2, 10, "29/38", "0"),
    (100, 5, 10, "79137/190120", "0"),
    (164, 41, 10, "75640108855/79719240648", "262922/687578450589"),
    (200, 1, 100, "1/2", "0"),
    (200, 7, 100, "506067/509639", "0"),
    (1000, 1, 1, "1/1000", "1/1000"),
    (1000, 3, 100, "150239/553890", "0"),
    (100_000, 1, 1, "1/100000", "1/100000"),
    (100_000, 1, 100, "1/1000", "0"),
    (100_000, 5, 50_000, "19374287503/19999200006", "0"),
]

DOUBLES = [
    (10, 3, 5, 0.9166666666666666, 0.0),
    (10, 5, 2, 0.7777777777777778, 0.2222222222222222),
    (20, 2, 10, 0.7631578947368421, 0.0),
    (100, 5, 10, 0.4162476330738481, 0.0),
    (164, 41, 10, 0.9488312763663744, 3.8238836568361506e-07),
    (200, 7, 100, 0.9929911172418123, 0.0),
    (1000, 3, 100, 0.2712433876762534, 0.0),
    (10_000, 10, 1000, 0.6514959721207447, 0.0),
    (100_000, 5, 50_000, 0.9687531249843735, 0.0),
]


@pytest.mark.parametrize(("n", "c", "k", "at_least_one", "all_of_them"), VECTORS)
def test_the_vectors_of_the_specification_hold_exactly(
    n: int, c: int, k: int, at_least_one: str, all_of_them: str
) -> None:
    assert pass_at_k_exact(n, c, k) == Fraction(at_least_one)
    assert pass_hat_k_exact(n, c, k) == Fraction(all_of_them)


@pytest.mark.parametrize(("n", "c", "k", "at_least_one", "all_of_them"), VECTORS)
def test_the_doubles_are_the_nearest_to_the_exact_values(
    n: int, c: int, k: int, at_least_one: str, all_of_them: str
) -> None:
    assert pass_at_k(n, c, k) == float(Fraction(at_least_one))
    assert pass_hat_k(n, c, k) == float(Fraction(all_of_them))


@pytest.mark.parametrize(("n", "c", "k", "at_least_one", "all_of_them"), DOUBLES)
def test_the_doubles_of_the_specification_are_met_to_the_last_bit(
    n: int, c: int, k: int, at_least_one: float, all_of_them: float
) -> None:
    assert (pass_at_k(n, c, k), pass_hat_k(n, c, k)) == (at_least_one, all_of_them)


@pytest.mark.parametrize(
    ("n", "c", "k", "reason"),
    [
        (5, 0, 6, Reason.INSUFFICIENT_SAMPLES),
        (5, 3, 6, Reason.INSUFFICIENT_SAMPLES),
        (5, 5, 6, Reason.INSUFFICIENT_SAMPLES),
        (0, 0, 1, Reason.UNSCORED),
        (0, 0, 3, Reason.UNSCORED),
    ],
)
def test_too_few_samples_give_no_value_but_a_reason(n: int, c: int, k: int, reason: str) -> None:
    metrics = (pass_at_k, pass_at_k_exact, pass_hat_k, pass_hat_k_exact)
    assert [metric(n, c, k) for metric in metrics] == [None] * 4
    assert missing_reason(n, k) is reason


def test_enough_samples_leave_no_reason() -> None:
    assert missing_reason(5, 5) is None


@pytest.mark.parametrize("k", [0, -1, True, False, 1.0, 2.5, "1", None])
def test_a_k_that_is_no_whole_number_of_at_least_1_is_refused(k: int) -> None:
    calls = [lambda metric=metric: metric(5, 3, k) for metric in (pass_at_k, pass_hat_k)]
    calls += [lambda metric=metric: metric(0.5, k) for metric in (pass_at_k_naive, pass_to_the_k)]
    calls += [lambda: missing_reason(5, k), lambda: pass_at_k_exact(0, 0, k)]
    for call in calls:
        with pytest.raises(ValueError, match="k must be a whole number"):
            call()


@pytest.mark.parametrize(
    ("n", "c"), [(5, 6), (-1, 0), (5, -1), (5.0, 3), (5, 3.0), (True, 1), (5, True), ("5", 3)]
)
def test_counts_that_count_nothing_are_refused(n: int, c: int) -> None:
    for metric in (pass_at_k, pass_at_k_exact, pass_hat_k, pass_hat_k_exact):
        with pytest.raises(ValueError, match="0 <= c <= n"):
            metric(n, c, 1)


@calm
@given(case=cases(most=7))
def test_both_estimators_are_the_shares_of_all_draws(case: tuple[int, int, int]) -> None:
    n, c, k = case
    draws = list(combinations([True] * c + [False] * (n - c), k))
    assert pass_at_k_exact(n, c, k) == Fraction(sum(map(any, draws)), len(draws))
    assert pass_hat_k_exact(n, c, k) == Fraction(sum(map(all, draws)), len(draws))


@calm
@given(
    n=st.integers(1, 12),
    k=st.integers(1, 12),
    p=st.fractions(min_value=0, max_value=1, max_denominator=20),
)
def test_both_estimators_are_unbiased(n: int, k: int, p: Fraction) -> None:
    k = min(k, n)
    chances = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    means = [
        sum(chance * (metric(n, c, k) or 0) for c, chance in enumerate(chances))
        for metric in (pass_at_k_exact, pass_hat_k_exact)
    ]
    assert means == [1 - (1 - p) ** k, p**k]


@calm
@given(case=cases())
def test_with_one_draw_both_are_the_pass_rate(case: tuple[int, int, int]) -> None:
    n, c, _ = case
    assert pass_at_k(n, c, 1) == pass_hat_k(n, c, 1) == c / n


@calm
@given(case=cases())
def test_pass_rate_lies_between_them(case: tuple[int, int, int]) -> None:
    n, c, k = case
    assert (pass_hat_k_exact(n, c, k) or 0) <= Fraction(c, n) <= (pass_at_k_exact(n, c, k) or 0)


@calm
@given(case=cases())
def test_pass_at_k_rises_and_pass_hat_k_falls_with_k(case: tuple[int, int, int]) -> None:
    n, c, _ = case
    at_least_one = [pass_at_k_exact(n, c, k) or 0 for k in range(1, n + 1)]
    all_of_them = [pass_hat_k_exact(n, c, k) or 0 for k in range(1, n + 1)]
    assert at_least_one == sorted(at_least_one)
    assert all_of_them == sorted(all_of_them, reverse=True)


@calm
@given(case=cases())
def test_both_rise_with_c(case: tuple[int, int, int]) -> None:
    n, _, k = case
    for metric in (pass_at_k_exact, pass_hat_k_exact):
        values = [metric(n, c, k) or 0 for c in range(n + 1)]
        assert values == sorted(values)


@calm
@given(case=cases())
def test_one_is_the_others_mirror(case: tuple[int, int, int]) -> None:
    n, c, k = case
    assert pass_at_k_exact(n, c, k) == 1 - (pass_hat_k_exact(n, n - c, k) or 0)


@calm
@given(case=cases())
def test_every_draw_that_must_hit_is_certain(case: tuple[int, int, int]) -> None:
    n, c, k = case
    assert (pass_at_k(n, c, k) == 1.0) == (n - c < k)
    assert (pass_hat_k(n, c, k) == 0.0) == (c < k)


@calm
@given(case=cases(most=400))
def test_a_double_is_its_exact_value_rounded(case: tuple[int, int, int]) -> None:
    assert pass_at_k(*case) == float(pass_at_k_exact(*case) or 0)
    assert pass_hat_k(*case) == float(pass_hat_k_exact(*case) or 0)


@pytest.mark.parametrize(
    ("n", "c", "k"),
    [
        (10**7, 10_001, 10_001),
        (10**6, 12_000, 15_000),
        (10**8, 11_000, 40_000),
        (10**5, 10_500, 11_000),
        (30_000, 14_000, 15_500),
    ],
)
def test_logarithms_take_over_without_a_loss(n: int, c: int, k: int) -> None:
    missed, ways = perm(n - max(c, k), min(c, k)), perm(n, min(c, k))
    assert pass_at_k(n, c, k) == pytest.approx((ways - missed) / ways, rel=1e-15, abs=0)
    assert pass_hat_k(n, n - c, k) == pytest.approx(missed / ways, rel=5e-13, abs=0)


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [
        (50_000, 0, 5, (0.0, 0.0)),
        (50_000, 50_000, 5, (1.0, 1.0)),
        (50_000, 50_000, 30_000, (1.0, 1.0)),
        (50_000, 30_000, 20_001, (1.0, 0.0)),
        (50_000, 20_000, 30_001, (1.0, 0.0)),
        (50_000, 1, 50_000, (1.0, 0.0)),
        (50_000, 0, 50_000, (0.0, 0.0)),
    ],
)
def test_the_certain_values_of_a_huge_n_are_exact(
    n: int, c: int, k: int, expected: tuple[float, float]
) -> None:
    found = (pass_at_k(n, c, k), pass_hat_k(n, c, k))
    assert repr(found) == repr(expected)  # equality alone would let -0.0 pass


def test_the_group_metric_is_another_name_of_pass_hat_k() -> None:
    assert g_pass_at_k is pass_hat_k


@pytest.mark.parametrize(
    ("rate", "k", "naive", "plug_in"),
    [
        (0.8, 5, 0.99968, 0.32768),
        (Fraction(4, 5), 5, 0.99968, 0.32768),
        (0, 3, 0.0, 0.0),
        (1, 3, 1.0, 1.0),
        (0.3, 1, 0.3, 0.3),
    ],
)
def test_the_plug_in_forms_have_their_own_names(
    rate: float, k: int, naive: float, plug_in: float
) -> None:
    assert (pass_at_k_naive(rate, k), pass_to_the_k(rate, k)) == (naive, plug_in)


@pytest.mark.parametrize("rate", [0, 1e-9, 0.5, 0.999999, 1])
def test_the_plug_in_forms_agree_with_themselves_across_the_change_of_method(rate: float) -> None:
    exactly = Fraction(str(rate)) ** 20_001
    mirrored = 1 - (1 - Fraction(str(rate))) ** 20_001
    assert pass_to_the_k(rate, 20_001) == pytest.approx(float(exactly), rel=1e-12, abs=0)
    assert pass_at_k_naive(rate, 20_001) == pytest.approx(float(mirrored), rel=1e-12, abs=0)


@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_rate_outside_0_to_1_is_refused(rate: float) -> None:
    for metric in (pass_at_k_naive, pass_to_the_k):
        with pytest.raises(ValueError, match=r"0 to 1|finite"):
            metric(rate, 2)


def test_the_naive_form_understates_and_the_plug_in_form_overstates_on_average() -> None:
    p, n, k = Fraction(8, 10), 5, 5
    chances = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    naive = sum(float(x) * pass_at_k_naive(Fraction(c, n), k) for c, x in enumerate(chances))
    plug_in = sum(float(x) * pass_to_the_k(Fraction(c, n), k) for c, x in enumerate(chances))
    assert naive < 1 - 0.2**5
    assert plug_in == pytest.approx(0.478, abs=5e-4)
