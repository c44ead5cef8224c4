"""The names that a crate root binds, and how its functions, constants and aliases are declared.

`root_of` returns items with their visibility, declarations and imports, so that `wrapper` can
declare again what a case declares. A declaration that names its own crate (`crate::Shape`) has
`ROOT` in that place; whoever writes it down replaces `ROOT` by the path of the crate that is meant.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tree_sitter import Node

from forgetest.rust.items import (
    Import,
    ItemKind,
    Items,
    imports_of,
    items_of,
    text_of,
    with_attributes,
)
from forgetest.rust.mentions import arities_of
from forgetest.rust.parse import cpu_deadline, parse_within

ROOT = "\ue000"  # stands for the crate root in the texts here; no Rust token holds it

_NAMES = frozenset({"identifier", "type_identifier"})
_PATHS = frozenset({"scoped_identifier", "scoped_type_identifier"})
_MODIFIERS = ("const", "async", "unsafe")


@dataclass(frozen=True, slots=True)
class Function:
    """A free function's declaration, parameter patterns left out."""

    name: str
    modifiers: frozenset[str]  # of const, async, unsafe
    abi: str  # `extern "C"`, or empty
    generics: str
    types: tuple[str, ...]  # of the parameters
    returns: str  # empty for unit
    where: str
    explicit: tuple[str, ...]  # all type and const parameters, when a call must name them
    mentions: frozenset[str]  # names of other items in it

    def forwarding(self, target: str, *, const: bool) -> str:
        """Return a function of the same declaration that calls the one at the path `target`."""
        arguments = ", ".join(f"a{n}" for n in range(len(self.types)))
        parameters = ", ".join(f"a{n}: {type_}" for n, type_ in enumerate(self.types))
        kept = self.modifiers if const else self.modifiers - {"const"}
        head = [*(word for word in _MODIFIERS if word in kept), *filter(None, [self.abi])]
        returns = f" -> {self.returns}" if self.returns else ""
        where = f" {self.where}" if self.where else ""
        signature = f"fn {self.name}{self.generics}({parameters}){returns}{where}"
        return " ".join([*head, signature, f"{{ {self._call(target, arguments)} }}"])

    def _call(self, target: str, arguments: str) -> str:
        turbofish = f"::<{', '.join(self.explicit)}>" if self.explicit else ""
        call = f"{target}{turbofish}({arguments})"
        call = f"unsafe {{ {call} }}" if "unsafe" in self.modifiers else call
        return f"{call}.await" if "async" in self.modifiers else call


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant's name and type."""

    name: str
    type: str
    mentions: frozenset[str]

    def forwarding(self, target: str) -> str:
        """Return a constant of the same type with the value of the one at the path `target`."""
        return f"const {self.name}: {self.type} = {target};"


@dataclass(frozen=True, slots=True)
class Alias:
    """A type alias, whole and without its visibility."""

    name: str
    text: str
    mentions: frozenset[str]


def function_of(node: Node, source: bytes) -> Function | None:
    """Return the declaration of a function item; None when its form is not handled.

    One that names `Self` belongs to a type whose `impl` the prompt has left out.
    """
    parts = [child for child in node.named_children if child.type != "block"]
    types = _parameter_types(node.child_by_field_name("parameters"), source)
    if types is None or any(part.has_error for part in parts):
        return None
    generics = node.child_by_field_name("type_parameters")
    returns = node.child_by_field_name("return_type")
    where = next((part for part in parts if part.type == "where_clause"), None)
    words = _modifiers(parts, source)
    own = tuple(_parameter_names(generics, source))
    mentioned = _names_in(node.child_by_field_name("parameters"), returns)
    bounds = _names_in(*_bounds(generics), *_bounds(where))
    if "Self" in mentioned:
        return None
    return Function(
        name=text_of(node.child_by_field_name("name"), source),
        modifiers=frozenset(words) & frozenset(_MODIFIERS),
        abi=_abi(parts, source),
        generics=_rooted(generics, source),
        types=types,
        returns=_rooted(returns, source),
        where=_rooted(where, source),
        explicit=() if set(own) <= mentioned | bounds else own,
        mentions=(mentioned | _names_in(generics, where)) - set(own),
    )


