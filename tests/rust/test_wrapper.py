"""The names that tests see: declared by the case, done by the sample."""

from pathlib import Path

import pytest
from crates import build, declare
from graders import grade, make_grader

from forgetest.grading.crate import build_crate
from forgetest.grading.grader import SampleGrader
from forgetest.grading.verdict import Layout, Outcome
from forgetest.rust.mentions import mentions_of
from forgetest.rust.root import Root, root_of
from forgetest.rust.stdlib import PRELUDE_PLACES
from forgetest.rust.wrapper import Api, DeclaredApi, declared_api, wrappable

BOTH = pytest.mark.parametrize("layout", [Layout.PUBLIC, Layout.SPLICE], ids=str)


def api(reference: str, tests: str, *absent: str, whole: bool = True, opened: bool = False) -> Api:
    declared = DeclaredApi(root_of(reference), whole=whole, crates=frozenset({"tokio"}))
    return declared_api(declared, mentions_of(tests), absent=frozenset(absent), opened=opened)


OPEN = [
    *(f"extern crate {name};" for name in ("alloc", "core", "std", "tokio")),
    *(f"use ::{place};" for place in PRELUDE_PLACES.values()),
    "use S::*;",
]
WRITTEN = {
    "one function": ("pub fn f(x: u8) -> u8 { x }", "f(1)", "fn f(a0: u8) -> u8 { S::f(a0) }"),
    "patterns are left out": (
        "pub fn f(mut x: u8, (a, _): (u8, u8), &y: &u8, _: u8) {}",
        "f(1, (2, 3), &4, 5)",
        "fn f(a0: u8, a1: (u8, u8), a2: &u8, a3: u8) { S::f(a0, a1, a2, a3) }",
    ),
    "async": (
        "pub async fn f(x: &str) -> String { x.into() }",
        'f("")',
        "async fn f(a0: &str) -> String { S::f(a0).await }",
    ),
    "unsafe, of another ABI": (
        'pub unsafe extern "C" fn f() -> i32 { 1 }',
        "f()",
        'unsafe extern "C" fn f() -> i32 { unsafe { S::f() } }',
    ),
    "const only where it is needed": (
        "pub const fn f() -> usize { 1 }\npub const fn g() -> usize { 1 }",
        "const A: usize = f(); let x = g();",
        "const fn f() -> usize { S::f() }\nfn g() -> usize { S::g() }",
    ),
    "parameters that nothing tells": (
        "pub fn f<T, const N: usize>() -> usize { N }",
        "f::<u8, 3>()",
        "fn f<T, const N: usize>() -> usize { S::f::<T, N>() }",
    ),
    "parameters that a bound tells": (
        "pub fn f<F, U>(f: F) where F: Fn() -> U {}",
        "f(|| 1)",
        "fn f<F, U>(a0: F) where F: Fn() -> U { S::f(a0) }",
    ),
    "types of the case's own": (
        "pub struct P; pub mod m { pub struct Q; } pub fn f(x: P, y: crate::m::Q) {}",
        "f",
        "use S::P;\nuse S::m;\nfn f(a0: P, a1: S::m::Q) { S::f(a0, a1) }",
    ),
    "an alias is copied": (
        "pub struct E; type R<T> = std::result::Result<T, E>; pub fn f() -> R<u8> { Ok(1) }",
        "f()",
        "use S::E;\ntype R <T> = std::result::Result<T, E> ;\nfn f() -> R<u8> { S::f() }",
    ),
    "a constant keeps its type": (
        "pub const MAX: usize = 3; pub fn f() {}",
        "f(); MAX",
        "const MAX: usize = S::MAX;\nfn f() { S::f() }",
    ),
    "imports from outside are copied": (
        "use std::{fmt, collections::{HashMap as Map}}; use tokio::time; pub fn f() {}",
        "f()",
        (
            "use ::tokio::time;\nuse ::std::collections::HashMap as Map;\nuse ::std::fmt;\n"
            "fn f() { S::f() }"
        ),
    ),
    "imports of its own follow when they are wanted": (
        (
            "pub mod m { pub struct A; pub struct B; } use m::{A, B}; use self::m as n; "
            "pub fn f() {}"
        ),
        "A; n::B; f()",
        "use S::A;\nuse S::n;\nfn f() { S::f() }",
    ),
    "variants of its own": (
        "pub enum Op { Push } use Op::*; pub fn f(x: Op) {}",
        "f(Push)",
        "use S::Op::*;\nuse S::Op;\nfn f(a0: Op) { S::f(a0) }",
    ),
    "traits without a mention, for their methods": (
        "pub trait T { fn t(&self) {} } impl T for u8 {} pub fn f() {}",
        "f(); 1_u8.t()",
        "use S::T;\nfn f() { S::f() }",
    ),
    "what is not mentioned is not there": (
        "pub fn f() {} pub fn h() {} pub struct P;",
        "h()",
        "fn h() { S::h() }",
    ),
    "a name that the tests define is no mention": (
        "pub fn f() {} pub fn g() {}",
        "fn f() {} g();",
        "fn g() { S::g() }",
    ),
}


