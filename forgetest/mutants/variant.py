"""Variants: another variant of the source's own enum, `None` for `Some`."""

from collections.abc import Iterator

from tree_sitter import Node

from forgetest.mutants.change import Change, Source, changed
from forgetest.mutants.declared import Declared
from forgetest.mutants.types import Operator

_OTHER = "where `{before}` is right, and check that it is not `{after}`"
_NONE = "where `{before}` comes about, and check what follows from it"


def variant(node: Node, source: Source, declared: Declared) -> Iterator[Change]:
    """Yield a value made with the next variant of the same shape, and a `Some` left out."""
    if node.type == "scoped_identifier" and not _is_in_pattern(node):
        name = node.child_by_field_name("name")
        enum = declared.enums.get(source.text(node.child_by_field_name("path")))
        new = _other(enum, source.text(name), source) if enum is not None else None
        if new is not None and name is not None:
            yield changed(source, Operator.CONSTANT, name, new, _OTHER, shown=_shown(node))
    elif source.text(node.child_by_field_name("function")) == "Some":
        yield changed(source, Operator.CONSTANT, node, "None", _NONE)


def _is_in_pattern(node: Node) -> bool:
    parent = node.parent
    while parent is not None and parent.type not in _EXPRESSIONS:
        if parent.type.endswith("pattern"):
            return parent.child_by_field_name("condition") is None
        parent = parent.parent
    return False


_EXPRESSIONS = frozenset({"block", "arguments", "call_expression", "source_file", "match_arm"})


def _shown(node: Node) -> Node:
    parent = node.parent
    return parent if parent is not None and parent.type == "call_expression" else node


def _other(enum: Node, name: str, source: Source) -> str | None:
    """Return the variant behind `name`, from the first on again, that holds the same fields."""
    body = enum.child_by_field_name("body")
    variants = [v for v in body.named_children if v.type == "enum_variant"] if body else []
    names = [source.text(v.child_by_field_name("name")) for v in variants]
    if name not in names:
        return None
    at = names.index(name)
    held = _held(variants[at], source)
    order = [*range(at + 1, len(names)), *range(at)]
    return next((names[n] for n in order if _held(variants[n], source) == held), None)


def _held(one: Node, source: Source) -> str:
    return source.text(one.child_by_field_name("body"))
