"""Changes within an expression.

Binary and unary operators, ranges, literals, methods and their neighbours (`min` for `max`), tokens
in the rules of a macro and in `matches!`, and variants of the source's own enums.
"""

import re
from collections.abc import Iterator
from itertools import islice

from tree_sitter import Node

from forgetest.mutants.mutant import Change, Operator, ParsedSolution, changed
from forgetest.mutants.tree import TEXTS, DeclaredTypes, macro_of
from forgetest.rust.parse import leaves_of

COMPARISONS = {"==": "!=", "!=": "==", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
BOUNDARIES = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
ARITHMETIC = {
    "+": "-",
    "-": "+",
    "*": "+",
    "/": "*",
    "%": "/",
    "<<": ">>",
    ">>": "<<",
    "&": "|",
    "|": "&",
    "^": "|",
}
LOGIC = {"&&": "||", "||": "&&"}

_EQUALITY = "once with `{left}` equal to `{right}` and once not, and check both results"
_ORDER = "where `{left}` and `{right}` differ, once each way round, and check both results"
_EDGE = "where `{left} == {right}`: only then do `{before}` and `{after}` differ"
_VALUE = "with values for which `{before}` and `{after}` differ, and check the result"
_ONE = "where one of `{left}` and `{right}` holds and the other does not"


def binary(node: Node, source: ParsedSolution) -> Iterator[Change]:
    """Yield the changes of a binary expression or a compound assignment."""
    sign = node.child_by_field_name("operator")
    if sign is None or node.type not in {"binary_expression", "compound_assignment_expr"}:
        return
    text = source.text(sign)
    words = {"left": source.text(node.child_by_field_name("left"))}
    words["right"] = source.text(node.child_by_field_name("right"))
    suffix = "=" if node.type == "compound_assignment_expr" else ""
    for operator, new, missing in _others(text.removesuffix(suffix), compound=bool(suffix)):
        if operator is Operator.LOGIC and _binds(node):
            continue
        if new.startswith("<") and _ends_in_type(node):
            whole = f"({words['left']}) {new} {words['right']}"
            yield changed(source, operator, node, whole, missing, shown=None, **words)
        else:
            yield changed(source, operator, sign, new + suffix, missing, shown=node, **words)


def _others(sign: str, *, compound: bool) -> Iterator[tuple[Operator, str, str]]:
    if sign in BOUNDARIES and not compound:
        yield Operator.BOUNDARY, BOUNDARIES[sign], _EDGE
    if sign in COMPARISONS and not compound:
        missing = _EQUALITY if sign in {"==", "!="} else _ORDER
        yield Operator.COMPARISON, COMPARISONS[sign], missing
    if sign in ARITHMETIC:
        yield Operator.ARITHMETIC, ARITHMETIC[sign], _VALUE
    if sign in LOGIC:
        yield Operator.LOGIC, LOGIC[sign], _ONE


def _ends_in_type(node: Node) -> bool:
    """Tell whether a `<` behind the left side would begin the arguments of a type."""
    left = node.child_by_field_name("left")
    while left is not None and left.type == "binary_expression":
        left = left.child_by_field_name("right")
    return left is not None and left.type == "type_cast_expression"


def _binds(node: Node) -> bool:
    """Tell whether `&&` joins a `let`, for which `||` has no meaning."""
    return any(child.type in {"let_condition", "let_chain"} for child in node.named_children)


_HOLDS = "once where `{condition}` holds and once where it does not, and check both results"
_SIGN = "where `{before}` is not zero, and check its sign in the result"


def unary(node: Node, source: ParsedSolution) -> Iterator[Change]:
    """Yield a `!` or a minus left out, and a condition negated."""
    if node.type == "unary_expression" and node.children[0].type in {"!", "-"}:
        inner = source.text(node.named_children[-1])
        is_not = node.children[0].type == "!"
        operator = Operator.LOGIC if is_not else Operator.ARITHMETIC
        missing = _HOLDS if is_not else _SIGN
        yield changed(source, operator, node, inner, missing, condition=inner)
    elif node.type in {"if_expression", "while_expression", "match_pattern"}:
        condition = node.child_by_field_name("condition")
        if condition is not None and condition.type in _PLAIN_CONDITIONS:
            text = source.text(condition)
            yield changed(source, Operator.LOGIC, condition, f"!{text}", _HOLDS, condition=text)


# A comparison or a junction has changes of its own, which say more than its negation.
_PLAIN_CONDITIONS = frozenset(
    {"call_expression", "identifier", "field_expression", "macro_invocation", "index_expression"}
)

_END = "so that the end of `{before}` counts: only there does `{after}` differ"


def span(node: Node, source: ParsedSolution) -> Iterator[Change]:
    """Yield a range with its end left out or taken in."""
    if node.type not in {"range_expression", "range_pattern"}:
        return
    for sign in node.children:
        if sign.type in {"..", "..="} and sign.next_sibling is not None:
            new = "..=" if sign.type == ".." else ".."
            yield changed(source, Operator.BOUNDARY, sign, new, _END, shown=node)


_INTEGER = re.compile(r"(?P<number>0x[\da-fA-F_]+|0b[01_]+|0o[0-7_]+|[\d_]+)(?P<type>[iu]\w+)?")
_FLOAT = re.compile(r"(?P<number>[\d_]+\.?[\d_]*)(?P<type>f\d+)?")
_BASES = {"0x": 16, "0b": 2, "0o": 8}

_NUMBER = "with an input for which it matters that `{before}` is not `{after}`"
_TRUTH = "where `{old}` is due here and check it: `{new}` must not pass for it"
_TEXT = "and check the text `{old}`, to the letter"


def constant(node: Node, source: ParsedSolution) -> Iterator[Change]:
    """Yield the changes of a literal."""
    parent = node.parent
    if parent is None or parent.type in {"field_expression", "field_initializer_list"}:
        return
    if _is_length(node, parent, source):
        return
    others = _changed_literals(node, source)
    for new, missing in islice(others, 1, None) if _is_room(node) else others:
        yield changed(
            source,
            Operator.BOUNDARY if parent.type.startswith("range") else Operator.CONSTANT,
            node,
            new,
            missing,
            shown=_shown_literal(node, parent),
            old=source.text(node),
            new=new,
        )


def _is_length(node: Node, parent: Node, source: ParsedSolution) -> bool:
    """Tell whether a literal is the length of an array, whose type says it again elsewhere."""
    is_length = parent.type == "array_expression" and parent.child_by_field_name("length") == node
    before = source.data[: parent.start_byte].rstrip()
    return is_length and not before.endswith(b"vec!")


def _is_room(node: Node) -> bool:
    """Tell whether a literal makes up a list's length, where one more is mostly never read."""
    child, parent = node, node.parent
    while parent is not None and parent.type == "binary_expression":
        child, parent = parent, parent.parent
    return (
        parent is not None
        and parent.type == "array_expression"
        and parent.child_by_field_name("length") == child
    )


def _changed_literals(node: Node, source: ParsedSolution) -> Iterator[tuple[str, str]]:
    text = source.text(node)
    if node.type == "integer_literal":
        yield from ((new, _NUMBER) for new in other_integers(text))
    elif node.type == "float_literal" and (match := _FLOAT.fullmatch(text)):
        value = float(match["number"].replace("_", ""))
        yield f"{value + 1}{match['type'] or ''}", _NUMBER
    elif node.type == "boolean_literal":
        yield ("false" if text == "true" else "true"), _TRUTH
    elif node.type == "char_literal":
        yield _other_char(text), _TEXT
    elif node.type in {"string_literal", "raw_string_literal"} and not _is_format(node, source):
        yield _other_text(text), _TEXT


def other_integers(text: str) -> Iterator[str]:
    """Yield the literal's neighbours, in its own base and with its own type."""
    match = _INTEGER.fullmatch(text)
    if match is None:
        return
    number = match["number"].replace("_", "")
    base = _BASES.get(number[:2], 10)
    value = int(number, base)
    for other in (value + 1, value - 1):
        if other >= 0:
            form = {16: "0x{:x}", 2: "0b{:b}", 8: "0o{:o}"}.get(base, "{}")
            yield form.format(other) + (match["type"] or "")


def _other_char(text: str) -> str:
    head = "b" if text.startswith("b") else ""
    return f"{head}'y'" if text == f"{head}'x'" else f"{head}'x'"


def _other_text(text: str) -> str:
    head = text[: text.index('"')].rstrip("#").removesuffix("r")
    is_empty = text.rstrip("#").endswith('""')
    return f'{head}"x"' if is_empty else f'{head}""'


def _is_format(node: Node, source: ParsedSolution) -> bool:
    """Tell whether a text formats values, which an empty one would leave unused."""
    call = node.parent.parent if node.parent is not None else None
    return call is not None and macro_of(call, source) in TEXTS and "{" in source.text(node)


_SHOWN = frozenset(
    {"binary_expression", "compound_assignment_expr", "range_expression", "index_expression"}
    | {"let_declaration", "const_item", "static_item", "assignment_expression"}
    | {"array_expression", "tuple_expression", "match_pattern", "or_pattern"}
    | {"unary_expression", "return_expression", "range_pattern", "field_initializer"}
)


def _shown_literal(node: Node, parent: Node) -> Node:
    """Return the expression that a literal is best shown in."""
    if parent.type in {"arguments", "token_tree"} and parent.parent is not None:
        return parent.parent
    return parent if parent.type in _SHOWN else node


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

_METHOD_VALUE = "with values for which `{before}` and `{after}` differ, and check the result"
_LIMIT = "with values at the limit of their type: only there do `{before}` and `{after}` differ"
_COUNT = "with more elements than `{count}`: `{before}` must not reach one further"
_TURNED = "with two elements that differ, and check which comes first"


def method(node: Node, source: ParsedSolution) -> Iterator[Change]:
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


def _suits(node: Node, name: str, source: ParsedSolution) -> bool:
    """Tell a method from another type's of that name: `take(3)` from an option's `take()`."""
    arguments = node.child_by_field_name("arguments")
    if name in {"skip", "take"} and arguments is None:
        return False  # `std::mem::take`
    if name in {"skip", "take", "min", "max"}:
        return arguments is None or arguments.named_child_count > 0
    return name not in {"first", "last"} or not source.text(node).endswith(f").{name}()")


def _names(name: str) -> Iterator[tuple[str, str]]:
    if name in _OTHERS:
        yield _OTHERS[name], _METHOD_VALUE
    kind, _, act = name.partition("_")
    if kind in _CAREFUL and act in _SUMS | _SHIFTS:
        yield f"{kind}_{(_SUMS | _SHIFTS)[act]}", _METHOD_VALUE
    if kind == "saturating" and act in _SUMS:
        yield f"wrapping_{act}", _LIMIT


def _operator(name: str) -> Operator:
    if name in {"any", "all"} or name.startswith("is_"):
        return Operator.LOGIC
    if name in {"min", "max", "min_by", "max_by", "min_by_key", "max_by_key"}:
        return Operator.COMPARISON
    return Operator.ARITHMETIC


def _counted(node: Node, name: str, source: ParsedSolution) -> Iterator[Change]:
    """Yield `take(n + 1)` for `take(n)`; a number there is changed as every literal is."""
    arguments = node.child_by_field_name("arguments")
    given = arguments.named_children if arguments is not None else []
    if name in {"skip", "take", "nth"} and len(given) == 1 and given[0].type in _VARIABLES:
        new = f"{source.text(given[0])} + 1"
        count = source.text(given[0])
        yield changed(source, Operator.BOUNDARY, given[0], new, _COUNT, shown=node, count=count)


_VARIABLES = frozenset({"identifier", "field_expression", "call_expression"})


_OPERANDS = frozenset({"identifier", "integer_literal", "metavariable", "token_tree", "self"})
_TOLD = "where `{before}` and `{after}` differ, and check the result"


def token(node: Node, source: ParsedSolution) -> Iterator[Change]:
    """Yield the changes of the tokens in a macro's rule or in `matches!`."""
    if node.type == "macro_rule":
        right = node.child_by_field_name("right")
        yield from _changes(right, source, numbers=True)
    elif node.type == "macro_invocation" and source.text(node).startswith("matches!"):
        yield from _changes(node, source, numbers=False)


def _changes(root: Node | None, source: ParsedSolution, *, numbers: bool) -> Iterator[Change]:
    for leaf in leaves_of(root) if root is not None else ():
        operator, others = _other_tokens(leaf, source, numbers=numbers)
        for new in others:
            yield changed(source, operator, leaf, new, _TOLD, shown=_around(leaf))


def _around(leaf: Node) -> Node:
    """Return the tokens in the same brackets, or the call of the macro whose brackets they are."""
    brackets = leaf.parent or leaf
    holder = brackets.parent
    is_call = holder is not None and holder.type == "macro_invocation"
    return holder if holder is not None and is_call else brackets


def _other_tokens(
    leaf: Node, source: ParsedSolution, *, numbers: bool
) -> tuple[Operator, list[str]]:
    text = source.text(leaf)
    if leaf.type == "integer_literal" and numbers:
        return Operator.CONSTANT, list(other_integers(text))
    if text in {"..", "..="}:
        return Operator.BOUNDARY, ["..=" if text == ".." else ".."]
    if not _is_binary(leaf, source):
        return Operator.ARITHMETIC, []
    if text in BOUNDARIES:
        return Operator.BOUNDARY, [BOUNDARIES[text]]
    if text in COMPARISONS | LOGIC:
        is_logic = text in LOGIC
        return (
            Operator.LOGIC if is_logic else Operator.COMPARISON,
            [(COMPARISONS | LOGIC)[text]],
        )
    return Operator.ARITHMETIC, [ARITHMETIC[text]] if text in ARITHMETIC else []


def _is_binary(leaf: Node, source: ParsedSolution) -> bool:
    """Tell an operator between two operands from a `*` that reads or a `+` that repeats."""
    left, right = leaf.prev_sibling, leaf.next_sibling
    if left is None or right is None or left.type not in _OPERANDS:
        return False
    around = (
        source.slice(left.end_byte, leaf.start_byte),
        source.slice(leaf.end_byte, right.start_byte),
    )
    return all(around)


_OTHER = "where `{before}` is right, and check that it is not `{after}`"
_NONE = "where `{before}` comes about, and check what follows from it"


def variant(node: Node, source: ParsedSolution, declared: DeclaredTypes) -> Iterator[Change]:
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


def _other(enum: Node, name: str, source: ParsedSolution) -> str | None:
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


def _held(variant_node: Node, source: ParsedSolution) -> str:
    return source.text(variant_node.child_by_field_name("body"))
