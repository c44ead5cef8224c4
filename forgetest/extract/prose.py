"""Rust that stands in prose without fences: where it begins, and where it ends.

Found item by item: a line that begins like an item, the brackets that say where the item ends,
and the parser that says whether it was one.
"""

import time
from collections.abc import Iterator
from itertools import islice

from tree_sitter import Node, Tree

from forgetest.extract.keywords import has_item_header, item_lines
from forgetest.rust.lexer import marks
from forgetest.rust.parse import parse_within

_MAX_MISSES = 32  # lines that look like items and are none, before a text is taken for prose
_MAX_ENDS = 4  # places that may end an item: `A<{ N }>` and `= B { c };` close a brace earlier
_BESIDE_ITEMS = frozenset(
    {"use_declaration", "extern_crate_declaration", "attribute_item", "inner_attribute_item"}
    | {"line_comment", "block_comment", "empty_statement"}
)


def is_program(tree: Tree) -> bool:
    """Tell whether a text is Rust items from end to end, at least one of them more than a `use`."""
    return is_declarations(tree) and any(map(_is_item, tree.root_node.named_children))


def runs(text: str, deadline: float) -> tuple[str, ...]:
    """Return each stretch of items in a text, byte for byte, without the prose around them."""
    return tuple(text[start:end] for start, end in run_spans(text, deadline))


def run_spans(text: str, deadline: float) -> tuple[tuple[int, int], ...]:
    """Return where each stretch of items in a text starts and ends, in characters."""
    found: list[tuple[int, int]] = []
    end = misses = 0
    for start in item_lines(text):
        if misses == _MAX_MISSES or time.thread_time() > deadline:
            break
        if start >= end:
            stop = _run_end(text, start, deadline)
            misses += stop is None
            end = end if stop is None else stop
            found += [] if stop is None else [(start, stop)]
    return tuple(found)


def is_declarations(tree: Tree) -> bool:
    """Tell whether a text is such as may stand at the top of a file, from end to end."""
    root = tree.root_node
    return not root.has_error and all(map(_is_declared, root.named_children))


def _is_item(node: Node) -> bool:
    return node.type == "macro_definition" or (
        node.type.endswith("_item") and node.type not in _BESIDE_ITEMS
    )


def _is_declared(node: Node) -> bool:
    """Tell whether a node may stand at the top of a file: not a statement, not an expression."""
    if node.type == "expression_statement":
        return [child.type for child in node.named_children] == ["macro_invocation"]
    return node.type == "macro_invocation" or node.type in _BESIDE_ITEMS or _is_item(node)


def _run_end(text: str, start: int, deadline: float) -> int | None:
    """Return the end of the items that begin at `start`, None when there is none worth having."""
    end = start
    worth = False
    while (found := _item_end(text, end, deadline)) is not None:
        end = found[0]
        worth = worth or found[1]
    return end if worth else None


def _item_end(text: str, start: int, deadline: float) -> tuple[int, bool] | None:
    """Return where the declaration at `start` ends, and whether it is more than a `use`."""
    ends = list(islice(_ends(text, start), _MAX_ENDS))
    for end in ends:
        tree = parse_within(text[start:end].encode(), deadline)
        if tree is not None and is_declarations(tree):
            return end, any(map(_is_item, tree.root_node.named_children))
    if has_item_header(text, start):
        return (ends[0] if ends else len(text)), True  # broken or cut off, yet code
    return None


def _ends(text: str, start: int) -> Iterator[int]:
    """Yield the places where a declaration that begins at `start` may end."""
    for mark in marks(text, start):
        if mark.depth < 0 or mark.inner < 0:
            return
        if mark.char in "};" and mark.depth == 0 and mark.inner == 0:
            yield mark.at + 1
