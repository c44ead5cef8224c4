"""What a crate root binds: its items with their visibility, its declarations, its imports.

Made for whoever declares anew what a case declares.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from forgetest.rust.imports import Import, imports_of
from forgetest.rust.items import Items, Kind, attributed, items_of, text_of
from forgetest.rust.mentions import arities_of
from forgetest.rust.parse import cpu_deadline, parse_within
from forgetest.rust.signature import Alias, Constant, Function, alias_of, constant_of, function_of

_PARSE_SECS = 5.0

_DECLARING = frozenset({"function_item", "const_item", "static_item", "type_item"})

Declaration = Function | Constant | Alias


@dataclass(frozen=True, slots=True)
class Root:
    """The names of a crate root, as far as they can be read."""

    items: Items = field(default_factory=Items)
    kinds: dict[str, Kind] = field(default_factory=dict)  # the items of the root but impls
    declarations: dict[str, Declaration] = field(default_factory=dict)
    imports: tuple[Import, ...] = ()
    crates: tuple[str, ...] = ()  # `extern crate` declarations
    arities: tuple[tuple[str, int], ...] = ()  # of the types in the root's signatures

    @property
    def public(self) -> frozenset[str]:
        """The names that another crate can import; where one name is several items, all are."""
        items = [item for item in self.items.top if item.kind is not Kind.IMPL]
        hidden = {item.name for item in items if not item.public}
        shown = {item.name for item in items} | {one.name for one in self.imports if one.public}
        return frozenset(shown - hidden)


def root_of(source: str) -> Root:
    """Return what the root of `source` binds; nothing is known when the parser runs out of time."""
    data = source.encode("utf-8", "replace")
    tree = parse_within(data, cpu_deadline(_PARSE_SECS))
    if tree is None:
        return Root(items=Items(broken=True))
    items = items_of(tree, data)
    nodes = tuple(_in_library(tree.root_node, data))
    return Root(
        items=items,
        kinds={item.name: item.kind for item in items.top if item.kind is not Kind.IMPL},
        declarations=_declarations(nodes, data),
        imports=tuple(one for node in nodes for one in _imports(node, data)),
        crates=tuple(text_of(n, data) for n in nodes if _is(n, "extern_crate_declaration")),
        arities=tuple(sorted({found for node in nodes for found in _signed(node)})),
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


def _signed(node: Node) -> Iterator[tuple[str, int]]:
    """Yield the types in the signature of a function, in a constant's or an alias' type."""
    for part in node.named_children if node.type in _DECLARING else ():
        if part.type != "block":
            yield from arities_of(part)


def top_kinds(root: Root, *kinds: Kind) -> frozenset[str]:
    """Return the names of the root's items of some kinds."""
    return frozenset(item.name for item in root.items.top if item.kind in kinds)
