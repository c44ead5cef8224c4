"""Rust source as a row of top-level pieces, each of which can be kept or left out.

A piece is one item with the attributes and comments before it; comments after the last
item belong to no piece.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from tree_sitter import Node, Query, QueryCursor, Tree

from forgetest.rust.items import text_of, type_name
from forgetest.rust.parse import leaves_of, rust_grammar

_USED = """
(type_identifier) @name
(call_expression function: (identifier) @name)
(macro_invocation macro: (identifier) @name)
(scoped_identifier path: (identifier) @name)
(scoped_type_identifier path: (identifier) @name)
(token_tree (identifier) @name)
((identifier) @name (#match? @name "^[A-Z][A-Z0-9_]*$"))
"""
# What follows one of these in a macro's tokens is defined by its call, as far as one can see.
_DEFINE = frozenset({"fn", "static", "struct", "enum", "union", "trait", "type", "const", "mod"})
_NAMES = frozenset({"identifier", "type_identifier"})
_BEFORE_ITEMS = frozenset({"attribute_item", "line_comment", "block_comment"})


@dataclass(frozen=True, slots=True)
class Piece:
    """One top-level item: its source, its node type, and the names it binds at the crate root."""

    text: str
    type: str
    names: frozenset[str]
    macro: str = ""  # the macro that it calls, if it is a call
    owner: str = ""  # the type that it is an `impl` for
    hints: frozenset[str] = frozenset()  # names in a macro's tokens, which it may define

    @property
    def is_import(self) -> bool:
        """Whether it only brings in names that are defined elsewhere."""
        return self.type in {"use_declaration", "extern_crate_declaration"}

    @property
    def is_main(self) -> bool:
        """Whether it is the entry point of a program."""
        return self.type == "function_item" and self.names == {"main"}


def pieces_of(tree: Tree, source: bytes) -> tuple[Piece, ...]:
    """Return the top-level pieces of a tree, in order."""
    pieces: list[Piece] = []
    start: int | None = None
    for node in tree.root_node.children:
        start = node.start_byte if start is None else start
        if node.type not in _BEFORE_ITEMS or _is_inner_doc(node):
            text = source[start : node.end_byte].decode(errors="replace")
            pieces.append(_piece(text, node, source))
            start = None
    return tuple(pieces)


def _piece(text: str, node: Node, source: bytes) -> Piece:
    call = _call(node)
    if call is not None:
        macro = text_of(call.child_by_field_name("macro"), source)
        names = frozenset(_made(call, source))
        return Piece(text, node.type, names, macro, hints=frozenset(_mentioned(call, source)))
    names = frozenset(_names(node, source))
    hints = _mentioned(node, source) if node.type == "macro_definition" else ()
    impl = node.child_by_field_name("type") if node.type == "impl_item" else None
    return Piece(text, node.type, names, "", type_name(impl, source), frozenset(hints))


def _call(node: Node) -> Node | None:
    """Return the macro call that a top-level node is."""
    inner = node.named_children[:1] if node.type == "expression_statement" else [node]
    return next((child for child in inner if child.type == "macro_invocation"), None)


def _made(call: Node, source: bytes) -> Iterator[str]:
    """Yield the names that a call defines by its own tokens: `static NAME`, `struct Name`."""
    tree = next((child for child in call.children if child.type == "token_tree"), None)
    leaves = [] if tree is None else [text_of(leaf, source) for leaf in tree.children]
    for word, name in pairwise(text for text in leaves if text not in {"ref", "mut"}):
        if word in _DEFINE and name.isidentifier():
            yield name


def _mentioned(node: Node, source: bytes) -> Iterator[str]:
    return (text_of(leaf, source) for leaf in leaves_of(node) if leaf.type in _NAMES)


@cache
def _used() -> Query:
    return Query(rust_grammar(), _USED)


def names_used(tree: Tree, source: bytes) -> frozenset[str]:
    """Return the names of types, called functions, macros and paths that a source mentions."""
    captures = QueryCursor(_used()).captures(tree.root_node)
    return frozenset(text_of(node, source) for node in captures.get("name", []))


def _is_inner_doc(node: Node) -> bool:
    return node.child_by_field_name("inner") is not None


def _names(node: Node, source: bytes) -> Iterator[str]:
    """Yield what a top-level node binds; an impl is known by its header and by its members."""
    if node.type == "use_declaration":
        yield from _imported(node.child_by_field_name("argument"), source)
    elif node.type == "impl_item":
        yield from _impl_names(node, source)
    elif alias := node.child_by_field_name("alias"):
        yield text_of(alias, source)
    elif name := node.child_by_field_name("name"):
        yield text_of(name, source)


def _impl_names(node: Node, source: bytes) -> Iterator[str]:
    type_ = type_name(node.child_by_field_name("type"), source)
    if trait := node.child_by_field_name("trait"):
        yield f"{text_of(trait, source)} for {type_}"
        return
    body = node.child_by_field_name("body")
    for member in body.named_children if body else ():
        if name := member.child_by_field_name("name"):
            yield f"{type_}::{text_of(name, source)}"


def _imported(node: Node | None, source: bytes) -> Iterator[str]:
    """Yield the names that a `use` brings into scope; what a `*` brings is not known."""
    todo = [] if node is None else [node]
    while todo:
        tree = todo.pop()
        if tree.type == "use_as_clause":
            yield text_of(tree.child_by_field_name("alias"), source)
        elif tree.type == "scoped_use_list":
            todo.extend(_listed(tree))
        elif tree.type == "use_list":
            todo.extend(tree.named_children)
        elif tree.type != "use_wildcard":
            yield text_of(tree.child_by_field_name("name") or tree, source)


def _listed(node: Node) -> Iterator[Node]:
    """Yield the parts of `path::{...}`, and for `self` among them the path itself."""
    names = node.child_by_field_name("list")
    path = node.child_by_field_name("path")
    for child in names.named_children if names else ():
        if child.type == "self" and path is not None:
            yield path
        else:
            yield child