@pytest.mark.parametrize(("reference", "tests", "written"), WRITTEN.values(), ids=WRITTEN)
def test_the_api_is_declared_by_the_solution(reference: str, tests: str, written: str) -> None:
    found = api(reference, tests)
    assert sorted(found.text("S").splitlines()) == sorted(written.splitlines())
    assert found.wrapped


def test_a_function_with_a_type_that_the_sample_lacks_is_taken_as_it_is() -> None:
    reference = "pub enum E { A } pub fn f() -> Result<u8, E> { Ok(1) }"
    found = api(reference, "f().unwrap()", "E")
    assert (found.text("S"), found.wrapped) == ("use S::f;", False)
    assert api(reference, "f().unwrap()").wrapped


def test_a_helper_of_the_solution_alone_is_not_asked_of_a_sample() -> None:
    reference = "pub fn f() -> u8 { ring() } fn ring() -> u8 { 1 }"
    assert "ring" not in api(reference, "let ring = f(); ring").text("S")
    assert "ring" not in api(reference, "fn ring() {} ring(); f()").text("S")
    assert "ring" in api(reference, "ring(); f()").text("S")


def test_the_sample_says_nothing_that_the_case_does_not_ask_for() -> None:
    found = api("pub fn f() {}", "f(); assert_eq!(Vec::<u8>::new(), []);")
    assert found.text("S") == "fn f() { S::f() }"


def test_an_open_api_keeps_the_meaning_of_every_name_that_has_one() -> None:
    tests = "let sum: Option<u8> = f(); assert_eq!(sum, Some(1)); helper(); use std::fmt::Debug;"
    lines = api("pub fn f() -> u8 { 1 }", tests, opened=True).text("S").splitlines()
    assert {"fn f() -> u8 { S::f() }", "fn r#sum() {}", "use S::*;"} <= {*lines}
    assert {*OPEN} <= {*lines}
    assert not any("helper" in line for line in lines)


def test_macros_of_the_sample_speak_of_whatever_it_has() -> None:
    found = api("pub fn f() {} macro_rules! p { () => { f() } }", "p!()")
    assert found.open
    assert "use S::*;" in found.text("S").splitlines()


HASH_MAP = "use ::std::collections::HashMap;"
EXCERPTS = {
    "std is known": (
        "fn f() -> HashMap<u8, Rc<u8>> {}",
        "f()",
        (),
        ["fn f() -> HashMap<u8, Rc<u8>> { S::f() }", HASH_MAP, "use ::std::rc::Rc;"],
    ),
    "the sample's own types and functions": (
        "fn f(x: P) -> D {}",
        "f(P); sqrt()",
        (),
        ["fn f(a0: P) -> D { S::f(a0) }", "use S::D;", "use S::P;", "use S::sqrt;"],
    ),
    "a type that nobody knows": ("fn f(x: Shape) {}", "f()", ("Shape",), ["use S::f;"]),
    "a type of std by its name, with other arguments": (
        "fn f(x: Range) -> Result<u8> {}",
        "f(r)",
        (),
        ["fn f(a0: Range) -> Result<u8> { S::f(a0) }", "use S::Range;", "use S::Result;"],
    ),
    "a function of a type": ("fn new() -> Self {}", "S::new()", ("S",), sorted(OPEN)),
}


@pytest.mark.parametrize(("prompt", "tests", "absent", "written"), EXCERPTS.values(), ids=EXCERPTS)
def test_an_excerpt_declares_what_can_be_understood(
    prompt: str, tests: str, absent: tuple[str, ...], written: list[str]
) -> None:
    assert sorted(api(prompt, tests, *absent, whole=False).text("S").splitlines()) == written


def test_without_a_declaration_everything_is_seen_and_said_to_be() -> None:
    found = declared_api(DeclaredApi(Root(), whole=False), mentions_of("f()"))
    assert (found.needs, found.wrapped, found.open) == (frozenset(), False, True)
    assert "use S::*;" in found.text("S").splitlines()
    assert not wrappable(Root(), mentions_of("f()"))