def constant_of(node: Node, source: bytes) -> Constant:
    """Return the declaration of a constant item."""
    type_ = node.child_by_field_name("type")
    name = text_of(node.child_by_field_name("name"), source)
    return Constant(name, _rooted(type_, source), _names_in(type_))


def alias_of(node: Node, source: bytes) -> Alias:
    """Return a type alias item."""
    parts = [child for child in node.children if child.type != "visibility_modifier"]
    name = text_of(node.child_by_field_name("name"), source)
    own = set(_parameter_names(node.child_by_field_name("type_parameters"), source))
    text = " ".join(_rooted(part, source) for part in parts)
    return Alias(name, text, _names_in(*parts) - own - {name})


def _parameter_types(node: Node | None, source: bytes) -> tuple[str, ...] | None:
    """Return the type of each parameter; None when one has another form."""
    parts = [] if node is None else [c for c in node.named_children if not _is_beside(c)]
    types = [part.child_by_field_name("type") for part in parts]
    if node is None or any(part.type != "parameter" for part in parts) or None in types:
        return None
    return tuple(_rooted(type_, source) for type_ in types)


def _is_beside(node: Node) -> bool:
    return node.type == "attribute_item" or node.type.endswith("_comment")


def _modifiers(parts: Iterable[Node], source: bytes) -> list[str]:
    texts = [text_of(part, source) for part in parts if part.type == "function_modifiers"]
    return " ".join(texts).split()


def _abi(parts: Iterable[Node], source: bytes) -> str:
    children = [child for p in parts if p.type == "function_modifiers" for child in p.children]
    return next((text_of(c, source) for c in children if c.type == "extern_modifier"), "")


def _parameter_names(generics: Node | None, source: bytes) -> Iterator[str]:
    for parameter in generics.named_children if generics else ():
        if parameter.type in {"type_parameter", "const_parameter"}:
            yield text_of(parameter.child_by_field_name("name"), source)


def _bounds(node: Node | None) -> Iterator[Node]:
    """Yield the bounds in a list of parameters or predicates."""
    for child in node.named_children if node else ():
        if bounds := child.child_by_field_name("bounds"):
            yield bounds


def _names_in(*nodes: Node | None) -> frozenset[str]:
    """Return the first name of each path below the nodes; for `crate::x` and `self::x` it is x."""
    names: set[str] = set()
    todo = [node for node in nodes if node is not None]
    while todo:
        node = todo.pop()
        if node.type in _NAMES:
            names.add((node.text or b"").decode(errors="replace"))
        path = node.child_by_field_name("path") if node.type in _PATHS else None
        if path is not None and path.type not in {"crate", "self"}:
            todo.append(path)
        else:
            skipped = _not_mentioned(node)
            todo.extend(child for child in node.named_children if child != skipped)
    return frozenset(names)


def _not_mentioned(node: Node) -> Node | None:
    """Return the child without outside names: a parameter's pattern, an associated type."""
    if node.type == "parameter":
        return node.child_by_field_name("pattern")
    if node.type == "type_binding":
        return node.child_by_field_name("name")
    return node.named_children[0] if node.type == "lifetime" and node.named_children else None


def _rooted(node: Node | None, source: bytes) -> str:
    """Return a node's source with `ROOT` for every `crate` or `self` that begins a path."""
    if node is None:
        return ""
    pieces: list[bytes] = []
    at = node.start_byte
    for word in _root_words(node):
        pieces += [source[at : word.start_byte], ROOT.encode()]
        at = word.end_byte
    return b"".join([*pieces, source[at : node.end_byte]]).decode(errors="replace")


