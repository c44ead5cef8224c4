"""What the metrics accept: counts, k, levels, and numbers read as exact rationals."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

Number: TypeAlias = Fraction | Decimal | float
Counts: TypeAlias = tuple[int, int]


def exact(value: Number) -> Fraction:
    """Return the number as an exact rational, a float as the decimal that it prints as.

    So 0.05 is 1/20 and not the binary number beside it, and thresholds mean what they say.
    Raises ValueError for NaN and infinity.
    """
    if not math.isfinite(value):
        raise ValueError(f"a metric takes finite numbers only, not {value}")
    return Fraction(str(float(value))) if isinstance(value, float) else Fraction(value)


def share(value: Number, name: str) -> Fraction:
    """Return the number exactly; raises ValueError unless it lies in 0 to 1."""
    fraction = exact(value)
    if not 0 <= fraction <= 1:
        raise ValueError(f"{name} must lie in 0 to 1, not {value}")
    return fraction


def inner_share(value: Number, name: str) -> float:
    """Return the number as a float; raises ValueError unless it lies strictly in 0 to 1."""
    fraction = exact(value)
    if not 0 < fraction < 1:
        raise ValueError(f"{name} must lie between 0 and 1, not {value}")
    return float(fraction)


def is_count(value: object) -> bool:
    """Tell whether the value is a whole number from 0 up; a bool is not a number here."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def check_k(k: int, name: str = "k") -> None:
    """Raise ValueError unless k is an int (not a bool) of at least 1."""
    if not is_count(k) or k < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, not {k!r}")


def check_counts(n: int, c: int) -> None:
    """Raise ValueError unless n and c are ints (not bools) with 0 <= c <= n."""
    if not (is_count(n) and is_count(c) and c <= n):
        raise ValueError(f"n and c must be whole numbers with 0 <= c <= n, not {n!r} and {c!r}")


def check_aligned(first: Sequence[object], second: Sequence[object], names: str) -> None:
    """Raise ValueError unless both sequences speak of the same number of cases."""
    if len(first) != len(second):
        raise ValueError(f"{names} must have the same length, not {len(first)} and {len(second)}")


def mean(values: Iterable[Fraction]) -> Fraction | None:
    """Return the exact mean, or None when there is nothing to average."""
    known = list(values)
    return total(known) / len(known) if known else None


def total(values: Iterable[Fraction]) -> Fraction:
    """Return the exact sum, which is a Fraction even of nothing.

    Numerators over the same denominator are added as whole numbers: case values share theirs.
    """
    over: defaultdict[int, int] = defaultdict(int)
    for value in values:
        over[value.denominator] += value.numerator
    return sum((Fraction(above, below) for below, above in over.items()), Fraction())


def as_float(value: Fraction | None) -> float | None:
    """Return the nearest double, and None for None."""
    return None if value is None else float(value)
