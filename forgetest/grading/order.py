"""In which order the tests of a sample run; no verdict of a run depends on it."""

from enum import StrEnum


class Order(StrEnum):
    """How the tests of one sample follow each other."""

    WRITTEN = "as written"
    REVERSED = "reversed"
    ALONE = "each alone"  # in a box and a scratch folder that no other test has seen
