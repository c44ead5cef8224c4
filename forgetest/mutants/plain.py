"""Plain values of a type, as expressions: what an implementation returns that does no work."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from tree_sitter import Node

from forgetest.mutants.tree import DeclaredTypes
from forgetest.rust.items import text_of, type_name


class Fullness(IntEnum):
    """How much a plain value holds."""

    EMPTY = 0  # false, 0, no element
    ONE = 1  # true, 1, one element
    TWO = 2  # true, 2, two elements


_INTEGERS = frozenset(
    f"{sign}{width}" for sign in "iu" for width in ("8", "16", "32", "64", "128", "size")
)
_SIMPLE = {
    "bool": ("false", "true", "true"),
    "char": ("'\\0'", "'a'", "'b'"),
    "String": ("String::new()", 'String::from("a")', 'String::from("b")'),
    "str": ('""', '"a"', '"b"'),
    "f32": ("0.0", "1.0", "2.0"),
    "f64": ("0.0", "1.0", "2.0"),
    "Ordering": tuple(f"std::cmp::Ordering::{word}" for word in ("Equal", "Less", "Greater")),
    "Range": ("0..0", "0..1", "0..2"),
    "Duration": tuple(f"std::time::Duration::from_secs({n})" for n in range(3)),
}
_WRAPPED = {
    **{name: f"std::{place}::{name}::new" for name, place in (("Rc", "rc"), ("Arc", "sync"))},
    "Box": "Box::new",
    "Cell": "std::cell::Cell::new",
    "RefCell": "std::cell::RefCell::new",
    "Mutex": "std::sync::Mutex::new",
    "RwLock": "std::sync::RwLock::new",
    "Reverse": "std::cmp::Reverse",
    "Wrapping": "std::num::Wrapping",
    "Some": "Some",
}
# Generic types of the standard library whose empty value is their default.
_DEFAULTS = frozenset(
    {"HashMap", "HashSet", "BTreeMap", "BTreeSet", "VecDeque", "BinaryHeap", "LinkedList"}
    | {"PhantomData", "OnceCell", "AtomicUsize", "AtomicBool", "AtomicU64", "PathBuf", "OsString"}
)
_DEPTH = 4  # how deep a value is built before giving up


@dataclass(frozen=True, slots=True)
class Values:
    """Makes values of the types that a source names; `owner` is what `Self` is."""

    declared: DeclaredTypes
    source: bytes
    owner: str = ""

    def of(self, node: Node | None, level: Fullness, depth: int = _DEPTH) -> str | None:
        """Return a value of the type `node` (None: unit), None when none can be made."""
        if node is None or node.type == "unit_type":
            return "()"
        if depth == 0:
            return None
        if node.type in {"tuple_type", "array_type"}:
            return self._composed(node, level, depth)
        if node.type == "reference_type":
            return self._referred(node, level)
        if node.type not in _NAMED:
            return None
        name = type_name(node, self.source)
        arguments = node.child_by_field_name("type_arguments")
        return self._named(name, _given(arguments), level, depth)

    def _named(self, name: str, given: Sequence[Node], level: Fullness, depth: int) -> str | None:
        name = self.owner if name == "Self" else name
        if name in self.declared.aliases and name != "Result":
            alias = self.declared.aliases[name].child_by_field_name("type")
            return self.of(alias, level, depth - 1)
        if name in self.declared.own:
            return self._own(name, level, depth)
        if name in _INTEGERS:
            return str(int(level))
        if name in _SIMPLE:
            return _SIMPLE[name][level]
        if name in {"Option", "Vec", "Result"} or name in _WRAPPED:
            return self._generic(name, given, level, depth)
        return "Default::default()" if name in _DEFAULTS and level is Fullness.EMPTY else None

    def _generic(self, name: str, given: Sequence[Node], level: Fullness, depth: int) -> str | None:
        first = given[0] if given else None
        if name == "Result":
            return self._result(given, level, depth)
        if level is Fullness.EMPTY and name in {"Option", "Vec"}:
            return "None" if name == "Option" else "Vec::new()"
        inner = self.of(first, level, depth - 1)
        if inner is None or first is None:
            return None
        if name == "Vec":
            return f"vec![{', '.join([inner] * int(level))}]"
        return f"{_WRAPPED['Some' if name == 'Option' else name]}({inner})"

    def _result(self, given: Sequence[Node], level: Fullness, depth: int) -> str | None:
        if level is Fullness.TWO and len(given) > 1:
            error = self.of(given[1], Fullness.EMPTY, depth - 1)
            if error is not None:
                return f"Err({error})"
        right = self.of(given[0] if given else None, level, depth - 1)
        return None if right is None else f"Ok({right})"

    def _own(self, name: str, level: Fullness, depth: int) -> str | None:
        """Return a value of a type of the source itself."""
        if name in self.declared.enums:
            units = list(_units(self.declared.enums[name], self.source))
            return f"{name}::{units[min(level, len(units) - 1)]}" if units else None
        if level is Fullness.EMPTY and self._has_default(name):
            return "Default::default()"
        body = self.declared.structs[name].child_by_field_name("body")
        if body is None:
            return name
        values = [self.of(type_, level, depth - 1) for type_ in _field_types(body)]
        if None in values:
            return None
        filled = [value for value in values if value is not None]
        if body.type == "ordered_field_declaration_list":
            return f"{name}({', '.join(filled)})"
        names = [text_of(f.child_by_field_name("name"), self.source) for f in _fields(body)]
        pairs = (f"{field}: {value}" for field, value in zip(names, filled, strict=True))
        return f"{name} {{ {', '.join(pairs)} }}"

    def _has_default(self, name: str) -> bool:
        """Tell whether a type has a default that asks nothing of its parameters."""
        generic = self.declared.structs[name].child_by_field_name("type_parameters")
        return name in self.declared.defaults and generic is None

    def _composed(self, node: Node, level: Fullness, depth: int) -> str | None:
        if node.type == "array_type":
            element = self.of(node.child_by_field_name("element"), level, depth - 1)
            length = text_of(node.child_by_field_name("length"), self.source)
            return None if element is None or not length else f"[{element}; {length}]"
        values = [self.of(child, level, depth - 1) for child in node.named_children]
        filled = [value for value in values if value is not None]
        tail = "," if len(filled) == 1 else ""
        return f"({', '.join(filled)}{tail})" if len(filled) == len(values) else None

    def _referred(self, reference: Node, level: Fullness) -> str | None:
        """Return what lives as long as any reference may ask: a text, an empty slice."""
        node = reference.child_by_field_name("type")
        is_mutable = any(child.type == "mutable_specifier" for child in reference.children)
        if type_name(node, self.source) == "str" and not is_mutable:
            return _SIMPLE["str"][level]
        if node is None or not _is_slice(node) or level is not Fullness.EMPTY:
            return None
        return "&mut []" if is_mutable else "&[]"


_NAMED = frozenset({"primitive_type", "type_identifier", "generic_type", "scoped_type_identifier"})


def _given(arguments: Node | None) -> list[Node]:
    children = arguments.named_children if arguments is not None else []
    return [child for child in children if child.type != "lifetime"]


def _is_slice(node: Node) -> bool:
    return node.type == "array_type" and node.child_by_field_name("length") is None


def _units(enum: Node, source: bytes) -> Iterator[str]:
    """Yield the variants of an enum that hold nothing."""
    body = enum.child_by_field_name("body")
    for variant in body.named_children if body is not None else ():
        if variant.type == "enum_variant" and variant.child_by_field_name("body") is None:
            yield text_of(variant.child_by_field_name("name"), source)


def _fields(body: Node) -> list[Node]:
    return [child for child in body.named_children if child.type == "field_declaration"]


def _field_types(body: Node) -> Iterator[Node]:
    if body.type == "field_declaration_list":
        for field in _fields(body):
            if (type_ := field.child_by_field_name("type")) is not None:
                yield type_
    else:
        yield from body.children_by_field_name("type")
