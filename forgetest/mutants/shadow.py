"""Macros whose arguments are expressions, read as such.

A macro's arguments are tokens to the grammar. The tree made here is that of a text of the same
length in which `assert!(..)` is a call and `vec![..]` an array, so that all offsets stay right.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node, Tree

from forgetest.mutants.change import Source
from forgetest.rust.items import items_of, text_of
from forgetest.rust.parse import cpu_deadline, parse, parse_within

ASSERTS = frozenset({"assert", "assert_eq", "assert_ne"})
TEXTS = frozenset({"format", "write", "writeln"})
# The grammar does not know `safe fn`, of edition 2024, in extern blocks.
_SAFE = re.compile(rb"\bsafe(?=\s+fn\b)")
_ROUNDS = 8  # how deep macros may stand in macros
_PARSE_SECS = 5.0
_LIMIT = 1 << 16  # bytes
_DEPTH = 300  # of the tree; the way up from each node is gone more than once


def read(code: str) -> Source | None:
    """Return a solution to be changed, None when it is broken, too long or nested too deep."""
    data = code.encode("utf-8", "replace")
    if len(data) > _LIMIT:
        return None
    deadline = cpu_deadline(_PARSE_SECS)
    shadow = _SAFE.sub(b"    ", data)
    tree = parse_within(shadow, deadline)
    if tree is None or tree.root_node.has_error or _is_deep(tree.root_node):
        return None
    own = items_of(tree, data).functions
    for _ in range(_ROUNDS):
        following = _opened(shadow, tree)
        deeper = None if following == shadow else parse_within(following, deadline)
        if deeper is None or deeper.root_node.has_error:
            break
        shadow, tree = following, deeper
    return Source(data, tree.root_node, own)


def parses(code: str) -> bool:
    """Tell whether a changed solution is still Rust by its form."""
    return not parse(_SAFE.sub(b"    ", code.encode("utf-8", "replace"))).root_node.has_error


def macro_of(node: Node, source: Source) -> str:
    """Return the macro's name when a call is a macro read as a call, else an empty text."""
    function = node.child_by_field_name("function") if node.type == "call_expression" else None
    name = source.text(function)
    return name[:-1] if name.endswith("!") else ""


def _is_deep(root: Node) -> bool:
    level = [root]
    for _ in range(_DEPTH):
        level = [child for node in level for child in node.named_children]
    return bool(level)


def _opened(data: bytes, tree: Tree) -> bytes:
    """Return the source with the outermost macros read as calls and arrays."""
    opened = bytearray(data)
    for node in _invocations(tree.root_node):
        name = node.child_by_field_name("macro")
        arguments = node.named_children[-1]
        bracket = arguments.children[0].type if arguments.children else ""
        word = text_of(name, data)
        if name is not None and word in ASSERTS | TEXTS and bracket == "(":
            opened[name.end_byte : name.end_byte + 1] = b"_"
        elif name is not None and word == "vec" and bracket == "[":
            opened[name.start_byte : name.end_byte + 1] = b"    "
    return bytes(opened)


def _invocations(root: Node) -> Iterator[Node]:
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type == "macro_invocation":
            yield node
        elif node.type != "macro_definition":
            todo.extend(node.named_children)
