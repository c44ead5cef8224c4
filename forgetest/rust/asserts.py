"""The asserts that tests reach before they change anything.

A test is read statement by statement up to the first that may have an effect. Asserts in loops,
branches and closures are left out, and so are tests that should panic or are not always compiled.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from forgetest.rust.parse import leaves_of, node_text
from forgetest.rust.terms import Scope, Sort, Term, term, walk
from forgetest.rust.tests import Attribute, items_with_attributes

_ASSERTS = frozenset({"assert", "assert_eq", "assert_ne"})
_PRINTS = frozenset({"print", "println", "eprint", "eprintln"})
_DECLARES = frozenset({"use_declaration", "const_item", "function_item", "empty_statement"})


@dataclass(frozen=True, slots=True)
class Assert:
    """One `assert!`, `assert_eq!` or `assert_ne!`, and what the names before it stand for."""

    macro: str
    arguments: str
    line: int  # from 1
    scope: Scope


def asserts_of(root: Node) -> Iterator[Assert]:
    """Yield the asserts of all tests and of `main`, in the file's order."""
    todo = [root]
    while todo:
        node = todo.pop()
        inner: list[Node] = []
        for item, attributes in items_with_attributes(node):
            body = item.child_by_field_name("body")
            if body is None or not _is_unconditional(attributes):
                continue
            if item.type == "mod_item":
                inner.append(body)
            elif item.type == "function_item" and _is_run(item, attributes):
                yield from _read(body)
        todo.extend(reversed(inner))


def _is_unconditional(attributes: tuple[Attribute, ...]) -> bool:
    return not any(
        attribute.path in {"should_panic", "cfg", "cfg_attr"} and not attribute.is_cfg_test
        for attribute in attributes
    )


def _is_run(function: Node, attributes: tuple[Attribute, ...]) -> bool:
    parameters = function.child_by_field_name("parameters")
    if parameters is None or parameters.named_child_count:
        return False
    is_main = node_text(function.child_by_field_name("name")) == "main"
    return is_main or any(attribute.makes_test for attribute in attributes)


def _read(body: Node) -> Iterator[Assert]:
    scope: dict[str, Term | None] = {}
    for node in body.named_children:
        statement = node
        if node.type == "expression_statement" and node.named_children:
            statement = node.named_children[0]
        name = node_text(statement.child_by_field_name("macro"))
        if name in _ASSERTS:
            yield Assert(name, _arguments(statement), node.start_point.row + 1, dict(scope))
        elif not (name in _PRINTS or _has_no_effect(statement, scope)):
            return


def _arguments(invocation: Node) -> str:
    trees = [child for child in invocation.named_children if child.type == "token_tree"]
    return node_text(trees[0])[1:-1] if trees else ""


def _has_no_effect(statement: Node, scope: dict[str, Term | None]) -> bool:
    """Tell whether a statement has no effect but on `scope`, which is updated."""
    if statement.type != "let_declaration":
        return statement.type in _DECLARES or statement.type.endswith("_comment")
    pattern = statement.child_by_field_name("pattern")
    value = term(statement.child_by_field_name("value"), scope)
    if pattern is None or value is None or node_text(pattern).startswith("_"):
        return False
    changes = any(child.type == "mutable_specifier" for child in statement.children)
    for leaf in leaves_of(pattern):
        scope[node_text(leaf)] = None
    if pattern.type == "identifier" and not changes:
        scope[node_text(pattern)] = _held(value, node_text(statement.child_by_field_name("type")))
    return True


def _held(value: Term, type_: str) -> Term:
    """Return what a variable stands for; the result of a call may have a state of its own."""
    if any(part.sort in {Sort.CALL, Sort.METHOD} for part in walk(value)):
        return Term(Sort.RESULT, "".join(type_.split()), (value,))
    return Term(Sort.TYPED, "".join(type_.split()), (value,)) if type_ else value
