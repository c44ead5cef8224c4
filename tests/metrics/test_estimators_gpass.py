"""G-Pass@k at a share and its mean over shares."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from math import nextafter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_strategies import calm, cases

from forgetest.metrics import (
    Number,
    g_pass_at_k_tau,
    g_pass_at_k_tau_exact,
    mg_pass_at_k,
    mg_pass_at_k_exact,
    pass_at_k_exact,
    pass_hat_k_exact,
    tau_threshold,
)


@pytest.mark.parametrize(
    ("n", "c", "k", "threshold", "expected"),
    [
        (10, 7, 5, 3, "11/12"),
        (10, 7, 5, 4, "1/2"),
        (10, 7, 5, 5, "1/12"),
        (16, 12, 8, 4, "1"),
        (16, 12, 8, 6, "93/130"),
    ],
)
def test_the_vectors_of_the_specification_hold(
    n: int, c: int, k: int, threshold: int, expected: str
) -> None:
    tau = Fraction(threshold, k)
    assert g_pass_at_k_tau_exact(n, c, k, tau) == Fraction(expected)
    assert g_pass_at_k_tau(n, c, k, tau) == float(Fraction(expected))


PAIRS = [(j, k) for k in range(1, 101) for j in range(k + 1)]
"""Every j of k up to 100: what people mean by a share of so many samples."""

WRITTEN: dict[str, Callable[[int, int], Number]] = {
    "a quotient": lambda j, k: j / k,
    "what is left of the whole": lambda j, k: 1 - (k - j) / k,
    "a multiple of one": lambda j, k: min(1.0, j * (1 / k)),
    "a sum": lambda j, k: min(1.0, sum([1 / k] * j)) if k <= 10 else j / k,
    "a double above": lambda j, k: min(1.0, nextafter(j / k, 2)),
    "a double below": lambda j, k: max(0.0, nextafter(j / k, -1)),
    "a decimal of 28 digits": lambda j, k: Decimal(j) / Decimal(k),
    "a percentage": lambda j, k: 100 * j / k / 100,
    "numpy's double": lambda j, k: np.float64(j) / np.float64(k),
    "numpy's single": lambda j, k: np.float32(j) / np.float32(k),
    "numpy's half": lambda j, k: np.float16(j / k),
    "numpy's longest": lambda j, k: np.longdouble(j) / np.longdouble(k),
    "a fraction": Fraction,
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_the_share_j_of_k_asks_for_j_of_k_however_it_is_written(
    written: Callable[[int, int], Number],
) -> None:
    assert len(PAIRS) == 5_150
    wrong = [(j, k) for j, k in PAIRS if tau_threshold(k, written(j, k)) != max(1, j)]
    assert wrong == []


@pytest.mark.parametrize("beyond", [1e-15, 1e-12, Fraction(1, 10**30), Decimal("1e-25")])
def test_a_share_beyond_rounding_asks_for_one_sample_more(beyond: Number) -> None:
    for j, k in [(5, 6), (2, 3), (1, 3), (7, 25), (1, 2)]:
        tau = j / k + beyond if isinstance(beyond, float) else Fraction(j, k) + Fraction(beyond)
        assert tau_threshold(k, tau) == j + 1


@pytest.mark.parametrize("k", [10**3, 10**6, 10**9])
def test_a_share_of_very_many_samples_is_not_rounded_to_too_few(k: int) -> None:
    assert tau_threshold(k, 1e-9) == max(1, k // 10**9)
    assert tau_threshold(k, 0.5) == k // 2
    assert tau_threshold(k, Decimal("0.3")) == 3 * k // 10


def test_five_of_six_is_a_threshold_of_five() -> None:
    assert tau_threshold(6, 5 / 6) == 5
    assert g_pass_at_k_tau_exact(10, 7, 6, 5 / 6) == g_pass_at_k_tau_exact(10, 7, 6, Fraction(5, 6))


@pytest.mark.parametrize(
    ("tau", "k", "threshold"),
    [
        (0.07, 100, 7),
        (0.3, 2, 1),
        (Decimal("0.3"), 2, 1),
        (Decimal("0.3"), 4, 2),
        (0.28, 25, 7),
        (0.56, 25, 14),
        (Decimal("0.28"), 25, 7),
        (0, 1, 1),
        (0, 10, 1),
        (0.0, 1000, 1),
        (1, 8, 8),
        (0.5, 5, 3),
        (Fraction(2, 3), 3, 2),
    ],
)
def test_a_share_is_read_as_the_decimal_that_it_prints_as(
    tau: float, k: int, threshold: int
) -> None:
    assert tau_threshold(k, tau) == threshold


@calm
@given(case=cases(most=7), tau=st.fractions(0, 1, max_denominator=12))
def test_it_is_the_share_of_draws_that_reach_the_threshold(
    case: tuple[int, int, int], tau: Fraction
) -> None:
    n, c, k = case
    draws = list(combinations([1] * c + [0] * (n - c), k))
    reached = sum(sum(draw) >= max(1, tau * k) for draw in draws)
    assert g_pass_at_k_tau_exact(n, c, k, tau) == Fraction(reached, len(draws))


@calm
@given(case=cases())
def test_the_smallest_share_is_pass_at_k_and_the_whole_is_pass_hat_k(
    case: tuple[int, int, int],
) -> None:
    assert g_pass_at_k_tau_exact(*case, 0) == pass_at_k_exact(*case)
    assert g_pass_at_k_tau_exact(*case, 1) == pass_hat_k_exact(*case)


@calm
@given(case=cases())
def test_the_mean_over_shares_is_a_mean_over_shares(case: tuple[int, int, int]) -> None:
    n, c, k = case
    above = range((k + 1) // 2 + 1, k + 1)
    shares = [g_pass_at_k_tau_exact(n, c, k, Fraction(i, k)) or Fraction() for i in above]
    assert mg_pass_at_k_exact(n, c, k) == Fraction(2, k) * sum(shares)


@pytest.mark.parametrize(
    ("n", "c", "k", "expected"),
    [(5, 3, 2, "3/10"), (5, 4, 2, "3/5"), (5, 3, 3, "1/15"), (5, 4, 3, "4/15"), (5, 5, 1, "0")],
)
def test_the_mean_over_shares_of_small_cases(n: int, c: int, k: int, expected: str) -> None:
    assert mg_pass_at_k_exact(n, c, k) == Fraction(expected)
    assert mg_pass_at_k(n, c, k) == float(Fraction(expected))


@pytest.mark.parametrize(("n", "c", "k"), [(5, 3, 6), (0, 0, 1)])
def test_too_few_samples_give_no_value(n: int, c: int, k: int) -> None:
    assert g_pass_at_k_tau(n, c, k, 0.5) is None
    assert mg_pass_at_k(n, c, k) is None


@pytest.mark.parametrize("tau", [-0.01, 1.01, float("nan"), float("inf"), Decimal("NaN")])
def test_a_share_outside_0_to_1_is_refused(tau: float) -> None:
    with pytest.raises(ValueError, match=r"0 to 1|finite"):
        g_pass_at_k_tau(5, 3, 2, tau)


@pytest.mark.parametrize("k", [0, True, 1.5])
def test_a_wrong_k_is_refused(k: int) -> None:
    for call in (lambda: g_pass_at_k_tau(5, 3, k, 0.5), lambda: mg_pass_at_k(5, 3, k)):
        with pytest.raises(ValueError, match="k must be"):
            call()


@pytest.mark.parametrize(("n", "c"), [(5, 6), (5, True), (2.0, 1)])
def test_wrong_counts_are_refused(n: int, c: int) -> None:
    for call in (lambda: g_pass_at_k_tau(n, c, 1, 0.5), lambda: mg_pass_at_k(n, c, 1)):
        with pytest.raises(ValueError, match="0 <= c <= n"):
            call()
