"""Shrunk estimates: means pulled towards a prior, for few samples. They are never pass rates."""

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from typing import NamedTuple

from forgetest.metrics.domain import (
    Number,
    check_aligned,
    check_counts,
    exact,
    takes_arrays,
    total,
    whole,
)

Outcomes = Sequence[Sequence[int]]
MOST_CATEGORIES = 1_000  # that are counted where no weights are named


class ShrunkEstimate(NamedTuple):
    """A posterior mean and its standard deviation; mean +- z sigma is not a confidence interval."""

    mean: float
    sigma: float


@takes_arrays
def bayes_mean(n: int, c: int) -> float:
    """Return (c+1)/(n+2), the shrunk estimate of a pass rate under a uniform prior; n may be 0.

    Laplace's rule of succession. Raises ValueError unless 0 <= c <= n are ints and no bools.
    """
    check_counts(n, c)
    return (c + 1) / (n + 2)


@takes_arrays
def bayes(
    matrix: Outcomes, weights: Sequence[Number] | None = None, prior: Outcomes | None = None
) -> ShrunkEstimate | None:
    """Return Bayes@N: the posterior mean and deviation of the weighted outcome, over M cases.

    `matrix` is M x N outcomes, each a category 0 to C; `weights` are the C+1 worths of the
    categories, by default 0 to C themselves, C being the largest outcome and at least 1; `prior`
    is M x D earlier outcomes. With T = 1+C+D+N and nu_aj = 1 + the count of
    category j in row a of both matrices (a uniform Dirichlet prior):
    mean = w_0 + sum nu_aj (w_j-w_0) / (M T), and
    sigma^2 = sum_a (sum_j nu_aj/T (w_j-w_0)^2 - (sum_j nu_aj/T (w_j-w_0))^2) / (M^2 (T+1))
    (Hariri et al. 2025, arXiv 2510.04265). None without rows. Raises ValueError for rows of
    unequal length, a prior of another number of rows, outcomes without a category, or no weights.
    """
    result = bayes_exact(matrix, weights, prior)
    return None if result is None else ShrunkEstimate(float(result[0]), sqrt(result[1]))


@takes_arrays
def bayes_exact(
    matrix: Outcomes, weights: Sequence[Number] | None = None, prior: Outcomes | None = None
) -> tuple[Fraction, Fraction] | None:
    """Return mean and variance (sigma squared) of `bayes` exactly; None and errors are the same."""
    now, before = _outcomes(matrix), _outcomes([()] * len(matrix) if prior is None else prior)
    if weights is None:
        weights = range(_categories([*now, *before]))
    _check_outcomes(now, before, len(weights))
    if not now:
        return None
    worths = [exact(weight) - exact(weights[0]) for weight in weights]
    rows = [
        _posterior([*present, *earlier], worths)
        for present, earlier in zip(now, before, strict=True)
    ]
    draws, size = len(weights) + len(now[0]) + len(before[0]), len(now)
    middle = exact(weights[0]) + total(first for first, _ in rows) / size
    spread = total(second - first**2 for first, second in rows)
    return middle, spread / (size**2 * (draws + 1))


@takes_arrays
def avg_sigma(matrix: Outcomes, weights: Sequence[Number] | None = None) -> float | None:
    """Return the uncertainty of `avg` over M cases of N outcomes: T/N times sigma of `bayes`.

    T = 1+C+N, without earlier outcomes: equation 20 of Hariri et al. 2025 (arXiv 2510.04265).
    None without outcomes. Raises ValueError as `bayes`.
    """
    moments = bayes_exact(matrix, weights)
    if moments is None or not matrix[0]:
        return None
    categories = _categories(_outcomes(matrix)) if weights is None else len(weights)
    return sqrt(moments[1]) * (categories + len(matrix[0])) / len(matrix[0])


def _outcomes(rows: Outcomes) -> list[list[int]]:
    """Return the rows as ints; -1 stands for what is no whole number, and is not a category."""
    known = ((entry if type(entry) is int else whole(entry) for entry in row) for row in rows)
    return [[-1 if entry is None else entry for entry in row] for row in known]


def _categories(rows: Outcomes) -> int:
    largest = max((entry for row in rows for entry in row), default=0)
    if largest > MOST_CATEGORIES:
        raise ValueError(f"an outcome of {largest} is not a category: name the weights")
    return max(1, largest) + 1


def _posterior(outcomes: Sequence[int], worths: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """Return the first and second moment of the worth under one row's posterior."""
    seen = [(1 + outcomes.count(category), worth) for category, worth in enumerate(worths)]
    size = sum(nu for nu, _ in seen)
    first = total(nu * worth for nu, worth in seen) / size
    return first, total(nu * worth**2 for nu, worth in seen) / size


def _check_outcomes(matrix: Outcomes, prior: Outcomes, categories: int) -> None:
    check_aligned(matrix, prior, "outcomes and prior")
    if not categories:
        raise ValueError("weights must name the worth of every category, not be empty")
    if len({len(row) for row in matrix}) > 1 or len({len(row) for row in prior}) > 1:
        raise ValueError("every case must have the same number of outcomes")
    if any(entry not in range(categories) for rows in (matrix, prior) for r in rows for entry in r):
        raise ValueError(f"outcomes must be categories 0 to {categories - 1}, one per weight")
