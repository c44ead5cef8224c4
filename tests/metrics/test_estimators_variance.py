"""The variances of pass@k and pass^k: vectors, and exact unbiasedness by enumeration."""

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_strategies import calm

from forgetest.metrics import (
    Reason,
    missing_variance_reason,
    pass_at_k_exact,
    pass_hat_k_exact,
    var_pass_at_k,
    var_pass_at_k_exact,
    var_pass_hat_k,
    var_pass_hat_k_exact,
)


@pytest.mark.parametrize(
    ("n", "c", "k", "at_least_one", "all_of_them"),
    [
        (2, 1, 1, "1/4", "1/4"),
        (5, 4, 1, "1/25", "1/25"),
        (5, 4, 2, "0", "4/25"),
        (10, 3, 1, "7/300", "7/300"),
        (10, 3, 5, "1/144", "0"),
        (10, 7, 2, "1/225", "23/450"),
        (10, 5, 3, "1/144", "1/144"),
        (4, 2, 2, "1/36", "1/36"),
    ],
)
def test_the_vectors_of_the_specification_hold(
    n: int, c: int, k: int, at_least_one: str, all_of_them: str
) -> None:
    assert var_pass_at_k_exact(n, c, k) == Fraction(at_least_one)
    assert var_pass_hat_k_exact(n, c, k) == Fraction(all_of_them)
    assert var_pass_at_k(n, c, k) == float(Fraction(at_least_one))
    assert var_pass_hat_k(n, c, k) == float(Fraction(all_of_them))


@pytest.mark.parametrize(
    ("n", "c", "k", "reason"),
    [
        (5, 4, 5, Reason.NEEDS_2K_SAMPLES),
        (5, 4, 3, Reason.NEEDS_2K_SAMPLES),
        (1, 1, 1, Reason.NEEDS_2K_SAMPLES),
        (5, 5, 9, Reason.NEEDS_2K_SAMPLES),
        (0, 0, 1, Reason.UNSCORED),
    ],
)
def test_fewer_than_2k_samples_have_no_variance(n: int, c: int, k: int, reason: Reason) -> None:
    assert var_pass_at_k(n, c, k) is None
    assert var_pass_hat_k(n, c, k) is None
    assert missing_variance_reason(n, k) is reason


def test_2k_samples_are_enough() -> None:
    assert missing_variance_reason(6, 3) is None


@calm
@given(
    n=st.integers(2, 12),
    k=st.integers(1, 6),
    p=st.fractions(min_value=0, max_value=1, max_denominator=12),
)
def test_both_variances_are_unbiased(n: int, k: int, p: Fraction) -> None:
    k = min(k, n // 2)
    chances = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    pairs = ((pass_at_k_exact, var_pass_at_k_exact), (pass_hat_k_exact, var_pass_hat_k_exact))
    for metric, variance in pairs:
        values = [metric(n, c, k) or 0 for c in range(n + 1)]
        middle = sum(chance * value for chance, value in zip(chances, values, strict=True))
        spread = sum(
            chance * (value - middle) ** 2 for chance, value in zip(chances, values, strict=True)
        )
        estimates = [variance(n, c, k) or 0 for c in range(n + 1)]
        assert sum(x * y for x, y in zip(chances, estimates, strict=True)) == spread


@calm
@given(n=st.integers(2, 80), c=st.integers(0, 80), k=st.integers(1, 40))
def test_a_variance_is_never_negative(n: int, c: int, k: int) -> None:
    c, k = min(c, n), min(k, n // 2)
    assert (var_pass_at_k_exact(n, c, k) or 0) >= 0
    assert var_pass_at_k_exact(n, c, k) == var_pass_hat_k_exact(n, n - c, k)


@calm
@given(n=st.integers(2, 80), c=st.integers(0, 80))
def test_with_one_draw_it_is_the_variance_of_a_rate(n: int, c: int) -> None:
    p = Fraction(min(c, n), n)
    assert var_pass_at_k_exact(n, min(c, n), 1) == p * (1 - p) / (n - 1)


@pytest.mark.parametrize(("n", "c", "k"), [(4, 2, 0), (4, 2, True), (4, 5, 1), (4.0, 2, 1)])
def test_wrong_arguments_are_refused(n: int, c: int, k: int) -> None:
    for variance in (var_pass_at_k, var_pass_hat_k):
        with pytest.raises(ValueError, match="whole number"):
            variance(n, c, k)
