"""Expressions of Rust in one spelling, so that two can be shown to be equal or to differ.

White space, trailing commas, brackets around an expression, the spelling of a number and the ways
to write a `String` make no difference to a term. Only expressions that are pure in form have one:
not variables that change, closures, blocks, macros but `vec!`, or calls without arguments but
`Type::new()` and the like.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from tree_sitter import Node

from forgetest.rust.parse import node_text, parse

_CLOSE = 1e-6  # floats no further apart, relative to the larger, may be one number in f32


class Sort(StrEnum):
    """What a term is."""

    INT = "int"
    FLOAT = "float"
    STR = "str"
    STRING = "string"  # a text with an owner
    CHAR = "char"
    BOOL = "bool"
    PATH = "path"
    LIST = "list"
    TUPLE = "tuple"
    STRUCT = "struct"
    FIELD = "field"
    REF = "ref"
    VARIANT = "variant"  # `Some(x)`, `Shape::Square(2)`
    CALL = "call"
    METHOD = "method"
    OPERATION = "operation"
    TYPED = "typed"  # what `let x: T = ...` holds
    RESULT = "result"  # what `let x = f(...)` holds


@dataclass(frozen=True, slots=True)
class Term:
    """One expression; equal terms are the same expression."""

    sort: Sort
    text: str = ""
    parts: tuple["Term", ...] = ()


def walk(root: Term) -> Iterator[Term]:
    """Yield a term and all terms in it."""
    todo = [root]
    while todo:
        term = todo.pop()
        yield term
        todo.extend(term.parts)


def is_value(root: Term) -> bool:
    """Tell whether a term is written out: nothing is called or computed."""
    return all(term.sort not in _COMPUTED for term in walk(root))


def differ(left: Term, right: Term) -> bool:
    """Tell whether two values cannot be equal; False when that is not certain."""
    left, right = _bare(left), _bare(right)
    if left.sort is not right.sort:
        return _is_variant(left) and _is_variant(right) and _are_siblings(left.text, right.text)
    match left.sort:
        case Sort.LIST:
            return len(left.parts) != len(right.parts) or _any_differ(left, right)
        case Sort.TUPLE | Sort.FIELD | Sort.STRUCT:
            same = [part.text for part in left.parts] == [part.text for part in right.parts]
            alike = left.text == right.text and len(left.parts) == len(right.parts)
            return alike and (left.sort is not Sort.STRUCT or same) and _any_differ(left, right)
        case Sort.PATH | Sort.VARIANT:
            alike = left.text == right.text and len(left.parts) == len(right.parts)
            return _are_siblings(left.text, right.text) or (alike and _any_differ(left, right))
        case Sort.TYPED:
            return left.text == right.text and _any_differ(left, right)
    return left.sort in _UNLIKE and _UNLIKE[left.sort](left.text, right.text)


def same(left: Term, right: Term) -> bool:
    """Tell whether two values are one and the same; False when that is not certain."""
    return _bare(left) == _bare(right)


def _bare(term: Term) -> Term:
    """Return what is behind references, a `String` as the text in it."""
    while term.sort is Sort.REF and len(term.parts) == 1:
        term = term.parts[0]
    return Term(Sort.STR, term.text) if term.sort is Sort.STRING else term


def _any_differ(left: Term, right: Term) -> bool:
    return any(map(differ, left.parts, right.parts))


def _is_variant(term: Term) -> bool:
    return term.sort in {Sort.PATH, Sort.VARIANT}


def _are_siblings(left: str, right: str) -> bool:
    """Tell whether two paths are two variants of one enum; constants may be equal."""
    if {left, right} in ({"Ok", "Err"}, {"Some", "None"}):
        return True
    owner, _, name = left.rpartition("::")
    other_owner, _, other_name = right.rpartition("::")
    return (
        bool(owner)
        and owner == other_owner
        and name != other_name
        and all(last[0].isupper() and not last.isupper() for last in (name, other_name))
    )


def _ints_differ(left: str, right: str) -> bool:
    pair = [_INT.fullmatch(text) for text in (left, right)]
    if not (pair[0] and pair[1]) or pair[0][2] != pair[1][2]:
        return False
    return pair[0][1] != pair[1][1]


def _floats_differ(left: str, right: str) -> bool:
    try:
        first, second = float(left), float(right)
    except ValueError:  # with a suffix
        return False
    return abs(first - second) > _CLOSE * max(abs(first), abs(second))


def _texts_differ(left: str, right: str) -> bool:
    plain = all(text[:1] in "\"'" and "\\" not in text for text in (left, right))
    return plain and left != right


_COMPUTED = frozenset({Sort.CALL, Sort.METHOD, Sort.OPERATION, Sort.RESULT})
_INT = re.compile(r"(-?(?:0|[1-9][0-9]*))((?:[iu](?:8|16|32|64|128|size))?)")
_UNLIKE: dict[Sort, Callable[[str, str], bool]] = {
    Sort.INT: _ints_differ,
    Sort.FLOAT: _floats_differ,
    Sort.STR: _texts_differ,
    Sort.CHAR: _texts_differ,
    Sort.BOOL: lambda left, right: left != right,
}


_DEEPEST = 40  # levels; hostile text nests deeper
_LONGEST = 10_000  # characters


Scope = Mapping[str, Term | None]  # what the names of a block stand for; None: unknown


class _NoTerm(Exception):  # noqa: N818 - control flow inside of this module, no error
    """The expression is not pure in form."""


def expressions(listed: str) -> list[Node]:
    """Return the expressions with commas between them; empty if it is not such a list."""
    if len(listed) > _LONGEST:
        return []
    root = parse(f"fn f() {{ g({listed}) }}".encode()).root_node
    arguments = _arguments(root)
    return [] if root.has_error or arguments is None else code_of(arguments)


def term(node: Node | None, scope: Scope) -> Term | None:
    """Return the term of an expression, None when it is not pure in form or does not parse."""
    if node is None or node.has_error:
        return None
    try:
        return _term(node, scope, 0)
    except _NoTerm:
        return None


def code_of(node: Node) -> list[Node]:
    """Return the named children without comments."""
    return [child for child in node.named_children if not child.type.endswith("_comment")]


def _arguments(root: Node) -> Node | None:
    body = root.named_children[0].child_by_field_name("body") if root.named_children else None
    call = body.named_children[0] if body and len(body.named_children) == 1 else None
    return call.child_by_field_name("arguments") if call else None


def _term(node: Node | None, scope: Scope, depth: int) -> Term:
    make = _MAKERS.get(node.type) if node is not None else None
    if node is None or make is None or depth > _DEEPEST:
        raise _NoTerm
    return make(node, scope, depth + 1)


def _number(sort: Sort) -> Callable[[Node, Scope, int], Term]:
    def make(node: Node, _scope: Scope, _depth: int) -> Term:
        text = node_text(node).replace("_", "")
        return Term(sort, text if sort is Sort.INT else _float(text))

    return make


def _float(text: str) -> str:
    for suffix in ("f32", "f64"):
        if text.endswith(suffix):
            return f"{_float(text.removesuffix(suffix))}{suffix}"
    try:
        return repr(float(text))
    except ValueError:
        return text


def _literal(sort: Sort) -> Callable[[Node, Scope, int], Term]:
    return lambda node, _scope, _depth: Term(sort, node_text(node))


def _name(node: Node, scope: Scope, _depth: int) -> Term:
    name = node_text(node)
    if name not in scope:
        return Term(Sort.PATH, name)
    known = scope[name]
    if known is None:
        raise _NoTerm
    return known


def _path(node: Node, _scope: Scope, _depth: int) -> Term:
    return Term(Sort.PATH, "".join(node_text(node).split()))


def _inner(node: Node, scope: Scope, depth: int) -> Term:
    [inner] = code_of(node)
    return _term(inner, scope, depth)


def _parts(nodes: list[Node], scope: Scope, depth: int) -> tuple[Term, ...]:
    parts = tuple(_term(node, scope, depth) for node in nodes)
    if any(part.sort is Sort.RESULT for part in parts):
        raise _NoTerm
    return parts


def _several(sort: Sort) -> Callable[[Node, Scope, int], Term]:
    return lambda node, scope, depth: Term(sort, "", _parts(code_of(node), scope, depth))


def _array(node: Node, scope: Scope, depth: int) -> Term:
    repeated = any(child.type == ";" for child in node.children)
    parts = _parts(code_of(node), scope, depth)
    return Term(Sort.OPERATION, "[;]", parts) if repeated else Term(Sort.LIST, "", parts)


def _macro(node: Node, scope: Scope, depth: int) -> Term:
    """Take `vec!` for the list that it is; no other macro has a term."""
    if node_text(node.child_by_field_name("macro")) != "vec":
        raise _NoTerm
    text = node_text(code_of(node)[-1])[1:-1]
    if len(text) > _LONGEST:
        raise _NoTerm
    root = parse(f"const X: T = [{text}];".encode()).root_node
    value = root.named_children[0].child_by_field_name("value") if root.named_children else None
    if root.has_error:
        raise _NoTerm
    return _term(value, scope, depth)


def _operation(node: Node, scope: Scope, depth: int) -> Term:
    signs = ["_" if child.is_named else child.type for child in node.children]
    parts = _parts(code_of(node), scope, depth)
    number = parts[0] if signs == ["-", "_"] else None
    if number is not None and number.sort in {Sort.INT, Sort.FLOAT}:
        return Term(number.sort, f"-{number.text}".removeprefix("--"))
    return Term(Sort.OPERATION, " ".join(signs), parts)


def _reference(node: Node, scope: Scope, depth: int) -> Term:
    if any(child.type == "mutable_specifier" for child in node.named_children):
        raise _NoTerm
    return Term(Sort.REF, "", _parts(code_of(node), scope, depth))


def _call(node: Node, scope: Scope, depth: int) -> Term:
    function = node.child_by_field_name("function")
    listed = node.child_by_field_name("arguments")
    arguments = _parts(code_of(listed), scope, depth) if listed else ()
    if function is None:
        raise _NoTerm
    if function.type == "field_expression":
        return _method(function, arguments, scope, depth)
    callee = _term(function, scope, depth)
    if callee.sort is not Sort.PATH or not (arguments or _makes_anew(callee.text)):
        raise _NoTerm
    if callee.text == "String::from" and arguments[0].sort is Sort.STR:
        return Term(Sort.STRING, arguments[0].text)
    sort = Sort.VARIANT if _last(callee.text)[:1].isupper() else Sort.CALL
    return Term(sort, callee.text, arguments)


def _makes_anew(path: str) -> bool:
    """Tell `Stack::new()`, which has no state yet, from `next_id()`, which may have one."""
    owner, _, last = path.rpartition("::")
    return _last(owner)[:1].isupper() and last in {"new", "default", "empty"}


def _last(path: str) -> str:
    return path.partition("<")[0].removesuffix("::").rpartition("::")[2]


def _method(function: Node, arguments: tuple[Term, ...], scope: Scope, depth: int) -> Term:
    name = node_text(function.child_by_field_name("field"))
    [receiver] = _parts(
        [value] if (value := function.child_by_field_name("value")) else [], scope, depth
    )
    if name in {"to_string", "to_owned"} and receiver.sort is Sort.STR:
        return Term(Sort.STRING, receiver.text)
    return Term(Sort.METHOD, name, (receiver, *arguments))


def _dot(node: Node, scope: Scope, depth: int) -> Term:
    value = _term(node.child_by_field_name("value"), scope, depth)
    if value.sort is Sort.RESULT:
        raise _NoTerm
    return Term(Sort.OPERATION, f".{node_text(node.child_by_field_name('field'))}", (value,))


def _cast(node: Node, scope: Scope, depth: int) -> Term:
    value = _term(node.child_by_field_name("value"), scope, depth)
    if value.sort is Sort.RESULT:
        raise _NoTerm
    return Term(Sort.OPERATION, f"as {node_text(node.child_by_field_name('type'))}", (value,))


def _struct(node: Node, scope: Scope, depth: int) -> Term:
    body = node.child_by_field_name("body")
    fields = [_field(child, scope, depth) for child in code_of(body)] if body else []
    name = "".join(node_text(node.child_by_field_name("name")).split())
    return Term(Sort.STRUCT, name, tuple(sorted(fields, key=lambda field: field.text)))


def _field(node: Node, scope: Scope, depth: int) -> Term:
    if node.type == "shorthand_field_initializer":
        return Term(Sort.FIELD, node_text(node), _parts(code_of(node), scope, depth))
    value = node.child_by_field_name("value")
    if node.type != "field_initializer" or value is None:
        raise _NoTerm
    name = node_text(node.child_by_field_name("field"))
    return Term(Sort.FIELD, name, _parts([value], scope, depth))


_MAKERS: dict[str, Callable[[Node, Scope, int], Term]] = {
    "integer_literal": _number(Sort.INT),
    "float_literal": _number(Sort.FLOAT),
    "string_literal": _literal(Sort.STR),
    "raw_string_literal": _literal(Sort.STR),
    "char_literal": _literal(Sort.CHAR),
    "boolean_literal": _literal(Sort.BOOL),
    "identifier": _name,
    "scoped_identifier": _path,
    "generic_function": _path,
    "parenthesized_expression": _inner,
    "tuple_expression": _several(Sort.TUPLE),
    "unit_expression": _several(Sort.TUPLE),
    "array_expression": _array,
    "macro_invocation": _macro,
    "reference_expression": _reference,
    "unary_expression": _operation,
    "binary_expression": _operation,
    "range_expression": _operation,
    "index_expression": _operation,
    "field_expression": _dot,
    "type_cast_expression": _cast,
    "call_expression": _call,
    "struct_expression": _struct,
}
