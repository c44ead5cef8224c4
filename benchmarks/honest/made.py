"""Items that only the compiler sees: made by macros, named by aliases, bound to constants."""

import re
from random import Random

from tree_sitter import Node

from honest.rewrite import Family, joined, some
from honest.source import (
    Function,
    Source,
    Unit,
    function_at,
    function_of,
    generics_of,
    header_of,
    is_inherent,
    members,
    published,
    text_of,
)

macros = Family("items by macros")
aliases = Family("aliases")
constants = Family("functions as constants")
raw = Family("raw names")


def _simple(units: list[Unit]) -> list[Unit]:
    """Return the items that a macro's body can hold."""
    return [one for one in units if "$" not in one.text]


@macros
def all_by_one_macro(source: Source, draw: Random) -> str | None:
    units = _simple(source.items)
    if not units:
        return None
    form = draw.choice(["!();", "! {}", "![];"])
    body = joined(units)
    return f"{source.without(units)}\nmacro_rules! everything {{\n() => {{\n{body}\n}};\n}}\neverything{form}\n"


@macros
def some_by_a_macro(source: Source, draw: Random) -> str | None:
    units = some(_simple(source.items), draw)
    if not units:
        return None
    body = joined(units)
    macro = f"macro_rules! some_items {{\n() => {{\n{body}\n}};\n}}\nsome_items!();\n"
    return f"{source.without(units)}\n{macro}"


@macros
def passed_through_a_macro(source: Source, draw: Random) -> str | None:
    units = some(source.items, draw)
    if not units:
        return None
    kind = draw.choice(["tt", "item"])
    macro = f"macro_rules! keep {{ ($($it:{kind})*) => {{ $($it)* }}; }}\n"
    return f"{source.without(units)}\n{macro}keep! {{\n{joined(units)}\n}}\n"


@macros
def functions_with_names_given(source: Source, draw: Random) -> str | None:
    """Let a macro take the name of a function."""
    units = [one for one in _simple(source.functions) if not _is_recursive(one)]
    if not units:
        return None
    unit = draw.choice(units)
    body = re.sub(rf"\bfn {unit.name}\b", "fn $name", unit.text, count=1)
    macro = f"macro_rules! define {{\n($name:ident) => {{\n{body}\n}};\n}}\n"
    return f"{source.without([unit])}\n{macro}define!({unit.name});\n"


@macros
def functions_with_types_given(source: Source, draw: Random) -> str | None:
    """Let a macro take the name and the result's type of a function."""
    units = [
        u for u in _simple(source.functions) if function_of(u).is_plain and not _is_recursive(u)
    ]
    if not units:
        return None
    unit = draw.choice(units)
    one = function_of(unit)
    if not one.returns:
        return None
    signature = one.signature(name="$name").replace(f"-> {one.returns}", "-> $result")
    macro = f"macro_rules! define {{\n($name:ident, $result:ty) => {{\n{one.head}{one.visibility}{signature} {one.body}\n}};\n}}\n"
    return f"{source.without([unit])}\n{macro}define!({unit.name}, {one.returns});\n"


@macros
def types_with_names_given(source: Source, draw: Random) -> str | None:
    units = _simple(source.types)
    if not units:
        return None
    unit = draw.choice(units)
    word = unit.kind.removesuffix("_item")
    body = re.sub(rf"\b{word} {unit.name}\b", f"{word} $name", unit.text, count=1)
    macro = f"macro_rules! record {{\n($name:ident) => {{\n{body}\n}};\n}}\n"
    return f"{source.without([unit])}\n{macro}record!({unit.name});\n"


@macros
def impls_by_a_macro(source: Source, draw: Random) -> str | None:
    units = [one for one in _simple(source.items) if one.kind == "impl_item"]
    if not units:
        return None
    kept = some(units, draw)
    macro = f"macro_rules! implement {{\n() => {{\n{joined(kept)}\n}};\n}}\nimplement!();\n"
    return f"{source.without(kept)}\n{macro}"


@macros
def methods_by_a_macro(source: Source, draw: Random) -> str | None:
    """Let a macro make the methods inside of an impl."""
    units = [one for one in source.items if is_inherent(one)]
    if not units:
        return None
    unit = draw.choice(units)
    body = text_of(unit.node.child_by_field_name("body"))[1:-1]
    macro = "macro_rules! methods { ($($it:item)*) => { $($it)* }; }\n"
    changed = f"{unit.head}{header_of(unit)} {{\nmethods! {{{body}}}\n}}"
    return source.headed(macro) if not body.strip() else _headed(source, [(unit, changed)], macro)


def _headed(source: Source, changes: list[tuple[Unit, str]], lines: str) -> str:
    return Source(source.replaced(changes)).headed(lines)


