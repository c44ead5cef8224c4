"""Calls left out: a statement that is a call, a link of a chain, an assignment."""

from collections.abc import Iterator

from tree_sitter import Node

from forgetest.mutants.change import Change, Source, changed
from forgetest.mutants.statement import is_statement
from forgetest.mutants.types import Operator
from forgetest.mutants.walk import called, macro

# Without these a value of the same type is left, and mostly a wrong one.
_LINKS = frozenset(
    {"trim", "trim_start", "trim_end", "rev", "abs", "skip_while", "take_while"}
    | {"filter", "reverse", "then_with", "clamp", "or", "or_else", "chain", "cycle"}
    | {"step_by", "trim_end_matches", "trim_start_matches", "trim_matches", "rem_euclid", "dedup"}
    | {"to_ascii_lowercase", "to_ascii_uppercase", "swap_bytes", "unsigned_abs", "sqrt"}
)
_COUNTED = frozenset({"min", "max", "skip", "take"})  # with an argument; without one, others
_UNSEEN = frozenset(
    {"reserve", "reserve_exact", "shrink_to_fit", "shrink_to", "println", "eprintln", "print"}
    | {"eprint", "dbg", "debug_assert", "debug_assert_eq", "debug_assert_ne", "todo", "panic"}
    | {"unreachable", "unimplemented", "flush", "yield_now", "spin_loop"}
)

_CALL = "and check what `{before}` does: the result must not be the same without it"
_LINK = "with values for which `{before}` and `{after}` differ, and check the result"
_SET = "and check the value that `{before}` leaves behind"


def call(node: Node, source: Source) -> Iterator[Change]:
    """Yield a statement, or a link of a chain, left out."""
    if node.type == "expression_statement" and node.children[-1].type == ";":
        yield from _left_out(node, node.named_children[-1], "", source)
    elif node.parent is not None and node.parent.type == "match_arm" and is_statement(node):
        yield from _left_out(node, node, "{}", source)
    elif node.parent is not None and node.parent.type == "block" and is_statement(node):
        yield from _left_out(node, node, "", source)
    if node.type == "call_expression":
        yield from _link(node, source)


def _left_out(node: Node, inner: Node, rest: str, source: Source) -> Iterator[Change]:
    if inner.type == "assignment_expression":
        yield changed(source, Operator.CALL, node, rest, _SET)
    elif _is_call(inner, source):
        yield changed(source, Operator.CALL, node, rest, _CALL)


def _is_call(node: Node, source: Source) -> bool:
    """Tell whether a statement is a call whose absence a test could see."""
    while node.type in {"await_expression", "try_expression"}:
        node = node.named_children[0]
    if node.type == "macro_invocation":
        return macro(node, source) not in _UNSEEN
    return node.type == "call_expression" and called(node, source) not in _UNSEEN


def _link(node: Node, source: Source) -> Iterator[Change]:
    function = node.child_by_field_name("function")
    value = function.child_by_field_name("value") if function is not None else None
    arguments = node.child_by_field_name("arguments")
    if value is None or arguments is None:
        return
    name = called(node, source)
    given = arguments.named_child_count
    wants = name in _COUNTED
    is_link = name in _LINKS if not wants else given > 0
    is_statement_itself = node.parent is not None and node.parent.type == "expression_statement"
    if is_link and name not in source.own and not is_statement_itself:
        yield changed(source, Operator.CALL, node, source.text(value), _LINK)
