"""What a test file mentions of the code that it tests, as far as its tokens show it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from tree_sitter import Node

from forgetest.rust.callable import invoked_macros
from forgetest.rust.items import Kind, items_of, type_name
from forgetest.rust.parse import leaves_of, parse

_NAMES = frozenset(
    {"identifier", "type_identifier", "field_identifier", "shorthand_field_identifier"}
)
_TYPES = frozenset({Kind.STRUCT, Kind.ENUM, Kind.UNION, Kind.TRAIT})
_CAPTURED = re.compile(r"\{(\w+)")
# A name behind one of these is defined there, or looked up in a value.
_NO_USE = frozenset({"fn", "struct", "enum", "union", "trait", "mod", "type", "macro_rules!", "."})
_AT_COMPILE_TIME = frozenset({"const_item", "static_item", "const_block", "array_type"})


@dataclass(frozen=True, slots=True)
class Mentions:
    """Names by the way in which they stand in a file."""

    names: frozenset[str] = frozenset()  # all of them, inside macro calls too
    fields: frozenset[str] = frozenset()  # behind a dot and not called
    methods: frozenset[str] = frozenset()  # behind a dot or a path, or called
    braced: frozenset[str] = frozenset()  # before a `{`
    called: frozenset[str] = frozenset()  # before a `(`
    macros: frozenset[str] = frozenset()
    constant: frozenset[str] = frozenset()  # where the compiler itself must know the value
    bound: frozenset[str] = frozenset()  # in patterns: the file's own variables
    extends: bool = False  # it implements something for a type that is not its own


def mentions_of(source: str) -> Mentions:
    """Return what a test file mentions."""
    data = source.encode()
    tree = parse(data)
    tokens = [(node.type, (node.text or b"").decode()) for node in leaves_of(tree.root_node)]
    named = list(_used(tokens))
    captured = _CAPTURED.findall(" ".join(t for type_, t in tokens if type_ == "string_content"))
    own = {item.name for item in items_of(tree, data).items if item.kind in _TYPES}
    return Mentions(
        names=frozenset([*named, *captured]),
        fields=frozenset(_fields(tokens)),
        methods=frozenset(_behind(tokens, {".", "::"})),
        braced=frozenset(_before(tokens, "{")),
        called=frozenset(_before(tokens, "(")),
        macros=invoked_macros(source),
        constant=frozenset(_constant_names(tree.root_node)),
        bound=frozenset(_bound(tree.root_node)),
        extends=any(name not in own for name in _extended(tree.root_node, data)),
    )


def _used(tokens: list[tuple[str, str]]) -> Iterator[str]:
    """Yield the names that may stand for items of another module."""
    for (before, _), (type_, text) in pairwise([("", ""), *tokens]):
        if type_ in _NAMES and before not in _NO_USE:
            yield text


def _fields(tokens: list[tuple[str, str]]) -> Iterator[str]:
    rows = zip(tokens, tokens[1:], [*tokens[2:], ("", "")], strict=False)
    for (sign, _), (type_, text), (following, _) in rows:
        is_name = type_ in _NAMES or type_ == "integer_literal"
        if sign == "." and is_name and following not in {"(", "::"}:
            yield text


def _bound(root: Node) -> Iterator[str]:
    """Yield the names in the patterns of variables and parameters."""
    todo = [root]
    while todo:
        node = todo.pop()
        pattern = node.child_by_field_name("pattern")
        if node.type == "closure_parameters":
            pattern = node
        if pattern is not None:
            yield from ((leaf.text or b"").decode() for leaf in leaves_of(pattern))
        todo.extend(node.named_children)


def _behind(tokens: list[tuple[str, str]], signs: set[str]) -> Iterator[str]:
    for (sign, _), (type_, text) in pairwise(tokens):
        if sign in signs and (type_ in _NAMES or type_ == "integer_literal"):
            yield text


def _before(tokens: list[tuple[str, str]], sign: str) -> Iterator[str]:
    """Yield the names before a sign, but for types before the block of a function or an impl."""
    for (before, _), (type_, text), (following, _) in zip(
        [("", ""), *tokens], tokens, tokens[1:], strict=False
    ):
        if following == sign and type_ in _NAMES and before not in {"->", "for", "impl"}:
            yield text


def _constant_names(root: Node) -> Iterator[str]:
    """Yield the names in constants, lengths and the like."""
    todo = [(root, False)]
    while todo:
        node, constant = todo.pop()
        if constant and node.type in _NAMES:
            yield (node.text or b"").decode()
        constant = (constant or node.type in _AT_COMPILE_TIME) and node.type != "function_item"
        todo.extend((child, constant) for child in node.named_children)


def _extended(root: Node, source: bytes) -> Iterator[str]:
    """Yield the name of each type that the file has an `impl` for."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type == "impl_item":
            yield type_name(node.child_by_field_name("type"), source)
        todo.extend(node.named_children)
