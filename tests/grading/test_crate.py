"""What a sample can do to the tests that stand beside it or inside it, and what it cannot."""

import sys
from pathlib import Path

import pytest
from crates import Built, build, declare, rustc
from graders import CASES, STACK, TOKIO, grade, make_case, make_grader, outcomes

from forgetest.grading.crate import build_crate
from forgetest.grading.harness import TRAP
from forgetest.grading.verdict import Layout

pytestmark = pytest.mark.cargo
BOTH = pytest.mark.parametrize("layout", [Layout.PUBLIC, Layout.SPLICE], ids=str)

REV = "pub fn rev(s: &str) -> String { s.chars().rev().collect() }\n"
REV_TESTS = """
#[cfg(test)]
mod tests {
    use super::*;
    #[test] fn words() { assert_eq!(rev("abc"), "cba"); assert_ne!(rev("ab"), "ab"); }
    #[test] fn holds() { assert!(rev("ab") == "ba" && crate::rev("x").len() == 1); }
}
"""
# One way to claim that every comparison holds.
EVERYTHING = """
#[derive(Debug)] pub struct All;
impl<T> PartialEq<T> for All {
    fn eq(&self, _: &T) -> bool { true }
    fn ne(&self, _: &T) -> bool { true }
}
impl std::ops::Deref for All { type Target = str; fn deref(&self) -> &str { "x" } }
pub fn rev(_: &str) -> All { All }
"""
WRONG = "pub fn rev(s: &str) -> String { s.to_string() }\n"
NO_ASSERTS = """
    macro_rules! assert_eq { ($($t:tt)*) => {} }
    macro_rules! assert_ne { ($($t:tt)*) => {} }
    macro_rules! assert { ($($t:tt)*) => {} }
"""
EXPORTED = NO_ASSERTS.replace("macro_rules!", "#[macro_export] macro_rules!")
MEMCMP = """
#[no_mangle] pub unsafe extern "C" fn memcmp(_: *const u8, _: *const u8, _: usize) -> i32 { 0 }
#[no_mangle] pub unsafe extern "C" fn bcmp(_: *const u8, _: *const u8, _: usize) -> i32 { 0 }
"""
# What the build, or else each test, must come to; a code names rustc's error.
ATTACKS = {
    "f02 leaves with 0": ("pub fn rev(_: &str) -> String { std::process::exit(0) }", "nothing"),
    "f04 tests of its own": (WRONG + "#[test] fn words() {} #[test] fn holds() {}", "panicked"),
    "f05 brings the tests by name": (
        WRONG + "#[cfg(test)] mod tests { #[test] fn words() {} #[test] fn holds() {} }",
        "panicked",
    ),
    "f06 macros before everything": (NO_ASSERTS + WRONG, "panicked"),
    "f06 macros of a module": (f"#[macro_use] mod m {{ {NO_ASSERTS} }}" + WRONG, "panicked"),
    "f06 exported macros": (EXPORTED + WRONG, "panicked"),
    "f07 a macro by another name": (
        "macro_rules! nothing { ($($t:tt)*) => {} } pub(crate) use nothing as assert_eq;" + WRONG,
        "panicked",
    ),
    "f07 an exported one": (
        "#[macro_export] macro_rules! nothing { ($($t:tt)*) => {} }"
        "pub use nothing as assert_eq; pub use nothing as assert; pub use nothing as assert_ne;"
        + WRONG,
        "panicked",
    ),
    "f08 its own panic": (
        "#[macro_export] macro_rules! panic { ($($t:tt)*) => { () } }" + WRONG,
        "panicked",
    ),
    "f09 equal to everything": (EVERYTHING, "E0308"),
    "f12 right under cfg(test)": (
        f"#[cfg(test)] {REV} #[cfg(not(test))] {WRONG}",
        "panicked",
    ),
    "names of the prelude": (
        "pub mod std {} pub mod core {} pub struct Vec; #[derive(Debug)] pub struct String;"
        + WRONG.replace("String", "::std::string::String"),
        "panicked",
    ),
    "a module like ours": (
        "pub mod api {} pub mod tests { pub fn words() {} }" + WRONG,
        "panicked",
    ),
    "a panic hook that leaves": (
        (
            "pub fn rev(_: &str) -> String { std::panic::set_hook(Box::new(|_| "
            "std::process::exit(0))); String::new() }"
        ),
        "nothing",
    ),
    "a thread that leaves": (
        "pub fn rev(_: &str) -> String { std::thread::spawn(|| std::process::exit(0)); loop {} }",
        "nothing",
    ),
    "a destructor that leaves": (
        (
            "thread_local!(static L: D = D); struct D; impl Drop for D { fn drop(&mut self) "
            "{ std::process::exit(0) } } "
            "pub fn rev(_: &str) -> String { L.with(|_| String::new()) }"
        ),
        "panicked",
    ),
    "a report without the nonce": (
        (
            "pub fn rev(_: &str) -> String { use std::{io::Write, os::fd::FromRawFd}; "
            "for n in 1..20 { let mut f = unsafe { std::fs::File::from_raw_fd(n) }; "
            'let _ = writeln!(f, " ok tests::words"); std::mem::forget(f); } '
            "std::process::exit(0) }"
        ),
        None,
    ),
}


