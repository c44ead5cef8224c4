"""A reference solution as rewrites see it: its root's items with their text, its functions."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from tree_sitter import Node

from forgetest.rust.parse import parse

ITEMS = frozenset(
    {
        "function_item",
        "struct_item",
        "enum_item",
        "union_item",
        "trait_item",
        "impl_item",
        "const_item",
        "static_item",
        "type_item",
    }
)
NAMED_TYPES = frozenset({"struct_item", "enum_item", "union_item"})
_VISIBILITY = re.compile(r"pub\s*(?:\([^)]*\)\s*)?")
_UNNAMED = frozenset({"attribute_item", "line_comment", "block_comment"})


@dataclass(frozen=True, slots=True)
class Unit:
    """An item of the root, with the comments and attributes that belong to it."""

    node: Node
    kind: str  # the parser's word for it
    name: str  # that of its type for an impl
    text: str
    start: int  # in bytes, where its comments and attributes begin
    end: int

    @property
    def head(self) -> str:
        """Its comments and attributes."""
        return self.text[: -len(text_of(self.node)) or None]

    @property
    def public(self) -> bool:
        """Whether it is `pub` without restriction."""
        return visibility_of(self.node).strip() == "pub"

    @property
    def is_test(self) -> bool:
        """Whether it is there under test alone."""
        return "cfg(test)" in self.head or "#[test]" in self.head


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function, other than `self`."""

    pattern: str
    type: str

    @property
    def name(self) -> str:
        """Its name, empty for a pattern."""
        name = self.pattern.removeprefix("mut ").strip()
        return name if name.isidentifier() and name != "_" else ""


@dataclass(frozen=True, slots=True)
class Function:
    """A function in pieces."""

    head: str  # comments and attributes
    visibility: str
    modifiers: str  # `async`, `const` ...
    name: str
    generics: str  # with its angle brackets
    parameters: tuple[Parameter, ...]
    receiver: str  # `&self` and so on, empty for a free function
    returns: str  # the type, empty for none
    where: str
    body: str  # with its braces

    @property
    def is_plain(self) -> bool:
        """Whether it is neither generic, nor async or const or unsafe, nor a method."""
        odd = self.generics or self.where or self.modifiers or self.receiver
        return not odd and "impl " not in self.types

    @property
    def types(self) -> str:
        """All its types as one text."""
        return " ".join((*(one.type for one in self.parameters), self.returns))

    @property
    def arguments(self) -> str:
        """The names of its parameters, for a call."""
        return ", ".join(one.name for one in self.parameters)

    @property
    def all_named(self) -> bool:
        """Whether each parameter has a name."""
        return all(one.name for one in self.parameters)

    def signature(self, *, parameters: Iterable[str] | None = None, name: str | None = None) -> str:
        """Return it without visibility and body."""
        own = [f"{one.pattern}: {one.type}" for one in self.parameters]
        inside = [self.receiver] * bool(self.receiver) + list(
            own if parameters is None else parameters
        )
        returns = f" -> {self.returns}" if self.returns else ""
        modifiers = f"{self.modifiers} " if self.modifiers else ""
        return (
            f"{modifiers}fn {name or self.name}{self.generics}({', '.join(inside)}){returns}"
            f"{' ' + self.where if self.where else ''}"
        )

    def text(self, **changes: str) -> str:
        """Return the whole item; `changes` are other pieces of it."""
        pieces = {name: getattr(self, name) for name in ("head", "visibility", "body")} | changes
        return f"{pieces['head']}{pieces['visibility']}{self.signature()} {pieces['body']}"


