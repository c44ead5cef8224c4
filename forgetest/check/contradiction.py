"""Asserts that no code can satisfy together: they demand different results of the same call.

Only what is certain by its form counts. The tests alone do not tell a function that has a state of
its own, in a static say, from a pure one: a reference solution that passes disproves a finding.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from time import thread_time

from tree_sitter import Node

from forgetest.rust.asserts import Assert, asserts_of
from forgetest.rust.parse import cpu_deadline, leaves_of, node_text, parse_with_text
from forgetest.rust.terms import (
    Sort,
    Term,
    code_of,
    differ,
    expressions,
    is_value,
    same,
    term,
    walk,
)

_SECS = 0.5  # of CPU time for one file
_LONGEST = 1 << 17  # bytes
_TEXTS = frozenset({"string_content", "line_comment", "block_comment", "doc_comment"})
_STATEFUL = re.compile(r"thread_local|Atomic\w+|Once\w+|Lazy\w+|env|fs|Instant|SystemTime|rand")
_TRUE, _FALSE = Term(Sort.BOOL, "true"), Term(Sort.BOOL, "false")
_FLIPPED = {_TRUE: _FALSE, _FALSE: _TRUE}


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two asserts about one call, in the order of the file; lines count from 1."""

    call: str  # as the first assert writes it
    results: tuple[str, str]  # `true`, `not 3`
    lines: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Demand:
    """What one assert wants of one call."""

    call: Term
    shown: str
    result: Term
    said: str
    equal: bool  # or unequal
    line: int


def contradictions(test_file: str) -> tuple[Contradiction, ...]:
    """Return the pairs of asserts that contradict each other, each call once.

    Empty, too, for a file that is not parsed within half a second of CPU time, and for one whose
    words show that its functions may have a state.
    """
    source = test_file.encode("utf-8", "replace")
    tree = parse_with_text(source, cpu_deadline(_SECS)) if len(source) <= _LONGEST else None
    if tree is None or _has_state(tree.root_node):
        return ()
    moving = frozenset(_moving(tree.root_node))
    deadline = cpu_deadline(_SECS)
    demands = (
        demand
        for asserted in takewhile(lambda _: thread_time() < deadline, asserts_of(tree.root_node))
        for demand in _demands(asserted)
        if not any(_called(part) in moving for part in walk(demand.call))
    )
    return tuple(_clashes(demands))


def _clashes(demands: Iterable[_Demand]) -> Iterator[Contradiction]:
    seen: dict[Term, list[_Demand]] = {}
    done: set[Term] = set()
    for demand in demands:
        earlier = seen.setdefault(demand.call, [])
        other = next((past for past in earlier if _clash(past, demand)), None)
        if other is not None and demand.call not in done:
            done.add(demand.call)
            results = (other.said, demand.said)
            yield Contradiction(other.shown, results, (other.line, demand.line))
        if all(past.result != demand.result or past.equal != demand.equal for past in earlier):
            earlier.append(demand)


def _clash(first: _Demand, other: _Demand) -> bool:
    if first.equal and other.equal:
        return differ(first.result, other.result)
    return first.equal != other.equal and same(first.result, other.result)


def _has_state(root: Node) -> bool:
    """Tell whether a file speaks of what lets equal calls differ, or calls `reset();`."""
    return any(map(_speaks_of_state, leaves_of(root))) or any(
        call.child_by_field_name("arguments") is not None
        and not code_of(_field(call, "arguments"))
        and _field(call, "function").type in {"identifier", "scoped_identifier"}
        for call in _called_for_effect(root)
    )


def _speaks_of_state(leaf: Node) -> bool:
    if leaf.type in _TEXTS:
        return False
    return leaf.type == "static" or _STATEFUL.fullmatch(node_text(leaf)) is not None


def _moving(root: Node) -> Iterator[str]:
    """Yield the functions that are called for their effect, and those that the file defines."""
    for call in _called_for_effect(root):
        yield node_text(list(leaves_of(_field(call, "function")))[-1])
    for node in _nodes(root):
        if node.type == "function_item":
            yield node_text(node.child_by_field_name("name"))


def _called_for_effect(root: Node) -> Iterator[Node]:
    for node in _nodes(root):
        if node.type == "expression_statement":
            yield from (child for child in node.named_children if child.type == "call_expression")


def _field(node: Node, name: str) -> Node:
    found = node.child_by_field_name(name)
    return node if found is None else found


def _nodes(root: Node) -> Iterator[Node]:
    todo = [root]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(reversed(node.named_children))


def _called(part: Term) -> str:
    """Return the last name of what a term calls, an empty one when it calls nothing."""
    if part.sort not in {Sort.CALL, Sort.METHOD}:
        return ""
    return part.text.partition("<")[0].removesuffix("::").rpartition("::")[2]


def _demands(asserted: Assert) -> Iterator[_Demand]:
    given = expressions(asserted.arguments)
    if asserted.macro == "assert":
        yield from _truths(given[0], asserted) if given else ()
    elif len(given) > 1:
        yield from _equation(given[0], given[1], asserted, equal=asserted.macro == "assert_eq")


def _truths(condition: Node, asserted: Assert) -> Iterator[_Demand]:
    """Yield what follows from a condition that must hold."""
    todo = [(condition, True)]
    while todo:
        node, holds = todo.pop()
        inner = code_of(node)
        sign = next((child.type for child in node.children if not child.is_named), "")
        if node.type == "parenthesized_expression" and len(inner) == 1:
            todo.append((inner[0], holds))
        elif node.type == "unary_expression" and sign == "!":
            todo.append((inner[0], not holds))
        elif node.type == "binary_expression" and sign == "&&" and holds:
            todo.extend((part, True) for part in reversed(inner))
        elif node.type == "binary_expression" and sign in {"==", "!="}:
            yield from _equation(inner[0], inner[1], asserted, equal=(sign == "==") is holds)
        else:
            yield from _demand(node, asserted, _TRUE if holds else _FALSE, str(holds).lower())


def _equation(left: Node, right: Node, asserted: Assert, *, equal: bool) -> Iterator[_Demand]:
    for call, value in ((left, right), (right, left)):
        result = term(value, asserted.scope)
        if result is not None and is_value(result):
            if not equal and result in _FLIPPED:
                result = _FLIPPED[result]
                yield from _demand(call, asserted, result, result.text)
            else:
                yield from _demand(call, asserted, result, node_text(value), equal=equal)


def _demand(
    node: Node, asserted: Assert, result: Term, shown: str, *, equal: bool = True
) -> Iterator[_Demand]:
    call = term(node, asserted.scope)
    if call is not None and call.sort is Sort.RESULT and not call.text:
        [call] = call.parts
    if call is not None and not is_value(call):
        said = _line(shown) if equal else f"not {_line(shown)}"
        yield _Demand(call, _line(node_text(node)), result, said, equal, asserted.line)


def _line(text: str) -> str:
    return " ".join(text.split())
