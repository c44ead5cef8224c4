"""Changes of control flow.

Branches: an `if` never or always taken, an `else` left out, a match arm or its guard dropped.
Calls: a statement that is a call, a link of a chain or an assignment left out.
Returns: a body or an early result replaced by plain values of the function's type.
"""

from collections.abc import Iterator
from dataclasses import replace

from tree_sitter import Node

from forgetest.mutants.mutant import Change, Operator, ParsedSolution, changed, named
from forgetest.mutants.plain import Fullness, Values
from forgetest.mutants.tree import DeclaredTypes, called, is_statement, macro_name
from forgetest.rust.items import type_name

_NEVER = "where `{condition}` holds, and check what only then happens"
_ALWAYS = "where `{condition}` does not hold, and check the result"
_ELSE = "where `{condition}` does not hold, and check what the `else` does"
_ARM = "so that it meets `{pattern}`, and check the result"
_GUARD = "so that it meets `{pattern}` while `{guard}` does not hold"
_LOOP = "so that `{head}` has something to do, and check what it does"
_JUMP = "so that it comes to `{before}`, and check that the rest is left out"
_FAILS = "where `{inner}` fails, and check what is returned"


def branch(node: Node, source: ParsedSolution) -> Iterator[Change]:
    """Yield the changes of an `if`, a `while`, a match arm, a jump or a `?`."""
    if node.type in {"if_expression", "while_expression"}:
        yield from _conditional(node, source)
    elif node.type == "match_block":
        yield from _arms(node, source)
    elif node.type == "for_expression":
        yield from _loop(node, source)
    elif node.type == "expression_statement" and _is_jump(node.named_children):
        yield changed(source, Operator.BRANCH, node, "", _JUMP)
    elif node.type == "try_expression":
        inner = source.text(node.named_children[0])
        yield changed(source, Operator.BRANCH, node, f"{inner}.unwrap()", _FAILS, inner=inner)


def _conditional(node: Node, source: ParsedSolution) -> Iterator[Change]:
    condition = node.child_by_field_name("condition")
    if condition is None:
        return
    text = source.text(condition)
    if condition.type in {"let_condition", "let_chain"}:
        yield from _let(node, source, text)
    elif condition.type != "boolean_literal":
        yield _taken(source, condition, "false", _NEVER)
        if node.type == "if_expression":
            yield _taken(source, condition, "true", _ALWAYS)
    other = node.child_by_field_name("alternative")
    if other is not None and is_statement(node):
        dropped = changed(source, Operator.BRANCH, other, "", _ELSE, condition=text)
        yield named(dropped, f"if {text} {{ ... }} else {{ ... }}", f"if {text} {{ ... }}")


def _taken(source: ParsedSolution, condition: Node, new: str, missing: str) -> Change:
    text = source.text(condition)
    change = changed(source, Operator.BRANCH, condition, new, missing, condition=text)
    before = condition.prev_sibling
    word = before.type if before is not None else ""
    return named(change, f"{word} {text}", f"{word} {new}")


def _let(node: Node, source: ParsedSolution, condition: str) -> Iterator[Change]:
    """Yield an `if let` that never matches, as its `else` alone, or as nothing at all."""
    other = node.child_by_field_name("alternative")
    if other is None and is_statement(node):
        rest = "{}"
    elif other is not None:
        rest = source.text(other.named_children[-1])
    else:
        return
    never = changed(source, Operator.BRANCH, node, rest, _NEVER, condition=condition)
    word = node.children[0].type
    yield named(never, f"{word} {condition}", "else { ... }" if other is not None else "")


def _loop(node: Node, source: ParsedSolution) -> Iterator[Change]:
    body = node.child_by_field_name("body")
    if body is not None and body.named_child_count:
        head = source.slice(node.start_byte, body.start_byte).strip()
        never = changed(source, Operator.BRANCH, body, "{}", _LOOP, head=head)
        yield named(never, f"{head} {{ ... }}", f"{head} {{}}")


def _is_jump(inner: list[Node]) -> bool:
    """Tell whether a statement leaves a loop's round, in a loop that ends without it."""
    if len(inner) != 1 or inner[0].type not in {"break_expression", "continue_expression"}:
        return False
    if inner[0].named_child_count:
        return False
    node = inner[0].parent
    while node is not None and node.type not in _LOOPS:
        node = node.parent
    return node is not None and node.type in {"for_expression", "while_expression"}


