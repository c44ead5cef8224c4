"""Programs whose `main` asserts, as modules of named tests that a person can read.

Each assert on its own becomes a test, with the `let`s that it needs and a name made from
what it checks. Only asserts and plain `let`s count as on their own: where a statement may
depend on another, all of `main` is one test.
"""

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from forgetest.importers.reading import ItemError
from forgetest.rust.items import text_of
from forgetest.rust.parse import cpu_deadline, parse_within
from forgetest.rust.tests import declared_tests

_MOST = 500  # statements that are told apart
_ASSERTS = frozenset({"assert", "assert_eq", "assert_ne"})
_NAMES = frozenset({"identifier", "shorthand_field_identifier"})
_PATHS = frozenset({"identifier", "scoped_identifier"})
_CHANGING = frozenset({"mutable_specifier", "try_expression", "return_expression"})


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of `main` with the comments before it."""

    node: Node
    comments: tuple[Node, ...] = ()

    @property
    def inner(self) -> Node:
        """The expression of an expression statement, any other statement itself."""
        is_wrapped = self.node.type == "expression_statement" and self.node.named_children
        return self.node.named_children[0] if is_wrapped else self.node


def statements_of(body: Node) -> list[Statement]:
    """Return the statements of a block."""
    found: list[Statement] = []
    comments: list[Node] = []
    for node in body.named_children:
        if node.type.endswith("_comment"):
            comments.append(node)
        else:
            found.append(Statement(node, tuple(comments)))
            comments.clear()
    return found


def aliases_of(statements: Sequence[Statement], source: bytes) -> dict[str, str]:
    """Return the names that `let name = function;` gives to functions, unless bound twice."""
    bound = Counter(name for statement in statements for name in bound_by(statement.node, source))
    found: dict[str, str] = {}
    for statement in statements:
        value = statement.node.child_by_field_name("value")
        names = bound_by(statement.node, source)
        is_path = value is not None and value.type in _PATHS
        if is_path and len(names) == 1 and bound[names[0]] == 1:
            target = text_of(value, source)
            if target not in bound:
                found[names[0]] = target
    return found


def bound_by(node: Node, source: bytes) -> tuple[str, ...]:
    """Return the names that a `let` binds, none for another statement."""
    pattern = node.child_by_field_name("pattern") if node.type == "let_declaration" else None
    return () if pattern is None else tuple(_words(pattern, source))


def _words(node: Node, source: bytes) -> Iterator[str]:
    """Yield the names in a node, what macros are given included."""
    todo = [node]
    while todo:
        node = todo.pop()
        if node.type in _NAMES:
            yield text_of(node, source)
        todo.extend(node.named_children)


def apart(statements: Sequence[Statement], source: bytes) -> list[list[Statement]] | None:
    """Return each assert with the `let`s that it needs; None when they cannot be told apart."""
    if len(statements) > _MOST or not all(
        _is_assert(statement, source) or _is_plain_let(statement.node) for statement in statements
    ):
        return None
    groups: list[list[Statement]] = []
    for at, statement in enumerate(statements):
        if _is_assert(statement, source):
            groups.append([*_needed(statements[:at], statement, source), statement])
    used = {id(statement) for group in groups for statement in group}
    return groups if len(used) == len(statements) else None


def _is_assert(statement: Statement, source: bytes) -> bool:
    macro = statement.inner.child_by_field_name("macro")
    return statement.inner.type == "macro_invocation" and text_of(macro, source) in _ASSERTS


def _is_plain_let(node: Node) -> bool:
    """Tell whether a statement binds names that nothing can change later."""
    if node.type != "let_declaration" or node.child_by_field_name("alternative") is not None:
        return False
    todo = [node]
    while todo:
        node = todo.pop()
        if node.type in _CHANGING:
            return False
        todo.extend(node.named_children)
    return True


def _needed(before: Sequence[Statement], assert_: Statement, source: bytes) -> Iterator[Statement]:
    """Yield the `let`s that a statement needs, themselves and through others, in their order."""
    wanted = set(_words(assert_.node, source))
    found: list[Statement] = []
    for other in reversed(before):
        names = set(bound_by(other.node, source))
        if names & wanted:
            found.append(other)
            value = other.node.child_by_field_name("value")
            wanted = (wanted - names) | (set(_words(value, source)) if value else set())
    yield from reversed(found)


_WORD = re.compile(r"[A-Za-z0-9]+")
_MINUS = re.compile(r"(?<![A-Za-z0-9_)\]] )(?<![A-Za-z0-9_)\]])-(?=\s*[0-9])")
_LONGEST = 48  # characters of what a name says


def test_names(checks: Iterable[str]) -> tuple[str, ...]:
    """Return a name for each test of a list: `case_2_largest_3_minus_1` for `largest(&[3, -1])`."""
    return tuple(f"case_{n}{_said(text)}" for n, text in enumerate(checks, start=1))


def _said(text: str) -> str:
    said = ""
    for word in _WORD.findall(_MINUS.sub(" minus ", text)):
        if len(said) + len(word) >= _LONGEST:
            break
        said += f"_{word.lower()}"
    return said


_PARSE_SECS = 5.0
_TEXTS = frozenset({"string_literal", "raw_string_literal", "block_comment"})
_WHOLE = "all_asserts_hold"


# Whoever ran code and such a program as one file could not compile code with a `main` of its own.
# Where their verdicts are to be told again, such code does not pass here either.
TAKEN = ("main",)


def as_tests(program: str) -> str:
    """Return a test module for a program of asserts, or for tests that are written already.

    A brace at the beginning closes what the prompt left open and is dropped. ItemError when the
    program does not parse, or holds neither a `main` with an assert nor a test.
    """
    source = program.strip().removeprefix("}").strip("\n").encode("utf-8", "replace")
    tree = parse_within(source, cpu_deadline(_PARSE_SECS))
    if tree is None or tree.root_node.has_error:
        raise ItemError("the tests do not parse as Rust")
    main = next((node for node in tree.root_node.named_children if _is_main(node, source)), None)
    if main is None:
        return _written(tree.root_node, source)
    helpers = _helpers(tree.root_node, main, source)
    return _module([*helpers, *_tests(main, source)])


def _is_main(node: Node, source: bytes) -> bool:
    return (
        node.type == "function_item" and text_of(node.child_by_field_name("name"), source) == "main"
    )


def _written(root: Node, source: bytes) -> str:
    """Return tests that need no rewriting: a module of them, or bare ones."""
    try:
        found = tuple(declared_tests(root))
    except RecursionError:
        raise ItemError("the tests nest modules too deeply") from None
    if not found:
        raise ItemError("the tests have neither a `fn main` nor a #[test] function")
    text = source.decode().strip() + "\n"
    return text if found[0].modules else _module([text.rstrip()])


def _helpers(root: Node, main: Node, source: bytes) -> Iterator[str]:
    """Yield what is next to `main`, runs of lines as they are."""
    for start, end in ((0, main.start_byte), (main.end_byte, root.end_byte)):
        text = source[start:end].decode(errors="replace").strip("\n")
        if text.strip():
            yield text


def _tests(main: Node, source: bytes) -> Iterator[str]:
    body = main.child_by_field_name("body")
    statements = [] if body is None else statements_of(body)
    if not any("assert" in text_of(statement.node, source) for statement in statements):
        raise ItemError("its `fn main` asserts nothing")
    aliases = aliases_of(statements, source)
    called = {(name,) for name in aliases}
    rest = [statement for statement in statements if bound_by(statement.node, source) not in called]
    groups = apart(rest, source) if main.child_by_field_name("return_type") is None else None
    if groups is None:
        returns = text_of(main.child_by_field_name("return_type"), source)
        yield _test(_WHOLE, [_text(statement, aliases, source) for statement in rest], returns)
        return
    checks = [_resolved(_checked(group), aliases, source) for group in groups]
    for name, group in zip(test_names(checks), groups, strict=True):
        yield _test(name, [_text(statement, aliases, source) for statement in group])


def _checked(group: Sequence[Statement]) -> Node:
    """Return what a test looks at: the value of its first `let`, or what its assert is given."""
    value = group[0].node.child_by_field_name("value")
    return value or group[-1].inner.named_children[-1]


def _text(statement: Statement, aliases: dict[str, str], source: bytes) -> str:
    """Return a statement as its own lines, functions called by their names."""
    nodes = (*statement.comments, statement.node)
    return "\n".join(_flush(node, _resolved(node, aliases, source)) for node in nodes)


def _flush(node: Node, text: str) -> str:
    """Take the indentation off all lines but the first, where no text would change by it."""
    head, newline, rest = text.rstrip("\n").partition("\n")
    if not newline or _has_long_text(node):
        return text.rstrip("\n")
    return f"{head}\n{_outdented(rest, node.start_point.column)}"


def _outdented(text: str, width: int) -> str:
    return re.sub(rf"^[ \t]{{1,{max(width, 1)}}}", "", text, flags=re.MULTILINE) if width else text


def _has_long_text(node: Node) -> bool:
    todo = [node]
    while todo:
        node = todo.pop()
        if node.type in _TEXTS and node.start_point.row != node.end_point.row:
            return True
        todo.extend(node.named_children)
    return False


def _resolved(node: Node, aliases: dict[str, str], source: bytes) -> str:
    """Return a node's source with the functions' own names for their aliases."""
    pieces: list[str] = []
    at = node.start_byte
    for word in _identifiers(node):
        target = aliases.get(text_of(word, source))
        if target is not None:
            pieces += [source[at : word.start_byte].decode(errors="replace"), target]
            at = word.end_byte
    return "".join([*pieces, source[at : node.end_byte].decode(errors="replace")])


def _identifiers(node: Node) -> list[Node]:
    found: list[Node] = []
    todo = [node]
    while todo:
        node = todo.pop()
        if node.type == "identifier":
            found.append(node)
        todo.extend(node.named_children)
    return sorted(found, key=lambda word: word.start_byte)


def _test(name: str, lines: Sequence[str], returns: str = "") -> str:
    arrow = f" -> {returns}" if returns else ""
    body = "\n".join(_indented(line) for line in lines)
    return f"#[test]\nfn {name}(){arrow} {{\n{body}\n}}"


def _module(parts: Sequence[str]) -> str:
    """Return a test module that holds the parts, which are flush left."""
    body = "\n\n".join(_indented(part) for part in ("use super::*;", *parts))
    return f"#[cfg(test)]\nmod tests {{\n{body}\n}}\n"


def _indented(text: str) -> str:
    """Indent by one level; a text with literals over several lines keeps them."""
    source = text.encode()
    tree = parse_within(source, cpu_deadline(_PARSE_SECS))
    if tree is None or _has_long_text(tree.root_node):
        head, newline, rest = text.partition("\n")
        return f"    {head}{newline}{rest}"
    return textwrap.indent(text, "    ")
