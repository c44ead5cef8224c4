"""Unbiased variances of pass@k and pass^k of one case, from that case's own samples."""

from fractions import Fraction

from forgetest.metrics.domain import as_float, check_counts
from forgetest.metrics.estimators import miss_ways, missing_reason
from forgetest.metrics.reading import takes_arrays
from forgetest.metrics.reason import Reason


@takes_arrays
def missing_variance_reason(n: int, k: int) -> Reason | None:
    """Return why n samples give no variance of pass@k, or None when they do: n >= 2k.

    Raises ValueError when n is no count or k is not a whole number of at least 1.
    """
    if missing_reason(n, k) is Reason.UNSCORED:
        return Reason.UNSCORED
    return Reason.NEEDS_2K_SAMPLES if 2 * k > n else None


@takes_arrays
def var_pass_at_k(n: int, c: int, k: int) -> float | None:
    """Return the unbiased variance of `pass_at_k`, never negative.

    q^2 - C(n-c,2k)/C(n,2k) with q = C(n-c,k)/C(n,k): two disjoint draws of k miss as one draw of
    2k does, so the second term is unbiased for the square of the true chance to miss. For k = 1
    it is p(1-p)/(n-1) with p = c/n. None unless n >= 2k, see `missing_variance_reason`. Raises
    ValueError unless 0 <= c <= n and k >= 1 are ints and no bools.
    """
    return as_float(var_pass_at_k_exact(n, c, k))


@takes_arrays
def var_pass_at_k_exact(n: int, c: int, k: int) -> Fraction | None:
    """Return `var_pass_at_k` as the exact rational; None and errors are the same."""
    check_counts(n, c)
    if missing_variance_reason(n, k):
        return None
    return Fraction(*miss_ways(n, c, k)) ** 2 - Fraction(*miss_ways(n, c, 2 * k))


@takes_arrays
def var_pass_hat_k(n: int, c: int, k: int) -> float | None:
    """Return the unbiased variance of `pass_hat_k`, never negative.

    q^2 - C(c,2k)/C(n,2k) with q = C(c,k)/C(n,k), as `var_pass_at_k` with passes and failures
    exchanged. None and ValueError are the same.
    """
    return as_float(var_pass_hat_k_exact(n, c, k))


@takes_arrays
def var_pass_hat_k_exact(n: int, c: int, k: int) -> Fraction | None:
    """Return `var_pass_hat_k` as the exact rational; None and errors are the same."""
    check_counts(n, c)
    return var_pass_at_k_exact(n, n - c, k)
