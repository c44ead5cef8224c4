"""Signatures that say more than they must, other visibility, methods that traits bring."""

import re
from dataclasses import replace
from random import Random

from honest.rewrite import Family, some
from honest.source import (
    Function,
    Parameter,
    Source,
    Unit,
    function_at,
    function_of,
    generics_of,
    header_of,
    hidden,
    is_inherent,
    members,
    published,
    text_of,
)

general = Family("more general signatures")
visibility = Family("visibility")
methods = Family("methods by traits")
asynchronous = Family("futures")

# A parameter's type -> what takes more, and how the body gets back what it had.
_WIDER = {
    "&str": (
        ("impl AsRef<str>", "let {p} = {n}.as_ref();"),
        ("impl ToString", "let {n} = {n}.to_string(); let {p} = {n}.as_str();"),
        ("impl std::fmt::Display", "let {n} = {n}.to_string(); let {p} = {n}.as_str();"),
        ("impl Into<String>", "let {n}: String = {n}.into(); let {p} = {n}.as_str();"),
        ("&(impl AsRef<str> + ?Sized)", "let {p} = {n}.as_ref();"),
        ("impl std::ops::Deref<Target = str>", "let {p}: &str = &{n};"),
    ),
    "String": (
        ("impl Into<String>", "let {p}: String = {n}.into();"),
        ("impl ToString", "let {p} = {n}.to_string();"),
    ),
    "usize": (("impl TryInto<usize>", "let {p}: usize = {n}.try_into().ok().unwrap();"),),
    "u64": (("impl Into<u64>", "let {p}: u64 = {n}.into();"),),
    "i64": (("impl Into<i64>", "let {p}: i64 = {n}.into();"),),
    "i32": (("impl Into<i32>", "let {p}: i32 = {n}.into();"),),
    "f64": (("impl Into<f64>", "let {p}: f64 = {n}.into();"),),
    "char": (("impl Into<char>", "let {p}: char = {n}.into();"),),
}
_SLICE = re.compile(r"&\s*\[(.*)\]", re.DOTALL)
_VECTOR = re.compile(r"Vec<(.*)>", re.DOTALL)
_OPTION = re.compile(r"Option<(.*)>", re.DOTALL)


def _wider(one: Parameter, draw: Random) -> tuple[str, str] | None:
    """Return a type that takes more, and the statement that undoes it."""
    known = _WIDER.get(one.type, ())
    if found := _SLICE.fullmatch(one.type):
        known = (
            (f"impl AsRef<[{found[1]}]>", "let {p} = {n}.as_ref();"),
            (f"&(impl AsRef<[{found[1]}]> + ?Sized)", "let {p} = {n}.as_ref();"),
            (f"impl std::borrow::Borrow<[{found[1]}]>", "let {p} = {n}.borrow();"),
        )
    elif found := _VECTOR.fullmatch(one.type):
        back = "let {p}: " + one.type + " = {n}.into_iter().collect();"
        known = (
            (f"impl IntoIterator<Item = {found[1]}>", back),
            (f"impl Into<{one.type}>", "let {p}: " + one.type + " = {n}.into();"),
        )
    elif _OPTION.fullmatch(one.type):
        known = ((f"impl Into<{one.type}>", "let {p}: " + one.type + " = {n}.into();"),)
    if not known or not one.name or "'" in one.type:
        return None
    type_, back = draw.choice(known)
    return type_, back.format(p=one.pattern, n=one.name)


