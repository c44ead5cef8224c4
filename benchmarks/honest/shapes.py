"""The same items in other shapes and orders, other heads of files, other things beside them."""

import re
from random import Random

from honest.rewrite import Family, some
from honest.source import (
    Source,
    Unit,
    function_of,
    header_of,
    members,
    text_of,
)

order = Family("order and pieces")
heads = Family("heads of files")
beside = Family("things beside")
bodies = Family("bodies elsewhere")


@order
def as_it_is(source: Source, _draw: Random) -> str | None:
    return f"{source.text}\n// As it is.\n"


@order
def shuffled(source: Source, draw: Random) -> str | None:
    items = source.items
    if len(items) < 2 or source.macros:
        return None
    texts = [one.text for one in items]
    draw.shuffle(texts)
    return source.replaced(zip(items, texts, strict=True))


@order
def reversed_items(source: Source, _draw: Random) -> str | None:
    items = source.items
    if len(items) < 2 or source.macros:
        return None
    return source.replaced(zip(items, [one.text for one in reversed(items)], strict=True))


@order
def imports_last(source: Source, _draw: Random) -> str | None:
    uses = [one for one in source.units if one.kind == "use_declaration"]
    if not uses:
        return None
    return source.without(uses) + "\n" + "\n".join(one.text for one in uses) + "\n"


@order
def one_method_an_impl(source: Source, draw: Random) -> str | None:
    units = [one for one in source.items if one.kind == "impl_item" and len(members(one)) > 1]
    units = [one for one in units if one.node.child_by_field_name("trait") is None]
    return source.mapped(some(units, draw), _apart)


def _apart(unit: Unit) -> str:
    header = unit.head + header_of(unit)
    parts = [f"{header} {{\n{head}    {text_of(node)}\n}}" for node, head in members(unit)]
    return "\n\n".join(parts)


@order
def impl_before_its_type(source: Source, _draw: Random) -> str | None:
    impls = [one for one in source.items if one.kind == "impl_item"]
    if not impls or source.macros:
        return None
    return Source(source.without(impls)).headed("\n\n".join(one.text for one in impls))


@order
def comments_everywhere(source: Source, _draw: Random) -> str | None:
    note = "/* here /* and there */ fn nothing() { */\n// struct Nothing; use nothing::*;\n"
    return source.mapped(source.items, lambda one: note + one.text)


@heads
def inner_documents(source: Source, draw: Random) -> str | None:
    lines = draw.choice(
        ["//! What this is.\n//! ```\n//! fn not_this() {}\n//! ```\n", "/*! What this is. */\n", '#![doc = "What this is."]\n',
         "#![allow(dead_code)]\n#![allow(unused_imports, unused_variables)]\n", "#![warn(missing_docs)]\n",
         "#![warn(clippy::pedantic)]\n//! Docs.\n", "#![cfg_attr(test, allow(dead_code))]\n", "#![deny(unused_must_use)]\n",
         "// A licence.\n\n#![allow(dead_code)]\n", "#![warn(rust_2018_idioms)]\n#![allow(clippy::all)]\n", "\ufeff", "#!/usr/bin/env run\n",
         '#![recursion_limit = "256"]\n', '#![crate_name = "sample"]\n' if draw.random() < 0 else "#![allow(bad_style)]\n"]
    )  # fmt: skip
    return lines + source.text


@heads
def forbids(source: Source, draw: Random) -> str | None:
    if "unsafe" in source.text:
        return None
    lines = draw.choice(
        ["#![forbid(unsafe_code)]", "#![deny(unsafe_code)]", "#![deny(unused_must_use, unreachable_pub)]",
         "#![forbid(non_ascii_idents)]", "#![deny(warnings)]\n#![allow(dead_code)]", "#![deny(missing_debug_implementations)]"]
    )  # fmt: skip
    return f"{lines}\n{source.text}"


@heads
def carriage_returns(source: Source, _draw: Random) -> str | None:
    return None if '"' in source.text else source.text.replace("\n", "\r\n")


@heads
def without_std(source: Source, draw: Random) -> str | None:
    lines = draw.choice(
        ["#![no_std]\n#[macro_use]\nextern crate std;\nuse std::prelude::v1::*;\n",
         "#![no_std]\nextern crate std;\n#[allow(unused_imports)]\nuse std::{format, vec, println, prelude::rust_2021::*};\n",
         "#![no_std]\n#[macro_use]\nextern crate alloc;\n#[macro_use]\nextern crate std;\n#[allow(unused_imports)]\nuse alloc::{string::{String, ToString}, vec::Vec, boxed::Box, borrow::ToOwned};\n"]
    )  # fmt: skip
    return None if source.text.startswith(("#!", "//!")) else lines + source.text


