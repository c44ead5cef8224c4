"""Constants: numbers moved by one, truth values turned, texts emptied, characters changed."""

import re
from collections.abc import Iterator
from itertools import islice

from tree_sitter import Node

from forgetest.mutants.change import Change, Source, changed
from forgetest.mutants.shadow import TEXTS, macro_of
from forgetest.mutants.types import Operator

_INTEGER = re.compile(r"(?P<number>0x[\da-fA-F_]+|0b[01_]+|0o[0-7_]+|[\d_]+)(?P<type>[iu]\w+)?")
_FLOAT = re.compile(r"(?P<number>[\d_]+\.?[\d_]*)(?P<type>f\d+)?")
_BASES = {"0x": 16, "0b": 2, "0o": 8}

_NUMBER = "with an input for which it matters that `{before}` is not `{after}`"
_TRUTH = "where `{old}` is due here and check it: `{new}` must not pass for it"
_TEXT = "and check the text `{old}`, to the letter"


def constant(node: Node, source: Source) -> Iterator[Change]:
    """Yield the changes of a literal."""
    parent = node.parent
    if parent is None or parent.type in {"field_expression", "field_initializer_list"}:
        return
    if _is_length(node, parent, source):
        return
    others = _others(node, source)
    for new, missing in islice(others, 1, None) if _is_room(node) else others:
        yield changed(
            source,
            Operator.BOUNDARY if parent.type.startswith("range") else Operator.CONSTANT,
            node,
            new,
            missing,
            shown=_shown(node, parent),
            old=source.text(node),
            new=new,
        )


def _is_length(node: Node, parent: Node, source: Source) -> bool:
    """Tell whether a literal is the length of an array, whose type says it again elsewhere."""
    is_length = parent.type == "array_expression" and parent.child_by_field_name("length") == node
    before = source.data[: parent.start_byte].rstrip()
    return is_length and not before.endswith(b"vec!")


def _is_room(node: Node) -> bool:
    """Tell whether a literal makes up a list's length, where one more is mostly never read."""
    child, parent = node, node.parent
    while parent is not None and parent.type == "binary_expression":
        child, parent = parent, parent.parent
    return (
        parent is not None
        and parent.type == "array_expression"
        and parent.child_by_field_name("length") == child
    )


def _others(node: Node, source: Source) -> Iterator[tuple[str, str]]:
    text = source.text(node)
    if node.type == "integer_literal":
        yield from ((new, _NUMBER) for new in other_integers(text))
    elif node.type == "float_literal" and (match := _FLOAT.fullmatch(text)):
        value = float(match["number"].replace("_", ""))
        yield f"{value + 1}{match['type'] or ''}", _NUMBER
    elif node.type == "boolean_literal":
        yield ("false" if text == "true" else "true"), _TRUTH
    elif node.type == "char_literal":
        yield _other_char(text), _TEXT
    elif node.type in {"string_literal", "raw_string_literal"} and not _is_format(node, source):
        yield _other_text(text), _TEXT


def other_integers(text: str) -> Iterator[str]:
    """Yield the literal's neighbours, in its own base and with its own type."""
    match = _INTEGER.fullmatch(text)
    if match is None:
        return
    number = match["number"].replace("_", "")
    base = _BASES.get(number[:2], 10)
    value = int(number, base)
    for other in (value + 1, value - 1):
        if other >= 0:
            form = {16: "0x{:x}", 2: "0b{:b}", 8: "0o{:o}"}.get(base, "{}")
            yield form.format(other) + (match["type"] or "")


def _other_char(text: str) -> str:
    head = "b" if text.startswith("b") else ""
    return f"{head}'y'" if text == f"{head}'x'" else f"{head}'x'"


def _other_text(text: str) -> str:
    head = text[: text.index('"')].rstrip("#").removesuffix("r")
    is_empty = text.rstrip("#").endswith('""')
    return f'{head}"x"' if is_empty else f'{head}""'


def _is_format(node: Node, source: Source) -> bool:
    """Tell whether a text formats values, which an empty one would leave unused."""
    call = node.parent.parent if node.parent is not None else None
    return call is not None and macro_of(call, source) in TEXTS and "{" in source.text(node)


_SHOWN = frozenset(
    {"binary_expression", "compound_assignment_expr", "range_expression", "index_expression"}
    | {"let_declaration", "const_item", "static_item", "assignment_expression"}
    | {"array_expression", "tuple_expression", "match_pattern", "or_pattern"}
    | {"unary_expression", "return_expression", "range_pattern", "field_initializer"}
)


def _shown(node: Node, parent: Node) -> Node:
    """Return the expression that a literal is best shown in."""
    if parent.type in {"arguments", "token_tree"} and parent.parent is not None:
        return parent.parent
    return parent if parent.type in _SHOWN else node
