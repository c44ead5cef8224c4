"""What a piece of Rust source defines and imports, by tree-sitter.

`Items` are its definitions: names, kinds, visibility and place. `Import` is one name of a `use`
declaration. Items that a macro would generate are not seen. Of broken source, all is returned that
can be recognised.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from tree_sitter import Node, Tree

from forgetest.rust.joined import LIBRARY, split
from forgetest.rust.parse import cpu_deadline, parse, parse_within

_PARSE_SECS = 5.0


class ItemKind(StrEnum):
    """What an item is."""

    FUNCTION = "function"
    METHOD = "method"  # a function of an impl or a trait
    STRUCT = "struct"
    ENUM = "enum"
    UNION = "union"
    TRAIT = "trait"
    ALIAS = "alias"
    CONST = "const"
    STATIC = "static"
    MACRO = "macro"
    MODULE = "module"
    IMPL = "impl"  # named `Type`, or `Trait for Type`


class Scope(StrEnum):
    """Where an item is."""

    TOP = "top"
    MODULE = "module"  # inside an inline module
    MEMBER = "member"  # inside an impl or a trait
    BODY = "body"  # inside a function, out of reach from outside
    TEST = "test"  # under cfg(test), absent from the library


@dataclass(frozen=True, slots=True)
class Item:
    """One definition."""

    kind: ItemKind
    name: str
    scope: Scope
    public: bool  # `pub` without restriction, `#[macro_export]`, or a member of a trait
    owner: str = ""  # the type or trait whose member it is, or its module
    of_trait: bool = False  # a member of a trait or of a trait's impl
    hollow: bool = False  # no body, `todo!()`, or only a comment where a value is due


_TYPES = frozenset({ItemKind.STRUCT, ItemKind.ENUM, ItemKind.UNION, ItemKind.TRAIT, ItemKind.ALIAS})
_HIDDEN = frozenset({Scope.BODY, Scope.TEST})


@dataclass(frozen=True, slots=True)
class Items:
    """All definitions of one source, in its order; `broken` says that it does not parse."""

    items: tuple[Item, ...] = ()
    broken: bool = False

    def reachable(self) -> Iterator[Item]:
        """Yield the items that code outside of functions and cfg(test) can name."""
        return (item for item in self.items if item.scope not in _HIDDEN)

    @property
    def functions(self) -> frozenset[str]:
        """The names of all reachable functions and methods."""
        return frozenset(
            f.name for f in self.reachable() if f.kind in {ItemKind.FUNCTION, ItemKind.METHOD}
        )

    @property
    def types(self) -> frozenset[str]:
        """The names of all reachable structs, enums, unions, traits and type aliases."""
        return frozenset(
            item.name
            for item in self.reachable()
            if item.kind in _TYPES and item.scope is not Scope.MEMBER
        )

    @property
    def traits(self) -> frozenset[str]:
        """The names of all reachable traits."""
        return frozenset(item.name for item in self.reachable() if item.kind is ItemKind.TRAIT)

    @property
    def macros(self) -> frozenset[str]:
        """The names of all reachable `macro_rules!` macros."""
        return frozenset(item.name for item in self.reachable() if item.kind is ItemKind.MACRO)

    @property
    def top(self) -> tuple[Item, ...]:
        """The items of the crate root itself."""
        return tuple(item for item in self.items if item.scope is Scope.TOP)

    def functions_named(self, name: str) -> tuple[Item, ...]:
        """Return the reachable functions called `name`, which may be `Type::method`."""
        owner, _, last = name.rpartition("::")
        return tuple(
            item
            for item in self.reachable()
            if item.kind in {ItemKind.FUNCTION, ItemKind.METHOD}
            and item.name == last
            and (not owner or item.owner == owner.rpartition("::")[2])
        )


def defined_items(source: str, deadline: float | None = None) -> Items:
    """Return what `source` defines.

    Source that is too long, or that is not parsed before `deadline` on this thread's CPU clock (see
    `forgetest.rust.parse.cpu_deadline`), counts as broken and defines nothing.
    """
    data = source.encode("utf-8", "replace")
    tree = parse_within(data, cpu_deadline(_PARSE_SECS) if deadline is None else deadline)
    return Items(broken=True) if tree is None else items_of(tree, data)


def items_of(tree: Tree, source: bytes) -> Items:
    """Return what the source of `tree` defines."""
    in_order = sorted(_walk(tree.root_node, source), key=lambda placed: placed[0])
    return Items(tuple(item for _, item in in_order), broken=tree.root_node.has_error)


def text_of(node: Node | None, source: bytes) -> str:
    """Return the source of a node; empty when there is none."""
    return "" if node is None else source[node.start_byte : node.end_byte].decode(errors="replace")


_KINDS = {
    "function_item": ItemKind.FUNCTION,
    "function_signature_item": ItemKind.FUNCTION,
    "struct_item": ItemKind.STRUCT,
    "enum_item": ItemKind.ENUM,
    "union_item": ItemKind.UNION,
    "trait_item": ItemKind.TRAIT,
    "type_item": ItemKind.ALIAS,
    "const_item": ItemKind.CONST,
    "static_item": ItemKind.STATIC,
    "macro_definition": ItemKind.MACRO,
    "mod_item": ItemKind.MODULE,
    "impl_item": ItemKind.IMPL,
}
# An item whose end was never found still has its keyword and its name.
_KEYWORDS = {
    "fn": ItemKind.FUNCTION,
    "struct": ItemKind.STRUCT,
    "enum": ItemKind.ENUM,
    "trait": ItemKind.TRAIT,
}


@dataclass(frozen=True, slots=True)
class _Place:
    """A node whose children may be items."""

    node: Node
    scope: Scope
    owner: str = ""
    trait: bool = False  # its members are as visible as their trait


def _walk(root: Node, source: bytes) -> Iterator[tuple[int, Item]]:
    """Yield offsets and items below `root`; no recursion, because hostile text nests deep."""
    places = [_Place(root, Scope.TOP)]
    while places:
        inner: list[_Place] = []
        place = places.pop()
        for node, attributes in with_attributes(place.node):
            if node.type == "ERROR":
                inner.append(_Place(node, place.scope, place.owner, place.trait))
            elif item := _item(node, place, attributes, source):
                yield node.start_byte, item
                inner.extend(_inside(node, item, place))
        if place.node.type == "ERROR":
            yield from _remains(place, source)
        places.extend(reversed(inner))


def with_attributes(parent: Node) -> Iterator[tuple[Node, tuple[Node, ...]]]:
    """Yield each named child but comments, with the outer attributes before it."""
    attributes: list[Node] = []
    for child in parent.named_children:
        if child.type == "attribute_item":
            attributes.append(child)
        elif not child.type.endswith("_comment"):
            yield child, tuple(attributes)
            attributes.clear()


def _item(node: Node, place: _Place, attributes: tuple[Node, ...], source: bytes) -> Item | None:
    kind = _KINDS.get(node.type)
    name = "" if kind is None else _name(node, source)
    if kind is None or not name:
        return None
    texts = [text_of(attribute, source) for attribute in attributes]
    return Item(
        kind=ItemKind.METHOD if kind is ItemKind.FUNCTION and place.scope is Scope.MEMBER else kind,
        name=name,
        scope=Scope.TEST if any(map(is_test_only, texts)) else place.scope,
        public=place.trait or _is_public(node, source) or any("macro_export" in t for t in texts),
        owner=place.owner,
        of_trait=place.trait,
        hollow=kind is ItemKind.FUNCTION and not place.trait and _is_hollow(node, source),
    )


_TEST = re.compile(r"#\s*\[\s*(?:\w+\s*::\s*)*test\s*[\](]")  # also `#[tokio::test(...)]`


def is_test_only(attribute: str) -> bool:
    """Tell whether an attribute keeps its item out of everything but test builds."""
    if _TEST.match(attribute):
        return True
    words = re.findall(r"\w+", attribute)
    return words[:1] == ["cfg"] and "test" in words and "not" not in words


def _is_public(node: Node, source: bytes) -> bool:
    return any(
        child.type == "visibility_modifier" and text_of(child, source) == "pub"
        for child in node.children[:1]
    )


def _name(node: Node, source: bytes) -> str:
    if node.type != "impl_item":
        return text_of(node.child_by_field_name("name"), source)
    trait = node.child_by_field_name("trait")
    type_ = type_name(node.child_by_field_name("type"), source)
    return type_ if trait is None else f"{type_name(trait, source)} for {type_}"


def type_name(node: Node | None, source: bytes) -> str:
    """Return a type's last name: `Stack` for `&mut crate::Stack<T>`."""
    while node is not None:
        inner = node.child_by_field_name("type") or node.child_by_field_name("name")
        if inner is None:
            break
        node = inner
    return text_of(node, source)


