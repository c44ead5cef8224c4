"""What a comparison can detect, and how many cases or samples would settle what it saw."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from statistics import NormalDist, variance

from forgetest.metrics.domain import (
    Counts,
    Number,
    check_k,
    exact,
    inner_share,
    mean,
    share,
    takes_arrays,
)
from forgetest.metrics.estimators import var_pass_at_k_exact
from forgetest.metrics.exact_tests import fisher_one_sided
from forgetest.metrics.paired import check_pairs, paired_delta, paired_differences


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


@takes_arrays
def samples_to_settle(
    baseline: Sequence[Counts],
    current: Sequence[Counts],
    *,
    alpha: Number = 0.05,
    power: Number = 0.8,
) -> int | None:
    """Return the samples a case and run that tell the delta seen, if real, from noise.

    ceil((z_{1-alpha/2} + z_power)^2 v / (M delta^2)), at least 1; v is the mean over the M cases of
    2 p (1-p) N/(N-1), p being the pass rate of the N pooled samples of a case. That is the variance
    that the stratified test gives the difference of one sample each (the hypergeometric's), so a
    case that changed counts as noisier than it is, and with one sample in each run the whole
    squared difference counts as noise. The cases stay the same; `cases_needed` asks for more.
    None without cases and for a delta of 0. Raises ValueError as `paired_delta`, and unless alpha
    and power lie strictly in 0 to 1.
    """
    quantiles = z_sum(alpha, power)
    delta = paired_delta(baseline, current)
    noise = mean(_pooled_variance(*pair) for pair in zip(baseline, current, strict=True))
    if not delta or noise is None:
        return None
    return max(1, ceil(quantiles**2 * float(noise / (len(baseline) * delta**2))))


@takes_arrays
def case_samples_to_settle(
    baseline: Counts, current: Counts, threshold: Number, *, most: int = 200
) -> int | None:
    """Return the samples in both runs at which this case's rates would be worse with evidence.

    The least n, from the fewer samples of the two runs up, at which the same rates (passes rounded
    to the nearest whole number, ties to even) have a one-sided Fisher p of at most `threshold`.
    None when that takes more than `most` samples, or when current is no worse. With more samples
    Tarone's threshold can become stricter, so it is a lower bound. Raises ValueError as
    `fisher_one_sided`, and for a threshold outside 0 to 1 or most < 1.
    """
    check_pairs([baseline], [current])
    check_k(most, "most")
    limit = share(threshold, "threshold")
    rates = Fraction(baseline[1], baseline[0]), Fraction(current[1], current[0])
    if rates[1] >= rates[0]:
        return None
    for n in range(min(baseline[0], current[0]), most + 1):
        before, after = ((n, round(rate * n)) for rate in rates)
        if fisher_one_sided(before, after) <= limit:
            return n
    return None


def _pooled_variance(baseline: Counts, current: Counts) -> Fraction:
    size, passes = baseline[0] + current[0], baseline[1] + current[1]
    return Fraction(2 * passes * (size - passes), size * (size - 1))
