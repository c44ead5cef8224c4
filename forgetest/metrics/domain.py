"""What the metrics accept: counts, k, levels, and numbers read as exact rationals."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

Number: TypeAlias = Fraction | Decimal | float
Counts: TypeAlias = tuple[int, int]

_DOUBLE = 8  # bytes of a float that Python has too
_BITS = {2: 10, 4: 23, _DOUBLE: 52, 12: 63, 16: 63}  # of a fraction, by the bytes of the float
_LONGEST = 60  # characters of a value in a message


def exact(value: Number) -> Fraction:
    """Return the number as an exact rational, a float as the decimal that it prints as.

    So 0.05 is 1/20 and not the binary number beside it, and thresholds mean what they say; so with
    numpy's floats of any width. Raises ValueError for NaN, infinity, and what is no number.
    """
    if type(value) is Fraction:
        return value
    if type(value) is float and math.isfinite(value):
        return Fraction(str(value))
    number = scalar(value)
    if not (
        isinstance(number, (int, float, Fraction, Decimal))
        or is_narrow(getattr(number, "dtype", None))
    ):
        raise ValueError(f"a metric takes numbers only, not {shown(value)}")
    if not math.isfinite(number):
        raise ValueError(f"a metric takes finite numbers only, not {number}")
    if isinstance(number, (int, Fraction, Decimal)):
        return Fraction(number)
    return Fraction(str(number))


def rounding(value: Number) -> Fraction:
    """Return the unit in the last place that a share next to 1 has in the number's type, 0 if none.

    A share may come from a difference with 1, so a small one is no more precise than that. A
    Decimal is exact unless it has more digits than a double.
    """
    number = scalar(value)
    if isinstance(number, (int, Fraction)):
        return Fraction()
    if isinstance(number, Decimal):
        last = Fraction(Decimal((0, (1,), int(number.as_tuple().exponent))))
        return min(Fraction(1, 2 ** _BITS[_DOUBLE]), last)
    width = _DOUBLE if isinstance(number, float) else number.dtype.itemsize
    return Fraction(1, 2 ** (_BITS[width] + 1))


def whole(value: Any) -> int | None:
    """Return the int that a number of any type is, a truth value too; None if it is none."""
    if isinstance(value, int):
        return int(value)
    try:
        fraction = exact(value)
    except ValueError:
        return None
    return int(fraction) if fraction.denominator == 1 else None


def scalar(value: Any) -> Any:
    """Return Python's own number for a scalar of numpy's, which keeps floats of other widths.

    Only they know which decimal they print as. All else is returned as it is.
    """
    if not is_array(value) or getattr(value, "ndim", False):
        return value
    return value[()] if is_narrow(value.dtype) else value.tolist()


def is_narrow(dtype: Any) -> bool:
    """Tell whether a dtype is one of numpy's floats that Python has not: narrower, or wider."""
    return getattr(dtype, "kind", "") == "f" and dtype.itemsize != _DOUBLE


def is_array(value: object) -> bool:
    """Tell whether the value is an array or a scalar of numpy's, or of a library like it."""
    return hasattr(value, "dtype") and hasattr(value, "tolist")


def shown(value: object) -> str:
    """Return the value as a message names it: one line, however large the value."""
    words = " ".join(repr(value).split())
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}..."


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
        raise ValueError(f"{name} must be a whole number of at least 1, not {shown(k)}")


def check_counts(n: int, c: int) -> None:
    """Raise ValueError unless n and c are ints (not bools) with 0 <= c <= n."""
    if not (is_count(n) and is_count(c) and c <= n):
        given = f"{shown(n)} and {shown(c)}"
        raise ValueError(f"n and c must be whole numbers with 0 <= c <= n, not {given}")


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