def _is_hollow(node: Node, source: bytes) -> bool:
    """Tell a sketch from an implementation: nothing in it returns the value that is due."""
    body = node.child_by_field_name("body")
    if body is None:
        return True
    code = [child for child in body.named_children if not child.type.endswith("_comment")]
    if not code:
        return node.child_by_field_name("return_type") is not None
    inner = code[0].named_children if code[0].type == "expression_statement" else ()
    macro = text_of(next(iter(inner), code[0]).child_by_field_name("macro"), source)
    return len(code) == 1 and macro in {"todo", "unimplemented"}


def _inside(node: Node, item: Item, place: _Place) -> Iterator[_Place]:
    body = node.child_by_field_name("body")
    if body is None:
        return
    trait = item.kind is ItemKind.TRAIT or (item.kind is ItemKind.IMPL and " for " in item.name)
    owner = item.name.rpartition(" for ")[2]
    scope = item.scope if item.scope in _HIDDEN else _INNER.get(item.kind, place.scope)
    if item.kind in _INNER:
        yield _Place(body, scope, owner, trait)


_INNER = {
    ItemKind.FUNCTION: Scope.BODY,
    ItemKind.METHOD: Scope.BODY,
    ItemKind.TRAIT: Scope.MEMBER,
    ItemKind.IMPL: Scope.MEMBER,
    ItemKind.MODULE: Scope.MODULE,
}


