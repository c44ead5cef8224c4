"""The statements of a `main` that asserts, and which of them a single assert needs.

Only what surely stands for itself is told apart: asserts and plain `let`s, nothing that changes a
value that is there already.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from forgetest.rust.items import text_of

_MOST = 500  # statements that are told apart
_ASSERTS = frozenset({"assert", "assert_eq", "assert_ne"})
_NAMES = frozenset({"identifier", "shorthand_field_identifier"})
_PATHS = frozenset({"identifier", "scoped_identifier"})
_CHANGING = frozenset({"mutable_specifier", "try_expression", "return_expression"})


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of `main` with the comments before it."""

    node: Node
    comments: tuple[Node, ...] = ()

    @property
    def inner(self) -> Node:
        """The expression of an expression statement, any other statement itself."""
        is_wrapped = self.node.type == "expression_statement" and self.node.named_children
        return self.node.named_children[0] if is_wrapped else self.node


def statements_of(body: Node) -> list[Statement]:
    """Return the statements of a block."""
    found: list[Statement] = []
    comments: list[Node] = []
    for node in body.named_children:
        if node.type.endswith("_comment"):
            comments.append(node)
        else:
            found.append(Statement(node, tuple(comments)))
            comments.clear()
    return found


def aliases_of(statements: Sequence[Statement], source: bytes) -> dict[str, str]:
    """Return the names that `let name = function;` gives to functions, unless bound twice."""
    bound = [name for one in statements for name in bound_by(one.node, source)]
    found: dict[str, str] = {}
    for one in statements:
        value = one.node.child_by_field_name("value")
        names = bound_by(one.node, source)
        is_path = value is not None and value.type in _PATHS
        if is_path and len(names) == 1 and bound.count(names[0]) == 1:
            target = text_of(value, source)
            if target not in bound:
                found[names[0]] = target
    return found


def bound_by(node: Node, source: bytes) -> tuple[str, ...]:
    """Return the names that a `let` binds, none for another statement."""
    pattern = node.child_by_field_name("pattern") if node.type == "let_declaration" else None
    return () if pattern is None else tuple(_words(pattern, source))


def _words(node: Node, source: bytes) -> Iterator[str]:
    """Yield the names in a node, what macros are given included."""
    todo = [node]
    while todo:
        node = todo.pop()
        if node.type in _NAMES:
            yield text_of(node, source)
        todo.extend(node.named_children)


def apart(statements: Sequence[Statement], source: bytes) -> list[list[Statement]] | None:
    """Return each assert with the `let`s that it needs; None when they can not be told apart."""
    if len(statements) > _MOST or not all(
        _is_assert(one, source) or _is_plain_let(one.node) for one in statements
    ):
        return None
    groups: list[list[Statement]] = []
    for at, one in enumerate(statements):
        if _is_assert(one, source):
            groups.append([*_needed(statements[:at], one, source), one])
    used = {id(one) for group in groups for one in group}
    return groups if len(used) == len(statements) else None


def _is_assert(statement: Statement, source: bytes) -> bool:
    macro = statement.inner.child_by_field_name("macro")
    return statement.inner.type == "macro_invocation" and text_of(macro, source) in _ASSERTS


def _is_plain_let(node: Node) -> bool:
    """Tell whether a statement binds names that nothing can change later."""
    if node.type != "let_declaration" or node.child_by_field_name("alternative") is not None:
        return False
    todo = [node]
    while todo:
        node = todo.pop()
        if node.type in _CHANGING:
            return False
        todo.extend(node.named_children)
    return True


def _needed(before: Sequence[Statement], one: Statement, source: bytes) -> Iterator[Statement]:
    """Yield the `let`s that a statement needs, themselves and through others, in their order."""
    wanted = set(_words(one.node, source))
    found: list[Statement] = []
    for other in reversed(before):
        names = set(bound_by(other.node, source))
        if names & wanted:
            found.append(other)
            value = other.node.child_by_field_name("value")
            wanted = (wanted - names) | (set(_words(value, source)) if value else set())
    yield from reversed(found)