def _widened(source: Source, draw: Random, *, named: bool) -> str | None:
    """Return the source with a parameter of a function that takes more."""
    found = [
        (unit, one, number, wide)
        for unit in source.functions
        for one in (function_of(unit),)
        if not ("&" in one.returns or "'_" in one.returns or "async" in one.modifiers)
        for number, parameter in enumerate(one.parameters)
        if (wide := _wider(parameter, draw)) is not None
    ]
    if not found:
        return None
    unit, one, number, (type_, back) = draw.choice(found)
    bound = type_.removeprefix("&(").removesuffix(")") if type_.startswith("&") else type_
    generics = one.generics
    if named:
        parameter = f"Given: {bound.removeprefix('impl ')}"
        generics = (
            f"{generics[:-1].rstrip().rstrip(',')}, {parameter}>" if generics else f"<{parameter}>"
        )
        type_ = "&Given" if type_.startswith("&") else "Given"
    parameters = list(one.parameters)
    parameters[number] = Parameter(parameters[number].name, type_)
    body = "{\n    " + back + one.body[1:]
    wider = replace(one, generics=generics, parameters=tuple(parameters), body=body)
    return source.replaced([(unit, wider.text())])


@general
def impl_in_a_parameter(source: Source, draw: Random) -> str | None:
    return _widened(source, draw, named=False)


@general
def generic_parameter(source: Source, draw: Random) -> str | None:
    return _widened(source, draw, named=True)


@general
def named_lifetime(source: Source, draw: Random) -> str | None:
    """Name a lifetime that was left out."""
    units = [u for u in source.functions if re.search(r"&(?!')", function_of(u).types)]
    units = [
        u for u in units if "Fn(" not in function_of(u).types and "fn(" not in function_of(u).types
    ]
    if not units:
        return None
    unit = draw.choice(units)
    one = function_of(unit)
    references = sum(len(re.findall("&", p.type)) for p in one.parameters)
    if references != 1 or "'" in one.generics:
        return None
    parameters = tuple(replace(p, type=re.sub(r"&(?!')", "&'x ", p.type)) for p in one.parameters)
    returns = re.sub(r"&(?!')", "&'x ", one.returns)
    generics = f"<'x, {one.generics[1:]}" if one.generics else "<'x>"
    changed = replace(one, generics=generics, parameters=parameters, returns=returns)
    return source.replaced([(unit, changed.text())])


@general
def needless_lifetimes(source: Source, draw: Random) -> str | None:
    """Give each reference among the parameters a lifetime of its own."""
    units = [u for u in source.functions if re.search(r"&(?!')", function_of(u).types)]
    units = [
        u for u in units if "&" not in function_of(u).returns and "Fn" not in function_of(u).types
    ]
    if not units:
        return None
    unit = draw.choice(units)
    one = function_of(unit)
    names: list[str] = []

    def fresh(_found: re.Match[str]) -> str:
        names.append(f"'x{len(names)}")
        return f"&{names[-1]} "

    parameters = tuple(replace(p, type=re.sub(r"&(?!')", fresh, p.type)) for p in one.parameters)
    listed = ", ".join(names)
    generics = f"<{listed}, {one.generics[1:]}" if one.generics else f"<{listed}>"
    return source.replaced([(unit, replace(one, generics=generics, parameters=parameters).text())])


@general
def needless_where(source: Source, draw: Random) -> str | None:
    units = [one for one in source.functions if not function_of(one).where]
    if not units:
        return None
    unit = draw.choice(units)
    clause = draw.choice(["where String: Sized", "where u8: Copy, char: Ord", "where"])
    return source.replaced([(unit, replace(function_of(unit), where=clause).text())])


@general
def bounds_moved(source: Source, draw: Random) -> str | None:
    """Move a function's bounds from its generics behind its result."""
    units = [
        u for u in source.functions if re.fullmatch(r"<(\w+): ([^,<>]+)>", function_of(u).generics)
    ]
    units = [u for u in units if not function_of(u).where]
    if not units:
        return None
    unit = draw.choice(units)
    one = function_of(unit)
    name, _, bounds = one.generics[1:-1].partition(": ")
    changed = replace(one, generics=f"<{name}>", where=f"where {name}: {bounds}")
    return source.replaced([(unit, changed.text())])


