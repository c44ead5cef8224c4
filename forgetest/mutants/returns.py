"""Returns: a body or an early result replaced by plain values of the function's type."""

from collections.abc import Iterator
from dataclasses import replace

from tree_sitter import Node

from forgetest.mutants.change import Change, Source, changed
from forgetest.mutants.declared import Declared
from forgetest.mutants.plain import Level, Values
from forgetest.mutants.types import Operator
from forgetest.rust.items import type_name

_RESULT = "where something else than `{value}` is right, and check the result"
_DONE = "and check what it changes: an empty body must not pass"
_EARLY = "where it ends at `{before}`, and check that result"


def result(node: Node, source: Source, declared: Declared) -> Iterator[Change]:
    """Yield the changes of what a function, or a `return` in it, gives."""
    if node.type == "function_item":
        yield from _body(node, source, declared)
    elif node.type == "return_expression" and node.named_children:
        yield from _early(node.named_children[0], source, declared)


def _body(node: Node, source: Source, declared: Declared) -> Iterator[Change]:
    body = node.child_by_field_name("body")
    if body is None or _is_hollow(body) or _is_main(node, source):
        return
    type_ = node.child_by_field_name("return_type")
    if type_ is None:
        yield _of_body(body, "", _DONE)
        return
    for value in _values(node, type_, source, declared):
        if value != source.text(body).strip("{} \n"):
            yield _of_body(body, value, _RESULT)


def _of_body(body: Node, value: str, missing: str) -> Change:
    return Change(
        Operator.RETURN,
        body.start_byte,
        body.end_byte,
        f"{{ {value} }}" if value else "{}",
        "{ ... }",
        f"{{ {value} }}" if value else "{}",
        missing.format(value=value),
    )


def _values(node: Node, type_: Node, source: Source, declared: Declared) -> Iterator[str]:
    """Yield what a body may be replaced by, each text once."""
    if source.text(type_).startswith("impl Iterator"):
        yield "std::iter::empty()"
        return
    owner = owner_of(node, source)
    values = values_in(node, source, declared)
    levels = [values.of(type_, level) for level in (Level.EMPTY, Level.ONE)]
    if _makes_first(node, type_, owner, source):
        levels = levels[1:]
    yield from dict.fromkeys(value for value in levels if value is not None)


def _makes_first(node: Node, type_: Node, owner: str, source: Source) -> bool:
    """Tell whether a function of nothing makes a first value, which an empty one mostly equals."""
    parameters = node.child_by_field_name("parameters")
    bare = parameters is None or not parameters.named_child_count
    return bare and type_name(type_, source.data) in {"Self", owner}


def _early(value: Node, source: Source, declared: Declared) -> Iterator[Change]:
    function: Node | None = value.parent
    while function is not None and function.type not in _FUNCTIONS:
        function = function.parent
    type_ = function.child_by_field_name("return_type") if function is not None else None
    if function is None or type_ is None or function.type != "function_item":
        return
    values = values_in(function, source, declared)
    for level in (Level.EMPTY, Level.ONE):
        new = values.of(type_, level)
        if new is not None and new != source.text(value):
            yield changed(source, Operator.RETURN, value, new, _EARLY, shown=value.parent)
            return


def values_in(function: Node, source: Source, declared: Declared) -> Values:
    """Return what makes values for a function's own types, none by calling that function."""
    is_default = source.text(function.child_by_field_name("name")) == "default"
    types = replace(declared, defaults=frozenset()) if is_default else declared
    return Values(types, source.data, owner_of(function, source))


def owner_of(function: Node, source: Source) -> str:
    """Return the type whose impl holds a function, an empty text outside of impls."""
    body = function.parent
    holder = body.parent if body is not None else None
    is_impl = holder is not None and holder.type == "impl_item"
    type_ = holder.child_by_field_name("type") if holder is not None and is_impl else None
    return "" if type_ is None else type_name(type_, source.data)


def _is_hollow(body: Node) -> bool:
    return all(child.type.endswith("_comment") for child in body.named_children)


def _is_main(node: Node, source: Source) -> bool:
    parent = node.parent
    is_top = parent is not None and parent.parent is None
    return is_top and source.text(node.child_by_field_name("name")) == "main"


_FUNCTIONS = frozenset({"function_item", "closure_expression", "async_block"})
