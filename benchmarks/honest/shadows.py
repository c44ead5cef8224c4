"""Names of the sample that others have already, and macros that it defines."""

import re
from random import Random

from honest.rewrite import Family
from honest.source import Source, Unit, text_of

shadows = Family("shadowed names")
asked = Family("macros asked for")

_SAME = (  # names of the prelude at the root, which mean what they meant
    "pub use std::vec::Vec;",
    "#[allow(unused_imports)]\nuse std::string::String;",
    "pub use std::result::Result::{self, Err, Ok};",
    "#[allow(unused_imports)]\nuse core::option::Option::{self, None, Some};",
    "pub type Vec<T> = std::vec::Vec<T>;",
    "#[allow(dead_code)]\ntype Vec<T> = ::std::vec::Vec<T>;",
    "pub type String = std::string::String;",
    "pub type Result<T, E = std::string::String> = std::result::Result<T, E>;",
    "#[allow(dead_code)]\ntype Result<T, E = Box<dyn std::error::Error>> = core::result::Result<T, E>;",
    "pub type Option<T> = ::core::option::Option<T>;",
    "#[allow(dead_code)]\ntype Box<T> = std::boxed::Box<T>;",
    "pub use std::clone::Clone;\npub use std::cmp::{Eq, Ord, PartialEq, PartialOrd};",
    "#[allow(unused_imports)]\nuse std::prelude::v1::*;",
    "#[allow(unused_imports)]\nuse std::{vec, format, assert_eq};",
    "pub use std::*;",
    "#[allow(unused_imports)]\nuse std::collections::*;",
)
_APART = (  # names of the prelude in modules of the sample's own
    "pub type Result<T> = std::result::Result<T, String>;\npub fn done() -> Result<()> { Ok(()) }",
    "pub enum Option { Nothing, Something(u8) }\npub fn none() -> Option { Option::Nothing }",
    "pub struct Vec(pub [u8; 4]);\nimpl Vec { pub fn new() -> Self { Vec([0; 4]) } }",
    "pub struct String;\nimpl String { pub fn new() -> String { String } }",
    "pub type Box<T> = std::rc::Rc<T>;\npub fn boxed() -> Box<u8> { Box::new(1) }",
    "pub trait Iterator { fn next(&self) -> u8; }\nimpl Iterator for u8 { fn next(&self) -> u8 { 1 } }",
    "pub trait Clone { fn duplicate(&self) -> u8; }",
    "#[derive(Debug)]\npub enum Ordering { Up, Down }",
    "pub mod std { pub fn nothing() {} }\npub fn call() { self::std::nothing() }",
)
_FUNCTIONS = (
    "assert",
    "assert_eq",
    "println",
    "vec",
    "panic",
    "format",
    "matches",
    "drop",
    "swap",
    "max",
    "min",
    "test",
)
_MODULES = ("result", "option", "error", "vec", "string", "test", "iter", "prelude", "collections")


@shadows
def same_at_the_root(source: Source, draw: Random) -> str | None:
    return source.headed(draw.choice(_SAME))


@shadows
def own_in_a_module(source: Source, draw: Random) -> str | None:
    return source.headed(f"#[allow(dead_code)]\nmod details {{\n{draw.choice(_APART)}\n}}\n")


@shadows
def used_in_a_module(source: Source, draw: Random) -> str | None:
    """Give a module of the sample another meaning of a name that its signatures use."""
    name = draw.choice(["Result", "Option", "Vec", "String"])
    return source.headed(
        f"#[allow(dead_code, unused_imports)]\npub mod details {{\n    use super::*;\n"
        f"    pub enum {name} {{ Mine }}\n    pub fn mine() -> {name} {{ {name}::Mine }}\n}}\n"
    )


@shadows
def functions_named_like_macros(source: Source, draw: Random) -> str | None:
    name = draw.choice(_FUNCTIONS)
    word = draw.choice(["pub ", "", "pub(crate) "])
    if any(unit.name == name for unit in source.units) or re.search(rf"\b{name}\(", source.text):
        return None
    return f"{source.text}\n#[allow(dead_code)]\n{word}fn {name}(value: u8) -> u8 {{ value }}\n"


@shadows
def modules_named_like_std(source: Source, draw: Random) -> str | None:
    name = draw.choice(_MODULES)
    word = draw.choice(["pub ", "", "pub(crate) "])
    if any(unit.name == name for unit in source.units):
        return None
    return f"{source.text}\n#[allow(dead_code)]\n{word}mod {name} {{ pub fn here() {{}} }}\n"


@shadows
def macros_named_like_std(source: Source, draw: Random) -> str | None:
    """Define a macro of std anew that does what std's does."""
    name = draw.choice(["vec", "format", "assert", "matches", "println", "assert_eq", "write"])
    macro = f"#[allow(unused_macros)]\nmacro_rules! {name} {{ ($($t:tt)*) => {{ ::std::{name}!($($t)*) }}; }}\n"
    return source.headed(macro)