_LOOPS = frozenset(
    {"for_expression", "while_expression", "loop_expression", "closure_expression"}
    | {"function_item"}
)


def _arms(block: Node, source: ParsedSolution) -> Iterator[Change]:
    arms = [arm for arm in block.named_children if arm.type == "match_arm"]
    for arm in arms:
        pattern = arm.child_by_field_name("pattern")
        if pattern is None:
            continue
        yield from _guard(pattern, source)
        if arm != arms[-1] and _catches_all(arms[-1]):
            text = source.text(pattern)
            dropped = changed(source, Operator.BRANCH, arm, "", _ARM, pattern=text)
            yield named(dropped, f"{text} => ...", "")
            yield from _alternatives(pattern, source)


def _guard(pattern: Node, source: ParsedSolution) -> Iterator[Change]:
    guard = pattern.child_by_field_name("condition")
    if guard is not None:
        plain = source.text(pattern.named_children[0])
        words = {"pattern": plain, "guard": source.text(guard)}
        yield changed(source, Operator.BRANCH, pattern, plain, _GUARD, shown=None, **words)


def _alternatives(pattern: Node, source: ParsedSolution) -> Iterator[Change]:
    """Yield a pattern `a | b | c` without each of its parts."""
    parts = _parts(pattern.named_children[0]) if pattern.named_children else []
    for part in parts if len(parts) > 1 else []:
        rest = " | ".join(source.text(other) for other in parts if other != part)
        node = pattern.named_children[0]
        yield changed(source, Operator.BRANCH, node, rest, _ARM, pattern=source.text(part))


def _parts(node: Node) -> list[Node]:
    if node.type != "or_pattern":
        return [node]
    return [part for child in node.named_children for part in _parts(child)]


def _catches_all(arm: Node) -> bool:
    pattern = arm.child_by_field_name("pattern")
    if pattern is None or pattern.child_by_field_name("condition") is not None:
        return False
    text = (pattern.text or b"").decode(errors="replace")
    return text == "_" or (text.isidentifier() and text[0].islower())


# Without these a value of the same type is left, and mostly a wrong one.
_LINKS = frozenset(
    {"trim", "trim_start", "trim_end", "rev", "abs", "skip_while", "take_while"}
    | {"filter", "reverse", "then_with", "clamp", "or", "or_else", "chain", "cycle"}
    | {"step_by", "trim_end_matches", "trim_start_matches", "trim_matches", "rem_euclid", "dedup"}
    | {"to_ascii_lowercase", "to_ascii_uppercase", "swap_bytes", "unsigned_abs", "sqrt"}
)
_COUNTED = frozenset({"min", "max", "skip", "take"})  # with an argument; without one, others
_UNSEEN = frozenset(
    {"reserve", "reserve_exact", "shrink_to_fit", "shrink_to", "println", "eprintln", "print"}
    | {"eprint", "dbg", "debug_assert", "debug_assert_eq", "debug_assert_ne", "todo", "panic"}
    | {"unreachable", "unimplemented", "flush", "yield_now", "spin_loop"}
)

_CALL = "and check what `{before}` does: the result must not be the same without it"
_LINK = "with values for which `{before}` and `{after}` differ, and check the result"
_SET = "and check the value that `{before}` leaves behind"


def call(node: Node, source: ParsedSolution) -> Iterator[Change]:
    """Yield a statement, or a link of a chain, left out."""
    if node.type == "expression_statement" and node.children[-1].type == ";":
        yield from _left_out(node, node.named_children[-1], "", source)
    elif node.parent is not None and node.parent.type == "match_arm" and is_statement(node):
        yield from _left_out(node, node, "{}", source)
    elif node.parent is not None and node.parent.type == "block" and is_statement(node):
        yield from _left_out(node, node, "", source)
    if node.type == "call_expression":
        yield from _link(node, source)


def _left_out(node: Node, inner: Node, rest: str, source: ParsedSolution) -> Iterator[Change]:
    if inner.type == "assignment_expression":
        yield changed(source, Operator.CALL, node, rest, _SET)
    elif _is_call(inner, source):
        yield changed(source, Operator.CALL, node, rest, _CALL)


