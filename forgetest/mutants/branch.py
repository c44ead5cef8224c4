"""Branches: an `if` never or always taken, an `else` left out, an arm or its guard dropped."""

from collections.abc import Iterator

from tree_sitter import Node

from forgetest.mutants.change import Change, Source, changed, named
from forgetest.mutants.statement import is_statement
from forgetest.mutants.types import Operator

_NEVER = "where `{condition}` holds, and check what only then happens"
_ALWAYS = "where `{condition}` does not hold, and check the result"
_ELSE = "where `{condition}` does not hold, and check what the `else` does"
_ARM = "so that it meets `{pattern}`, and check the result"
_GUARD = "so that it meets `{pattern}` while `{guard}` does not hold"
_LOOP = "so that `{head}` has something to do, and check what it does"
_JUMP = "so that it comes to `{before}`, and check that the rest is left out"
_FAILS = "where `{inner}` fails, and check what is returned"


def branch(node: Node, source: Source) -> Iterator[Change]:
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


def _conditional(node: Node, source: Source) -> Iterator[Change]:
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


def _taken(source: Source, condition: Node, new: str, missing: str) -> Change:
    text = source.text(condition)
    change = changed(source, Operator.BRANCH, condition, new, missing, condition=text)
    before = condition.prev_sibling
    word = before.type if before is not None else ""
    return named(change, f"{word} {text}", f"{word} {new}")


def _let(node: Node, source: Source, condition: str) -> Iterator[Change]:
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


def _loop(node: Node, source: Source) -> Iterator[Change]:
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


def _arms(block: Node, source: Source) -> Iterator[Change]:
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


def _guard(pattern: Node, source: Source) -> Iterator[Change]:
    guard = pattern.child_by_field_name("condition")
    if guard is not None:
        plain = source.text(pattern.named_children[0])
        words = {"pattern": plain, "guard": source.text(guard)}
        yield changed(source, Operator.BRANCH, pattern, plain, _GUARD, shown=None, **words)


def _alternatives(pattern: Node, source: Source) -> Iterator[Change]:
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
