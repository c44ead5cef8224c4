"""Expressions of Rust in one spelling, so that two can be told to be the same or to differ.

White space, trailing commas, brackets around an expression, the spelling of a number and the ways
to write a `String` make no difference to a term.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

_CLOSE = 1e-6  # floats no further apart, relative to the larger, may be one number in f32


class Sort(StrEnum):
    """What a term is."""

    INT = "int"
    FLOAT = "float"
    STR = "str"
    STRING = "string"  # a text with an owner
    CHAR = "char"
    BOOL = "bool"
    PATH = "path"
    LIST = "list"
    TUPLE = "tuple"
    STRUCT = "struct"
    FIELD = "field"
    REF = "ref"
    VARIANT = "variant"  # `Some(x)`, `Shape::Square(2)`
    CALL = "call"
    METHOD = "method"
    OPERATION = "operation"
    TYPED = "typed"  # what `let x: T = ...` holds
    RESULT = "result"  # what `let x = f(...)` holds


@dataclass(frozen=True, slots=True)
class Term:
    """One expression; equal terms are the same expression."""

    sort: Sort
    text: str = ""
    parts: tuple["Term", ...] = ()


def walk(found: Term) -> Iterator[Term]:
    """Yield a term and all terms in it."""
    todo = [found]
    while todo:
        one = todo.pop()
        yield one
        todo.extend(one.parts)


def is_value(found: Term) -> bool:
    """Tell whether a term is written out: nothing is called or computed."""
    return all(one.sort not in _COMPUTED for one in walk(found))


def differ(one: Term, other: Term) -> bool:
    """Tell whether two values can not be equal; False when that is not certain."""
    one, other = _bare(one), _bare(other)
    if one.sort is not other.sort:
        return _is_variant(one) and _is_variant(other) and _are_siblings(one.text, other.text)
    match one.sort:
        case Sort.LIST:
            return len(one.parts) != len(other.parts) or _any_differ(one, other)
        case Sort.TUPLE | Sort.FIELD | Sort.STRUCT:
            same = [part.text for part in one.parts] == [part.text for part in other.parts]
            alike = one.text == other.text and len(one.parts) == len(other.parts)
            return alike and (one.sort is not Sort.STRUCT or same) and _any_differ(one, other)
        case Sort.PATH | Sort.VARIANT:
            alike = one.text == other.text and len(one.parts) == len(other.parts)
            return _are_siblings(one.text, other.text) or (alike and _any_differ(one, other))
        case Sort.TYPED:
            return one.text == other.text and _any_differ(one, other)
    return one.sort in _UNLIKE and _UNLIKE[one.sort](one.text, other.text)


def same(one: Term, other: Term) -> bool:
    """Tell whether two values are one and the same; False when that is not certain."""
    return _bare(one) == _bare(other)


def _bare(found: Term) -> Term:
    """Return what is behind references, a `String` as the text in it."""
    while found.sort is Sort.REF and len(found.parts) == 1:
        found = found.parts[0]
    return Term(Sort.STR, found.text) if found.sort is Sort.STRING else found


def _any_differ(one: Term, other: Term) -> bool:
    return any(map(differ, one.parts, other.parts))


def _is_variant(found: Term) -> bool:
    return found.sort in {Sort.PATH, Sort.VARIANT}


def _are_siblings(one: str, other: str) -> bool:
    """Tell whether two paths are two variants of one enum; constants may be equal."""
    if {one, other} in ({"Ok", "Err"}, {"Some", "None"}):
        return True
    owner, _, name = one.rpartition("::")
    other_owner, _, other_name = other.rpartition("::")
    return (
        bool(owner)
        and owner == other_owner
        and name != other_name
        and all(last[0].isupper() and not last.isupper() for last in (name, other_name))
    )


def _ints_differ(one: str, other: str) -> bool:
    pair = [_INT.fullmatch(text) for text in (one, other)]
    if not (pair[0] and pair[1]) or pair[0][2] != pair[1][2]:
        return False
    return pair[0][1] != pair[1][1]


def _floats_differ(one: str, other: str) -> bool:
    try:
        first, second = float(one), float(other)
    except ValueError:  # with a suffix
        return False
    return abs(first - second) > _CLOSE * max(abs(first), abs(second))


def _texts_differ(one: str, other: str) -> bool:
    plain = all(text[:1] in "\"'" and "\\" not in text for text in (one, other))
    return plain and one != other


_COMPUTED = frozenset({Sort.CALL, Sort.METHOD, Sort.OPERATION, Sort.RESULT})
_INT = re.compile(r"(-?(?:0|[1-9][0-9]*))((?:[iu](?:8|16|32|64|128|size))?)")
_UNLIKE: dict[Sort, Callable[[str, str], bool]] = {
    Sort.INT: _ints_differ,
    Sort.FLOAT: _floats_differ,
    Sort.STR: _texts_differ,
    Sort.CHAR: _texts_differ,
    Sort.BOOL: lambda one, other: one != other,
}