@heads
def other_crates_declared(source: Source, draw: Random) -> str | None:
    line = draw.choice(
        ["extern crate std as standard;", "extern crate core;", "extern crate alloc;", "extern crate self as myself;",
         "#[macro_use]\nextern crate std as standard;", "pub extern crate core as kernel;", "#[allow(unused_extern_crates)]\nextern crate std;"]
    )  # fmt: skip
    return source.headed(line)


@heads
def std_by_core(source: Source, _draw: Random) -> str | None:
    """Take from `core` and `alloc` what is there."""
    text = re.sub(
        r"\bstd::(cmp|fmt|iter|ops|mem|ptr|slice|str|num|cell|marker|hash|time|option|result|convert|char)::",
        r"core::\1::",
        source.text,
    )
    if "std::rc::" in text or "std::borrow::" in text:
        text = re.sub(r"\bstd::(rc|borrow|boxed)::", r"alloc::\1::", text)
        return Source(text).headed("extern crate alloc;")
    return text


@beside
def own_tests(source: Source, draw: Random) -> str | None:
    if "cfg(test)" in source.text:
        return None
    name = draw.choice(["tests", "test", "unit_tests", "spec"])
    body = draw.choice(
        ["    use super::*;\n    #[test]\n    fn mine() { assert_eq!(1 + 1, 2); }\n",
         '    #[allow(unused_imports)]\n    use super::*;\n    #[test]\n    #[should_panic]\n    fn mine() { panic!("as wanted") }\n',
         "    #[test]\n    #[ignore]\n    fn mine() {}\n    mod deeper { #[test] fn yours() {} }\n"]
    )  # fmt: skip
    return f"{source.text}\n#[cfg(test)]\nmod {name} {{\n{body}}}\n"


@beside
def own_tests_at_the_root(source: Source, draw: Random) -> str | None:
    word = draw.choice(["#[test]", "#[cfg(test)]\n#[test]", "#[test]\n#[should_panic]"])
    body = 'panic!("as wanted")' if "panic" in word else ""
    return f"{source.text}\n{word}\nfn my_own_test() {{ {body} }}\n"


@beside
def a_main(source: Source, draw: Random) -> str | None:
    if source.has_name("main"):
        return None
    text = draw.choice(
        [
            "fn main() {}",
            'fn main() {\n    println!("{}", 1 + 1);\n}',
            "pub fn main() -> Result<(), String> { Ok(()) }",
        ]
    )
    return f"{source.text}\n#[allow(dead_code)]\n{text}\n"


@beside
def a_thread_local(source: Source, draw: Random) -> str | None:
    text = "thread_local! {\n    static CALLS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };\n}\n"
    return _counted(
        source, draw, text, "CALLS.with(|calls| calls.set(calls.get().wrapping_add(1)));"
    )


@beside
def a_static_counter(source: Source, draw: Random) -> str | None:
    text = (
        "static CALLS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);\n"
    )
    return _counted(source, draw, text, "CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);")


@beside
def a_constant_beside(source: Source, draw: Random) -> str | None:
    text = draw.choice(
        [
            "pub(crate) const LIMIT: usize = 10;",
            "pub const LIMIT: usize = 1 << 4;",
            "const _: () = assert!(1 + 1 == 2);",
        ]
    )
    return None if source.has_name("LIMIT") else f"{source.text}\n#[allow(dead_code)]\n{text}\n"


def _counted(source: Source, draw: Random, text: str, statement: str) -> str | None:
    units = [one for one in source.functions if "const" not in function_of(one).modifiers]
    if not units or source.has_name("CALLS"):
        return None
    unit = draw.choice(units)
    one = function_of(unit)
    changed = one.text(body="{\n    " + statement + one.body[1:])
    return Source(source.replaced([(unit, changed)])).headed(text)


@beside
def more_derived(source: Source, draw: Random) -> str | None:
    words = ["Debug", "Clone", "PartialEq", "Eq", "Hash", "PartialOrd", "Ord", "Default", "Copy"]
    word = draw.choice(words)
    return source.mapped(
        some(source.types, draw),
        lambda one: (
            None if re.search(rf"\b{word}\b", one.head) else f"#[derive({word})]\n{one.text}"
        ),
    )


@beside
def derived_under_test(source: Source, draw: Random) -> str | None:
    """Derive for tests alone what tests alone need; libraries do so."""
    return source.mapped(
        some(source.types, draw),
        lambda one: (
            re.sub(r"#\[derive\(([^)]*)\)\]", r"#[cfg_attr(test, derive(\1))]", one.text, count=1)
            if "#[derive(" in one.head
            else None
        ),
    )


