"""G-Pass@k: the chance that a given share of k drawn samples passes, and its mean over shares."""

from fractions import Fraction
from math import ceil, comb

from forgetest.metrics.domain import Number, as_float, check_counts, check_k, rounding, share
from forgetest.metrics.estimators import missing_reason
from forgetest.metrics.hypergeometric import hypergeometric_ways
from forgetest.metrics.reading import takes_arrays

_ULPS = 4  # quotients, their complements and their sums come out this close to what they mean


@takes_arrays
def tau_threshold(k: int, tau: Number) -> int:
    """Return how many of k samples must pass for the share tau: max(1, ceil(tau k)).

    A float tau is read as the decimal that it prints as, so 0.07 of 100 is 7. Where a fraction j/k
    lies within a few ulps of it, that fraction is meant: 5/6 of 6 is 5, although the double 5/6
    prints as 0.8333333333333334. Raises ValueError unless k >= 1 is
    an int (not a bool) and tau lies in 0 to 1.
    """
    check_k(k)
    fraction = share(tau, "tau")
    nearest = Fraction(round(fraction * k), k)
    meant = nearest if abs(nearest - fraction) <= _ULPS * rounding(tau) else fraction
    return max(1, ceil(meant * k))


@takes_arrays
def g_pass_at_k_tau(n: int, c: int, k: int, tau: Number) -> float | None:
    """Return the chance in 0 to 1 that at least the share tau of k drawn samples passes.

    The sum over j >= max(1, ceil(tau k)) of C(c,j) C(n-c,k-j) / C(n,k); tau = 0 is pass@k and
    tau = 1 is pass^k (Liu et al. 2024, arXiv 2412.13147). None when k > n or n = 0, see
    `missing_reason`. Raises ValueError for tau outside 0 to 1 and for counts or k as `pass_at_k`.
    """
    return as_float(g_pass_at_k_tau_exact(n, c, k, tau))


@takes_arrays
def g_pass_at_k_tau_exact(n: int, c: int, k: int, tau: Number) -> Fraction | None:
    """Return `g_pass_at_k_tau` as the exact rational; None and errors are the same."""
    check_counts(n, c)
    threshold = tau_threshold(k, tau)
    if missing_reason(n, k):
        return None
    least, ways = hypergeometric_ways(n, c, k)
    return Fraction(sum(ways[max(0, threshold - least) :]), comb(n, k))


@takes_arrays
def mg_pass_at_k(n: int, c: int, k: int) -> float | None:
    """Return mG-Pass@k in 0 to 1: G-Pass@k averaged over the shares above one half.

    (2/k) times the sum over j = m+1..k of (j-m) P(X=j), with m = ceil(k/2) and X the passing ones
    among k drawn (Liu et al. 2024, arXiv 2412.13147). This is the discrete form that the paper
    states; for odd k it is not twice the integral of G-Pass@k over tau from 1/2 to 1 that gave it
    its name. None and ValueError as for `pass_at_k`.
    """
    return as_float(mg_pass_at_k_exact(n, c, k))


@takes_arrays
def mg_pass_at_k_exact(n: int, c: int, k: int) -> Fraction | None:
    """Return `mg_pass_at_k` as the exact rational; None and errors are the same."""
    check_counts(n, c)
    if missing_reason(n, k):
        return None
    half = (k + 1) // 2
    least, ways = hypergeometric_ways(n, c, k)
    above = sum(max(0, j - half) * way for j, way in enumerate(ways, least))
    return Fraction(2 * above, k * comb(n, k))
