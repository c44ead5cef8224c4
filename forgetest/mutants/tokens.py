"""Operators and numbers among tokens: in the rules of a macro, and in `matches!`."""

from collections.abc import Iterator

from tree_sitter import Node

from forgetest.mutants.change import Change, Source, changed
from forgetest.mutants.constant import other_integers
from forgetest.mutants.operators import ARITHMETIC, BOUNDARIES, COMPARISONS, LOGIC
from forgetest.mutants.types import Operator
from forgetest.rust.parse import leaves_of

_OPERANDS = frozenset({"identifier", "integer_literal", "metavariable", "token_tree", "self"})
_TOLD = "where `{before}` and `{after}` differ, and check the result"


def token(node: Node, source: Source) -> Iterator[Change]:
    """Yield the changes of the tokens in a macro's rule or in `matches!`."""
    if node.type == "macro_rule":
        right = node.child_by_field_name("right")
        yield from _changes(right, source, numbers=True)
    elif node.type == "macro_invocation" and source.text(node).startswith("matches!"):
        yield from _changes(node, source, numbers=False)


def _changes(root: Node | None, source: Source, *, numbers: bool) -> Iterator[Change]:
    for leaf in leaves_of(root) if root is not None else ():
        operator, others = _others(leaf, source, numbers=numbers)
        for new in others:
            yield changed(source, operator, leaf, new, _TOLD, shown=_around(leaf))


def _around(leaf: Node) -> Node:
    """Return the tokens in the same brackets, or the call of the macro whose brackets they are."""
    brackets = leaf.parent or leaf
    holder = brackets.parent
    is_call = holder is not None and holder.type == "macro_invocation"
    return holder if holder is not None and is_call else brackets


def _others(leaf: Node, source: Source, *, numbers: bool) -> tuple[Operator, list[str]]:
    text = source.text(leaf)
    if leaf.type == "integer_literal" and numbers:
        return Operator.CONSTANT, list(other_integers(text))
    if text in {"..", "..="}:
        return Operator.BOUNDARY, ["..=" if text == ".." else ".."]
    if not _is_binary(leaf, source):
        return Operator.ARITHMETIC, []
    if text in BOUNDARIES:
        return Operator.BOUNDARY, [BOUNDARIES[text]]
    if text in COMPARISONS | LOGIC:
        is_logic = text in LOGIC
        return (
            Operator.LOGIC if is_logic else Operator.COMPARISON,
            [(COMPARISONS | LOGIC)[text]],
        )
    return Operator.ARITHMETIC, [ARITHMETIC[text]] if text in ARITHMETIC else []


def _is_binary(leaf: Node, source: Source) -> bool:
    """Tell an operator between two operands from a `*` that reads or a `+` that repeats."""
    left, right = leaf.prev_sibling, leaf.next_sibling
    if left is None or right is None or left.type not in _OPERANDS:
        return False
    around = (
        source.slice(left.end_byte, leaf.start_byte),
        source.slice(leaf.end_byte, right.start_byte),
    )
    return all(around)