@general
def constant_function(source: Source, _draw: Random) -> str | None:
    units = [one for one in source.functions if not function_of(one).modifiers]
    return source.mapped(units[:1], lambda u: replace(function_of(u), modifiers="const").text())


@general
def attributes_on_functions(source: Source, draw: Random) -> str | None:
    lines = draw.choice(
        ["#[inline]", "#[must_use]", "#[inline(never)]\n#[track_caller]", "#[doc(hidden)]", "#[cold]",
         "#[allow(clippy::all)]", "#[cfg(all())]", "#[cfg_attr(all(), inline)]", '#[cfg(not(feature = "x"))]',
         "#[cfg(any(unix, windows))]", "#[rustfmt::skip]", "/** Documented. */", '#[doc = "Documented."]',
         "#[allow(unexpected_cfgs)]\n#[cfg(not(never))]", "#[deprecated]"]
    )  # fmt: skip
    return source.mapped(some(source.functions, draw), lambda one: f"{lines}\n{one.text}")


@visibility
def all_private(source: Source, _draw: Random) -> str | None:
    return source.mapped(source.items, lambda one: hidden(one.text))


@visibility
def some_private(source: Source, draw: Random) -> str | None:
    return source.mapped(some(source.items, draw), lambda one: hidden(one.text))


@visibility
def functions_private(source: Source, draw: Random) -> str | None:
    return source.mapped(some(source.functions, draw), lambda one: hidden(one.text))


@visibility
def private_methods(source: Source, draw: Random) -> str | None:
    units = [one for one in source.items if is_inherent(one)]
    return source.mapped(some(units, draw), lambda one: hidden(one.text))


@visibility
def private_fields(source: Source, draw: Random) -> str | None:
    units = [one for one in source.types if one.kind == "struct_item"]
    return source.mapped(
        some(units, draw),
        lambda one: ("pub " if one.public else "") + hidden(one.text) if not one.head else None,
    )


@visibility
def all_public(source: Source, _draw: Random) -> str | None:
    return source.mapped(source.items, published)


@visibility
def crate_wide(source: Source, draw: Random) -> str | None:
    word = draw.choice(["pub(crate) ", "pub(self) ", "pub(in crate) ", "crate_"])
    word = word if word != "crate_" else "pub (crate) "
    return source.mapped(source.items, lambda one: published(one, word))


def _by_trait(unit: Unit, name: str, nodes: list[tuple[str, Function]]) -> str:
    """Return a trait with functions and its impl for the type of an inherent impl."""
    declared, used = generics_of(unit)
    where = text_of(next((c for c in unit.node.children if c.type == "where_clause"), None))
    type_ = text_of(unit.node.child_by_field_name("type"))
    signatures = []
    for head, one in nodes:
        receiver = (
            one.receiver.removeprefix("mut ") if one.receiver.startswith("mut ") else one.receiver
        )
        plain = [
            f"{p.pattern.removeprefix('mut ') if p.name else '_'}: {p.type}" for p in one.parameters
        ]
        signature = replace(one, receiver=receiver).signature(parameters=plain)
        signatures.append(f"{'' if '#' in head else head}    {signature};")
    bodies = [f"{head}    {one.signature()} {one.body}" for head, one in nodes]
    trait = f"pub trait {name}{declared}: Sized {where} {{\n" + "\n".join(signatures) + "\n}\n"
    impl = f"impl{declared} {name}{used} for {type_} {where} {{\n" + "\n\n".join(bodies) + "\n}"
    return f"{trait}\n{impl}"


