"""Items that move into modules and come back by `use`."""

from random import Random

from honest.rewrite import Family, joined, some
from honest.source import Source, Unit, published

reexports = Family("re-exports")
_OPEN = "    #[allow(unused_imports)]\n    use super::*;\n"


def _moved(
    source: Source, units: list[Unit], name: str, use: str, word: str = "pub "
) -> str | None:
    """Return the source with items in a module at its end, and a line that brings them back."""
    if not units or source.has_name(name):
        return None
    body = "\n\n".join(published(unit, word) for unit in units)
    return f"{source.without(units)}\nmod {name} {{\n{_OPEN}{body}\n}}\n{use}\n"


def _names(units: list[Unit]) -> list[str]:
    return [unit.name for unit in units if unit.kind != "impl_item"]


@reexports
def all_in_a_module(source: Source, draw: Random) -> str | None:
    return _moved(
        source,
        source.items,
        "inner",
        draw.choice(["pub use inner::*;", "pub use self::inner::*;", "pub use crate::inner::*;"]),
    )


@reexports
def private_glob_of_a_module(source: Source, draw: Random) -> str | None:
    return _moved(
        source, source.items, "inner", draw.choice(["use inner::*;", "use self::inner::*;"])
    )


@reexports
def crate_wide_glob(source: Source, draw: Random) -> str | None:
    word = draw.choice(["pub(crate) ", "pub(super) ", "pub "])
    use = "pub(crate) use inner::*;" if word != "pub(super) " else "use inner::*;"
    return _moved(source, source.items, "inner", use, word)


@reexports
def types_in_a_module(source: Source, draw: Random) -> str | None:
    units = [one for one in source.items if one.kind != "function_item"]
    return _moved(source, units, "types", draw.choice(["pub use types::*;", "use types::*;"]))


@reexports
def functions_by_name(source: Source, draw: Random) -> str | None:
    units = some(source.functions, draw)
    names = ", ".join(_names(units))
    start = draw.choice(["pub use ", "pub(crate) use ", "use "]) + draw.choice(
        ["", "self::", "crate::"]
    )
    return _moved(source, units, "work", f"{start}work::{{{names}}};")


@reexports
def function_under_another_name(source: Source, draw: Random) -> str | None:
    if not source.functions:
        return None
    unit = draw.choice(source.functions)
    start = unit.text.rindex(f"fn {unit.name}") if f"fn {unit.name}" in unit.text else -1
    if start < 0:
        return None
    moved = published(unit).replace(f"fn {unit.name}", "fn run_it", 1)
    use = draw.choice(["pub use", "pub(crate) use", "use"])
    # Placed first: an import may stand anywhere.
    rest = source.without([unit])
    return (
        f"{rest}\n{use} engine::run_it as {unit.name};\nmod engine {{\n{_OPEN}{moved}\n}}\n"
        if not source.has_name("engine")
        else None
    )


@reexports
def a_module_of_its_own_name(source: Source, draw: Random) -> str | None:
    if not source.functions:
        return None
    unit = draw.choice(source.functions)
    if any(other.name == unit.name and other.kind == "mod_item" for other in source.units):
        return None
    body = f"mod {unit.name} {{\n{_OPEN}{published(unit)}\n}}\n"
    return f"{source.without([unit])}\n{body}pub use {unit.name}::{unit.name};\n"


@reexports
def chain_of_modules(source: Source, draw: Random) -> str | None:
    units = source.items
    if not units or source.has_name("outer"):
        return None
    body = "\n\n".join(published(unit) for unit in units)
    kept = source.without(units)
    inner = f"    pub mod inner {{\n    #[allow(unused_imports)]\n    use super::super::*;\n{body}\n    }}\n"
    first = draw.choice(
        ["pub use self::inner::*;", "pub(crate) use inner::*;", "pub use inner::*;"]
    )
    last = draw.choice(["pub use crate::outer::*;", "use outer::*;", "pub use self::outer::*;"])
    return f"{kept}\nmod outer {{\n{inner}    {first}\n}}\n{last}\n"


@reexports
def through_a_prelude(source: Source, draw: Random) -> str | None:
    names = _names(source.items)
    listed = ", ".join(names) if names else ""
    if not listed or source.has_name("prelude"):
        return None
    inner = draw.choice(["*", f"{{{listed}}}"])
    lines = f"pub mod prelude {{\n    pub use super::inner::{inner};\n}}\npub use prelude::*;"
    return _moved(source, source.items, "inner", lines)


@reexports
def each_in_a_module(source: Source, _draw: Random) -> str | None:
    """Give each type a module with its impls, and each function one."""
    names = _names(source.items)
    text, done = source.without(source.items), []
    for number, name in enumerate(dict.fromkeys(names)):
        units = [one for one in source.items if one.name == name]
        body = "\n\n".join(published(unit) for unit in units)
        done.append(f"mod part{number} {{\n{_OPEN}{body}\n}}\npub use part{number}::{name};")
    impls = [one for one in source.items if one.name not in names]
    return "\n".join([text, *done, joined(impls)]) + "\n" if done else None


@reexports
def variants_at_the_root(source: Source, draw: Random) -> str | None:
    enums = [one for one in source.items if one.kind == "enum_item"]
    if not enums:
        return None
    unit = draw.choice(enums)
    start = "pub use" if unit.public else "use"
    path = draw.choice(["", "self::", "crate::"])
    return f"{source.text}\n{start} {path}{unit.name}::*;\n"


@reexports
def traits_in_a_module(source: Source, draw: Random) -> str | None:
    units = [one for one in source.items if one.kind == "trait_item"]
    names = ", ".join(_names(units))
    start = draw.choice(["pub use", "pub(crate) use", "use"])
    return _moved(source, units, "abilities", f"{start} abilities::{{{names}}};")


@reexports
def public_imports(source: Source, draw: Random) -> str | None:
    """Pass on what the sample itself imports."""
    uses = [one for one in source.units if one.kind == "use_declaration" and not one.is_test]
    word = draw.choice(["pub ", "pub(crate) "])
    return source.mapped(uses, lambda one: word + one.text if one.text.startswith("use ") else None)
