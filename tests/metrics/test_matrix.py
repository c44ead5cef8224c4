"""Means over many cases, given as samples or as counts."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_strategies import calm

from forgetest.metrics import (
    Reason,
    avg,
    counts,
    mean_g_pass_at_k,
    mean_g_pass_at_k_tau,
    mean_mg_pass_at_k,
    mean_pass_at_k,
    mean_pass_at_k_exact,
    mean_pass_at_k_naive,
    mean_pass_hat_k,
    mean_pass_hat_k_exact,
    mean_pass_to_the_k,
    missing_mean_reason,
    short_cases,
)

REFERENCE = [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]
PAIRS = [(5, 3), (5, 4)]
MEANS = (
    mean_pass_at_k,
    mean_pass_at_k_exact,
    mean_pass_hat_k,
    mean_pass_hat_k_exact,
    mean_mg_pass_at_k,
    mean_pass_at_k_naive,
    mean_pass_to_the_k,
)


@pytest.mark.parametrize("rows", [REFERENCE, PAIRS, [REFERENCE[0], PAIRS[1]]])
@pytest.mark.parametrize(
    ("k", "at_least_one", "all_of_them"),
    [
        (1, "7/10", "7/10"),
        (2, "19/20", "9/20"),
        (3, "1", "1/4"),
        (4, "1", "1/10"),
        (5, "1", "0"),
    ],
)
def test_the_reference_matrix_in_every_form(
    rows: list[list[int]], k: int, at_least_one: str, all_of_them: str
) -> None:
    assert mean_pass_at_k_exact(rows, k) == Fraction(at_least_one)
    assert mean_pass_hat_k_exact(rows, k) == Fraction(all_of_them)
    assert mean_pass_at_k(rows, k) == float(Fraction(at_least_one))
    assert mean_pass_hat_k(rows, k) == float(Fraction(all_of_them))
    assert mean_g_pass_at_k(rows, k) == float(Fraction(all_of_them))


@pytest.mark.parametrize("rows", [REFERENCE, PAIRS])
@pytest.mark.parametrize(
    ("k", "tau", "expected"), [(2, 0, 0.95), (2, 1, 0.45), (3, 0.5, 0.85), (5, 0.8, 0.5)]
)
def test_the_reference_matrix_at_a_share(
    rows: list[list[int]], k: int, tau: float, expected: float
) -> None:
    assert mean_g_pass_at_k_tau(rows, k, tau) == expected


@pytest.mark.parametrize(("k", "expected"), [(2, 0.45), (3, 1 / 6)])
def test_the_reference_matrix_averaged_over_shares(k: int, expected: float) -> None:
    assert mean_mg_pass_at_k(REFERENCE, k) == expected


def test_the_plug_in_forms_average_over_rows_and_may_exceed_n() -> None:
    assert mean_pass_to_the_k(REFERENCE, 2) == pytest.approx((0.36 + 0.64) / 2, rel=1e-15)
    assert mean_pass_at_k_naive(REFERENCE, 2) == pytest.approx((0.84 + 0.96) / 2, rel=1e-15)
    assert mean_pass_to_the_k([(1, 1)], 9) == 1.0


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        (REFERENCE, 0.7),
        ([[0.1, 0.2], [0.3]], 0.2),
        ([[True, False]], 0.5),
        ([[], []], None),
        ([], None),
    ],
)
def test_avg_is_the_mean_of_all_entries(matrix: list[list[float]], expected: float | None) -> None:
    assert avg(matrix) == expected


def test_avg_refuses_what_is_no_number() -> None:
    with pytest.raises(ValueError, match="finite"):
        avg([[0.5, float("nan")]])


@pytest.mark.parametrize(
    ("rows", "k", "reason"),
    [
        ([], 1, Reason.EMPTY),
        ([(0, 0), []], 1, Reason.UNSCORED),
        ([(5, 3), (4, 4)], 5, Reason.INSUFFICIENT_SAMPLES),
        ([(5, 3), (0, 0)], 6, Reason.INSUFFICIENT_SAMPLES),
    ],
)
def test_a_mean_that_is_not_there_has_a_reason(
    rows: list[tuple[int, int]], k: int, reason: Reason
) -> None:
    assert mean_pass_at_k(rows, k) is None
    assert mean_pass_hat_k_exact(rows, k) is None
    assert missing_mean_reason(rows, k) is reason


def test_an_unscored_case_leaves_the_mean() -> None:
    rows = [(0, 0), (5, 3), (5, 4), []]
    assert mean_pass_at_k_exact(rows, 2) == Fraction(19, 20)
    assert missing_mean_reason(rows, 2) is None


def test_short_cases_are_named_by_position() -> None:
    assert short_cases([(5, 3), (2, 2), (0, 0), [1, 0]], 3) == [1, 3]


def test_cases_with_unequal_n_weigh_the_same() -> None:
    assert mean_pass_at_k_exact([(1, 1), (10, 3)], 1) == Fraction(13, 20)


@pytest.mark.parametrize("n", [20_000, 40_000])
def test_huge_cases_change_the_method_and_not_the_mean(n: int) -> None:
    rows = [(n, 5), (n, n // 2)]
    exactly = mean_pass_at_k_exact(rows, 100)
    assert mean_pass_at_k(rows, 100) == pytest.approx(float(exactly or 0), rel=1e-15)
    exactly = mean_pass_hat_k_exact(rows, 3)
    assert mean_pass_hat_k(rows, 3) == pytest.approx(float(exactly or 0), rel=1e-15)


@calm
@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=8), min_size=1, max_size=6))
def test_samples_and_their_counts_are_the_same_case(rows: list[list[bool]]) -> None:
    pairs = [(len(row), sum(row)) for row in rows]
    assert counts(rows) == counts(pairs) == pairs
    for mean in MEANS:
        assert mean(rows, 1) == mean(pairs, 1)


@pytest.mark.parametrize("k", [0, True, 2.0])
@pytest.mark.parametrize("rows", [REFERENCE, []])
def test_a_wrong_k_is_refused_even_without_cases(rows: list[list[int]], k: int) -> None:
    for mean in (*MEANS, missing_mean_reason):
        with pytest.raises(ValueError, match="k must be"):
            mean(rows, k)
    with pytest.raises(ValueError, match="k must be"):
        mean_g_pass_at_k_tau(rows, k, 0.5)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0, 2]], "0 and 1 only"),
        ([[5, 3]], "0 and 1 only"),
        ([(3, 5)], "0 <= c <= n"),
        ([(1, 0, 1)], "write samples as a list"),
    ],
)
def test_rows_that_could_be_misread_are_refused(rows: list[list[int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        counts(rows)


def test_an_empty_eval_set_still_checks_the_share() -> None:
    with pytest.raises(ValueError, match="tau"):
        mean_g_pass_at_k_tau([], 2, 1.5)