@shadows
def own_error_alias(source: Source, draw: Random) -> str | None:
    """Name the result of a function as everybody does: `Result<T>`."""
    found = [
        unit
        for unit in source.functions
        if re.search(r"-> (?:std::result::)?Result<[^<>]*, \w+>", unit.text)
    ]
    if not found:
        return None
    unit = draw.choice(found)
    shown = re.search(r"-> (?:std::result::)?Result<([^<>]*), (\w+)>", unit.text)
    if shown is None:
        return None
    text = unit.text.replace(shown[0], f"-> Result<{shown[1]}>", 1)
    word = "pub " if unit.public else ""
    alias = f"{word}type Result<T, E = {shown[2]}> = std::result::Result<T, E>;\n\n"
    return source.replaced([(unit, alias + text)])


@shadows
def type_parameters_named_like_types(source: Source, draw: Random) -> str | None:
    """Add a private helper whose generics have famous names."""
    text = draw.choice(
        ["fn pick<String, Vec>(left: String, _right: Vec) -> String { left }",
         "struct Pair<Option>(Option, Option);\n#[allow(dead_code)]\nimpl<Option> Pair<Option> { fn first(self) -> Option { self.0 } }",
         "fn boxed<Box: Into<u8>>(value: Box) -> u8 { value.into() }"]
    )  # fmt: skip
    return f"{source.text}\n#[allow(dead_code)]\n{text}\n"


def _bare(unit: Unit) -> str:
    """Return a macro's definition without `#[macro_export]`."""
    head = re.sub(r"#\[macro_export(?:\([^)]*\))?\]\s*", "", unit.head)
    return head + text_of(unit.node)


def _own(source: Source) -> list[Unit]:
    return [unit for unit in source.macros if not unit.is_test]


@asked
def macro_by_use(source: Source, draw: Random) -> str | None:
    word = draw.choice(["pub(crate) use", "pub(self) use", "use"])
    return source.mapped(
        _own(source),
        lambda one: (
            f"{_bare(one)}\n#[allow(unused_imports)]\n{word} {one.name};"
            if "macro_export" in one.head
            else None
        ),
    )


@asked
def macro_by_scope(source: Source, _draw: Random) -> str | None:
    return source.mapped(
        _own(source), lambda one: _bare(one) if "macro_export" in one.head else None
    )


@asked
def macros_in_a_module(source: Source, draw: Random) -> str | None:
    own = _own(source)
    if not own or source.has_name("helpers"):
        return None
    exported = [one for one in own if "macro_export" in one.head] or own
    texts = "\n\n".join(_bare(one) for one in own)
    head = draw.choice(["#[macro_use]\nmod helpers", "mod helpers"])
    names = ", ".join(one.name for one in exported)
    uses = f"    pub(crate) use {{{names}}};\n" if head == "mod helpers" else ""
    back = f"#[allow(unused_imports)]\npub(crate) use helpers::{{{names}}};\n" if uses else ""
    return Source(source.without(own)).headed(f"{head} {{\n{texts}\n{uses}}}\n{back}")


@asked
def macro_exported(source: Source, _draw: Random) -> str | None:
    return source.mapped(
        _own(source),
        lambda one: None if "macro_export" in one.head else f"#[macro_export]\n{one.text}",
    )


@asked
def macro_under_another_name(source: Source, draw: Random) -> str | None:
    own = [one for one in _own(source) if "macro_export" in one.head]
    if not own:
        return None
    unit = draw.choice(own)
    text = _bare(unit).replace(f"macro_rules! {unit.name}", f"macro_rules! {unit.name}_of_mine", 1)
    text = re.sub(rf"\b{unit.name}!", f"{unit.name}_of_mine!", text)
    return source.replaced([(unit, f"{text}\npub(crate) use {unit.name}_of_mine as {unit.name};")])


@asked
def helper_macro(source: Source, draw: Random) -> str | None:
    """Use a private macro in a function."""
    if not source.functions or source.has_name("given"):
        return None
    unit = draw.choice(source.functions)
    body = unit.text.rindex("{", 0, unit.text.index("{") + 1)
    text = unit.text[:body] + "{\n    given!();" + unit.text[body + 1 :]
    macro = draw.choice(
        ["macro_rules! given { () => {}; }", "#[macro_use]\nmod given_here { macro_rules! given { () => { let _ = 1; }; } }",
         "mod given_here { macro_rules! given { () => { let _ = 1; }; } pub(crate) use given; }\nuse given_here::given;"]
    )  # fmt: skip
    return Source(source.replaced([(unit, text)])).headed(macro)