# Each is a solution and tests that use it; both layouts must build and pass.
FIT = {
    "generics and bounds": (
        (
            "pub fn most<T: Ord + Clone>(all: &[T]) -> Option<T> where T: std::fmt::Debug "
            "{ all.iter().max().cloned() }"
        ),
        "assert_eq!(most(&[1, 3]), Some(3)); assert_eq!(most::<String>(&[]), None);",
    ),
    "lifetimes": (
        (
            "pub struct Cut<'a>(pub &'a str); pub fn cut<'a>(s: &'a str, by: &str) -> Cut<'a> "
            "{ Cut(s.split(by).next().unwrap()) } pub fn first(s: &str) -> Cut<'_> { Cut(&s[..1]) }"
        ),
        'assert_eq!(cut("a,b", ",").0, "a"); assert_eq!(first("xy").0, "x");',
    ),
    "impl Trait both ways": (
        (
            "pub fn evens(all: impl IntoIterator<Item = u8>) -> impl Iterator<Item = u8> "
            "{ all.into_iter().filter(|n| n % 2 == 0) }"
        ),
        "assert_eq!(evens(vec![1, 2]).collect::<Vec<_>>(), [2]);",
    ),
    "borrowing impl Trait": (
        "pub fn words<'a>(s: &'a str) -> impl Iterator<Item = &'a str> + 'a { s.split(' ') }",
        'assert_eq!(words("a b").count(), 2);',
    ),
    "closures in and out": (
        (
            "pub fn twice<F>(f: F) -> Box<dyn Fn(u8) -> u8> where F: Fn(u8) -> u8 + 'static "
            "{ Box::new(move |x| f(f(x))) } pub fn call(f: &mut dyn FnMut()) { f() }"
        ),
        "assert_eq!(twice(|x| x + 1)(1), 3); let mut n = 0; call(&mut || n += 1); assert!(n == 1)",
    ),
    "tuples, arrays, slices": (
        (
            "pub fn sums<const N: usize>(all: [(u8, u8); N]) -> ([u8; N], u8) "
            "{ let s = all.map(|(a, b)| a + b); (s, s.iter().sum()) }"
        ),
        "assert_eq!(sums([(1, 2), (3, 4)]), ([3, 7], 10));",
    ),
    "errors of its own": (
        (
            "#[derive(Debug, PartialEq)] pub enum Bad { Empty } "
            "impl std::fmt::Display for Bad { fn fmt(&self, f: &mut std::fmt::Formatter) -> "
            'std::fmt::Result { f.write_str("bad") } } impl std::error::Error for Bad {} '
            "pub fn parse(s: &str) -> Result<u8, Bad> { s.parse().map_err(|_| Bad::Empty) }"
            "pub fn boxed() -> Result<(), Box<dyn std::error::Error>> { Err(Box::new(Bad::Empty)) }"
        ),
        'assert_eq!(parse(""), Err(Bad::Empty)); assert!(boxed().is_err());',
    ),
    "an alias of its own": (
        (
            "#[derive(Debug, PartialEq)] pub struct E; "
            "pub type Result<T> = std::result::Result<T, E>; "
            "pub fn f() -> Result<u8> { Err(E) }"
        ),
        "let r: Result<u8> = f(); assert_eq!(r, Err(E));",
    ),
    "constants": (
        (
            'pub const WIDTH: usize = 3; pub static NAME: &str = "n"; '
            "pub const fn area(w: usize) -> usize { w * WIDTH }"
        ),
        (
            'const A: usize = area(2); assert_eq!(([0; WIDTH].len(), A, NAME), (3, 6, "n")); '
            'assert_eq!(format!("{WIDTH}"), "3");'
        ),
    ),
    "modules and crate paths": (
        (
            "pub mod geo { #[derive(Debug, PartialEq)] pub struct P(pub i8); } pub use geo::P; "
            "pub fn flip(p: &P) -> crate::geo::P { P(-p.0) }"
        ),
        "assert_eq!(flip(&P(1)), geo::P(-1)); assert_eq!(crate::geo::P(-1), super::flip(&P(1)));",
    ),
    "traits and their methods": (
        (
            "pub trait Loud { fn loud(&self) -> String; } impl Loud for str "
            "{ fn loud(&self) -> String { self.to_uppercase() } } "
            "pub fn all(v: &[Box<dyn Loud>]) -> usize { v.len() }"
        ),
        (
            'struct Mine; impl Loud for Mine { fn loud(&self) -> String { "m".loud() } } '
            'assert_eq!(Mine.loud(), "M"); assert_eq!(all(&[Box::new(Mine)]), 1);'
        ),
    ),
    "as a value": (
        "pub fn half(n: u8) -> u8 { n / 2 }",
        "let f: fn(u8) -> u8 = half; assert_eq!(f(4), 2);",
    ),
    "unsafe": (
        "pub unsafe fn read(p: *const u8) -> u8 { *p }",
        "let x = 7; assert_eq!(unsafe { read(&x) }, 7);",
    ),
    "macros": (
        (
            "#[macro_export] macro_rules! pair { ($x:expr) => { $crate::double($x, Two) } } "
            "pub struct Two; pub fn double(x: u8, _: Two) -> (u8, u8) { (x, x) }"
        ),
        "assert_eq!(pair!(3), (3, 3));",
    ),
    "a prelude name of its own": (
        (
            "#[derive(Debug, PartialEq)] pub enum Option { Nothing } pub use self::Option::*; "
            "pub fn f() -> Option { Nothing }"
        ),
        "assert_eq!(f(), Option::Nothing); assert_eq!(f(), Nothing);",
    ),
    "never, function pointers, raw identifiers": (
        "pub fn stop() -> ! { panic!() } pub fn r#try(f: fn(&u8) -> u8, x: &u8) -> u8 { f(x) }",
        "assert_eq!(r#try(|x| *x, &4), 4); let _: fn() -> ! = stop;",
    ),
}