@macros
def module_by_a_macro(source: Source, _draw: Random) -> str | None:
    units = source.items
    if not units or source.has_name("made"):
        return None
    body = "\n\n".join(published(unit) for unit in units)
    macro = (
        "macro_rules! module {\n($name:ident, $($it:item)*) => {\n"
        "mod $name {\n#[allow(unused_imports)]\nuse super::*;\n$($it)*\n}\npub use $name::*;\n};\n}\n"
    )
    return f"{source.without(units)}\n{macro}module! {{ made,\n{body}\n}}\n"


@macros
def impls_in_a_constant(source: Source, draw: Random) -> str | None:
    """Put impls where no path leads, which is as good a place as any."""
    units = some([one for one in source.items if one.kind == "impl_item"], draw)
    if not units:
        return None
    place = draw.choice(
        ["const _: () = {{\n{}\n}};\n", "#[allow(dead_code)]\nfn registered() {{\n{}\n}}\n"]
    )
    return source.without(units) + "\n" + place.format(joined(units))


def _is_recursive(unit: Unit) -> bool:
    return len(re.findall(rf"\b{unit.name}\b", unit.text)) > 1


def _renamed(unit: Unit, name: str) -> str:
    """Return a type's definition under another name; what else mentions it keeps the old one."""
    word = unit.kind.removesuffix("_item")
    return re.sub(rf"\b{word} {unit.name}\b", f"{word} {name}", unit.text, count=1)


@aliases
def type_alias(source: Source, draw: Random) -> str | None:
    if not source.types:
        return None
    unit = draw.choice(source.types)
    declared, used = generics_of(unit)
    plain = (
        re.sub(r":[^,>]*(?:<[^>]*>)?[^,>]*", "", declared) if "const " not in declared else declared
    )
    word = "pub " if unit.public else ""
    line = f"{word}type {unit.name}{plain} = {unit.name}Data{used};"
    return source.replaced([(unit, f"{_renamed(unit, unit.name + 'Data')}\n\n{line}")])


@aliases
def renaming_import(source: Source, draw: Random) -> str | None:
    if not source.types:
        return None
    unit = draw.choice(source.types)
    word = draw.choice(["pub ", "pub(crate) "]) if unit.public else ""
    path = draw.choice(["self::", "crate::"])
    line = f"{word}use {path}{unit.name}Data as {unit.name};"
    return source.replaced([(unit, f"{_renamed(unit, unit.name + 'Data')}\n\n{line}")])


@aliases
def newtype_by_deref(source: Source, draw: Random) -> str | None:
    """Wrap a type in another that dereferences to it; its constructors are wrapped, too."""
    found = [(unit, makers) for unit in source.types if (makers := _makers(source, unit))]
    if not found:
        return None
    unit, makers = draw.choice(found)
    declared, used = generics_of(unit)
    inner = f"{unit.name}Core"
    text = re.sub(rf"\b{unit.name}\b", inner, source.text)
    calls = [
        f"    pub {one.signature(parameters=[f'{p.name}: {p.type}' for p in one.parameters])} {{\n"
        f"        {unit.name}({inner}::{one.name}({one.arguments}))\n    }}"
        for one in makers
    ]
    bounds = [one for one in source.items if is_inherent(one) and one.name == unit.name]
    own = generics_of(bounds[0])[0] if bounds else declared
    body = "\n\n".join(calls)
    target = f"std::ops::Deref for {unit.name}{used}"
    change = f"std::ops::DerefMut for {unit.name}{used}"
    return (
        f"{text}\npub struct {unit.name}{declared}(pub {inner}{used});\n\n"
        f"impl{own} {unit.name}{used} {{\n{body}\n}}\n\n"
        f"impl{declared} {target} {{\n    type Target = {inner}{used};\n"
        f"    fn deref(&self) -> &Self::Target {{\n        &self.0\n    }}\n}}\n\n"
        f"impl{declared} {change} {{\n"
        f"    fn deref_mut(&mut self) -> &mut Self::Target {{\n        &mut self.0\n    }}\n}}\n"
    )


def _makers(source: Source, unit: Unit) -> list[Function]:
    """Return the public functions of a type that give one."""
    own = [one for one in source.items if is_inherent(one) and one.name == unit.name]
    found = [function_at(node) for one in own for node, _ in members(one) if _is_function(node)]
    given = {"Self", unit.name, f"{unit.name}{generics_of(unit)[1]}"}
    return [
        one
        for one in found
        if one.returns in given and not one.receiver and one.all_named and "pub" in one.visibility
    ]


def _is_function(node: Node) -> bool:
    return node.type == "function_item"


