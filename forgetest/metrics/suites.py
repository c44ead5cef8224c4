"""Scores of suites and of whole runs: accuracy, and what weighs, penalizes or times it.

They accompany the score of a sample and never change it.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Any

from forgetest.metrics.domain import Number, check_aligned, exact, mean, share, shown, takes_arrays
from forgetest.metrics.matrix import counts


class Classification(StrEnum):
    """What a result is called where accuracy is scored; only a pass is worth something."""

    PASS = "pass"  # noqa: S105 - a word for what became of a result
    FAIL = "fail"
    REFUSAL = "refusal"
    WRONG_FORMAT = "wrong_format"
    POLICY_VIOLATION = "policy_violation"


def accuracy(classification: str) -> int:
    """Return 1 for the classification `pass` and 0 for any other.

    Raises ValueError for what is not a word.
    """
    if not isinstance(classification, str):
        raise ValueError(f"a classification is a word, not {shown(classification)}")  # noqa: TRY004
    return int(classification == Classification.PASS)


@takes_arrays
def suite_score(cases: Sequence[object]) -> Fraction | None:
    """Return the mean over cases of their mean accuracy, in 0 to 1; None when none is scored.

    A case is its accuracy (0 or 1), its samples as a list of 0 and 1, or a tuple (n, c). Raises
    ValueError as `counts`.
    """
    rows: list[Any] = [case if isinstance(case, (list, tuple)) else [case] for case in cases]
    return mean(Fraction(c, n) for n, c in counts(rows) if n)


@takes_arrays
def overall_run_score(
    suite_scores: Sequence[Number], weights: Sequence[Number] | None = None
) -> Fraction | None:
    """Return the mean of the suites' scores, weighted where weights are given.

    None without suites, or where all weights are 0. Raises ValueError for scores outside 0 to 1,
    negative weights, and another number of weights than of scores.
    """
    scores = [share(score, "score") for score in suite_scores]
    if weights is None:
        return mean(scores)
    check_aligned(scores, weights, "suites and weights")
    shares = [exact(weight) for weight in weights]
    if any(weight < 0 for weight in shares):
        raise ValueError("a weight must not be negative")
    whole = sum(shares)
    weighed = sum(
        (score * weight for score, weight in zip(scores, shares, strict=True)), Fraction()
    )
    return weighed / whole if whole else None


def penalized_score(
    kinds: Mapping[str, int], penalties: Mapping[str, Number], *, passing: str = Classification.PASS
) -> Fraction | None:
    """Return the mean over results of 1 for a pass, and of 1 - penalty for each kind of failure.

    `kinds` counts the results of each kind, `penalties` has a number in 0 to 1 for some of them; a
    failure that none is named for has the whole penalty of 1, so that without any the score is
    the accuracy. None without results. Raises ValueError for penalties outside 0 to 1.
    """
    worths = {kind: 1 - share(penalty, "penalty") for kind, penalty in penalties.items()}
    worths[passing] = Fraction(1)
    results = sum(kinds.values())
    earned = sum(
        (worths.get(kind, Fraction()) * number for kind, number in kinds.items()), Fraction()
    )
    return earned / results if results else None


@takes_arrays
def latency_score(
    latencies: Sequence[Number], full_secs: Number, none_secs: Number
) -> Fraction | None:
    """Return the mean over requests of a score for their time, for every answer.

    1 up to `full_secs`, 0 from `none_secs` on, and a straight line in between. None without
    requests. Raises ValueError unless 0 <= full_secs < none_secs, and for negative latencies.
    """
    full, none = exact(full_secs), exact(none_secs)
    if not 0 <= full < none:
        raise ValueError(f"a latency score needs 0 <= full < none, not {full_secs}, {none_secs}")
    times = [exact(latency) for latency in latencies]
    if any(time < 0 for time in times):
        raise ValueError("a latency must not be negative")
    return mean(min(Fraction(1), max(Fraction(), (none - time) / (none - full))) for time in times)
