"""What a crate root binds: its items with their visibility, its imports, its private members.

Made for two readers: whoever declares a crate's API anew, and whoever asks whether another crate
can reach what it needs of a sample.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from forgetest.rust.imports import Import, imports_of
from forgetest.rust.items import Item, Items, Kind, attributed, items_of, text_of
from forgetest.rust.parse import cpu_deadline, parse_within
from forgetest.rust.signature import (
    Alias,
    Constant,
    Function,
    alias_of,
    constant_of,
    function_of,
)

_PARSE_SECS = 5.0

Declaration = Function | Constant | Alias


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct's name and those of its fields that other crates can not touch."""

    name: str
    private_fields: frozenset[str]  # `0`, `1` and so on in a tuple struct


@dataclass(frozen=True, slots=True)
class Root:
    """The names of a crate root; `complete` says that the whole of it was understood."""

    items: Items = field(default_factory=Items)
    kinds: dict[str, Kind] = field(default_factory=dict)  # the items of the root but impls
    declarations: dict[str, Declaration] = field(default_factory=dict)
    imports: tuple[Import, ...] = ()
    structs: tuple[Struct, ...] = ()
    macro_names: dict[str, frozenset[str]] = field(default_factory=dict)  # macro -> its identifiers
    crates: tuple[str, ...] = ()  # `extern crate` declarations
    complete: bool = True

    @property
    def public(self) -> frozenset[str]:
        """The names that another crate can import; where one name is several items, all are."""
        items = [item for item in self.items.top if item.kind is not Kind.IMPL]
        hidden = {item.name for item in items if not item.public}
        shown = {item.name for item in items} | {one.name for one in self.imports if one.public}
        return frozenset(shown - hidden)

    def may_have(self, name: str) -> bool:
        """Tell whether the root binds a name, as far as is known."""
        bound = name in self.kinds or any(one.name == name for one in self.imports)
        return bound or not self.complete

    def methods(self) -> Iterator[Item]:
        """Yield the inherent methods of all types."""
        for item in self.items.reachable():
            if item.kind is Kind.METHOD and not item.of_trait:
                yield item

    def private_methods(self) -> Iterator[str]:
        """Yield the names of methods that other crates can not call."""
        return (method.name for method in self.methods() if not method.public)


def root_of(source: str) -> Root:
    """Return what the root of `source` binds; nothing is known when the parser runs out of time."""
    data = source.encode("utf-8", "replace")
    tree = parse_within(data, cpu_deadline(_PARSE_SECS))
    if tree is None:
        return Root(items=Items(broken=True), complete=False)
    items = items_of(tree, data)
    nodes = tuple(_in_library(tree.root_node, data))
    return Root(
        items=items,
        kinds={item.name: item.kind for item in items.top if item.kind is not Kind.IMPL},
        declarations=_declarations(nodes, data),
        imports=tuple(one for node in nodes for one in _imports(node, data)),
        structs=tuple(_struct(node, data) for node in _all_structs(tree.root_node)),
        macro_names={_name(n, data): _identifiers(n) for n in nodes if _is(n, "macro_definition")},
        crates=tuple(text_of(n, data) for n in nodes if _is(n, "extern_crate_declaration")),
        complete=not items.broken and not any(_makes_items(node) for node in nodes),
    )


def _in_library(root: Node, source: bytes) -> Iterator[Node]:
    """Yield the nodes at the root that are not for tests alone."""
    for node, attributes in attributed(root):
        texts = ["".join(text_of(attribute, source).split()) for attribute in attributes]
        if not any(text.startswith(("#[cfg(test)", "#[test]")) for text in texts):
            yield node


def _declarations(nodes: tuple[Node, ...], source: bytes) -> dict[str, Declaration]:
    """Return the declarations by name, without those of which there are several."""
    found: dict[str, Declaration | None] = {}
    for node in nodes:
        declaration: Declaration | None = None
        if node.type == "function_item":
            declaration = function_of(node, source)
        elif node.type == "const_item":
            declaration = constant_of(node, source)
        elif node.type == "type_item":
            declaration = alias_of(node, source)
        if declaration is not None:
            found[declaration.name] = None if declaration.name in found else declaration
    return {name: one for name, one in found.items() if one is not None}


def _imports(node: Node, source: bytes) -> Iterator[Import]:
    if node.type == "use_declaration":
        public = text_of(node.children[0], source) == "pub"
        yield from imports_of(node, source, public=public)


def _is(node: Node, type_: str) -> bool:
    return node.type == type_


def _makes_items(node: Node) -> bool:
    """Tell whether a node at the root is a macro call, which may expand to any items."""
    call = node.named_children[0] if node.type == "expression_statement" else node
    return call.type == "macro_invocation"


def _name(node: Node, source: bytes) -> str:
    return text_of(node.child_by_field_name("name"), source)


def _identifiers(node: Node) -> frozenset[str]:
    found: set[str] = set()
    todo = [node]
    while todo:
        node = todo.pop()
        if node.type in {"identifier", "type_identifier"}:
            found.add((node.text or b"").decode(errors="replace"))
        todo.extend(node.named_children)
    return frozenset(found)


def _all_structs(root: Node) -> Iterator[Node]:
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type in {"struct_item", "union_item"}:
            yield node
        elif node.type in {"source_file", "mod_item", "declaration_list", "ERROR"}:
            todo.extend(node.named_children)


def _struct(node: Node, source: bytes) -> Struct:
    body = node.child_by_field_name("body")
    private: set[str] = set()
    if body is not None and body.type == "ordered_field_declaration_list":
        private = set(_private_positions(body, source))
    elif body is not None:
        fields = [child for child in body.named_children if child.type == "field_declaration"]
        private = {_name(one, source) for one in fields if not _is_public(one, source)}
    return Struct(_name(node, source), frozenset(private))


def _is_public(node: Node, source: bytes) -> bool:
    shown = [text_of(c, source) for c in node.children if c.type == "visibility_modifier"]
    return shown == ["pub"]


def _private_positions(body: Node, source: bytes) -> Iterator[str]:
    """Yield the positions of a tuple struct's private fields."""
    position, public = 0, False
    for child in body.named_children:
        if child.type == "visibility_modifier":
            public = text_of(child, source) == "pub"
        elif child.type != "attribute_item" and not child.type.endswith("_comment"):
            if not public:
                yield str(position)
            position, public = position + 1, False


def top_kinds(root: Root, *kinds: Kind) -> frozenset[str]:
    """Return the names of the root's items of some kinds."""
    return frozenset(item.name for item in root.items.top if item.kind in kinds)
