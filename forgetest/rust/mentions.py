"""Which names a file uses, in which way, and which of them it defines itself.

Both views below are read from the tokens of the syntax tree outside of comments, attributes and
imports. `Mentions` are sets of names; they decide what is declared for the tests before these are
built. They decide no verdict: a name too many is left out when rustc does not find it, and rustc
itself finds a missing name. `Uses` are the paths in their order, for the check that a prompt tells
every name that the tests use.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tree_sitter import Node

from forgetest.rust.callable import invoked_macros
from forgetest.rust.items import Import, imports_of
from forgetest.rust.parse import cpu_deadline, leaves_of, node_text, parse, parse_with_text
from forgetest.rust.stdlib import COUNTS

_HEADS = frozenset({"crate", "self", "super"})
_NAMES = frozenset({"identifier", "type_identifier", "shorthand_field_identifier"})
_FIELD = "field_identifier"  # the name of a field or a method behind a dot
_SKIPPED = frozenset({"attribute_item", "inner_attribute_item", "lifetime", "label"})
_ITEMS = """
function_item struct_item enum_item union_item trait_item type_item const_item static_item
macro_definition mod_item type_parameter const_parameter
"""
_DEFINES = frozenset(_ITEMS.split())
_CAPTURED = re.compile(r"\{(\w+)")
# A name behind one of these is defined there, or looked up in a value.
_NO_USE = frozenset(
    {"fn", "struct", "enum", "union", "trait", "mod", "type", "macro_rules!", ".", "'"}
)
_BINDS = frozenset({"|", "let", "mut", "mutable_specifier", "ref", "for"})
_AT_COMPILE_TIME = frozenset({"const_item", "static_item", "const_block", "array_type"})

_Token = tuple[str, str]  # the type of its node, and its text
_NOTHING: _Token = ("", "")


@dataclass(frozen=True, slots=True)
class Mentions:
    """Names by the way they are used in a file."""

    names: frozenset[str] = frozenset()  # the first of each path, inside macro calls too
    telling: frozenset[str] = frozenset()  # those that are called, lead a path or look like types
    called: frozenset[str] = frozenset()  # functions and methods, wherever they are looked up
    macros: frozenset[str] = frozenset()
    constant: frozenset[str] = frozenset()  # where the compiler itself must know the value
    bound: frozenset[str] = frozenset()  # in patterns: the file's own variables
    own: frozenset[str] = frozenset()  # items and type parameters that the file defines
    imported: frozenset[str] = frozenset()  # from anywhere but the code under test
    arities: tuple[tuple[str, int], ...] = ()  # of types: how many arguments follow them

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
    nodes = list(_nodes(root))
    tokens = _tokens(nodes)
    imports = list(_imports(nodes, data))
    strings = " ".join(text for type_, text in tokens if type_ == "string_content")
    wanted = {import_.head for import_ in imports if _is_of_crate(import_)}
    imported = {import_.name for import_ in imports if not _is_of_crate(import_)} - {"*"} | {COUNTS}
    own = frozenset(_defined(nodes, _DEFINES))
    names = {*_firsts(tokens), *_CAPTURED.findall(strings), *wanted} - {""} - imported
    return Mentions(
        names=frozenset(names),
        telling=frozenset(names & {*_telling(tokens), *wanted}),
        called=frozenset(_called(tokens)),
        macros=invoked_macros(source) - own,
        constant=frozenset(_constant_names(root)),
        bound=frozenset({*_bound(nodes), *_bound_in_macros(tokens)}),
        own=own,
        imported=frozenset(imported),
        arities=tuple(sorted(set(arities_of(root)))),
    )


def _firsts(tokens: Sequence[_Token]) -> Iterator[str]:
    """Yield the first name of each path, past `crate`, `self` and `super`."""
    rows = zip(
        [_NOTHING, _NOTHING, *tokens],
        [_NOTHING, *tokens],
        tokens,
        [*tokens[1:], _NOTHING],
        strict=False,
    )
    for (first, _), (before, _), (type_, text), (after, _) in rows:
        begins = before != "::" or first in _HEADS or first not in {*_NAMES, ">", "metavariable"}
        if type_ in _NAMES and begins and before not in _NO_USE and after != ":":
            yield text


def _telling(tokens: Sequence[_Token]) -> Iterator[str]:
    """Yield names that are called, lead a path, or are written as types and constants are."""
    for (type_, text), (after, _) in pairwise([*tokens, _NOTHING]):
        if type_ in _NAMES and (after in {"(", "::"} or text[:1].isupper()):
            yield text


def _called(tokens: Sequence[_Token]) -> Iterator[str]:
    rows = zip([_NOTHING, *tokens], tokens, [*tokens[1:], _NOTHING], strict=False)
    for (before, _), (type_, text), (after, _) in rows:
        if type_ in _NAMES | {_FIELD} and before != "fn" and after in {"(", "::"}:
            yield text


def _bound_in_macros(tokens: Sequence[_Token]) -> Iterator[str]:
    """Yield the names behind `|`, `let` and the like, as they are inside macro calls."""
    for (before, _), (type_, text) in pairwise(tokens):
        if type_ in _NAMES and before in _BINDS:
            yield text


def _constant_names(root: Node) -> Iterator[str]:
    """Yield the names in constants, array lengths and the like."""
    todo = [(root, False)]
    while todo:
        node, constant = todo.pop()
        if constant and node.type in _NAMES:
            yield node_text(node)
        constant = (constant or node.type in _AT_COMPILE_TIME) and node.type != "function_item"
        todo.extend((child, constant) for child in node.named_children)


def arities_of(root: Node) -> Iterator[tuple[str, int]]:
    """Yield each type below a node with the number of its type arguments."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type == "generic_type" and (named := node.child_by_field_name("type")):
            given = node.child_by_field_name("type_arguments")
            yield node_text(named), _count(given)
            todo.extend(given.named_children if given else ())
            continue
        if node.type == "type_identifier":
            yield node_text(node), 0
        todo.extend(node.named_children)


