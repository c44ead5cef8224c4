"""Whether a sample's own equality or order of its types can bend a comparison in the tests.

An implementation that compares two values of one own type is as honest as a derived one. Worth a
look are two kinds: an implementation with a type of another crate on either side, and one that does
not compare, because it ignores an argument, ends in a constant, or compares a value with itself.
All of this is read from tokens in one pass; calls of the sample's own functions are followed one
step.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from forgetest.rust.lexer import CLOSING, OPENING

ORDERS = frozenset({"PartialEq", "PartialOrd", "Ord"})

_LONGEST = 2_000  # tokens of an implementation that are read; an honest one is shorter
_OPERAND = 24  # tokens on each side of `==` that are compared with each other
_NAMESAKES = 4  # functions of one name that are looked into
_DECLARES = frozenset({"struct", "enum", "union", "trait"})
# Tests may take own types of these names for those of std.
_STD_TYPES = frozenset({"String", "Vec", "Option", "Result", "Box", "str"})
_NO_NAMES = frozenset({"&", "mut", "dyn", "'", "const", "*", "(", "["})
_CONSTANTS = (["true"], ["false"], ["Equal"], ["Less"], ["Greater"])
_WORDS = """
== != < > eq ne lt le gt ge cmp partial_cmp total_cmp ptr_eq addr_eq eq_ignore_ascii_case
matches match min max clamp
"""
_COMPARING = frozenset(_WORDS.split())


@dataclass(frozen=True, slots=True)
class _File:
    """The tokens of a file, and what is looked up in them."""

    texts: Sequence[str]
    ends: Mapping[int, int]  # of each group, by where it opens
    own: frozenset[str]  # names of types and traits that the file declares
    orders: frozenset[str]  # the names of the traits here
    functions: Mapping[str, Sequence[int]]  # where the first of a name are defined


def bends_equality(texts: Sequence[str]) -> bool:
    """Tell whether any implementation of equality or order in a file of tokens is worth a look.

    The list must be padded, so that looking a few tokens beyond either end finds nothing.
    """
    if ORDERS.isdisjoint(texts):
        return False
    pairs = list(pairwise(texts))
    own = {name for word, name in pairs if word in _DECLARES} - _STD_TYPES
    functions: dict[str, list[int]] = defaultdict(list)
    for at, (word, name) in enumerate(pairs):
        if word == "fn" and len(functions[name]) < _NAMESAKES:
            functions[name].append(at)
    file = _File(texts, _ends(texts), frozenset(own), frozenset(_orders(texts)), functions)
    return any(_bends(file, at) for at, text in enumerate(texts) if text == "impl")


def _orders(texts: Sequence[str]) -> Iterator[str]:
    """Yield the traits' names, and what the file imports them as."""
    yield from ORDERS
    for at, text in enumerate(texts):
        if text == "as" and texts[at - 1] in ORDERS:
            yield texts[at + 1]


