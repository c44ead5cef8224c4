"""What a comparison can detect, and how many cases it would take."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from statistics import NormalDist, variance

from forgetest.metrics.domain import Counts, Number, exact, inner_share, mean, share
from forgetest.metrics.paired import paired_differences
from forgetest.metrics.reading import takes_arrays
from forgetest.metrics.variance import var_pass_at_k_exact


@takes_arrays
def minimum_detectable_difference(
    error: Number, *, alpha: Number = 0.05, power: Number = 0.8
) -> float:
    """Return the smallest true difference that a two-sided test at alpha sees with that power.

    (z_{1-alpha/2} + z_power) times the standard error of the paired difference, 2.8016 times by
    default (Miller 2024, arXiv 2411.00640). Raises ValueError for a negative error, and unless
    alpha and power lie strictly in 0 to 1.
    """
    if exact(error) < 0:
        raise ValueError(f"a standard error must not be negative, not {error}")
    return z_sum(alpha, power) * float(error)


@takes_arrays
def cases_needed(
    delta: Number, case_variance: Number, *, alpha: Number = 0.05, power: Number = 0.8
) -> int:
    """Return how many cases show a difference of delta: (z_{1-alpha/2} + z_power)^2 var / delta^2.

    `case_variance` is the variance of one case's difference, from `difference_variance` or
    `binary_difference_variance`; at least 1 is returned (Miller 2024, arXiv 2411.00640). Raises
    ValueError for a delta of 0, a negative variance, and unless alpha and power lie strictly in
    0 to 1.
    """
    step, spread = exact(delta), exact(case_variance)
    if not step or spread < 0:
        raise ValueError("delta must not be 0 and the variance not negative")
    return max(1, ceil(z_sum(alpha, power) ** 2 * float(spread / step**2)))


@takes_arrays
def difference_variance(
    between: Number, baseline: tuple[Number, int], current: tuple[Number, int]
) -> Fraction:
    """Return omega^2 + s_A^2/n_A + s_B^2/n_B, the variance of one case's difference.

    `between` is omega^2, the variance between cases of their true differences; baseline and current
    are (mean within-case variance of one sample, samples a case) (Miller 2024, arXiv 2411.00640).
    Raises ValueError for negative variances and n < 1.
    """
    (noise_a, n_a), (noise_b, n_b) = baseline, current
    parts = [exact(between), exact(noise_a), exact(noise_b)]
    if min(parts) < 0 or min(n_a, n_b) < 1:
        raise ValueError("variances must not be negative, and n must be at least 1")
    return parts[0] + parts[1] / n_a + parts[2] / n_b


@takes_arrays
def binary_difference_variance(rate: Number, correlation: Number) -> Fraction:
    """Return 2 p (1-p) (1-rho), the variance of one case's difference before any run, n = 1.

    `rate` is the pass rate p of both runs, `correlation` how alike their passes fall on the cases:
    the variance of the difference of two Bernoulli variables. Raises ValueError for a rate outside
    0 to 1 or rho outside -1 to 1.
    """
    p, rho = share(rate, "rate"), exact(correlation)
    if abs(rho) > 1:
        raise ValueError(f"a correlation must lie in -1 to 1, not {correlation}")
    return 2 * p * (1 - p) * (1 - rho)


@takes_arrays
def between_case_variance(baseline: Sequence[Counts], current: Sequence[Counts]) -> Fraction | None:
    """Return omega^2: the variance between cases of their true differences, at least 0.

    The sample variance of the paired differences less both mean variances of a case's pass rate.
    None with fewer than two cases, or when a case has only one sample in a run. Raises ValueError
    as `paired_differences`.
    """
    differences = paired_differences(baseline, current)
    noise = [var_pass_at_k_exact(n, c, 1) for n, c in (*baseline, *current)]
    known = [part for part in noise if part is not None]
    if len(differences) < 2 or len(known) < len(noise):  # noqa: PLR2004 - one has no spread
        return None
    return max(Fraction(), variance(differences) - 2 * (mean(known) or 0))


def z_sum(alpha: Number, power: Number) -> float:
    """Return z_{1-alpha/2} + z_power: the standard errors that a difference must be wide.

    Raises ValueError unless both lie strictly in 0 to 1.
    """
    normal = NormalDist()
    two_sided = 1 - exact(inner_share(alpha, "alpha")) / 2
    return normal.inv_cdf(float(two_sided)) + normal.inv_cdf(inner_share(power, "power"))
