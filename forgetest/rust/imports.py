"""`use` declarations taken apart: one import a name."""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from forgetest.rust.items import text_of

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
            yield _leaf(tree, prefix, source, public=public)


def _leaf(tree: Node, prefix: tuple[str, ...], source: bytes, *, public: bool) -> Import:
    if tree.type == "use_wildcard":
        inner = next(iter(tree.named_children), None)
        return Import((*prefix, *_parts(inner, source)), "*", public)
    aliased = tree.type == "use_as_clause"
    path = (*prefix, *_parts(tree.child_by_field_name("path") if aliased else tree, source))
    path = path[:-1] if path[-1:] == ("self",) and len(path) > 1 else path
    name = text_of(tree.child_by_field_name("alias"), source) if aliased else path[-1]
    return Import(path, name, public)


def _parts(node: Node | None, source: bytes) -> tuple[str, ...]:
    """Return the names of a path; leading colons are left out."""
    text = "".join(text_of(node, source).split())
    return tuple(part for part in text.split("::") if part)
