"""pass@k and pass^k of one case, unbiased, and their plug-in forms under their own names.

n is the number of scored samples of the case, c how many of them passed, k how many are drawn.
"""

from fractions import Fraction
from math import exp, expm1, fsum, inf, log1p, perm

from forgetest.metrics.domain import Number, check_counts, check_k, share
from forgetest.metrics.reading import takes_arrays
from forgetest.metrics.reason import Reason

EXACT_LIMIT = 20_000
"""Up to this n (or k of a plug-in form) every double comes from integers, not from logarithms."""

_MOST_FACTORS = EXACT_LIMIT // 2  # more than min(c,k) can be with c + k <= n <= EXACT_LIMIT


@takes_arrays
def missing_reason(n: int, k: int) -> Reason | None:
    """Return why no k of n samples can be drawn, or None when they can.

    Raises ValueError when n is no count or k is not a whole number of at least 1.
    """
    check_counts(n, 0)
    check_k(k)
    if n == 0:
        return Reason.UNSCORED
    return Reason.INSUFFICIENT_SAMPLES if k > n else None


@takes_arrays
def pass_at_k(n: int, c: int, k: int) -> float | None:
    """Return the chance in 0 to 1 that at least one of k samples drawn from the n passes.

    1 - C(n-c,k)/C(n,k), unbiased for 1-(1-p)^k (Chen et al. 2021, arXiv 2107.03374). The nearest
    double for n up to 20,000 or min(c,k) up to 10,000, beyond that within a few parts in 10^16.
    None when k > n or n = 0, see `missing_reason`. Raises ValueError unless 0 <= c <= n and k >= 1
    are ints and no bools.
    """
    check_counts(n, c)
    if missing_reason(n, k):
        return None
    if min(c, k) > _MOST_FACTORS:
        return 0.0 - expm1(_log_miss(n, c, k))  # subtracting keeps a zero from being negative
    missed, ways = miss_ways(n, c, k)
    return (ways - missed) / ways


@takes_arrays
def pass_at_k_exact(n: int, c: int, k: int) -> Fraction | None:
    """Return `pass_at_k` as the exact rational; None and errors are the same."""
    check_counts(n, c)
    return None if missing_reason(n, k) else 1 - Fraction(*miss_ways(n, c, k))


@takes_arrays
def pass_hat_k(n: int, c: int, k: int) -> float | None:
    """Return the chance in 0 to 1 that all of k samples drawn from the n pass: pass^k.

    C(c,k)/C(n,k), unbiased for p^k (Yao et al. 2024, arXiv 2406.12045). The nearest double for n
    up to 20,000 or min(n-c,k) up to 10,000, beyond that within a few parts in 10^13. None and
    ValueError as for `pass_at_k`.
    """
    check_counts(n, c)
    if missing_reason(n, k):
        return None
    if min(n - c, k) > _MOST_FACTORS:
        return exp(_log_miss(n, n - c, k))
    missed, ways = miss_ways(n, n - c, k)
    return missed / ways


@takes_arrays
def pass_hat_k_exact(n: int, c: int, k: int) -> Fraction | None:
    """Return `pass_hat_k` as the exact rational; None and errors are the same."""
    check_counts(n, c)
    return None if missing_reason(n, k) else Fraction(*miss_ways(n, n - c, k))


g_pass_at_k = pass_hat_k


@takes_arrays
def pass_at_k_naive(rate: Number, k: int) -> float:
    """Return 1-(1-rate)^k, for comparison only: from a measured rate it understates pass@k.

    The plug-in form that Chen et al. 2021 warn of. Raises ValueError unless rate lies in 0 to 1
    and k is an int (not a bool) of at least 1.
    """
    fail = 1 - _rate(rate, k)
    if k > EXACT_LIMIT:
        return 0.0 - expm1(k * log1p(float(fail - 1))) if fail else 1.0
    return float(1 - fail**k)


@takes_arrays
def pass_to_the_k(rate: Number, k: int) -> float:
    """Return rate^k, the plug-in form that overstates pass^k when the rate was measured.

    Raises ValueError unless rate lies in 0 to 1 and k is an int (not a bool) of at least 1.
    """
    fraction = _rate(rate, k)
    if k > EXACT_LIMIT:
        return exp(k * log1p(float(fraction - 1))) if fraction else 0.0
    return float(fraction**k)


def miss_ways(n: int, c: int, k: int) -> tuple[int, int]:
    """Return C(n-c,k)/C(n,k) as numerator and denominator, for 0 <= c, k <= n.

    The quotient is symmetric in c and k, so the shorter falling factorials do: min(c,k) factors.
    """
    few, many = sorted((c, k))
    return perm(n - many, few), perm(n, few)


def _log_miss(n: int, c: int, k: int) -> float:
    few, many = sorted((c, k))
    if few + many > n:
        return -inf
    return fsum(log1p(-many / (n - i)) for i in range(few))


def _rate(rate: Number, k: int) -> Fraction:
    check_k(k)
    return share(rate, "rate")
