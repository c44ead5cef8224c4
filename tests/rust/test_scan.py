"""What a sample is refused for, and what it is flagged for, by its tokens alone."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgetest.rust.scan import ATTRIBUTES, REFUSALS_KEPT, scan

F = "pub fn f() {}"
MAKES = "macro_rules! m { ($a:meta) => { #[$a] pub fn f() {} } }"


@pytest.mark.parametrize("name", sorted(ATTRIBUTES))
@pytest.mark.parametrize(
    "form",
    [
        "#[{}] {F}",
        "#![{}]",
        "#[unsafe({})] {F}",
        '#[{} = "x"] {F}',
        '#[unsafe({} = "x")] {F}',
        "#[r#{}] {F}",
        "#\n// [\n[ /* ] */\n{}\n] {F}",
        "#[cfg_attr(all(), {})] {F}",
        '#[cfg_attr(all(), inline, unsafe({} = ".x"))] {F}',
        "#[cfg_attr(all(), cfg_attr(any(), {}))] {F}",
        "macro_rules! m {{ () => {{ #[{}] {F} }} }} m!();",
        "mod a {{ impl B {{ #[{}] {F} }} }}",
        '#!/bin/x " /*\n#[{}] {F}',
        '/* " */ #[{}] {F} // "',
    ],
)
def test_an_attribute_for_the_linker_is_refused_however_it_is_written(name: str, form: str) -> None:
    (found,) = scan(form.format(name, F=F)).refused
    assert found.name == name


@pytest.mark.parametrize(
    "code",
    [
        f"{MAKES} m!(no_mangle);",
        f"{MAKES} m!(unsafe(no_mangle));",
        f"{MAKES} use m as vec; vec![no_mangle];",
        f"{MAKES} crate::m!(no_mangle);",
        "macro_rules! m { ($h:tt $x:tt $a:tt) => { $h $a pub fn f() {} } } m!(# x [no_mangle]);",
        "macro_rules! m { ($h:tt $x:tt $a:tt) => { $h $a pub fn f() {} } } m!(#[x] [no_mangle]);",
        f"{MAKES} macro_rules! n {{ ($b:ident) => {{ $b!(no_mangle); }} }} n!(m);",
        f'{MAKES} m!(export_name = "main");',
        f'{MAKES} m!(link(name = "c"));',
    ],
)
def test_an_attribute_that_the_samples_own_macro_makes_is_refused(code: str) -> None:
    assert [found.name for found in scan(code).refused]


@pytest.mark.parametrize(
    "code",
    [
        'use core::arch::asm; fn f() { unsafe { asm!("nop") } }',
        'fn f() { unsafe { core::arch::asm!("nop") } }',
        'std::arch::global_asm!("");',
        'use std::arch::{asm as x}; fn f() { unsafe { x!("nop") } }',
        'use std::arch::*; fn f() { unsafe { asm ! { "nop" } } }',
        'use std::arch::*; macro_rules! m { ($a:ident) => { $a!("nop") } } fn f() { m!(asm) }',
        'use core::arch::naked_asm; fn f() { naked_asm!("ret") }',
        "use core::prelude::v1::global_allocator as g; #[g] static A: B = B;",
        "#[core::prelude::v1::global_allocator] static A: B = B;",
    ],
)
def test_machine_code_and_renamed_attributes_are_refused(code: str) -> None:
    assert len(scan(code).refused) == 1


@pytest.mark.parametrize(
    ("code", "edition", "name"),
    [
        ("extern crate self as std;", "2021", "extern crate self as std"),
        ("extern crate tokio as core;", "2021", "extern crate tokio as core"),
        ("extern crate self as r#alloc;", "2021", "extern crate self as alloc"),
        ("extern crate self as tokio;", "2021", "extern crate self as tokio"),
        ("macro_rules! m { ($a:ident) => { extern crate self as $a; } }", "2021", None),
        ("#![no_std] mod std { pub mod string {} }", "2015", "mod std"),
        ("#![no_std] mod a {} use a as std;", "2015", "as std"),
        ('m!(cr#"a"); #[no_mangle] fn f() {} // "#', "2018", "no_mangle"),
    ],
)
def test_paths_of_the_tests_can_not_be_led_into_the_sample(
    code: str, edition: str, name: str | None
) -> None:
    (found,) = scan(code, edition=edition, crates=("tokio",)).refused
    assert name is None or found.name == name


@pytest.mark.parametrize(
    "code",
    [
        "pub fn used(link: u8) -> u8 { let start = link; start }",
        "struct A { link: Option<Box<A>>, export_name: String, naked: bool, lang: u8 }",
        'fn f(x: A) { println!("{}", x.export_name); assert_eq!(x.link, 3); }',
        '#[derive(Debug)] #[doc(alias = "no_mangle")] #[repr(C)] pub struct link;',
        "#[serde(rename(link))] #[arg(start, used)] struct A;",
        '/// #[no_mangle]\n// #[no_mangle]\n/* #[no_mangle] */ const A: &str = "#[no_mangle]";',
        'const A: &str = r#"#[no_mangle] " extern crate self as std;"#;',
        "#[used] static A: u8 = 0;",
        "fn f(asm: u8) -> bool { asm != 3 && arch(asm) } fn arch(_: u8) -> bool { true }",
        "macro_rules! asm { ($($t:tt)*) => { 0 } } fn f() -> u8 { asm!(push 1) }",
        "mod asm { pub fn run() {} } use asm::run;",
        "use std::arch::x86_64::*;",
        "macro_rules! m { ($link_name:expr) => { $link_name } }",
        "macro_rules! m { ($(#[$meta:meta])* $n:ident) => { $(#[$meta])* struct $n; } } m!(link);",
        "macro_rules! node { ($link:expr) => { Node { link: $link, start: 0 } } }",
        "extern crate alloc; extern crate std; extern crate core as std;",
        "extern crate tokio as t; use std as core_like; mod std {}",
        "#[test_case(link)] fn f() {}",
        "fn f(link: &[u8]) -> u8 { link[0] + link[link.len() - 1] }",
        "#![feature(start)] #![no_main] #![no_std]",
        f"#[link_cplusplus] {F}",
    ],
)
def test_honest_code_is_not_refused(code: str) -> None:
    assert scan(code, crates=("tokio",)).refused == ()


def test_a_refusal_names_its_line_and_there_are_not_endlessly_many() -> None:
    found = scan(f"// a\n/*\n*/{F}\n\n#[inline]\n#[no_mangle]\n{F}").refused
    assert [str(one) for one in found] == [
        "`no_mangle` in line 6 is refused: it decides what the linker puts into the test program"
    ]
    assert len(scan("#[no_mangle]\n" * 1000).refused) == REFUSALS_KEPT


@pytest.mark.parametrize(
    ("code", "flags"),
    [
        ("pub fn f() -> u8 { 1 } // unsafe std::process", ""),
        ("unsafe fn f() {}", "unsafe"),
        ('extern "C" { fn abs(x: i32) -> i32; }', "extern"),
        ("extern crate alloc;", ""),
        ("macro_rules! assert_eq { () => {} }", "own_std_macro"),
        ("macro_rules! my_vec { () => {} }", ""),
        ("pub use nothing as assert_eq;", "own_std_macro"),
        ("#![allow(clippy::all)]", "lint_silencing"),
        ("#[cfg_attr(all(), expect(warnings))] fn f() {}", "lint_silencing"),
        ("#[allow(dead_code)] fn f() {} #[warn(clippy::all)] fn g() {}", ""),
        ("#[cfg(test)] mod tests { use super::*; #[test] fn a() {} }", ""),
        ("#[cfg(test)] #[allow(x)] pub(crate) mod tests {}", ""),
        ("#[cfg(not(test))] fn f() {}", "cfg_test"),
        ("#[cfg(test)] fn f() {}", "cfg_test"),
        ("fn f() -> bool { cfg!(any(test)) }", "cfg_test"),
        ("fn f(test: u8) -> u8 { cfg(test) }", ""),
        ("#[cfg(not(clippy))] fn f() {}", "cfg_clippy"),
        ("fn f() -> bool { cfg!(clippy) }", "cfg_clippy"),
        ("cfg_select! { clippy => { fn f() {} } _ => {} }", "cfg_clippy"),
        ('#[cfg_attr(feature = "x", warn(clippy::all))] fn f() {}', ""),
        ("fn f() { std::process::exit(0) }", "process exit"),
        (
            "use std::{fs, io::{self, Read}, process as p}; fn f() { p::abort() }",
            "process fs abort",
        ),
        ("use std as s; fn f() { s::process::exit(0) }", "process exit"),
        ("use std::*; fn f() { env::args(); }", "env"),
        ("fn process(fs: u8) { exit(fs); } fn exit(_: u8) {} use std::io::Read;", ""),
        ("use std::f64::consts::PI; fn f(env: f64) -> f64 { std::f64::consts::PI * env }", ""),
        ("use std::collections::HashMap as process;", ""),
        ("use std::net::Ipv4Addr;", ""),
        ("use std::net::{TcpStream, Ipv4Addr};", "net"),
        ("use tokio::net::UdpSocket;", "net"),
        ('const A: &str = env!("PATH");', "env"),
        ('const A: &str = include_str!("a");', "include"),
        ('#[path = "a.rs"] mod a;', "include"),
        ("// \u202e", "bidi"),
        ("// \0", "nul"),
        ("fn f() { std::panic::set_hook(Box::new(|_| {})) }", "set_hook"),
        ("impl PartialEq<&str> for A { fn eq(&self, _: &&str) -> bool { true } }", "own_eq"),
        ("impl<T: Fn(u8) -> u8> std::cmp::Ord for A<T> where T: X { ord!(); }", "own_eq"),
        ("impl<T: PartialEq> Clone for A<T> {} #[derive(PartialEq)] struct B;", ""),
        ("fn f(x: impl PartialEq) { for i in 0..3 {} }", ""),
        ("fn f() { core::intrinsics::abort() }", ""),
    ],
)
def test_flags_are_raised_by_code_and_by_nothing_else(code: str, flags: str) -> None:
    assert " ".join(scan(code).flags) == flags


def test_facts_for_the_compiler_calls() -> None:
    found = scan("#![deny(clippy::all)]\nfn main() {\n unsafe { let a = 1; }\n}\nunsafe fn b() {}")
    assert (found.unsafe, found.unsafe_line) == (2, 3)
    assert not found.mentions_clippy
    assert {"deny", "clippy", "main", "a"} <= found.words
    assert "1" not in found.words
    assert scan("fn f() -> bool { cfg!(r#clippy) }").mentions_clippy
    takes_apart = "macro_rules! m { ($a:ident :: $b:ident) => { #[cfg($a)] mod b; } }"
    assert scan(f"{takes_apart} m!(clippy::all);").mentions_clippy


@pytest.mark.parametrize(
    "unit",
    [
        *('r#"', "/*", "'", "#[", "x!(", "std::{", "use std::*;", "impl<", "#[cfg(test)]"),
        *(
            "impl Ord for A {",
            "impl Ord for A { fn cmp(&self, o: &A) -> A { f(self, o) } } fn f() {",
        ),
        *("impl Ord for A { fn cmp(&self, o: &A) -> A { f(self, o) } } fn f() { a == b }", "fn f("),
        "impl Ord for A { fn cmp(&self, o: &A) -> A {" + "a.b == a.c " * 300 + "self.o }}",
        *("#[no_mangle]", "macro_rules!{", "extern crate $ as ", "unsafe ", "(]", "cfg_attr("),
    ],
)
def test_hostile_text_is_scanned_in_one_pass(unit: str) -> None:
    """Four times the text must not take sixteen times the time."""
    secs = [cpu_secs(unit * (size // len(unit))) for size in (50_000, 200_000)]
    assert secs[1] < 8 * secs[0] + 0.25
    assert secs[1] < 10


def cpu_secs(text: str) -> float:
    start = time.thread_time()
    scan(text)
    return time.thread_time() - start


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("use std::alloc::System;", ("System", 1)),
        ("\nuse std::{alloc::{GlobalAlloc, System as S}, fmt};", ("System", 2)),
        ("use std::alloc; fn f() { alloc::System; }", ("System", 1)),
        ("use std as s; fn f() { s::alloc::System; }", ("System", 1)),
        ("use std::*; fn f() { alloc::System; }", ("System", 1)),
        ('extern "C" { fn malloc(size: usize) -> *mut u8; }', ("extern", 1)),
        ('unsafe extern r"C" { }', ("extern", 1)),
        ("\n\nextern { fn mmap(); }", ("extern", 3)),
        ("macro_rules! m { () => { extern { fn f(); } } }", ("extern", 1)),
        ("struct System; impl System {}", None),
        ("use std::alloc::Layout; fn f() {}", None),
        ('extern crate alloc; extern "C" fn f() { } type F = extern "C" fn();', None),
        ('// extern "C" {}', None),
    ],
)
def test_memory_past_the_global_allocator_is_found(
    code: str, found: tuple[str, int] | None
) -> None:
    refusal = scan(code).own_memory
    assert (refusal and (refusal.name, refusal.line)) == found
    assert scan(code).refused == ()


VOCABULARY = "# ! [ ] ( ) { } :: as std $ extern crate unsafe cfg test impl < > for link asm arch ,"
WORDS = st.sampled_from(VOCABULARY.split())


@given(st.lists(WORDS | st.text(max_size=2), max_size=40).map(" ".join))
def test_every_text_has_a_scan(text: str) -> None:
    found = scan(text, crates=("tokio",))
    assert (found.unsafe > 0) == (found.unsafe_line is not None)
