"""What callers hand in: numpy's arrays and scalars become plain Python values.

numpy is no dependency: whatever has a `dtype` and a `tolist` is an array or one of its scalars. The
types of a public function's parameters say how each is read, so that the mathematics below sees
ints, floats, rationals, lists and tuples only.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from fractions import Fraction
from functools import wraps
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar, get_args, get_origin

from forgetest.metrics.domain import Counts, Number, is_array, is_narrow, scalar, shown

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
    """Whether some value is no plain one; a named tuple is never one of numbers to be read."""
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
    each = _pair if inner == Counts else _row if get_origin(inner) is Sequence else None
    return lambda value: None if optional and value is None else _listed(name, value, each)


def _listed(name: str, value: Any, each: _Reader | None) -> Sequence[Any]:
    found: Sequence[Any] = plain(value)
    if not isinstance(found, (list, tuple)):
        if not _in_order(found):
            raise ValueError(f"{name} must be a list or an array, not {shown(value)}")
        found = plain(list(found))
    if each is None:
        return found
    return [each(entry) for entry in (value if is_array(value) else found)]


def _in_order(value: object) -> bool:
    unordered = (str, bytes, Mapping, AbstractSet)
    return isinstance(value, Iterable) and not isinstance(value, unordered)


def _row(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return value
    found = plain(value)
    if not _in_order(found):
        raise ValueError(f"each case must be a list of its samples, not {shown(value)}")
    return list(found)


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