def as_file(body: str) -> str:
    return f"#[cfg(test)] mod tests {{ use super::*; #[test] fn t() {{ {body} }} }}"


@pytest.mark.cargo
@BOTH
@pytest.mark.parametrize(("code", "body"), FIT.values(), ids=FIT)
def test_a_solution_fits_what_is_made_of_its_declarations(
    code: str, body: str, layout: Layout, tmp_path: Path
) -> None:
    built = build(tmp_path, declare(code, as_file(body)), code, layout)
    assert (built.errors, built.crate.wrapped) == ("", "pair!" not in body)
    assert built.word("tests::t") == "ok"


MORE_GENERAL = {
    "a trait for a type": ("&str", "impl AsRef<str>", "x.as_ref().len()"),
    "a parameter for a type": ("Vec<u8>", "impl IntoIterator<Item = u8>", "x.into_iter().count()"),
}


@pytest.mark.cargo
@BOTH
@pytest.mark.parametrize(("said", "given", "body"), MORE_GENERAL.values(), ids=MORE_GENERAL)
def test_a_sample_may_be_more_general(
    said: str, given: str, body: str, layout: Layout, tmp_path: Path
) -> None:
    value = '"abc"' if "str" in said else "vec![1, 2, 3]"
    case = declare(f"pub fn n(x: {said}) -> usize {{ 3 }}", as_file(f"assert_eq!(n({value}), 3);"))
    built = build(tmp_path, case, f"pub fn n(x: {given}) -> usize {{ {body} }}", layout)
    assert (built.errors, built.word("tests::t")) == ("", "ok")


@pytest.mark.cargo
@BOTH
def test_a_sample_of_other_types_is_told_so_where_it_is_called(
    layout: Layout, tmp_path: Path
) -> None:
    case = declare("pub fn n(x: u8) -> u8 { x }", as_file("assert_eq!(n(1), 1);"))
    built = build(tmp_path, case, "pub fn n(x: u8) -> u64 { 1 }", layout)
    assert "E0308" in built.errors
    assert built.crate.api_file
    assert f"--> {built.crate.api_file}" in built.errors