def _is_call(node: Node, source: ParsedSolution) -> bool:
    """Tell whether a statement is a call whose absence a test could see."""
    while node.type in {"await_expression", "try_expression"}:
        node = node.named_children[0]
    if node.type == "macro_invocation":
        return macro_name(node, source) not in _UNSEEN
    return node.type == "call_expression" and called(node, source) not in _UNSEEN


def _link(node: Node, source: ParsedSolution) -> Iterator[Change]:
    function = node.child_by_field_name("function")
    value = function.child_by_field_name("value") if function is not None else None
    arguments = node.child_by_field_name("arguments")
    if value is None or arguments is None:
        return
    name = called(node, source)
    given = arguments.named_child_count
    wants = name in _COUNTED
    is_link = name in _LINKS if not wants else given > 0
    is_statement_itself = node.parent is not None and node.parent.type == "expression_statement"
    if is_link and name not in source.own and not is_statement_itself:
        yield changed(source, Operator.CALL, node, source.text(value), _LINK)


_RESULT = "where something else than `{value}` is right, and check the result"
_DONE = "and check what it changes: an empty body must not pass"
_EARLY = "where it ends at `{before}`, and check that result"


def result(node: Node, source: ParsedSolution, declared: DeclaredTypes) -> Iterator[Change]:
    """Yield the changes of what a function, or a `return` in it, gives."""
    if node.type == "function_item":
        yield from _body(node, source, declared)
    elif node.type == "return_expression" and node.named_children:
        yield from _early(node.named_children[0], source, declared)


def _body(node: Node, source: ParsedSolution, declared: DeclaredTypes) -> Iterator[Change]:
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


def _values(
    node: Node, type_: Node, source: ParsedSolution, declared: DeclaredTypes
) -> Iterator[str]:
    """Yield what a body may be replaced by, each text once."""
    if source.text(type_).startswith("impl Iterator"):
        yield "std::iter::empty()"
        return
    owner = owner_of(node, source)
    values = values_in(node, source, declared)
    levels = [values.of(type_, level) for level in (Fullness.EMPTY, Fullness.ONE)]
    if _makes_first(node, type_, owner, source):
        levels = levels[1:]
    yield from dict.fromkeys(value for value in levels if value is not None)


def _makes_first(node: Node, type_: Node, owner: str, source: ParsedSolution) -> bool:
    """Tell whether a function of nothing makes a first value, which an empty one mostly equals."""
    parameters = node.child_by_field_name("parameters")
    bare = parameters is None or not parameters.named_child_count
    return bare and type_name(type_, source.data) in {"Self", owner}


def _early(value: Node, source: ParsedSolution, declared: DeclaredTypes) -> Iterator[Change]:
    function: Node | None = value.parent
    while function is not None and function.type not in _FUNCTIONS:
        function = function.parent
    type_ = function.child_by_field_name("return_type") if function is not None else None
    if function is None or type_ is None or function.type != "function_item":
        return
    values = values_in(function, source, declared)
    for level in (Fullness.EMPTY, Fullness.ONE):
        new = values.of(type_, level)
        if new is not None and new != source.text(value):
            yield changed(source, Operator.RETURN, value, new, _EARLY, shown=value.parent)
            return


def values_in(function: Node, source: ParsedSolution, declared: DeclaredTypes) -> Values:
    """Return what makes values for a function's own types, none by calling that function."""
    is_default = source.text(function.child_by_field_name("name")) == "default"
    types = replace(declared, defaults=frozenset()) if is_default else declared
    return Values(types, source.data, owner_of(function, source))


def owner_of(function: Node, source: ParsedSolution) -> str:
    """Return the type whose impl holds a function, an empty text outside of impls."""
    body = function.parent
    holder = body.parent if body is not None else None
    is_impl = holder is not None and holder.type == "impl_item"
    type_ = holder.child_by_field_name("type") if holder is not None and is_impl else None
    return "" if type_ is None else type_name(type_, source.data)


def _is_hollow(body: Node) -> bool:
    return all(child.type.endswith("_comment") for child in body.named_children)


def _is_main(node: Node, source: ParsedSolution) -> bool:
    parent = node.parent
    is_top = parent is not None and parent.parent is None
    return is_top and source.text(node.child_by_field_name("name")) == "main"


_FUNCTIONS = frozenset({"function_item", "closure_expression", "async_block"})
