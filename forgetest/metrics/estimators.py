"""What is estimated for one case from its n scored samples, c of which passed, when k are drawn.

pass@k and pass^k, unbiased, with their variances, and the plug-in forms under their own names;
G-Pass@k, the chance that a given share of k drawn samples passes, and its mean over shares; whether
a case is flaky; and what repeated trials of one case, or of the cases of a skill, come to. A
stimulus is what others call a case and a skill a set of them: both keep the names of the documents
that define them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, comb, exp, expm1, fsum, inf, log1p, perm
from typing import NamedTuple

from forgetest.metrics.combinatorics import hypergeometric_ways
from forgetest.metrics.domain import (
    Number,
    Reason,
    as_float,
    check_counts,
    check_k,
    exact,
    mean,
    rounding,
    share,
    shown,
    takes_arrays,
    whole,
)

EXACT_LIMIT = 20_000
"""Up to this n (or k of a plug-in form) every double comes from integers, not from logarithms."""

_MOST_FACTORS = EXACT_LIMIT // 2  # more than min(c,k) can be with c + k <= n <= EXACT_LIMIT


@takes_arrays
def missing_reason(n: int, k: int) -> Reason | None:
    """Return why no k of n samples can be drawn, or None when they can.

    Raises ValueError when n is not a count or k is not a whole number of at least 1.
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


@takes_arrays
def missing_variance_reason(n: int, k: int) -> Reason | None:
    """Return why n samples give no variance of pass@k, or None when they do: n >= 2k.

    Raises ValueError when n is not a count or k is not a whole number of at least 1.
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


@dataclass(frozen=True, slots=True)
class MultiTrial:
    """What n trials of one case say; None without trials, and where k is larger than n."""

    trials: int
    passes: int
    pass_rate: float | None
    pass_at_k: float | None
    pass_hat_k: float | None
    pass_to_the_k: float | None
    flaky: bool | None
    flakiness_percent: float | None
    k: int  # of the three pass metrics


@takes_arrays
def multi_trial(passed: Sequence[bool], k: int | None = None) -> MultiTrial:
    """Return rate, pass@k, pass^k (both unbiased), p^k and flakiness of the trials.

    k is the number of trials unless it is given. Rates lie in 0 to 1 and flakiness in 0 to 50.
    Raises ValueError for entries other than true and false, or 1 and 0, and for a wrong k.
    """
    trials = [whole(trial) for trial in passed]
    if any(trial not in (0, 1) for trial in trials):
        raise ValueError("trials must be true or false")
    n, c = len(trials), trials.count(1)
    if k is None:
        k = n
    else:
        check_k(k)
    return MultiTrial(
        trials=n,
        passes=c,
        pass_rate=c / n if n else None,
        pass_at_k=pass_at_k(n, c, k) if n else None,
        pass_hat_k=pass_hat_k(n, c, k) if n else None,
        pass_to_the_k=pass_to_the_k(Fraction(c, n), k) if n else None,
        flaky=flaky(n, c),
        flakiness_percent=flakiness_percent(n, c),
        k=k,
    )


class Trial(NamedTuple):
    """One trial of a stimulus; None in both where the trial could not be judged."""

    score: Number | None
    passed: bool | None


@dataclass(frozen=True, slots=True)
class StimulusScore:
    """The trials of one stimulus, aggregated; without a judged trial it is unscored."""

    name: str
    trial_results: tuple[Trial, ...]
    aggregate: float | None  # the mean score of the judged trials, in 0 to 1
    multi_trial: MultiTrial  # of the judged trials
    unscored: bool
    flaky: bool  # a single trial is not
    flakiness_percent: float  # 0 to 50

    @property
    def aggregate_exact(self) -> Fraction | None:
        """The aggregate as the exact rational."""
        if self.unscored:
            return None
        return mean(_score(trial) for trial in self.trial_results if trial.passed is not None)


@dataclass(frozen=True, slots=True)
class SkillScore:
    """The scored stimuli of one skill: means of what each of them says, all of equal weight."""

    name: str
    stimulus_scores: tuple[StimulusScore, ...]
    aggregate: float | None
    pass_rate: float | None
    pass_at_k: float | None
    pass_to_the_k: float | None
    threshold: float
    passed: bool  # the aggregate reaches the threshold


def compute_stimulus_score(
    name: str, trials: Iterable[Trial | tuple[Number, bool]], *, has_graders: bool = True
) -> StimulusScore:
    """Return the score of one stimulus from its trials: pairs of a score in 0 to 1 and a verdict.

    Without graders nothing can be judged, and the stimulus is unscored. Raises ValueError for
    scores outside 0 to 1 and for trials that passed neither truly nor falsely.
    """
    results = tuple(map(_trial, trials))
    judged = [trial for trial in results if trial.passed is not None and has_graders]
    aggregate = mean(map(_score, judged))
    several = multi_trial([trial.passed for trial in judged if trial.passed is not None])
    return StimulusScore(
        name=name,
        trial_results=results,
        aggregate=as_float(aggregate),
        multi_trial=several,
        unscored=not judged,
        flaky=bool(several.flaky),
        flakiness_percent=several.flakiness_percent or 0.0,
    )


def compute_skill_score(
    name: str, stimulus_scores: Iterable[StimulusScore], threshold: Number
) -> SkillScore:
    """Return the score of a skill: the mean aggregate of its scored stimuli against a threshold.

    The multi-trial metrics are means over stimuli too, never a pool of all trials. The comparison
    is of exact rationals, and a mean equal to the threshold passes; without a scored stimulus
    nothing passes. Raises ValueError for a threshold outside 0 to 1.
    """
    stimuli = tuple(stimulus_scores)
    scored = [stimulus for stimulus in stimuli if not stimulus.unscored]
    limit = share(threshold, "threshold")
    aggregate = mean(stimulus.aggregate_exact or Fraction() for stimulus in scored)
    several = [stimulus.multi_trial for stimulus in scored]
    return SkillScore(
        name=name,
        stimulus_scores=stimuli,
        aggregate=as_float(aggregate),
        pass_rate=_mean_of(trials.pass_rate for trials in several),
        pass_at_k=_mean_of(trials.pass_at_k for trials in several),
        pass_to_the_k=_mean_of(trials.pass_to_the_k for trials in several),
        threshold=float(limit),
        passed=aggregate is not None and aggregate >= limit,
    )


def _trial(pair: Trial | tuple[Number, bool]) -> Trial:
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:  # noqa: PLR2004 - score and verdict
        raise ValueError(f"a trial is a pair (score, passed), not {shown(pair)}")
    return Trial(*pair)


def _score(trial: Trial) -> Fraction:
    if trial.score is None:
        raise ValueError("a trial that was judged has a score")
    return share(trial.score, "score")


def _mean_of(values: Iterable[float | None]) -> float | None:
    return as_float(mean(exact(value) for value in values if value is not None))


@takes_arrays
def flaky(n: int, c: int) -> bool | None:
    """Return whether some but not all of n samples passed; None when n < 2 cannot tell.

    Raises ValueError unless 0 <= c <= n are ints and no bools.
    """
    check_counts(n, c)
    return 0 < c < n if n > 1 else None


@takes_arrays
def flakiness_percent(n: int, c: int) -> float | None:
    """Return 100 min(c, n-c) / n, a percentage from 0 to 50; None when n < 2.

    Raises ValueError unless 0 <= c <= n are ints and no bools.
    """
    check_counts(n, c)
    return 100 * min(c, n - c) / n if n > 1 else None


compute_multi_trial_metrics = multi_trial
