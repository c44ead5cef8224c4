"""What a test file takes from the code that it tests, as far as its tokens show it.

The answer decides what is declared for the tests before they are built. It decides no verdict: a
name too many is left out when rustc does not find it, and one too few is found by rustc itself.

Which names a file uses, in which way, and which of them it defines itself: by its tokens.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tree_sitter import Node

from forgetest.rust.callable import invoked_macros
from forgetest.rust.items import Import, imports_of
from forgetest.rust.parse import cpu_deadline, leaves_of, parse, parse_with_text
from forgetest.rust.tests import text_of

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


_SECS = 0.5  # of CPU time for one file
_LONGEST = 1 << 17  # bytes
_LONGEST_IMPORT = 2_000  # bytes; nested lists of hostile length cost their square
_USE_NAMES = frozenset(
    {"identifier", "type_identifier", "field_identifier", "shorthand_field_identifier"}
)
_USE_SKIPPED = frozenset({"attribute_item", "inner_attribute_item", "lifetime", "label"})
_NAME = "name"  # the type of every token that is one
_USE_HEADS = frozenset({"super", "crate", "self"})
_USE_DEFINED = """
function_item function_signature_item struct_item enum_item union_item trait_item type_item
const_item static_item macro_definition mod_item enum_variant field_declaration associated_type
type_parameter const_parameter
"""
_USE_DEFINES = frozenset(_USE_DEFINED.split())
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

    @property
    def is_called(self) -> bool:
        """Whether brackets or a turbofish follow."""
        return self.after in {"(", "::"}


@dataclass(frozen=True, slots=True)
class Uses:
    """All uses of names in one file, in its order, and what is not another file's."""

    paths: tuple[Use, ...] = ()
    own: frozenset[str] = frozenset()  # items, fields, variants and type parameters of the file
    bound: frozenset[str] = frozenset()  # variables and parameters, and names in their patterns
    imported: frozenset[str] = frozenset()  # from anywhere but the crate under test
    wanted: tuple[str, ...] = ()  # imported by name from the crate under test
    has_globs: bool = False  # everything of another crate's module is in scope


def uses_of(source: str) -> Uses:
    """Return the uses of a file; none when it is not parsed within half a second of CPU time."""
    data = source.encode("utf-8", "replace")
    tree = parse_with_text(data, cpu_deadline(_SECS)) if len(data) <= _LONGEST else None
    if tree is None:
        return Uses()
    nodes = list(_nodes(tree.root_node))
    tokens = [_token(node) for node in nodes if not node.child_count]
    imports = list(_imports_used(nodes, data))
    elsewhere = [one for one in imports if _is_elsewhere(one)]
    return Uses(
        paths=tuple(_paths(tokens)),
        own=frozenset(_own_names(nodes, tokens)),
        bound=frozenset(_bound_names(nodes)),
        imported=frozenset(one.name for one in elsewhere),
        wanted=tuple(
            one.path[-1]
            for one in imports
            if one.name != "*" and not _is_elsewhere(one) and one.path[-1] not in _USE_HEADS
        ),
        has_globs=any(one.name == "*" for one in elsewhere),
    )


def _imports_used(nodes: Sequence[Node], data: bytes) -> Iterator[Import]:
    for node in nodes:
        if node.type == "use_declaration" and node.end_byte - node.start_byte <= _LONGEST_IMPORT:
            yield from (one for one in imports_of(node, data, public=False) if one.path)


def _is_elsewhere(one: Import) -> bool:
    return one.path[0] not in _USE_HEADS


def _nodes(root: Node) -> Iterator[Node]:
    """Yield all nodes in the file's order, but for what is in attributes and imports."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type.endswith("_comment") or node.type in _USE_SKIPPED:
            continue
        yield node
        if node.type != "use_declaration":
            todo.extend(reversed(node.children))


def _token(node: Node) -> tuple[str, str]:
    """Return a token's type and text; a name's text is without `r#`."""
    text = text_of(node)
    return (_NAME, text.removeprefix("r#")) if node.type in _USE_NAMES else (node.type, text)


def _paths(tokens: Sequence[tuple[str, str]]) -> Iterator[Use]:
    at = 0
    while at < len(tokens):
        start, names = at, list[str]()
        while at < len(tokens) and _is_part(tokens[at]):
            names += [tokens[at][1]] if tokens[at][0] == _NAME else []
            at += 1
            if at + 1 >= len(tokens) or tokens[at][0] != "::" or not _is_part(tokens[at + 1]):
                break
            at += 1
        if names:
            before = tokens[start - 1][0] if start else ""
            yield Use(tuple(names), before, tokens[at][0] if at < len(tokens) else "")
        at = max(at, start + 1)


def _is_part(token: tuple[str, str]) -> bool:
    return token[0] == _NAME or token[0] in _USE_HEADS


def _own_names(nodes: Sequence[Node], tokens: Sequence[tuple[str, str]]) -> Iterator[str]:
    for node in nodes:
        if node.type in _USE_DEFINES:
            yield text_of(node.child_by_field_name("name")).removeprefix("r#")
    for (introduces, _), (type_, text) in pairwise(tokens):  # inside of macros
        if introduces in _INTRODUCES and type_ == _NAME:
            yield text


def _bound_names(nodes: Sequence[Node]) -> Iterator[str]:
    for node in nodes:
        pattern = node.child_by_field_name("pattern")
        pattern = node if node.type == "closure_parameters" else pattern
        if pattern is not None:
            yield from (text_of(leaf) for leaf in leaves_of(pattern))


@dataclass(frozen=True, slots=True)
class Parts:
    """What the types of a file are made of."""

    variants: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()


def parts_of(source: str) -> Parts:
    """Return the variants of all enums and the fields of all types of a file."""
    data = source.encode("utf-8", "replace")
    tree = parse_with_text(data, cpu_deadline(_SECS)) if len(data) <= _LONGEST else None
    named = [
        (node.type, text_of(node.child_by_field_name("name")).removeprefix("r#"))
        for node in (_nodes(tree.root_node) if tree else ())
        if node.type in {"enum_variant", "field_declaration"}
    ]
    return Parts(
        variants=frozenset(name for type_, name in named if type_ == "enum_variant"),
        fields=frozenset(name for type_, name in named if type_ == "field_declaration"),
    )
