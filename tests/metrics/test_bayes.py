"""Bayes@N and the shrunk pass rate."""

from fractions import Fraction
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_strategies import calm

from forgetest.metrics import bayes, bayes_exact, bayes_mean

GRADED = [[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]
PASSED = [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]


@pytest.mark.parametrize(
    ("prior", "mean", "sigma"),
    [([[0, 2], [1, 2]], 0.575, 0.084275), (None, 0.5625, 0.091998)],
)
def test_the_graded_example_of_the_specification(
    prior: list[list[int]] | None, mean: float, sigma: float
) -> None:
    found = bayes(GRADED, [0, 0.5, 1], prior)
    assert found is not None
    assert found.mean == mean
    assert found.sigma == pytest.approx(sigma, abs=5e-7)


def test_the_binary_reference_matrix() -> None:
    assert bayes_exact(PASSED, [0, 1]) == (Fraction(9, 14), Fraction(11, 784))
    found = bayes(PASSED, [0, 1])
    assert found is not None
    assert found.sigma == pytest.approx(0.11845088536983571, rel=1e-15)
    assert found == (9 / 14, sqrt(11 / 784))


def test_five_of_five_is_shrunk_to_six_sevenths() -> None:
    assert bayes_exact([[1, 1, 1, 1, 1]], [0, 1]) == (Fraction(6, 7), Fraction(6, 392))
    assert bayes_mean(5, 5) == 6 / 7


@calm
@given(st.lists(st.integers(0, 1), max_size=9))
def test_one_binary_row_has_the_moments_of_its_beta_posterior(row: list[int]) -> None:
    a, b = 1 + sum(row), 1 + len(row) - sum(row)
    expected = (Fraction(a, a + b), Fraction(a * b, (a + b) ** 2 * (a + b + 1)))
    assert bayes_exact([row], [0, 1]) == expected
    assert bayes_mean(len(row), sum(row)) == float(expected[0])


@calm
@given(
    st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=1, max_size=5),
    st.lists(st.fractions(-2, 2, max_denominator=9), min_size=3, max_size=3),
)
def test_earlier_outcomes_count_like_present_ones(
    rows: list[tuple[int, ...]], weights: list[Fraction]
) -> None:
    now, before = [row[:3] for row in rows], [row[3:] for row in rows]
    assert bayes_exact(now, weights, before) == bayes_exact(rows, weights)


@pytest.mark.parametrize(("n", "c", "expected"), [(0, 0, 0.5), (5, 0, 1 / 7), (2, 1, 0.5)])
def test_the_shrunk_pass_rate_exists_without_samples(n: int, c: int, expected: float) -> None:
    assert bayes_mean(n, c) == expected


def test_no_cases_have_no_estimate() -> None:
    assert bayes([], [0, 1]) is None


@pytest.mark.parametrize(
    ("matrix", "weights", "prior", "message"),
    [
        ([[0, 1], [1]], [0, 1], None, "same number"),
        ([[0], [1]], [0, 1], [[0], [1, 1]], "same number"),
        ([[0], [1]], [0, 1], [[0]], "same length"),
        ([[2]], [0, 1], None, "categories 0 to 1"),
        ([[-1]], [0, 1], None, "categories 0 to 1"),
        ([[0]], [0, 1], [[2]], "categories 0 to 1"),
        ([[0]], [], None, "not be empty"),
        ([[0]], [0, float("nan")], None, "finite"),
    ],
)
def test_outcomes_without_a_worth_are_refused(
    matrix: list[list[int]], weights: list[float], prior: list[list[int]] | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        bayes(matrix, weights, prior)


@pytest.mark.parametrize(("n", "c"), [(3, 4), (-1, 0), (True, 1), (2.0, 1)])
def test_the_shrunk_rate_of_no_counts_is_refused(n: int, c: int) -> None:
    with pytest.raises(ValueError, match="0 <= c <= n"):
        bayes_mean(n, c)