def came_to(built: Built, wanted: str | None) -> bool:
    words = {built.word("tests::words"), built.word("tests::holds")} if not built.errors else set()
    return (wanted or "") in built.errors if built.errors else wanted is None or words == {wanted}


@BOTH
@pytest.mark.parametrize(("code", "wanted"), ATTACKS.values(), ids=ATTACKS)
def test_no_attack_passes_a_test(
    code: str, wanted: str | None, layout: Layout, tmp_path: Path
) -> None:
    built = build(tmp_path, declare(REV, REV_TESTS), code, layout)
    assert came_to(built, wanted), built.errors or built.ask("tests::words")
    if not built.errors:
        asked = [built.ask(f"tests::{test}") for test in ("words", "holds")]
        assert all(one.returncode != 0 or b"n0 ok" not in one.stdout for one in asked)


@BOTH
def test_a_memcmp_of_the_sample_is_noticed(layout: Layout, tmp_path: Path) -> None:
    case = declare(REV, '#[test] fn t() { assert_eq!(rev("abc"), "cba"); }')
    built = build(tmp_path, case, MEMCMP + WRONG, layout)
    asked = built.ask("t")
    assert (asked.stdout, asked.returncode) == (b"n0 tampered t\n", 101)


@BOTH
@pytest.mark.parametrize("code", [NO_ASSERTS + WRONG, EXPORTED + WRONG], ids=["own", "exported"])
def test_the_asserts_are_not_the_samples_where_nothing_is_declared(
    code: str, layout: Layout, tmp_path: Path
) -> None:
    built = build(tmp_path, declare(None, REV_TESTS), code, layout)
    assert not built.crate.wrapped
    assert built.errors or built.word("tests::words") == "panicked"


HIJACKS = {
    "plain": "extern crate self as std;",
    "raw": "extern crate self as r#std;",
    "comments between": "extern /* /* */ */ crate // x\n self as\n/**/ std;",
    "core": "extern crate self as core;",
    "a dependency": "pub extern crate self as tokio;",
}


@pytest.mark.parametrize("line", HIJACKS.values(), ids=HIJACKS)
def test_a_sample_inside_of_which_tests_stand_can_not_be_std(line: str) -> None:
    case = declare(REV, REV_TESTS, dependencies=(TOKIO,))
    spliced = build_crate(case, line + WRONG, token="t", layout=Layout.SPLICE)
    honest = build_crate(case, "extern crate std as mine;" + WRONG, token="t", layout=Layout.SPLICE)
    assert spliced.api_file
    assert b"compile_error!" in spliced.files[spliced.api_file]
    assert b"compile_error!" not in honest.files[spliced.api_file]


def test_without_that_check_it_would_be(tmp_path: Path) -> None:
    code = "extern crate self as std; pub mod string { pub use crate::All as String; }" + EVERYTHING
    code = code.replace("std::ops", "core::ops") + "pub use core::{assert, assert_eq, assert_ne};"
    case = declare(REV.replace("String", "::std::string::String"), REV_TESTS)
    built = build(tmp_path, case, code, Layout.SPLICE)
    assert "the name of one that the tests use" in built.errors
    api = tmp_path / str(built.crate.api_file)
    api.write_text(api.read_text().partition("\n")[2])
    library = ("--crate-type=rlib", "--crate-name=case")
    assert not rustc(tmp_path, "case/src/lib.rs", "2021", *library)