def _ends(texts: Sequence[str]) -> dict[int, int]:
    """Return where each group of brackets closes; one that never does is not in it."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    for at, text in enumerate(texts):
        if text in OPENING:
            opened.append(at)
        elif text in CLOSING and opened:
            ends[opened.pop()] = at
    return ends


def _bends(file: _File, at: int) -> bool:
    """Tell whether the implementation that begins at `at` is one to look at."""
    texts = file.texts
    depth, trait, arguments = 0, "", at
    for place in range(at + 1, len(texts)):
        text = texts[place]
        depth += (text == "<") - (text == ">")
        if text in ("impl", "{", ";"):
            return False
        if depth == 0 and text == "for":
            return trait in file.orders and _is_odd(file, at, arguments, place)
        if depth == 0 and text != ">":
            trait, arguments = text, place + 1
    return False


def _is_odd(file: _File, at: int, arguments: int, middle: int) -> bool:
    """Tell whether an implementation of an order is worth a look; its `for` is at `middle`."""
    texts = file.texts
    body = next((n for n in range(middle, len(texts)) if texts[n] in ("{", ";", "impl")), middle)
    type_ = list(texts[middle + 1 : body])
    type_ = type_[: type_.index("where")] if "where" in type_ else type_
    other = list(texts[arguments + 1 : middle - 1])
    if other and other not in (["Self"], type_):
        generics = set(texts[at + 1 : arguments - 1]) if texts[at + 1] == "<" else set[str]()
        if not {_head(other), _head(type_)} <= (file.own | {"Self"}) - generics:
            return True
    return not _is_honest(file, body)


def _head(type_: Sequence[str]) -> str:
    return next((text for text in type_ if text not in _NO_NAMES), "")


def _is_honest(file: _File, start: int) -> bool:
    """Tell whether each function in the body of an implementation compares its arguments."""
    end = file.ends.get(start)
    if end is None or end - start > _LONGEST:
        return False
    functions = [at for at in range(start, end) if file.texts[at] == "fn"]
    return bool(functions) and all(_compares_arguments(file, at) for at in functions)


def _compares_arguments(file: _File, at: int) -> bool:
    parts = _function(file, at)
    if parts is None:
        return False
    parameters, body = parts
    others = {word for word in _patterns(parameters) if word.isidentifier()} - {"self", "mut", "_"}
    used = set(_without_discarded(body))
    if "self" not in used or others.isdisjoint(used) or _is_constant(body):
        return False
    return _compares(body) or any(
        _compares(helper) and not _is_constant(helper) for helper in _helpers(file, body)
    )


def _function(file: _File, at: int) -> tuple[Sequence[str], Sequence[str]] | None:
    """Return the parameters and the body of the function whose `fn` is at `at`."""
    texts = file.texts
    opened = next((n for n in range(at, min(at + _LONGEST, len(texts))) if texts[n] == "("), at)
    closed = file.ends.get(opened)
    if closed is None:
        return None
    last = min(closed + _LONGEST, len(texts))
    body = next((n for n in range(closed, last) if texts[n] in ("{", ";")), closed)
    end = file.ends.get(body)
    if end is None or end - at > _LONGEST:
        return None
    return texts[opened + 1 : closed], texts[body + 1 : end]


def _patterns(parameters: Sequence[str]) -> Iterator[str]:
    """Yield the tokens of parameters that do not belong to a type."""
    depth, typed = 0, False
    for text in parameters:
        depth += (text in OPENING or text == "<") - (text in CLOSING or text == ">")
        if depth == 0 and text in (":", ","):
            typed = text == ":"
        elif not typed:
            yield text


def _without_discarded(body: Sequence[str]) -> Iterator[str]:
    """Yield the tokens of a body without `_ = ..;`, which uses a value only to discard it."""
    discarding = False
    for before, text in pairwise(["", *body]):
        discarding = (discarding or (before == "_" and text == "=")) and text != ";"
        if not discarding:
            yield text


def _is_constant(body: Sequence[str]) -> bool:
    """Tell whether a body returns the same for all arguments."""
    if any(pair in (("|", "true"), ("true", "|"), ("&", "false")) for pair in pairwise(body)):
        return True
    if list(body[-3:]) == [",", "_", ")"] and "matches" in body:
        return True
    if any(_is_of_itself(body, at) for at, text in enumerate(body) if text in ("==", "!=")):
        return True
    return "return" not in body and _tail(body) in _CONSTANTS


def _is_of_itself(body: Sequence[str], at: int) -> bool:
    """Tell whether both sides of the `==` at `at` are the same."""
    longest = min(at, len(body) - at - 1, _OPERAND)
    return any(body[at - n : at] == body[at + 1 : at + 1 + n] for n in range(1, longest + 1))


def _tail(body: Sequence[str]) -> list[str]:
    """Return the last expression of a body, without the path and `Some` around a constant."""
    start = next((at + 1 for at in reversed(range(len(body))) if body[at] in (";", "}")), 0)
    tail = list(body[start:])
    if tail[:2] == ["Some", "("] and tail[-1] == ")":
        tail = tail[2:-1]
    return tail[-1:] if tail and set(tail[1:-1:2]) <= {"::"} and len(tail) % 2 else tail


def _compares(body: Sequence[str]) -> bool:
    return not _COMPARING.isdisjoint(body)


def _helpers(file: _File, body: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the bodies of the file's own functions that are called in a body."""
    called = {name for name, after in pairwise(body) if after == "(" and name.isidentifier()}
    for at in (at for name in sorted(called) for at in file.functions.get(name, ())):
        if parts := _function(file, at):
            yield parts[1]
