"""Which names a file uses, in which way, and which of them it defines itself: by its tokens."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tree_sitter import Node

from forgetest.rust.imports import Import, imports_of
from forgetest.rust.parse import cpu_deadline, leaves_of, parse_with_text
from forgetest.rust.tests import text_of

_SECS = 0.5  # of CPU time for one file
_LONGEST = 1 << 17  # bytes
_LONGEST_IMPORT = 2_000  # bytes; nested lists of hostile length cost their square
_NAMES = frozenset(
    {"identifier", "type_identifier", "field_identifier", "shorthand_field_identifier"}
)
_SKIPPED = frozenset({"attribute_item", "inner_attribute_item", "lifetime", "label"})
_NAME = "name"  # the type of every token that is one
_HEADS = frozenset({"super", "crate", "self"})
_DEFINED = """
function_item function_signature_item struct_item enum_item union_item trait_item type_item
const_item static_item macro_definition mod_item enum_variant field_declaration associated_type
type_parameter const_parameter
"""
_DEFINES = frozenset(_DEFINED.split())
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
    imports = list(_imports(nodes, data))
    elsewhere = [one for one in imports if _is_elsewhere(one)]
    return Uses(
        paths=tuple(_paths(tokens)),
        own=frozenset(_own(nodes, tokens)),
        bound=frozenset(_bound(nodes)),
        imported=frozenset(one.name for one in elsewhere),
        wanted=tuple(
            one.path[-1]
            for one in imports
            if one.name != "*" and not _is_elsewhere(one) and one.path[-1] not in _HEADS
        ),
        has_globs=any(one.name == "*" for one in elsewhere),
    )


def _imports(nodes: Sequence[Node], data: bytes) -> Iterator[Import]:
    for node in nodes:
        if node.type == "use_declaration" and node.end_byte - node.start_byte <= _LONGEST_IMPORT:
            yield from (one for one in imports_of(node, data, public=False) if one.path)


def _is_elsewhere(one: Import) -> bool:
    return one.path[0] not in _HEADS


def _nodes(root: Node) -> Iterator[Node]:
    """Yield all nodes in the file's order, but for what is in attributes and imports."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type.endswith("_comment") or node.type in _SKIPPED:
            continue
        yield node
        if node.type != "use_declaration":
            todo.extend(reversed(node.children))


def _token(node: Node) -> tuple[str, str]:
    """Return a token's type and text; a name's text is without `r#`."""
    text = text_of(node)
    return (_NAME, text.removeprefix("r#")) if node.type in _NAMES else (node.type, text)


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
    return token[0] == _NAME or token[0] in _HEADS


def _own(nodes: Sequence[Node], tokens: Sequence[tuple[str, str]]) -> Iterator[str]:
    for node in nodes:
        if node.type in _DEFINES:
            yield text_of(node.child_by_field_name("name")).removeprefix("r#")
    for (introduces, _), (type_, text) in pairwise(tokens):  # inside of macros
        if introduces in _INTRODUCES and type_ == _NAME:
            yield text


def _bound(nodes: Sequence[Node]) -> Iterator[str]:
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
