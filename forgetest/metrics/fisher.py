"""Fisher's exact test for one case in two runs, each run a pair (n, c)."""

from fractions import Fraction
from math import comb

from forgetest.metrics.domain import Counts
from forgetest.metrics.hypergeometric import hypergeometric_ways
from forgetest.metrics.paired import check_pairs
from forgetest.metrics.reading import takes_arrays


@takes_arrays
def fisher_one_sided(baseline: Counts, current: Counts) -> Fraction:
    """Return the chance, nothing having changed, that current passes as rarely as it did or rarer.

    Given the pooled passes, those of current are hypergeometric (Fisher 1935); small values speak
    for a regression. Exchange the arguments to ask for an improvement. Raises ValueError unless
    n >= 1 and 0 <= c <= n are ints in both.
    """
    return _at_most(baseline, current, current[1])


@takes_arrays
def fisher_p_min(baseline: Counts, current: Counts) -> Fraction:
    """Return the value of `fisher_one_sided` if all the pooled failures had fallen on current.

    The smallest p that the case can reach, which decides whether testing it makes sense (Tarone
    1990). Raises ValueError as `fisher_one_sided`.
    """
    return _at_most(baseline, current, max(0, baseline[1] + current[1] - baseline[0]))


def _at_most(baseline: Counts, current: Counts, passes: int) -> Fraction:
    check_pairs([baseline], [current])
    (n_a, c_a), (n_b, c_b) = baseline, current
    _, ways = hypergeometric_ways(n_a + n_b, c_a + c_b, n_b, most=passes)
    return Fraction(sum(ways), comb(n_a + n_b, n_b))
