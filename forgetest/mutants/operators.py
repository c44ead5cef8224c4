"""Binary operators: comparison, boundary, arithmetic and logic, one other operator for each."""

from collections.abc import Iterator

from tree_sitter import Node

from forgetest.mutants.change import Change, Source, changed
from forgetest.mutants.types import Operator

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


def binary(node: Node, source: Source) -> Iterator[Change]:
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


def unary(node: Node, source: Source) -> Iterator[Change]:
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


def span(node: Node, source: Source) -> Iterator[Change]:
    """Yield a range with its end left out or taken in."""
    if node.type not in {"range_expression", "range_pattern"}:
        return
    for sign in node.children:
        if sign.type in {"..", "..="} and sign.next_sibling is not None:
            new = "..=" if sign.type == ".." else ".."
            yield changed(source, Operator.BOUNDARY, sign, new, _END, shown=node)
