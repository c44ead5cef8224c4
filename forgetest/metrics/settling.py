"""How many samples it would take to tell a difference that was seen from noise."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

from forgetest.metrics.domain import Counts, Number, check_k, mean, share
from forgetest.metrics.fisher import fisher_one_sided
from forgetest.metrics.paired import check_pairs, paired_delta
from forgetest.metrics.planning import z_sum
from forgetest.metrics.reading import takes_arrays


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