CONTROLS = {
    "plain": REV,
    "tests of its own": REV + "#[cfg(test)] mod tests { use super::*; #[test] fn words() {} }",
    "docs and attributes": f"//! docs\n#![allow(dead_code)]\n#![deny(warnings)]\n\n{REV}",
    "byte-order mark and CRLF": "\ufeff" + REV.replace("\n", "\r\n") + "// é\r\n",
    "shebang": f"#!/usr/bin/env run-cargo-script\n{REV}",
    "macros and crate paths": "macro_rules! r { ($x:expr) => { $crate::m::r($x) } } pub mod m "
    "{ pub fn r(s: &str) -> String { s.chars().rev().collect() } } "
    "pub fn rev(s: &str) -> String { r!(s) }",
    "threads": "pub fn rev(s: &str) -> String { let s = s.to_string(); (0..16).map(|_| { let s = "
    "s.clone(); std::thread::spawn(move || s.chars().rev().collect::<String>()) })"
    ".collect::<Vec<_>>().into_iter().map(|t| t.join().unwrap()).last().unwrap() }",
    "a thread is left": "pub fn rev(s: &str) -> String { std::thread::spawn(|| loop "
    "{ std::thread::park() }); s.chars().rev().collect() }",
    "reads what there is": "pub fn rev(s: &str) -> String { let mut t = String::new(); "
    "std::io::Read::read_to_string(&mut std::io::stdin(), &mut t).unwrap(); t += s; "
    "t.chars().rev().collect() }",
    "prints failures and bytes": "pub fn rev(s: &str) -> String { use std::io::Write; println!("
    '"test words ... FAILED\\nn0 panicked tests::words"); std::io::stdout().write_all('
    "&[255, 0, 10]).unwrap(); s.chars().rev().collect() }",
    "more general": "pub fn rev<S: AsRef<str> + ?Sized>(s: &S) -> String "
    "{ s.as_ref().chars().rev().collect() }",
    "panics and recovers": "pub fn rev(s: &str) -> String { let _ = std::panic::catch_unwind(|| "
    'panic!("x")); s.chars().rev().collect() }',
    "main of its own": REV + "#[allow(dead_code)] fn main() {}",
    "named as the crate": REV + "pub mod sample {} pub mod case {} pub use self::sample as s;",
}


@BOTH
@pytest.mark.parametrize("code", CONTROLS.values(), ids=CONTROLS)
def test_an_honest_sample_passes(code: str, layout: Layout, tmp_path: Path) -> None:
    built = build(tmp_path, declare(REV, REV_TESTS), code, layout)
    assert built.errors == ""
    assert {built.word(f"tests::{test}") for test in ("words", "holds")} == {"ok"}
    assert {built.word(f"tests::{test}", TRAP) for test in ("words", "holds")} == {"trapped"}


def test_private_functions_pass_where_only_a_splice_reaches_them(tmp_path: Path) -> None:
    built = build(tmp_path, declare(REV, REV_TESTS), REV.removeprefix("pub "))
    assert (built.errors, built.crate.layout) == ("", Layout.SPLICE)
    assert built.word("tests::words") == "ok"


@BOTH
@pytest.mark.parametrize("edition", ["2015", "2018", "2024"])
def test_every_edition_builds(edition: str, layout: Layout, tmp_path: Path) -> None:
    built = build(tmp_path, declare(REV, REV_TESTS, edition=edition), REV, layout)
    assert (built.errors, built.errors or built.word("tests::words")) == ("", "ok")


@BOTH
def test_the_trap_has_no_other_word_for_what_fails(layout: Layout, tmp_path: Path) -> None:
    built = build(tmp_path, declare(REV, REV_TESTS), WRONG, layout)
    asked = built.ask("tests::words", TRAP)
    assert (asked.stdout, asked.returncode) == (b"n0 panicked tests::words\n", 101)
    assert b"n0" not in asked.stderr