@beside
def more_implemented(source: Source, draw: Random) -> str | None:
    units = [one for one in source.types if one.node.child_by_field_name("type_parameters") is None]
    if not units:
        return None
    name = draw.choice(units).name
    text = draw.choice(
        [f"impl From<{name}> for u8 {{ fn from(_: {name}) -> u8 {{ 7 }} }}",
         f"impl std::fmt::LowerHex for {name} {{ fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {{ f.write_str(\"hex\") }} }}",
         f"impl AsRef<{name}> for {name} {{ fn as_ref(&self) -> &{name} {{ self }} }}",
         f"impl PartialEq<u8> for {name} {{ fn eq(&self, _: &u8) -> bool {{ false }} }}",
         f"#[allow(dead_code)]\nimpl {name} {{ pub const KIND: &'static str = \"kind\"; pub fn spare() {{}} }}"]
    )  # fmt: skip
    return f"{source.text}\n{text}\n"


@bodies
def imports_in_bodies(source: Source, _draw: Random) -> str | None:
    """Import inside of each function what it takes from std, and nothing at the root for it."""
    uses = [
        one for one in source.units if one.kind == "use_declaration" and "use std::" in one.text
    ]
    own = [one for one in uses if one.text.startswith("use ")]
    bare = [one for one in source.functions if "{" in one.text]
    if not own or not bare or len(source.items) != len(source.functions):
        return None
    lines = " ".join(one.text for one in own)
    changes = [
        (
            one,
            function_of(one).text(
                body=f"{{ #[allow(unused_imports)] {lines[:0]}{' '.join('#[allow(unused_imports)] ' + o.text for o in own)}{function_of(one).body[1:]}"
            ),
        )
        for one in bare
    ]
    return source.replaced([*changes, *((one, "") for one in own)])


@bodies
def delegated(source: Source, draw: Random) -> str | None:
    units = [
        u for u in source.functions if function_of(u).all_named and not function_of(u).modifiers
    ]
    units = [u for u in units if "impl " not in function_of(u).types]
    if not units:
        return None
    unit = draw.choice(units)
    one = function_of(unit)
    plain = one.signature(parameters=[f"{p.name}: {p.type}" for p in one.parameters])
    outer = f"{one.head}{one.visibility}{plain} {{\n    {one.name}_worker({one.arguments})\n}}"
    inner = f"fn {one.signature(name=one.name + '_worker').removeprefix('fn ')} {one.body}"
    return source.replaced([(unit, f"{outer}\n\n{inner}")])


@bodies
def nested_function(source: Source, draw: Random) -> str | None:
    units = [
        u for u in source.functions if function_of(u).all_named and not function_of(u).modifiers
    ]
    units = [u for u in units if "impl " not in function_of(u).types]
    if not units:
        return None
    unit = draw.choice(units)
    one = function_of(unit)
    plain = one.signature(parameters=[f"{p.name}: {p.type}" for p in one.parameters])
    inner = f"{one.signature(name='inside')} {one.body}"
    return source.replaced(
        [(unit, f"{one.head}{one.visibility}{plain} {{\n{inner}\n    inside({one.arguments})\n}}")]
    )


@bodies
def method_of_a_helper(source: Source, draw: Random) -> str | None:
    units = [
        u for u in source.functions if function_of(u).all_named and not function_of(u).modifiers
    ]
    if not units or source.has_name("Worker"):
        return None
    unit = draw.choice(units)
    one = function_of(unit)
    plain = one.signature(parameters=[f"{p.name}: {p.type}" for p in one.parameters])
    outer = f"{one.head}{one.visibility}{plain} {{\n    Worker::{one.name}({one.arguments})\n}}"
    inner = f"struct Worker;\n\nimpl Worker {{\n    {one.signature()} {one.body}\n}}"
    return source.replaced([(unit, f"{outer}\n\n{inner}")])


@bodies
def chosen_by_cfg(source: Source, draw: Random) -> str | None:
    """Define a function twice, and compile the one."""
    if not source.functions:
        return None
    unit = draw.choice(source.functions)
    one = function_of(unit)
    never = f"{one.visibility}{one.signature()} {{ unimplemented!() }}"
    flag = draw.choice(
        ["unix", "debug_assertions", 'target_pointer_width = "64"', 'panic = "unwind"']
    )
    both = [f"#[cfg({flag})]\n{unit.text}", f"#[cfg(not({flag}))]\n{never}"]
    draw.shuffle(both)
    return source.replaced([(unit, "\n\n".join(both))])
