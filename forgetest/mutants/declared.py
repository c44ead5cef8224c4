"""What a source says of its own types: fields, variants, aliases, and which have a default."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from forgetest.rust.items import text_of, type_name

_CONTAINERS = frozenset({"mod_item", "source_file", "declaration_list"})


@dataclass(frozen=True, slots=True)
class Declared:
    """The types of a source, by their last names."""

    structs: dict[str, Node] = field(default_factory=dict)
    enums: dict[str, Node] = field(default_factory=dict)
    aliases: dict[str, Node] = field(default_factory=dict)
    defaults: frozenset[str] = frozenset()  # types that derive or implement Default

    @property
    def own(self) -> frozenset[str]:
        """The names of the structs and enums."""
        return frozenset(self.structs) | frozenset(self.enums)


def declared(root: Node, source: bytes) -> Declared:
    """Return the types that a source declares outside of functions."""
    structs: dict[str, Node] = {}
    enums: dict[str, Node] = {}
    aliases: dict[str, Node] = {}
    defaults: set[str] = set()
    kinds = {"struct_item": structs, "enum_item": enums, "type_item": aliases}
    for node, derives in _items(root, source):
        if node.type in kinds:
            name = text_of(node.child_by_field_name("name"), source)
            kinds[node.type].setdefault(name, node)
            defaults |= {name} if derives else set()
        elif type_name(node.child_by_field_name("trait"), source) == "Default":
            defaults.add(type_name(node.child_by_field_name("type"), source))
    return Declared(structs, enums, aliases, frozenset(defaults))


def _items(root: Node, source: bytes) -> Iterator[tuple[Node, bool]]:
    """Yield types and impls, each with whether it derives Default."""
    todo = [root]
    while todo:
        derives = False
        for child in todo.pop().named_children:
            if child.type == "attribute_item":
                text = text_of(child, source)
                derives = derives or ("derive" in text and "Default" in text)
            elif not child.type.endswith("_comment"):
                yield child, derives
                derives = False
            if child.type in _CONTAINERS:
                todo.append(child)
