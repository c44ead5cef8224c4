"""Methods exchanged for their neighbours: `min` for `max`, `checked_add` for `checked_sub`."""

from collections.abc import Iterator

from tree_sitter import Node

from forgetest.mutants.change import Change, Source, changed
from forgetest.mutants.types import Operator

_PAIRS = (
    *(("min", "max"), ("min_by", "max_by"), ("min_by_key", "max_by_key")),
    *(("first", "last"), ("front", "back"), ("push_front", "push_back")),
    *(("pop_front", "pop_back"), ("pop_first", "pop_last"), ("front_mut", "back_mut")),
    *(("first_key_value", "last_key_value"), ("split_first", "split_last")),
    *(("any", "all"), ("skip", "take"), ("skip_while", "take_while"), ("find", "rfind")),
    *(("starts_with", "ends_with"), ("split_once", "rsplit_once"), ("position", "rposition")),
    *(("is_some", "is_none"), ("is_ok", "is_err"), ("trim_start", "trim_end")),
    *(("strip_prefix", "strip_suffix"), ("fetch_add", "fetch_sub"), ("floor", "ceil")),
    *(("to_lowercase", "to_uppercase"), ("to_ascii_lowercase", "to_ascii_uppercase")),
    *(("rotate_left", "rotate_right"), ("leading_zeros", "trailing_zeros")),
    *(("is_lowercase", "is_uppercase"), ("union", "intersection"), ("sum", "product")),
)
_ONE_WAY = {
    "next_back": "next",
    "is_alphanumeric": "is_alphabetic",
    "is_ascii_alphanumeric": "is_ascii_alphabetic",
    "rem_euclid": "wrapping_rem",
    "div_euclid": "wrapping_div",
    "abs_diff": "wrapping_sub",
    "div_ceil": "wrapping_div",
    "symmetric_difference": "union",
    "difference": "intersection",
}
_CAREFUL = ("wrapping", "checked", "saturating", "overflowing")
_SUMS = {"add": "sub", "sub": "add", "mul": "add", "div": "mul", "rem": "div"}
_SHIFTS = {"shl": "shr", "shr": "shl"}
_OTHERS = dict((*_PAIRS, *((b, a) for a, b in _PAIRS))) | _ONE_WAY

_VALUE = "with values for which `{before}` and `{after}` differ, and check the result"
_LIMIT = "with values at the limit of their type: only there do `{before}` and `{after}` differ"
_COUNT = "with more elements than `{count}`: `{before}` must not reach one further"
_TURNED = "with two elements that differ, and check which comes first"


def method(node: Node, source: Source) -> Iterator[Change]:
    """Yield the changes of a method call."""
    name = _name(node)
    text = source.text(name)
    if name is None or text in source.own or not _suits(node, text, source):
        return
    for new, missing in _names(text):
        yield changed(source, _operator(text), name, new, missing, shown=node)
    yield from _counted(node, text, source)
    if text == "cmp" and node.type == "call_expression":
        new = f"{source.text(node)}.reverse()"
        yield changed(source, Operator.COMPARISON, node, new, _TURNED)


def _name(node: Node) -> Node | None:
    """Return the name of a method that is called, or named by its path: `char::to_uppercase`."""
    if node.type == "scoped_identifier":
        return node.child_by_field_name("name")
    function = node.child_by_field_name("function") if node.type == "call_expression" else None
    if function is not None and function.type == "generic_function":
        function = function.child_by_field_name("function")
    return function.child_by_field_name("field") if function is not None else None


def _suits(node: Node, name: str, source: Source) -> bool:
    """Tell a method from another type's of that name: `take(3)` from an option's `take()`."""
    arguments = node.child_by_field_name("arguments")
    if name in {"skip", "take"} and arguments is None:
        return False  # `std::mem::take`
    if name in {"skip", "take", "min", "max"}:
        return arguments is None or arguments.named_child_count > 0
    return name not in {"first", "last"} or not source.text(node).endswith(f").{name}()")


def _names(name: str) -> Iterator[tuple[str, str]]:
    if name in _OTHERS:
        yield _OTHERS[name], _VALUE
    kind, _, act = name.partition("_")
    if kind in _CAREFUL and act in _SUMS | _SHIFTS:
        yield f"{kind}_{(_SUMS | _SHIFTS)[act]}", _VALUE
    if kind == "saturating" and act in _SUMS:
        yield f"wrapping_{act}", _LIMIT


def _operator(name: str) -> Operator:
    if name in {"any", "all"} or name.startswith("is_"):
        return Operator.LOGIC
    if name in {"min", "max", "min_by", "max_by", "min_by_key", "max_by_key"}:
        return Operator.COMPARISON
    return Operator.ARITHMETIC


def _counted(node: Node, name: str, source: Source) -> Iterator[Change]:
    """Yield `take(n + 1)` for `take(n)`; a number there is changed as every literal is."""
    arguments = node.child_by_field_name("arguments")
    given = arguments.named_children if arguments is not None else []
    if name in {"skip", "take", "nth"} and len(given) == 1 and given[0].type in _VARIABLES:
        new = f"{source.text(given[0])} + 1"
        count = source.text(given[0])
        yield changed(source, Operator.BOUNDARY, given[0], new, _COUNT, shown=node, count=count)


_VARIABLES = frozenset({"identifier", "field_expression", "call_expression"})
