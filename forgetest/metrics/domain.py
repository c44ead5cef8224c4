"""What the metrics accept, and how they read it: counts, k, shares, levels, numbers, arrays.

Numbers are read as exact rationals. numpy is not needed: a value with a `dtype` and a `tolist`
is an array or one of its scalars, and becomes a plain Python value. The types of a public
function's parameters say how each is read, so that the mathematics sees ints, floats, rationals,
lists and tuples only.

The reasons for a missing value, and how a share is written as a percentage, are here too.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from functools import wraps
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeAlias, TypeVar, get_args, get_origin

Number: TypeAlias = Fraction | Decimal | float
Counts: TypeAlias = tuple[int, int]

_DOUBLE = 8  # bytes of a float that Python has too
_BITS = {2: 10, 4: 23, _DOUBLE: 52, 12: 63, 16: 63}  # of a fraction, by the bytes of the float
_LONGEST = 60  # characters of a value in a message


def exact(value: Number) -> Fraction:
    """Return the number as an exact rational, a float as the decimal that it prints as.

    So 0.05 is 1/20 and not the nearest binary number, and thresholds mean what they say; so with
    numpy's floats of any width. Raises ValueError for NaN, infinity, and what is not a number.
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


class Reason(StrEnum):
    """What a report says next to a null."""

    UNSCORED = "unscored"  # no sample could be judged
    INSUFFICIENT_SAMPLES = "insufficient_samples"  # k is larger than n
    NEEDS_2K_SAMPLES = "needs_2k_samples"  # a variance wants n >= 2k
    EMPTY = "empty"  # there is no case, or no eval set


_P = ParamSpec("_P")
_R = TypeVar("_R")
_Reader = Callable[[Any], Any]

_PLAIN = frozenset((int, float, bool, str, type(None), Fraction, Decimal))


def takes_arrays(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return the function as one that takes numpy's arrays and scalars wherever it takes numbers.

    The function raises ValueError, in one line, where a parameter that holds several values gets
    something else.
    """
    parameters = signature(function).parameters
    readers = {name: _reader(name, item.annotation) for name, item in parameters.items()}
    in_order = tuple(readers.values())
    only_scalars = not any(map(_is_several, signature(function).parameters.values()))

    @wraps(function)
    def reading(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        if only_scalars and _PLAIN.issuperset(map(type, (*args, *kwargs.values()))):
            return function(*args, **kwargs)
        known: list[Any] = [read(value) for read, value in zip(in_order, args, strict=False)]
        rest: tuple[Any, ...] = args[len(known) :]
        named: dict[str, Any] = {
            name: readers.get(name, plain)(value) for name, value in kwargs.items()
        }
        return function(*known, *rest, **named)

    return reading


def plain(value: Any) -> Any:
    """Return the value without numpy: scalars as Python's, arrays as lists.

    Floats of other widths than Python's stay as they are: only they know which decimal they
    print as.
    """
    if type(value) in _PLAIN:
        return value
    if isinstance(value, (list, tuple)):
        return type(value)(map(plain, value)) if _holds_more(value) else value
    if not is_array(value):
        return value
    if not getattr(value, "ndim", False):
        return scalar(value)
    if is_narrow(value.dtype):
        return [plain(entry) for entry in value]
    return plain(value.tolist())


def _holds_more(values: Sequence[Any]) -> bool:
    """Whether some value is not a plain one; a named tuple is never one of numbers to be read."""
    return type(values) in (list, tuple) and not _PLAIN.issuperset(map(type, values))


def _is_several(parameter: Parameter) -> bool:
    """Tell whether a parameter holds more than one number."""
    scalars = (int, bool, str, Number)
    return parameter.annotation not in scalars


def _reader(name: str, annotation: Any) -> _Reader:
    optional = type(None) in get_args(annotation)
    choices = [item for item in get_args(annotation) if item is not type(None)]
    wanted = choices[0] if optional and len(choices) == 1 else annotation
    if wanted is int:
        return _whole
    if wanted == Counts:
        return _pair
    if get_origin(wanted) is not Sequence:
        return plain
    inner = get_args(wanted)[0]
    entry = _pair if inner == Counts else _row if get_origin(inner) is Sequence else None
    return lambda value: None if optional and value is None else _listed(name, value, entry)


def _listed(name: str, value: Any, read_entry: _Reader | None) -> Sequence[Any]:
    entries: Sequence[Any] = plain(value)
    if not isinstance(entries, (list, tuple)):
        if not _in_order(entries):
            raise ValueError(f"{name} must be a list or an array, not {shown(value)}")
        entries = plain(list(entries))
    if read_entry is None:
        return entries
    return [read_entry(entry) for entry in (value if is_array(value) else entries)]


def _in_order(value: object) -> bool:
    unordered = (str, bytes, Mapping, AbstractSet)
    return isinstance(value, Iterable) and not isinstance(value, unordered)


def _row(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return value
    samples = plain(value)
    if not _in_order(samples):
        raise ValueError(f"each case must be a list of its samples, not {shown(value)}")
    return list(samples)


def _pair(value: Any) -> Any:
    if type(value) is tuple and type(value[0]) is int:
        return value
    entries = value.tolist() if is_array(value) else value
    if not isinstance(entries, (list, tuple)) or len(entries) != 2:  # noqa: PLR2004 - n and c
        raise ValueError(f"each case must be a pair (n, c), not {shown(value)}")
    return tuple(_whole(entry) for entry in value)


def _whole(value: Any) -> Any:
    """Return the int that an array's integer is, or an array's float of no fraction."""
    if type(value) is int or not is_array(value):
        return value
    number = plain(value)
    is_float = isinstance(number, float) or is_narrow(getattr(number, "dtype", None))
    return int(number) if is_float and float(number).is_integer() else number


@takes_arrays
def percent(value: Number) -> str:
    """Return a share in 0 to 1 as a percentage with one decimal, such as "41.7 %".

    Rounded half to even from the exact rational. "0.0 %" and "100.0 %" are said only of exactly
    none and all; what merely rounds to them is "<0.1 %" and ">99.9 %". Raises ValueError outside
    0 to 1.
    """
    fraction = share(value, "a share")
    tenths = round(fraction * 1000)
    if tenths == 0 < fraction:
        return "<0.1 %"
    if tenths == 1000 and fraction < 1:  # noqa: PLR2004 - tenths of a percent in a whole
        return ">99.9 %"
    return f"{tenths // 10}.{tenths % 10} %"
