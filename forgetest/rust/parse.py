"""The one place that builds a tree-sitter parser for Rust.

Untrusted text goes through `parse_within`: on some inputs, such as thousands of opened raw strings,
the parser takes time that grows with the square of their length.
"""

import time
from collections.abc import Iterator
from functools import cache

import tree_sitter_rust
from tree_sitter import Language, Node, Parser, Point, Tree

SOURCE_LIMIT = 1 << 20  # bytes; more than this is not parsed, nor compiled
_CHUNK = 1 << 16


@cache
def rust_grammar() -> Language:
    """Return the grammar that all parsers here use."""
    return Language(tree_sitter_rust.language())


def parse(source: bytes) -> Tree:
    """Return the syntax tree of Rust source; broken source gives ERROR nodes."""
    return Parser(rust_grammar()).parse(source)


def node_text(node: Node | None) -> str:
    """Return the source of a node of `parse`; empty when there is none."""
    return (node.text or b"").decode() if node is not None else ""


def leaves_of(root: Node) -> Iterator[Node]:
    """Yield the tokens of a tree: its nodes without children, in the source's order."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.child_count:
            todo.extend(reversed(node.children))
        else:
            yield node


def cpu_deadline(secs: float) -> float:
    """Return the reading of this thread's CPU clock `secs` seconds of work from now.

    CPU time, not wall time: a busy machine must not change the code of a completion.
    """
    return time.thread_time() + secs


def parse_within(source: bytes, deadline: float) -> Tree | None:
    """Return the tree, or None when the source is too long or this thread's CPU clock ran out."""

    def late() -> bool:
        return time.thread_time() > deadline

    def read(offset: int, _point: Point) -> bytes:
        return b"" if late() else source[offset : offset + _CHUNK]

    def stop(_offset: int, _has_error: bool) -> bool:
        return late()

    if len(source) > SOURCE_LIMIT or late():
        return None
    try:
        tree = Parser(rust_grammar()).parse(read, progress_callback=stop)
    except ValueError:  # raised when the callback stops the parser
        return None
    # When `read` cuts the text short, the tree may be one of its first part.
    return None if late() else tree


def parse_with_text(source: bytes, deadline: float) -> Tree | None:
    """Return the same tree as `parse_within`, with nodes whose text can be read.

    A node of `parse_within` reads its text through the clock again: slowly, and as nothing once the
    clock has run out.
    """
    return None if parse_within(source, deadline) is None else parse(source)