@dataclass(frozen=True)
class Source:
    """A program by its root's items."""

    text: str
    data: bytes = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "data", self.text.encode())

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """The items of the root in order, macro calls, imports and definitions among them."""
        return tuple(_units(parse(self.data).root_node, self.data))

    @property
    def items(self) -> list[Unit]:
        """The items that can stand in a module or come from a macro as well."""
        return [one for one in self.units if one.kind in ITEMS and not one.is_test]

    @property
    def functions(self) -> list[Unit]:
        """The free functions of the root."""
        return [one for one in self.items if one.kind == "function_item"]

    @property
    def types(self) -> list[Unit]:
        """The structs, enums and unions of the root."""
        return [one for one in self.items if one.kind in NAMED_TYPES]

    @property
    def macros(self) -> list[Unit]:
        """The `macro_rules!` of the root."""
        return [one for one in self.units if one.kind == "macro_definition"]

    @property
    def first(self) -> int:
        """Where the first item begins, in bytes."""
        return self.units[0].start if self.units else len(self.data)

    def has_name(self, name: str) -> bool:
        """Tell whether a word stands anywhere in the source."""
        return re.search(rf"\b{re.escape(name)}\b", self.text) is not None

    def replaced(self, changes: Iterable[tuple[Unit, str]]) -> str:
        """Return the source with other texts for some items."""
        data = self.data
        for unit, text in sorted(changes, key=lambda change: -change[0].start):
            data = data[: unit.start] + text.encode() + data[unit.end :]
        return data.decode()

    def without(self, units: Iterable[Unit]) -> str:
        """Return the source without some items."""
        return self.replaced((unit, "") for unit in units)

    def mapped(self, units: Iterable[Unit], change: Callable[[Unit], str | None]) -> str | None:
        """Return the source with each item changed that can be; None when none can."""
        changed = [(unit, change(unit)) for unit in units]
        kept = [(unit, text) for unit, text in changed if text is not None]
        return self.replaced(kept) if kept else None

    def headed(self, lines: str) -> str:
        """Return the source with lines before its first item."""
        return (self.data[: self.first] + lines.encode() + b"\n" + self.data[self.first :]).decode()


def text_of(node: Node | None) -> str:
    """Return the source of a node, an empty text for none."""
    return "" if node is None else (node.text or b"").decode()


def visibility_of(node: Node) -> str:
    """Return an item's visibility as it is written, with a space, empty for none."""
    first = node.children[0] if node.children else None
    return f"{text_of(first)} " if first and first.type == "visibility_modifier" else ""


def function_of(unit: Unit) -> Function:
    """Return a function in pieces."""
    return function_at(unit.node, unit.head)


def function_at(node: Node, head: str = "") -> Function:
    """Return the function of a node in pieces."""
    inside = node.child_by_field_name("parameters")
    parameters, receiver = [], ""
    for child in inside.named_children if inside else ():
        if child.type == "self_parameter":
            receiver = text_of(child)
        elif child.type == "parameter":
            parameters.append(_parameter(child))
    return Function(
        head=head,
        visibility=visibility_of(node),
        modifiers=" ".join(text_of(c) for c in node.children if c.type == "function_modifiers"),
        name=text_of(node.child_by_field_name("name")),
        generics=text_of(node.child_by_field_name("type_parameters")),
        parameters=tuple(parameters),
        receiver=receiver,
        returns=text_of(node.child_by_field_name("return_type")),
        where=" ".join(text_of(c) for c in node.children if c.type == "where_clause"),
        body=text_of(node.child_by_field_name("body")),
    )


def _parameter(node: Node) -> Parameter:
    mutable = "mut " if any(child.type == "mutable_specifier" for child in node.children) else ""
    pattern = mutable + text_of(node.child_by_field_name("pattern"))
    return Parameter(pattern, text_of(node.child_by_field_name("type")))


def _units(root: Node, data: bytes) -> Iterator[Unit]:
    start: int | None = None
    for node in root.named_children:
        if node.type == "inner_attribute_item" or _is_inner_doc(node) or node.type == "shebang":
            start = None
            continue
        start = node.start_byte if start is None else start
        if node.type in _UNNAMED:
            continue
        end = node.end_byte
        kind = node.type
        if kind == "expression_statement" and node.named_children:
            kind = node.named_children[0].type
        yield Unit(node, kind, _name(node), data[start:end].decode(), start, end)
        start = None


