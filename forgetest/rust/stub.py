"""The stub of a solution: the same items, and none of them does anything.

A stub compiles and fails the tests that call it; it is the lower anchor of an eval set. Only what
the compiler itself runs, or infers a type from, is kept.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from forgetest.rust.items import text_of
from forgetest.rust.parse import parse

_TODO = "todo!()"
_STRICT = re.compile(r"\b(?:deny|forbid)(\s*\()")
_ATTRIBUTES = frozenset({"attribute_item", "inner_attribute_item"})
_CONTAINERS = frozenset({"mod_item", "impl_item", "trait_item"})
_NAMES = frozenset({"identifier", "type_identifier", "field_identifier"})
_AT_COMPILE_TIME = frozenset(
    {"const_item", "static_item", "const_block", "array_type", "array_expression"}
    | {"type_arguments", "type_parameters"}
)
_ITEM_WORDS = frozenset(
    {"fn", "impl", "struct", "enum", "union", "trait", "mod", "static", "use", "type", "const"}
)


@dataclass(frozen=True, slots=True)
class _StubEdit:
    """Bytes to replace by a text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class _Mention:
    """A name that is not a definition's own."""

    name: str
    at_run_time: bool  # inside a body that the compiler does not run


def stub(source: str) -> str:
    """Return `source` with every function body replaced by `todo!()`.

    If a return type is `impl Trait`, only the body names the type, so it stays behind a `todo!()`;
    so does the expression that a macro expands to. `main`, const functions that the source runs at
    compile time, and macros that it uses itself are kept. Denied or forbidden lints only warn,
    because a stub leaves much unused.
    """
    return with_bodies(source, lambda _function: _TODO)


def with_bodies(source: str, body: Callable[[Node], str]) -> str:
    """Return the stub of `source` with `body(function)` in place of each `todo!()` of a function.

    The functions are nodes of the tree of `source` in UTF-8. Macros are as in a stub.
    """
    data = source.encode("utf-8", "replace")
    root = parse(data).root_node
    nodes = tuple(_definitions(root))
    kept = frozenset[str]()
    while True:
        edits = [edit for node in nodes for edit in _edits(node, kept, data, body)]
        mentions = tuple(_mentions(root, edits, data))
        used = frozenset(node_name for node in nodes for node_name in _used(node, mentions, data))
        if used <= kept:
            return _applied(data, edits)
        kept |= used


def _definitions(root: Node) -> Iterator[Node]:
    """Yield functions, macros and attributes, down to but not into functions."""
    todo = [root]
    while todo:
        for node in todo.pop().named_children:
            body = node.child_by_field_name("body")
            if node.type in _CONTAINERS and body is not None:
                todo.append(body)
            elif node.type in {"function_item", "macro_definition"} | _ATTRIBUTES:
                yield node


def _edits(
    node: Node, kept: frozenset[str], source: bytes, body: Callable[[Node], str]
) -> Iterator[_StubEdit]:
    """Yield the edits that make a definition a stub, nothing when its name is among `kept`."""
    name = text_of(node.child_by_field_name("name"), source)
    if node.type in _ATTRIBUTES:
        text = text_of(node, source)
        yield _StubEdit(node.start_byte, node.end_byte, _STRICT.sub(r"warn\1", text))
    elif name in kept and (node.type == "macro_definition" or _is_const(node)):
        return
    elif node.type == "macro_definition":
        yield from _macro_edits(node, source)
    else:
        yield from _function_edit(node, name, body)


def _function_edit(node: Node, name: str, text: Callable[[Node], str]) -> Iterator[_StubEdit]:
    body = node.child_by_field_name("body")
    is_main = name == "main" and node.parent is not None and node.parent.parent is None
    if body is None or is_main:
        return
    if not _has_type(node.child_by_field_name("return_type"), "abstract_type"):
        yield _StubEdit(body.start_byte, body.end_byte, f"{{ {text(node)} }}")
        return
    heads = [child for child in body.children if child.type in {"{", "inner_attribute_item"}]
    at = heads[-1].end_byte
    yield _StubEdit(at, at, f" {_TODO};")


def _macro_edits(node: Node, source: bytes) -> Iterator[_StubEdit]:
    """Yield an edit for each rule that callers reach and that expands to an expression."""
    for rule in node.named_children:
        right = rule.child_by_field_name("right")
        left = text_of(rule.child_by_field_name("left"), source)
        if right is None or left[1:].lstrip().startswith("@") or _makes_items(right):
            continue
        start, end = right.start_byte + 1, right.end_byte - 1
        yield _StubEdit(start, start, f"{{ ::core::{_TODO};")
        yield _StubEdit(end, end, "}")


def _makes_items(right: Node) -> bool:
    """Tell whether a macro's rule expands to items or to nothing, not to an expression."""
    direct = right.children[1:-1]
    nested = [
        child for node in direct if node.type == "token_repetition" for child in node.children
    ]
    return not direct or any(child.type in _ITEM_WORDS for child in (*direct, *nested))


def _used(node: Node, mentions: Sequence[_Mention], source: bytes) -> Iterator[str]:
    """Yield the name of a definition that the stub does not compile without."""
    name = text_of(node.child_by_field_name("name"), source)
    if node.type == "macro_definition":
        used = any(mention.name == name for mention in mentions)
    else:
        used = _is_const(node) and any(m.name == name and not m.at_run_time for m in mentions)
    if used:
        yield name


def _mentions(root: Node, edits: Sequence[_StubEdit], source: bytes) -> Iterator[_Mention]:
    """Yield the names in what the edits leave of a source, without its imports."""
    gone = {(edit.start, edit.end) for edit in edits}
    todo = [(root, False)]
    while todo:
        node, runs = todo.pop()
        if (node.start_byte, node.end_byte) in gone and node.type == "block":
            continue
        if node.type in _NAMES and not _is_own_name(node, source):
            yield _Mention(text_of(node, source), runs)
        if node.type == "function_item":
            runs = not _is_const(node)
        elif node.type in _AT_COMPILE_TIME:
            runs = False
        if node.type != "use_declaration":
            todo.extend((child, runs) for child in node.named_children)


def _is_own_name(node: Node, source: bytes) -> bool:
    """Tell whether a name is the one being defined, or is in the macro of that name."""
    parent = node.parent
    if parent is None or parent.child_by_field_name("name") == node:
        return parent is not None and parent.type.endswith(("_item", "_definition"))
    name = text_of(node, source)
    while parent is not None and parent.type != "macro_definition":
        parent = parent.parent
    return parent is not None and text_of(parent.child_by_field_name("name"), source) == name


def _is_const(node: Node) -> bool:
    """Tell whether a function may run at compile time."""
    modifiers = next((c for c in node.children if c.type == "function_modifiers"), None)
    return modifiers is not None and any(c.type == "const" for c in modifiers.children)


def _has_type(node: Node | None, type_: str) -> bool:
    todo = [] if node is None else [node]
    while todo:
        node = todo.pop()
        if node.type == type_:
            return True
        todo.extend(node.named_children)
    return False


def _applied(source: bytes, edits: Sequence[_StubEdit]) -> str:
    parts: list[bytes] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        parts += [source[at : edit.start], edit.text.encode()]
        at = edit.end
    return b"".join([*parts, source[at:]]).decode(errors="replace")