def _count(arguments: Node | None) -> int:
    given = arguments.named_children if arguments else []
    return sum(argument.type not in {"lifetime", "type_binding"} for argument in given)


_SECS = 0.5  # of CPU time for one file
_LONGEST = 1 << 17  # bytes
_LONGEST_IMPORT = 2_000  # bytes; nested lists of hostile length cost their square
_MEMBERS = """
function_signature_item enum_variant field_declaration associated_type
"""
_DEFINES_MEMBERS = _DEFINES | frozenset(_MEMBERS.split())
_INTRODUCES = frozenset(
    {"fn", "struct", "enum", "trait", "mod", "type", "const", "static", "let", "mut", "ref"}
)


@dataclass(frozen=True, slots=True)
class Use:
    """A path such as `Shape::Square`, and the tokens on both sides of it."""

    names: tuple[str, ...]  # without `crate`, `self` and `super`
    before: str
    after: str

    @property
    def is_of_value(self) -> bool:
        """Whether it is a method or a field, looked up in a value."""
        return self.before == "."


@dataclass(frozen=True, slots=True)
class Uses:
    """All uses of names in one file, in its order, and the names that it has of its own."""

    paths: tuple[Use, ...] = ()
    own: frozenset[str] = frozenset()  # items, fields, variants and type parameters of the file
    bound: frozenset[str] = frozenset()  # variables and parameters, and names in their patterns
    imported: frozenset[str] = frozenset()  # from anywhere but the crate under test
    wanted: tuple[str, ...] = ()  # imported by name from the crate under test
    has_globs: bool = False  # everything in a module of another crate is in scope


