"""Whether a case is flaky, and everything that repeated trials of one case say."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from forgetest.metrics.domain import check_counts
from forgetest.metrics.estimators import pass_at_k, pass_hat_k, pass_to_the_k


@dataclass(frozen=True, slots=True)
class MultiTrial:
    """What n trials of one case say; k of the three pass metrics is n. None without trials."""

    trials: int
    passes: int
    pass_rate: float | None
    pass_at_k: float | None
    pass_hat_k: float | None
    pass_to_the_k: float | None
    flaky: bool | None
    flakiness_percent: float | None


def multi_trial(passed: Sequence[bool]) -> MultiTrial:
    """Return rate, pass@k, pass^k (both unbiased), p^k and flakiness of the trials, k = all.

    Rates lie in 0 to 1 and flakiness in 0 to 50. Raises ValueError for entries that are no bool.
    """
    if any(not isinstance(trial, bool) for trial in passed):
        raise ValueError("trials must be true or false")
    n, c = len(passed), sum(passed)
    return MultiTrial(
        trials=n,
        passes=c,
        pass_rate=c / n if n else None,
        pass_at_k=pass_at_k(n, c, n) if n else None,
        pass_hat_k=pass_hat_k(n, c, n) if n else None,
        pass_to_the_k=pass_to_the_k(Fraction(c, n), n) if n else None,
        flaky=flaky(n, c),
        flakiness_percent=flakiness_percent(n, c),
    )


def flaky(n: int, c: int) -> bool | None:
    """Return whether some but not all of n samples passed; None when n < 2 cannot tell.

    Raises ValueError unless 0 <= c <= n are ints and no bools.
    """
    check_counts(n, c)
    return 0 < c < n if n > 1 else None


def flakiness_percent(n: int, c: int) -> float | None:
    """Return 100 min(c, n-c) / n, a percentage from 0 to 50; None when n < 2.

    Raises ValueError unless 0 <= c <= n are ints and no bools.
    """
    check_counts(n, c)
    return 100 * min(c, n - c) / n if n > 1 else None