def _split(source: Source, draw: Random, traits: int) -> tuple[Unit, list[str]] | None:
    """Return an inherent impl and the traits and impls that say the same; None without any."""
    units = [one for one in source.items if is_inherent(one)]
    units = [one for one in units if all(node.type == "function_item" for node, _ in members(one))]
    units = [one for one in units if members(one)]
    if not units:
        return None
    unit = draw.choice(units)
    nodes = [(head, function_at(node)) for node, head in members(unit)]
    if any("const" in one.modifiers or "'_" in header_of(unit) for _, one in nodes):
        return None
    groups = [nodes[start::traits] for start in range(traits)]
    names = [f"{unit.name}Ability{number}" for number in range(traits)]
    made = [
        _by_trait(unit, name, group) for name, group in zip(names, groups, strict=True) if group
    ]
    return unit, made


@methods
def by_an_extension_trait(source: Source, draw: Random) -> str | None:
    found = _split(source, draw, 1)
    return None if found is None else source.replaced([(found[0], "\n\n".join(found[1]))])


@methods
def by_two_traits(source: Source, draw: Random) -> str | None:
    found = _split(source, draw, 2)
    return None if found is None else source.replaced([(found[0], "\n\n".join(found[1]))])


@methods
def by_a_trait_in_a_module(source: Source, draw: Random) -> str | None:
    found = _split(source, draw, 1)
    if found is None:
        return None
    unit, made = found
    use = draw.choice(["pub use abilities::*;", "use abilities::*;", f"pub use abilities::{unit.name}Ability0;",
                       f"use abilities::{unit.name}Ability0 as _;", f"pub use abilities::{unit.name}Ability0 as Able;"])  # fmt: skip
    module = f"mod abilities {{\n    use super::*;\n{made[0]}\n}}\n{use}"
    return source.replaced([(unit, module)])


@methods
def some_by_a_trait(source: Source, draw: Random) -> str | None:
    """Leave some methods inherent and bring the others by a trait."""
    units = [one for one in source.items if is_inherent(one) and len(members(one)) > 1]
    units = [one for one in units if all(node.type == "function_item" for node, _ in members(one))]
    if not units:
        return None
    unit = draw.choice(units)
    nodes = [(head, function_at(node), text_of(node)) for node, head in members(unit)]
    moved = [
        (head, one) for head, one, _ in nodes if one.receiver and "const" not in one.modifiers
    ][1:]
    if not moved:
        return None
    gone = {one.name for _, one in moved}
    kept = "\n\n".join(f"{head}    {text}" for head, one, text in nodes if one.name not in gone)
    rest = f"{unit.head}{header_of(unit)} {{\n{kept}\n}}"
    return source.replaced([(unit, f"{rest}\n\n{_by_trait(unit, unit.name + 'Ability', moved)}")])


@methods
def std_traits_by_other_ways(source: Source, draw: Random) -> str | None:
    """Import the traits of std that the sample implements, and one that nobody asked for."""
    line = draw.choice(
        ["pub use std::iter::Iterator as Walk;", "use std::fmt::Write as _;", "pub use std::fmt::Write as _;",
         "pub trait Loud { fn loud(&self) -> String; }\nimpl Loud for str { fn loud(&self) -> String { self.to_uppercase() } }",
         "pub trait Twice: Clone { fn twice(&self) -> (Self, Self) { (self.clone(), self.clone()) } }\nimpl<T: Clone> Twice for T {}"]
    )  # fmt: skip
    return f"{source.text}\n{line}\n"


@asynchronous
def future_returned(source: Source, draw: Random) -> str | None:
    """Return a future instead of being `async`."""
    units = [u for u in source.functions if function_of(u).modifiers == "async"]
    if not units:
        return None
    unit = draw.choice(units)
    one = function_of(unit)
    output = one.returns or "()"
    boxed = draw.random() < 0.5 and not one.generics
    returns = f"impl std::future::Future<Output = {output}>"
    body = f"{{ async move {one.body} }}"
    if boxed:
        returns = f"std::pin::Pin<Box<dyn std::future::Future<Output = {output}> + Send>>"
        body = f"{{ Box::pin(async move {one.body}) }}"
    changed = replace(one, modifiers="", returns=returns, body=body)
    return source.replaced([(unit, changed.text())])
