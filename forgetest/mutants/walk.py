"""The nodes of a solution that may be changed, each with the function whose body holds it."""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from forgetest.mutants.change import Source
from forgetest.mutants.shadow import ASSERTS, macro_of
from forgetest.rust.items import is_test_only, type_name

_SKIPPED = frozenset(
    {"attribute_item", "inner_attribute_item", "line_comment", "block_comment", "use_declaration"}
    | {"type_arguments", "type_parameters", "where_clause", "trait_bounds", "array_type"}
    | {
        "extern_modifier",
        "return_type",
        "function_type",
        "visibility_modifier",
        "struct_item",
        "union_item",
    }
)
# Calls whose arguments no test can see: capacities, and texts for whoever debugs a panic.
_UNSEEN = frozenset(
    {"with_capacity", "reserve", "reserve_exact", "try_reserve", "shrink_to", "expect"}
    | {"expect_err", "with_capacity_and_hasher"}
)


@dataclass(frozen=True, slots=True)
class Place:
    """A node and the function that it belongs to: `Stack::push`, `name!` for a macro's rules."""

    node: Node
    function: str


@dataclass(frozen=True, slots=True)
class _Scope:
    owner: str = ""
    function: str = ""


def places(source: Source) -> Iterator[Place]:
    """Yield the nodes that may be changed, in the source's order."""
    todo = [(source.root, _Scope())]
    while todo:
        node, scope = todo.pop()
        scope = _inner(node, scope, source)
        yield Place(node, scope.function)
        todo.extend((child, scope) for child in reversed(list(_open_children(node, source))))


def _inner(node: Node, scope: _Scope, source: Source) -> _Scope:
    if node.type == "impl_item":
        return _Scope(type_name(node.child_by_field_name("type"), source.data))
    name = source.text(node.child_by_field_name("name"))
    if node.type == "trait_item":
        return _Scope(name)
    if node.type == "macro_definition":
        return _Scope("", f"{name}!")
    if node.type == "function_item":
        return _Scope("", f"{scope.owner}::{name}" if scope.owner else name)
    return scope


def _open_children(node: Node, source: Source) -> Iterator[Node]:
    """Yield the children that are neither types, tests nor out of a test's sight."""
    hidden = False
    for child in node.named_children:
        if child.type == "attribute_item":
            hidden = hidden or is_test_only(source.text(child))
        elif child.type.endswith("_comment"):
            continue
        elif not hidden and child.type not in _SKIPPED and not _is_unseen(node, child, source):
            yield child
            hidden = False
        else:
            hidden = False


def _is_unseen(parent: Node, child: Node, source: Source) -> bool:
    if child.type == "impl_item":
        trait = child.child_by_field_name("trait")
        return trait is not None and type_name(trait, source.data) == "Debug"
    if child.type == "arguments":
        return called(parent, source) in _UNSEEN
    if child.type == "token_tree":
        return parent.type == "macro_invocation" and macro(parent, source) != "matches"
    call = parent.parent
    is_text = child.type in {"string_literal", "raw_string_literal"}
    return is_text and call is not None and macro_of(call, source) in ASSERTS


def called(call: Node, source: Source) -> str:
    """Return the last name of what a call calls: `push` of `self.items.push`."""
    function = call.child_by_field_name("function")
    if function is not None and function.type == "generic_function":
        function = function.child_by_field_name("function")
    if function is None:
        return ""
    last = function.child_by_field_name("field") or function.child_by_field_name("name")
    return source.text(last or function)


def macro(invocation: Node, source: Source) -> str:
    """Return the name of the macro that is invoked."""
    return source.text(invocation.child_by_field_name("macro"))
