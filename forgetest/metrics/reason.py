"""Why a metric has no value; the functions that find the reason stand beside their metrics."""

from enum import StrEnum


class Reason(StrEnum):
    """What stands in a report beside a null."""

    UNSCORED = "unscored"  # no sample could be judged
    INSUFFICIENT_SAMPLES = "insufficient_samples"  # k is larger than n
    NEEDS_2K_SAMPLES = "needs_2k_samples"  # a variance wants n >= 2k
    EMPTY = "empty"  # there is no case, or no eval set