def _is_inner_doc(node: Node) -> bool:
    return node.type.endswith("_comment") and text_of(node).startswith(("//!", "/*!"))


def _name(node: Node) -> str:
    if node.type != "impl_item":
        return text_of(node.child_by_field_name("name"))
    type_ = node.child_by_field_name("type")
    while type_ is not None and (inner := type_.child_by_field_name("type")) is not None:
        type_ = inner
    return text_of(type_)


def members(unit: Unit) -> list[tuple[Node, str]]:
    """Return the members of an impl or a trait, each with its comments and attributes."""
    body = unit.node.child_by_field_name("body")
    found: list[tuple[Node, str]] = []
    head: list[str] = []
    for node in body.named_children if body else ():
        if node.type in _UNNAMED:
            head.append(text_of(node).rstrip() + "\n")
        else:
            found.append((node, "".join(head)))
            head = []
    return found


def header_of(unit: Unit) -> str:
    """Return what stands before the body of an impl."""
    body = unit.node.child_by_field_name("body")
    whole = text_of(unit.node)
    return whole[: len(whole) - len(text_of(body))].strip() if body else whole


def is_inherent(unit: Unit) -> bool:
    """Tell whether an item is an impl of no trait."""
    return unit.kind == "impl_item" and unit.node.child_by_field_name("trait") is None


def generics_of(unit: Unit) -> tuple[str, str]:
    """Return the generics of an item as declared and as used: `<T: Ord>` and `<T>`."""
    node = unit.node.child_by_field_name("type_parameters")
    names = []
    for child in node.named_children if node else ():
        name = child if child.type in {"lifetime", "type_identifier"} else None
        name = name or child.child_by_field_name("name") or child.child_by_field_name("left")
        names.append(text_of(name or child))
    return text_of(node), f"<{', '.join(names)}>" if names else ""


def published(unit: Unit, word: str = "pub ") -> str:
    """Return an item with all in it that can be public made so."""
    base = unit.node.start_byte
    spots = sorted(_private_spots(unit.node), reverse=True)
    data = unit.node.text or b""
    for start, end in spots:
        data = data[: start - base] + word.encode() + data[end - base :]
    return unit.head + data.decode()


def _private_spots(node: Node) -> Iterator[tuple[int, int]]:
    """Yield where a visibility stands or may stand: of the item, its fields, its own members."""
    yield from _spot(node)
    body = node.child_by_field_name("body")
    if node.type == "impl_item":
        if node.child_by_field_name("trait") is None:
            for child in body.named_children if body else ():
                yield from _spot(child)
    elif body is not None and node.type in {"struct_item", "union_item"}:
        if body.type == "field_declaration_list":
            for child in body.named_children:
                yield from _spot(child)
        else:
            yield from _positions(body)


def _spot(node: Node) -> Iterator[tuple[int, int]]:
    if node.type not in ITEMS - {"impl_item"} | {"field_declaration"}:
        return
    first = node.children[0]
    if first.type == "visibility_modifier":
        yield first.start_byte, node.children[1].start_byte
    else:
        yield node.start_byte, node.start_byte


def _positions(body: Node) -> Iterator[tuple[int, int]]:
    shown: tuple[int, int] | None = None
    for child in body.named_children:
        if child.type == "visibility_modifier":
            shown = (child.start_byte, child.end_byte)
        elif child.type not in _UNNAMED:
            yield (shown[0], child.start_byte) if shown else (child.start_byte, child.start_byte)
            shown = None


def hidden(text: str) -> str:
    """Return source without any `pub`."""
    return re.sub(r"\bpub\b\s*(?:\((?:crate|super|self|in [^)]*)\)\s*)?", "", text)
