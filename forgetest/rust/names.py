"""The names that a sample defines, for asking whether an expected one is there.

What a macro would generate is not seen, nor what stands inside function bodies or is for
`cfg(test)` alone. Which block of a completion defines what is left to extraction.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from forgetest.rust.parse import parse
from forgetest.rust.tests import Attribute, items, text_of

_TYPES = frozenset({"struct_item", "enum_item", "union_item", "trait_item", "type_item"})
_FUNCTIONS = frozenset({"function_item", "function_signature_item"})
_HOLDERS = frozenset({"mod_item", "impl_item", "trait_item", "foreign_mod_item"})


@dataclass(frozen=True, slots=True)
class Names:
    """What a source file defines, at any depth of modules."""

    functions: frozenset[str]  # `push`, and `Stack::push` for a member
    types: frozenset[str]  # structs, enums, unions, traits and aliases
    macros: frozenset[str]  # `macro_rules!` of the crate root that are not exported


def defined_names(source: str) -> Names:
    """Return what a source file defines; broken source gives what can be recognised in it."""
    root = parse(source.encode("utf-8", "replace")).root_node
    found = list(_walk(root, owner=""))
    return Names(
        functions=frozenset(name for node, owner in found for name in _function_names(node, owner)),
        types=frozenset(_name(node) for node, _ in found if node.type in _TYPES),
        macros=frozenset(
            _name(node) for node, given in items(root) if _is_private_macro(node, given)
        ),
    )


def _walk(body: Node, owner: str) -> Iterator[tuple[Node, str]]:
    """Yield every item below `body` with the type that it is a member of."""
    for node, attributes in items(body):
        if any(attribute.is_cfg_test for attribute in attributes):
            continue
        yield node, owner
        inner = node.child_by_field_name("body")
        if node.type in _HOLDERS and inner is not None:
            yield from _walk(inner, _owner(node))


def _owner(node: Node) -> str:
    """Return the type of an impl without its generics, or the name of a trait."""
    if node.type == "trait_item":
        return _name(node)
    subject = node.child_by_field_name("type")
    return text_of(subject).partition("<")[0].rpartition("::")[2].strip()


def _function_names(node: Node, owner: str) -> tuple[str, ...]:
    if node.type not in _FUNCTIONS:
        return ()
    name = _name(node)
    return (name, f"{owner}::{name}") if owner else (name,)


def _is_private_macro(node: Node, attributes: tuple[Attribute, ...]) -> bool:
    exported = any(attribute.path == "macro_export" for attribute in attributes)
    return node.type == "macro_definition" and not exported


def _name(node: Node) -> str:
    return text_of(node.child_by_field_name("name"))
