"""Whether a case is flaky, and everything that repeated trials of one case say."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from forgetest.metrics.domain import check_counts, check_k, whole
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