OUTSIDE, INSIDE = Layout.PUBLIC, Layout.SPLICE
# Code, how tests use it, where that is tried first, and where it builds.
NEEDS = {
    "public": ("pub fn f() {}", "f()", OUTSIDE, OUTSIDE),
    "private function": ("fn f() {}", "f()", INSIDE, INSIDE),
    "restricted function": ("pub(crate) fn f() {}", "f()", INSIDE, INSIDE),
    "private helper": ("pub fn f() { g() } fn g() {}", "f()", OUTSIDE, OUTSIDE),
    "public by an import": ("mod m { pub fn f() {} } pub use m::f;", "f()", OUTSIDE, OUTSIDE),
    "public by a glob": ("mod m { pub fn f() {} } pub use m::*;", "f()", OUTSIDE, OUTSIDE),
    "private by an import": ("mod m { pub fn f() {} } use m::f;", "f()", OUTSIDE, INSIDE),
    "made by a macro": (
        "macro_rules! make { ($n:ident) => { fn $n() {} } } make!(f);",
        "f()",
        OUTSIDE,
        INSIDE,
    ),
    "private macro": ("macro_rules! m { () => {} } pub fn f() {}", "f(); m!();", INSIDE, INSIDE),
    "private macro with a path": (
        "macro_rules! m { () => {} } pub(crate) use m; pub fn f() {}",
        "f(); m!();",
        INSIDE,
        INSIDE,
    ),
    "macro of a module": (
        "#[macro_use] mod h { macro_rules! m { () => {} } } pub fn f() {}",
        "f(); m!();",
        OUTSIDE,
        INSIDE,
    ),
    "exported macro": (
        "#[macro_export] macro_rules! m { () => {} } pub fn f() {}",
        "f(); m!();",
        OUTSIDE,
        OUTSIDE,
    ),
    "private method": ("pub struct S; impl S { fn g(&self) {} }", "S.g()", OUTSIDE, INSIDE),
    "private constructor": (
        "pub struct S; impl S { fn new() -> S { S } }",
        "S::new();",
        OUTSIDE,
        INSIDE,
    ),
    "public method": ("pub struct S; impl S { pub fn g(&self) {} }", "S.g()", OUTSIDE, OUTSIDE),
    "method of a private trait": (
        "trait T { fn g(&self) {} } impl T for u8 {} pub fn f() -> u8 { 1 }",
        "f().g()",
        OUTSIDE,
        INSIDE,
    ),
    "private field": (
        "pub struct S { x: u8 } pub fn s() -> S { S { x: 1 } }",
        "assert!(s().x == 1)",
        OUTSIDE,
        INSIDE,
    ),
    "private field, built": ("pub struct S { x: u8 }", "let _s = S { x: 1 };", OUTSIDE, INSIDE),
    "private position": ("pub struct S(u8);", "let _s = S(1);", OUTSIDE, INSIDE),
    "public position": ("pub struct S(pub u8);", "assert_eq!(S(1).0, 1)", OUTSIDE, OUTSIDE),
    "for no other crate": (
        "#[non_exhaustive] pub enum S { A }",
        "match S::A { S::A => {} }",
        OUTSIDE,
        INSIDE,
    ),
    "an impl of the tests": (
        "pub struct S;",
        "impl Clone for S { fn clone(&self) -> S { S } }",
        OUTSIDE,
        INSIDE,
    ),
    "an import that the tests rely on": (
        "use std::collections::HashMap; pub fn f() -> HashMap<u8, u8> { HashMap::new() }",
        "assert_eq!(f(), HashMap::new())",
        OUTSIDE,
        OUTSIDE,
    ),
    "no standard library": (
        "#![no_std]\nextern crate alloc; fn f() -> alloc::vec::Vec<u8> { alloc::vec![1] }",
        "assert_eq!(f(), vec![1])",
        INSIDE,
        INSIDE,
    ),
    "the standard library asked for": (
        "#![no_std]\n#[macro_use] extern crate std; fn f() -> std::vec::Vec<u8> { vec![1] }",
        "assert_eq!(f(), vec![1])",
        INSIDE,
        INSIDE,
    ),
}


def test_a_crate_that_the_declared_code_names_is_named_once() -> None:
    found = api("extern crate alloc; pub fn f() {}", "f()", opened=True)

    assert [line for line in found.lines if "alloc" in line] == ["extern crate alloc;"]


@pytest.fixture(scope="module")
def grader(pytestconfig: pytest.Config) -> SampleGrader:
    return make_grader(pytestconfig)


@pytest.mark.cargo
@pytest.mark.parametrize(("code", "body", "first", "last"), NEEDS.values(), ids=NEEDS)
def test_rustc_says_from_where_tests_reach_a_sample(
    code: str, body: str, first: Layout, last: Layout, grader: SampleGrader
) -> None:
    case = declare(code, as_file(body))
    assert build_crate(case, code, token="t").layout is first
    verdict = grade(grader, case, code)
    assert (verdict.outcome, verdict.test_errors) == (Outcome.PASSED, ())
    assert verdict.reach is not None
    assert verdict.reach.layout is last


@pytest.mark.cargo
@pytest.mark.parametrize(("code", "body"), [row[:2] for row in NEEDS.values()], ids=NEEDS)
def test_without_a_reference_the_same_samples_pass(
    code: str, body: str, grader: SampleGrader
) -> None:
    verdict = grade(grader, declare(None, as_file(body)), code)
    assert (verdict.outcome, verdict.test_errors) == (Outcome.PASSED, ())