def _root_words(node: Node) -> Sequence[Node]:
    words: list[Node] = []
    todo = [node]
    while todo:
        node = todo.pop()
        following = node.next_sibling
        if node.type in {"crate", "self"} and following is not None and following.type == "::":
            words.append(node)
        todo.extend(reversed(node.children))
    return sorted(words, key=lambda word: word.start_byte)


_PARSE_SECS = 5.0

_DECLARING = frozenset({"function_item", "const_item", "static_item", "type_item"})

Declaration = Function | Constant | Alias


@dataclass(frozen=True, slots=True)
class Root:
    """The names of a crate root, as far as they can be read."""

    items: Items = field(default_factory=Items)
    kinds: dict[str, ItemKind] = field(default_factory=dict)  # the items of the root but impls
    declarations: dict[str, Declaration] = field(default_factory=dict)
    imports: tuple[Import, ...] = ()
    crates: dict[str, str] = field(default_factory=dict)  # `extern crate` declarations by name
    arities: tuple[tuple[str, int], ...] = ()  # of the types in the root's signatures

    @property
    def public(self) -> frozenset[str]:
        """The names that another crate can import; where one name is several items, all are."""
        items = [item for item in self.items.top if item.kind is not ItemKind.IMPL]
        hidden = {item.name for item in items if not item.public}
        imported = {import_.name for import_ in self.imports if import_.public}
        return frozenset(({item.name for item in items} | imported) - hidden)


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
        kinds={item.name: item.kind for item in items.top if item.kind is not ItemKind.IMPL},
        declarations=_declarations(nodes, data),
        imports=tuple(import_ for node in nodes for import_ in _imports(node, data)),
        crates=dict(named for node in nodes for named in _crates(node, data)),
        arities=tuple(sorted({arity for node in nodes for arity in _signed(node)})),
    )


def _crates(node: Node, source: bytes) -> Iterator[tuple[str, str]]:
    """Yield the name that an `extern crate` of another crate binds, and the declaration."""
    if node.type == "extern_crate_declaration":
        name = text_of(node.child_by_field_name("name"), source)
        bound = text_of(node.child_by_field_name("alias"), source) or name
        if name != "self":
            yield bound.removeprefix("r#"), text_of(node, source)


def _in_library(root: Node, source: bytes) -> Iterator[Node]:
    """Yield the nodes at the root that are not for tests alone."""
    for node, attributes in with_attributes(root):
        texts = ["".join(text_of(attribute, source).split()) for attribute in attributes]
        if not any(text.startswith(("#[cfg(test)", "#[test]")) for text in texts):
            yield node


def _declarations(nodes: tuple[Node, ...], source: bytes) -> dict[str, Declaration]:
    """Return the declarations by name, without those of which there are several."""
    by_name: dict[str, Declaration | None] = {}
    for node in nodes:
        declaration: Declaration | None = None
        if node.type == "function_item":
            declaration = function_of(node, source)
        elif node.type == "const_item":
            declaration = constant_of(node, source)
        elif node.type == "type_item":
            declaration = alias_of(node, source)
        if declaration is not None:
            by_name[declaration.name] = None if declaration.name in by_name else declaration
    return {name: declaration for name, declaration in by_name.items() if declaration is not None}


def _imports(node: Node, source: bytes) -> Iterator[Import]:
    if node.type == "use_declaration":
        public = text_of(node.children[0], source) == "pub"
        yield from imports_of(node, source, public=public)


def _signed(node: Node) -> Iterator[tuple[str, int]]:
    """Yield the types in the signature of a function, in a constant's or an alias' type."""
    for part in node.named_children if node.type in _DECLARING else ():
        if part.type != "block":
            yield from arities_of(part)


def top_kinds(root: Root, *kinds: ItemKind) -> frozenset[str]:
    """Return the names of the root's items of some kinds."""
    return frozenset(item.name for item in root.items.top if item.kind in kinds)