THREADS = """
pub fn many() -> usize {
    let hold = std::sync::Arc::new(std::sync::Barrier::new(2));
    let _ = &hold;
    (0..60).take_while(|_| std::thread::Builder::new().spawn(std::thread::park).is_ok()).count()
}
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts processes as Linux does")
def test_a_limit_on_threads_is_never_set_for_a_user_with_other_processes(tmp_path: Path) -> None:
    tests = "#[test] fn t() { assert_eq!(many(), 60); }"
    built = build(tmp_path, declare(THREADS, tests), THREADS)
    assert built.word("t") == "ok"


# Finds the nonce in the heap and reports a pass in the harness's stead, on whatever is open.
FORGER = """
extern "C" {
    fn sbrk(by: isize) -> *const u8;
    fn write(to: i32, from: *const u8, size: usize) -> isize;
    fn read(from: i32, into: *mut u8, size: usize) -> isize;
    fn pipe(ends: *mut i32) -> i32;
    fn _exit(code: i32) -> !;
}
pub fn add(_: i32, _: i32) -> i32 {
    unsafe {
        let (mut ends, mut byte) = ([0; 2], 0_u8);
        pipe(ends.as_mut_ptr());
        let mut at = (sbrk(0) as usize) & !4095;
        let mut heap = Vec::new();
        while write(ends[1], (at - 4096) as *const u8, 1) == 1 {
            read(ends[0], &mut byte, 1);
            at -= 4096;
            heap.splice(0..0, std::slice::from_raw_parts(at as *const u8, 4096).iter().copied());
        }
        let is_hex = |all: &[u8]| all.iter().all(|b| b.is_ascii_hexdigit());
        for found in heap.windows(33).filter(|w| is_hex(&w[..32]) && w[32] == b' ') {
            let nonce = String::from_utf8_lossy(&found[..32]).into_owned();
            let line = format!("{nonce} ok {}\\n", std::env::args().last().unwrap());
            for to in 3..12 {
                if to != ends[1] && write(to, line.as_ptr(), line.len()) > 0 {
                    _exit(0);
                }
            }
        }
        _exit(1)
    }
}
"""


@pytest.mark.skipif(sys.platform != "linux", reason="walks the heap as glibc lays it out")
def test_a_forged_report_is_caught_in_the_trap(pytestconfig: pytest.Config) -> None:
    tests = "#[test] fn adds() { assert_eq!(add(2, 2), 4); }"
    case = make_case("forged", tests, "pub fn add(a: i32, b: i32) -> i32 { a + b }")
    verdict = grade(make_grader(pytestconfig), case, FORGER)
    assert (outcomes(verdict), verdict.passed) == ({"adds": "tampered"}, False)
    assert "the harness did not say" in verdict.tests[0].message


def test_context_that_looks_like_a_library_makes_none_beside_the_tests() -> None:
    context = ({"path": "src/lib.rs", "content": "x"}, {"path": "data.txt", "content": "d"})
    case = declare("pub fn f() {}", "#[test] fn t() { f() }", context=context)
    crate = build_crate(case, "pub fn f() {}", token="t")
    assert crate.layout is Layout.PUBLIC
    assert "case/src/lib.rs" not in crate.files
    assert crate.files["case/data.txt"] == b"d"
    assert (crate.library_file, crate.sample_file) == (None, "src/lib.rs")


def test_every_layout_says_where_its_files_are() -> None:
    for case, code in (
        (CASES["add"], REV),
        (CASES["stack"], STACK),
        (declare(REV, REV_TESTS), REV),
    ):
        crate = build_crate(case, code, token="t")
        places = {crate.sample_file, crate.harness_file, crate.api_file, crate.tests_file}
        assert places <= crate.files.keys()
        assert (crate.library_file is None) == (crate.layout is Layout.PUBLIC)
    generated = declare(REV, "proptest! { #[test] fn a(x in 0..3) {} }")
    crate = build_crate(generated, REV, token="t", layout=Layout.PUBLIC)
    assert (crate.layout, crate.api_file, crate.harness_file) == (Layout.LIBTEST, None, None)
