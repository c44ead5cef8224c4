"""What a test file takes from the code that it tests, as far as its tokens show it.

The answer decides what is declared for the tests before they are built. It decides no verdict: a
name too many is left out when rustc does not find it, and one too few is found by rustc itself.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from forgetest.rust.callable import invoked_macros
from forgetest.rust.imports import imports_of
from forgetest.rust.parse import leaves_of, parse

_NAMES = frozenset({"identifier", "type_identifier", "shorthand_field_identifier"})
_HEADS = frozenset({"crate", "self", "super"})
_CAPTURED = re.compile(r"\{(\w+)")
# A name behind one of these is defined there, or looked up in a value.
_NO_USE = frozenset(
    {"fn", "struct", "enum", "union", "trait", "mod", "type", "macro_rules!", ".", "'"}
)
_SKIPPED = frozenset({"use_declaration", "attribute_item", "inner_attribute_item"})
_AT_COMPILE_TIME = frozenset({"const_item", "static_item", "const_block", "array_type"})
_DEFINED = """
function_item struct_item enum_item union_item trait_item type_item const_item static_item
macro_definition mod_item type_parameter const_parameter
"""
_DEFINES = frozenset(_DEFINED.split())


@dataclass(frozen=True, slots=True)
class Mentions:
    """Names by the way in which they stand in a file."""

    names: frozenset[str] = frozenset()  # the first of each path, inside macro calls too
    telling: frozenset[str] = frozenset()  # those that are called, lead a path or look like types
    called: frozenset[str] = frozenset()  # functions and methods, wherever they are looked up
    macros: frozenset[str] = frozenset()
    constant: frozenset[str] = frozenset()  # where the compiler itself must know the value
    bound: frozenset[str] = frozenset()  # in patterns: the file's own variables
    own: frozenset[str] = frozenset()  # items and type parameters that the file defines
    imported: frozenset[str] = frozenset()  # from anywhere but the code under test
    arities: tuple[tuple[str, int], ...] = ()  # of types: how many arguments stand behind them

    @property
    def outside(self) -> frozenset[str]:
        """The names that the file does not have of its own, and the functions that it calls."""
        return (self.names - self.bound - self.imported | self.called) - self.own

    @property
    def sure(self) -> frozenset[str]:
        """The names that can hardly be the file's own."""
        return self.telling - self.bound - self.own


def mentions_of(source: str) -> Mentions:
    """Return what a test file mentions."""
    data = source.encode()
    root = parse(data).root_node
    tokens = [(node.type, (node.text or b"").decode()) for node in _leaves(root)]
    imports = list(_imports(root, data))
    text = " ".join(text for type_, text in tokens if type_ == "string_content")
    wanted = {head for head, own, _ in imports if own}
    imported = {name for _, own, name in imports if not own and name != "*"}
    bound = {*_bound(root), *_bound_in_macros(tokens)}
    own = frozenset(_own(root))
    names = {*_firsts(tokens), *_CAPTURED.findall(text), *wanted} - {""} - imported
    return Mentions(
        names=frozenset(names),
        telling=frozenset(names & {*_telling(tokens), *wanted}),
        called=frozenset(_called(tokens)),
        macros=invoked_macros(source) - own,
        constant=frozenset(_constant_names(root)),
        bound=frozenset(bound),
        own=own,
        imported=frozenset(imported),
        arities=tuple(sorted(set(arities_of(root)))),
    )


def _leaves(root: Node) -> Iterator[Node]:
    """Yield the tokens of a file but those of its imports and attributes."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type in _SKIPPED or node.type.endswith("_comment"):
            continue
        if node.child_count:
            todo.extend(reversed(node.children))
        else:
            yield node


def _imports(root: Node, data: bytes) -> Iterator[tuple[str, bool, str]]:
    """Yield of each import its first name, whether it is the tested code's, and what it binds."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type == "use_declaration":
            for one in imports_of(node, data, public=False):
                yield one.head, one.path[:1] != () and one.path[0] in _HEADS, one.name
        todo.extend(node.named_children)


def _firsts(tokens: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the first name of each path, past `crate`, `self` and `super`."""
    for (first, _), (before, _), (type_, text), (after, _) in _rows(tokens):
        begins = before != "::" or first in _HEADS or first not in {*_NAMES, ">", "metavariable"}
        if type_ in _NAMES and begins and before not in _NO_USE and after != ":":
            yield text


def _telling(tokens: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield names that are called, lead a path, or are written as types and constants are."""
    for _, _, (type_, text), (after, _) in _rows(tokens):
        if type_ in _NAMES and (after in {"(", "::"} or text[:1].isupper()):
            yield text


def _called(tokens: Sequence[tuple[str, str]]) -> Iterator[str]:
    for _, (before, _), (type_, text), (after, _) in _rows(tokens):
        if type_ in _NAMES | {"field_identifier"} and before != "fn" and after in {"(", "::"}:
            yield text


def _rows(tokens: Sequence[tuple[str, str]]) -> Iterator[tuple[tuple[str, str], ...]]:
    nothing = ("", "")
    return zip(
        [nothing, nothing, *tokens],
        [nothing, *tokens],
        tokens,
        [*tokens[1:], nothing],
        strict=False,
    )


def _bound(root: Node) -> Iterator[str]:
    """Yield the names in the patterns of variables and parameters."""
    todo = [root]
    while todo:
        node = todo.pop()
        pattern = node.child_by_field_name("pattern")
        if node.type == "closure_parameters":
            pattern = node
        if pattern is not None:
            yield from ((leaf.text or b"").decode() for leaf in leaves_of(pattern))
        todo.extend(node.named_children)


def _bound_in_macros(tokens: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the names behind `|`, `let` and the like, as they stand inside macro calls."""
    for _, (before, _), (type_, text), _ in _rows(tokens):
        if type_ in _NAMES and before in {"|", "let", "mut", "mutable_specifier", "ref", "for"}:
            yield text


def _own(root: Node) -> Iterator[str]:
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type in _DEFINES and (name := node.child_by_field_name("name")):
            yield (name.text or b"").decode()
        todo.extend(node.named_children)


def _constant_names(root: Node) -> Iterator[str]:
    """Yield the names in constants, lengths and the like."""
    todo = [(root, False)]
    while todo:
        node, constant = todo.pop()
        if constant and node.type in _NAMES:
            yield (node.text or b"").decode()
        constant = (constant or node.type in _AT_COMPILE_TIME) and node.type != "function_item"
        todo.extend((child, constant) for child in node.named_children)


def arities_of(root: Node) -> Iterator[tuple[str, int]]:
    """Yield each type below a node with the number of its type arguments."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type == "generic_type" and (named := node.child_by_field_name("type")):
            given = node.child_by_field_name("type_arguments")
            yield (named.text or b"").decode(), _count(given)
            todo.extend(given.named_children if given else ())
            continue
        if node.type == "type_identifier":
            yield (node.text or b"").decode(), 0
        todo.extend(node.named_children)


def _count(arguments: Node | None) -> int:
    given = arguments.named_children if arguments else []
    return sum(one.type not in {"lifetime", "type_binding"} for one in given)
