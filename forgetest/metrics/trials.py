"""Whether a case is flaky, what repeated trials of one case say, and what the cases of a skill say.

A stimulus is what others call a case, and a skill is what they call a set of them; both keep the
names of the documents that define them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from forgetest.metrics.domain import (
    Number,
    as_float,
    check_counts,
    check_k,
    exact,
    mean,
    share,
    shown,
    whole,
)
from forgetest.metrics.estimators import pass_at_k, pass_hat_k, pass_to_the_k
from forgetest.metrics.reading import takes_arrays


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