def _remains(place: _Place, source: bytes) -> Iterator[tuple[int, Item]]:
    """Yield the items that were cut off, as far as an ERROR node still shows them."""
    children = place.node.children
    for keyword, name in pairwise(children):
        kind = _KEYWORDS.get(keyword.type)
        if kind is not None and name.type in {"identifier", "type_identifier"}:
            item = Item(kind, text_of(name, source), place.scope, public=False, owner=place.owner)
            yield keyword.start_byte, item


_HEADS = frozenset({"crate", "self", "super"})


@dataclass(frozen=True, slots=True)
class Import:
    """One name, or all names below a path, that a `use` brings into scope."""

    path: tuple[str, ...]  # the whole path, `crate` and the like included
    name: str  # what it is called here; `_` for a trait without a name, `*` for all
    public: bool = False

    @property
    def head(self) -> str:
        """The first name of the path, past `crate` and `self`."""
        return next((part for part in self.path if part not in _HEADS), "")

    @property
    def is_of_crate(self) -> bool:
        """Whether its path begins at the crate itself by saying so."""
        return self.path[:1] in {("crate",), ("self",)}

    def text(self, root: str) -> str:
        """Return the declaration of a private import of it, `root` standing for the crate."""
        path = "::".join((root, *self.path[1:]) if self.is_of_crate else self.path)
        if self.name == "*":
            return f"use {path}::*;"
        return f"use {path};" if self.name == self.path[-1] else f"use {path} as {self.name};"


def imports_of(node: Node, source: bytes, *, public: bool) -> Iterator[Import]:
    """Yield the imports of a `use` declaration."""
    todo: list[tuple[tuple[str, ...], Node]] = []
    if argument := node.child_by_field_name("argument"):
        todo.append(((), argument))
    while todo:
        prefix, tree = todo.pop()
        if tree.type == "scoped_use_list":
            inner = (*prefix, *_parts(tree.child_by_field_name("path"), source))
            listed = tree.child_by_field_name("list")
            todo.extend((inner, child) for child in (listed.named_children if listed else ()))
        elif tree.type == "use_list":
            todo.extend((prefix, child) for child in tree.named_children)
        elif not tree.type.endswith("_comment"):
            leaf = _leaf(tree, prefix, source, public=public)
            if leaf.name:  # `use ::;` names nothing
                yield leaf


def _leaf(tree: Node, prefix: tuple[str, ...], source: bytes, *, public: bool) -> Import:
    if tree.type == "use_wildcard":
        inner = next(iter(tree.named_children), None)
        return Import((*prefix, *_parts(inner, source)), "*", public)
    aliased = tree.type == "use_as_clause"
    path = (*prefix, *_parts(tree.child_by_field_name("path") if aliased else tree, source))
    path = path[:-1] if path[-1:] == ("self",) and len(path) > 1 else path
    name = text_of(tree.child_by_field_name("alias"), source) if aliased else "".join(path[-1:])
    return Import(path, name, public)


def _parts(node: Node | None, source: bytes) -> tuple[str, ...]:
    """Return the names of a path; leading colons are left out."""
    text = "".join(text_of(node, source).split())
    return tuple(part for part in text.split("::") if part)


def nested(code: str, paths: Sequence[str]) -> str:
    """Return a joined text as one file, in which `mod name;` holds what its file holds.

    It is for reading alone: a file that no module names is left out.
    """
    files = split(code, paths)
    return _filled(LIBRARY, files) if len(files) > 1 and LIBRARY in files else code


def _filled(path: str, files: dict[str, str]) -> str:
    """Return a file with its modules in place; each file is used once."""
    data = files.pop(path).encode("utf-8", "replace")
    folder, _, name = path.rpartition("/")
    inner = folder if name in ("lib.rs", "mod.rs") else path.removesuffix(".rs")
    parts: list[bytes] = []
    end = 0
    for node in parse(data).root_node.named_children:
        file = _file_of(node, data, inner, files)
        if file is not None:
            parts += (data[end : node.end_byte - 1], b" {\n", _filled(file, files).encode(), b"\n}")
            end = node.end_byte
    return b"".join((*parts, data[end:])).decode()


def _file_of(node: Node, data: bytes, folder: str, files: Mapping[str, str]) -> str | None:
    """Return the path of the file that an item `mod name;` stands for."""
    name = node.child_by_field_name("name")
    if node.type != "mod_item" or name is None or node.child_by_field_name("body") is not None:
        return None
    stem = f"{folder}/{text_of(name, data).removeprefix('r#')}"
    return next((path for path in (f"{stem}.rs", f"{stem}/mod.rs") if path in files), None)