def uses_of(source: str) -> Uses:
    """Return the uses of a file; none when it is not parsed within half a second of CPU time."""
    data = source.encode("utf-8", "replace")
    nodes = _nodes_in_time(data)
    tokens = _tokens(nodes)
    short = [node for node in nodes if node.end_byte - node.start_byte <= _LONGEST_IMPORT]
    imports = list(_imports(short, data))
    elsewhere = [import_ for import_ in imports if not _is_of_crate(import_)]
    return Uses(
        paths=tuple(_paths(tokens)),
        own=frozenset({*map(_unraw, _defined(nodes, _DEFINES_MEMBERS)), *_introduced(tokens)}),
        bound=frozenset(_bound(nodes)),
        imported=frozenset(import_.name for import_ in elsewhere) | {COUNTS},
        wanted=tuple(
            import_.path[-1]
            for import_ in imports
            if import_.name != "*" and _is_of_crate(import_) and import_.path[-1] not in _HEADS
        ),
        has_globs=any(import_.name == "*" for import_ in elsewhere),
    )


def _paths(tokens: Sequence[_Token]) -> Iterator[Use]:
    at = 0
    while at < len(tokens):
        start, names = at, list[str]()
        while at < len(tokens) and _is_part(tokens[at]):
            names += [_unraw(tokens[at][1])] if _is_name(tokens[at]) else []
            at += 1
            if at + 1 >= len(tokens) or tokens[at][0] != "::" or not _is_part(tokens[at + 1]):
                break
            at += 1
        if names:
            before = tokens[start - 1][0] if start else ""
            yield Use(tuple(names), before, tokens[at][0] if at < len(tokens) else "")
        at = max(at, start + 1)


def _is_part(token: _Token) -> bool:
    return _is_name(token) or token[0] in _HEADS


def _is_name(token: _Token) -> bool:
    return token[0] in _NAMES or token[0] == _FIELD


def _introduced(tokens: Sequence[_Token]) -> Iterator[str]:
    """Yield the names behind `fn`, `let` and the like, which includes those inside macro calls."""
    for (before, _), token in pairwise(tokens):
        if before in _INTRODUCES and _is_name(token):
            yield _unraw(token[1])


def _unraw(name: str) -> str:
    return name.removeprefix("r#")


@dataclass(frozen=True, slots=True)
class Parts:
    """What the types of a file are made of."""

    variants: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()


def parts_of(source: str) -> Parts:
    """Return the variants of all enums and the fields of all types of a file."""
    nodes = _nodes_in_time(source.encode("utf-8", "replace"))
    return Parts(
        variants=frozenset(map(_unraw, _defined(nodes, {"enum_variant"}))),
        fields=frozenset(map(_unraw, _defined(nodes, {"field_declaration"}))),
    )


def _nodes_in_time(source: bytes) -> list[Node]:
    tree = parse_with_text(source, cpu_deadline(_SECS)) if len(source) <= _LONGEST else None
    return [] if tree is None else list(_nodes(tree.root_node))


def _nodes(root: Node) -> Iterator[Node]:
    """Yield all nodes in the file's order, without what is in comments, attributes and imports."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type.endswith("_comment") or node.type in _SKIPPED:
            continue
        yield node
        if node.type != "use_declaration":
            todo.extend(reversed(node.children))


def _tokens(nodes: Iterable[Node]) -> list[_Token]:
    return [(node.type, node_text(node)) for node in nodes if not node.child_count]


def _imports(nodes: Iterable[Node], source: bytes) -> Iterator[Import]:
    for node in nodes:
        if node.type == "use_declaration":
            imports = imports_of(node, source, public=False)
            yield from (import_ for import_ in imports if import_.path)


def _is_of_crate(import_: Import) -> bool:
    """Tell whether an import is of the code under test."""
    return import_.path[0] in _HEADS


def _defined(nodes: Iterable[Node], types: Collection[str]) -> Iterator[str]:
    """Yield the names of all definitions that are nodes of some types."""
    for node in nodes:
        if node.type in types and (name := node.child_by_field_name("name")):
            yield node_text(name)


def _bound(nodes: Iterable[Node]) -> Iterator[str]:
    """Yield the names in the patterns of variables and parameters."""
    for node in nodes:
        pattern = node.child_by_field_name("pattern")
        pattern = node if node.type == "closure_parameters" else pattern
        if pattern is not None:
            yield from map(node_text, leaves_of(pattern))