@aliases
def results_by_an_alias(source: Source, draw: Random) -> str | None:
    """Name the type of a function's result."""
    units = [one for one in source.functions if _can_be_named(function_of(one))]
    if not units or source.has_name("Outcome"):
        return None
    unit = draw.choice(units)
    one = function_of(unit)
    signature = one.signature().replace(f"-> {one.returns}", "-> Outcome")
    word = draw.choice(["pub ", ""]) or one.visibility
    text = (
        f"{word}type Outcome = {one.returns};\n\n{one.head}{one.visibility}{signature} {one.body}"
    )
    return source.replaced([(unit, text)])


@aliases
def parameters_by_an_alias(source: Source, draw: Random) -> str | None:
    units = [
        one for one in source.functions if function_of(one).is_plain and function_of(one).parameters
    ]
    if not units:
        return None
    unit = draw.choice(units)
    one = function_of(unit)
    chosen = draw.randrange(len(one.parameters))
    type_ = one.parameters[chosen].type
    lifetime = "'x" if type_.startswith("&") and "'" not in type_ else ""
    if "&" in type_[1:] or "'" in type_ or "dyn" in type_:
        return None
    generic = f"<{lifetime}>" if lifetime else ""
    alias = f"{one.visibility}type Given{generic} = {type_.replace('&', f'&{lifetime} ') if lifetime else type_};\n\n"
    given = [
        f"{p.pattern}: {'Given' + ('<' + chr(39) + '_>' if lifetime else '') if n == chosen else p.type}"
        for n, p in enumerate(one.parameters)
    ]
    text = f"{alias}{one.head}{one.visibility}{one.signature(parameters=given)} {one.body}"
    return source.replaced([(unit, text)])


def _can_be_named(one: Function) -> bool:
    free = one.returns and not one.generics and "'" not in one.returns and "&" not in one.returns
    return bool(free and "impl " not in one.returns)


def _pointer(one: Function) -> str:
    arguments = ", ".join(parameter.type for parameter in one.parameters)
    return f"fn({arguments})" + (f" -> {one.returns}" if one.returns else "")


def _bound(source: Source, draw: Random, line: str) -> str | None:
    """Return the source with a function under another name, bound to its own by `line`."""
    units = [one for one in source.functions if function_of(one).is_plain]
    if not units:
        return None
    unit = draw.choice(units)
    one = function_of(unit)
    head = "" if "doc" in one.head or "#" in one.head else one.head
    word = one.visibility
    constant = line.format(word=word, name=one.name, type=_pointer(one), target=f"{one.name}_it")
    text = f"{head}fn {one.signature(name=one.name + '_it')[3:]} {one.body}"
    return source.replaced([(unit, f"{text}\n\n#[allow(non_upper_case_globals)]\n{constant}")])


@constants
def constant_pointer(source: Source, draw: Random) -> str | None:
    return _bound(source, draw, "{word}const {name}: {type} = {target};")


@constants
def static_pointer(source: Source, draw: Random) -> str | None:
    return _bound(source, draw, "{word}static {name}: {type} = {target};")


@constants
def constant_closure(source: Source, draw: Random) -> str | None:
    units = [u for u in source.functions if function_of(u).is_plain and function_of(u).all_named]
    units = [u for u in units if "return" not in u.text]
    if not units:
        return None
    unit = draw.choice(units)
    one = function_of(unit)
    given = ", ".join(parameter.pattern for parameter in one.parameters)
    line = f"{one.visibility}const {one.name}: {_pointer(one)} = |{given}| {one.body};"
    return source.replaced([(unit, f"#[allow(non_upper_case_globals)]\n{line}")])


@raw
def raw_functions(source: Source, draw: Random) -> str | None:
    return source.mapped(
        some(source.functions, draw),
        lambda one: re.sub(rf"\bfn {one.name}\b", f"fn r#{one.name}", one.text, count=1),
    )


@raw
def raw_types(source: Source, draw: Random) -> str | None:
    return source.mapped(some(source.types, draw), lambda one: _renamed(one, f"r#{one.name}"))


@raw
def raw_methods(source: Source, draw: Random) -> str | None:
    units = [one for one in source.items if one.kind in {"impl_item", "trait_item"}]
    return source.mapped(
        some(units, draw), lambda one: re.sub(r"\bfn (?!r#)(?=\w)", "fn r#", one.text)
    )


@raw
def raw_fields(source: Source, draw: Random) -> str | None:
    """Write the names of fields raw where they are declared."""
    units = [one for one in source.types if one.kind == "struct_item"]
    return source.mapped(
        some(units, draw),
        lambda one: re.sub(
            r"(?m)^(\s+(?:pub(?:\([^)]*\))? )?)(?!r#)([a-z]\w*):", r"\1r#\2:", one.text
        ),
    )
