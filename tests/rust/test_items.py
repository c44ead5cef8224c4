"""What a piece of Rust source defines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgetest.rust.items import Item, ItemKind, Items, Scope, defined_items
from forgetest.rust.parse import cpu_deadline

ZOO = """
use std::fmt;

pub struct Unit;
pub(crate) struct Pair<T>(T, T);
enum Colour { Red }
union Bits { a: u32, b: f32 }
pub type Grid = Vec<Vec<u8>>;
pub const LIMIT: usize = 3;
static mut COUNT: u32 = 0;

#[macro_export]
macro_rules! shout { ($x:expr) => { $x }; }
macro_rules! quiet { () => {}; }

pub trait Shape {
    type Unit;
    const SIDES: u32;
    fn area(&self) -> f64;
    fn name(&self) -> String { String::new() }
}

impl<T: Clone> Pair<T> {
    pub const fn new(a: T, b: T) -> Self { Pair(a, b) }
    fn swap(&mut self) {}
}

impl<T> fmt::Display for crate::Pair<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { fn inner() {} Ok(()) }
}

pub mod geometry {
    pub async fn measure() {}
    mod deep { pub enum Hidden {} }
}

extern "C" { fn puts(s: *const u8) -> i32; }
"""


def names(items: Items, scope: Scope) -> set[str]:
    return {f"{item.kind} {item.name}" for item in items.items if item.scope is scope}


def test_every_kind_of_item_is_told_with_its_place() -> None:
    items = defined_items(ZOO)
    assert not items.broken
    assert names(items, Scope.TOP) == {
        "struct Unit",
        "struct Pair",
        "enum Colour",
        "union Bits",
        "alias Grid",
        "const LIMIT",
        "static COUNT",
        "macro shout",
        "macro quiet",
        "trait Shape",
        "impl Pair",
        "impl Display for Pair",
        "module geometry",
    }
    assert names(items, Scope.MODULE) == {"function measure", "module deep", "enum Hidden"}
    assert names(items, Scope.BODY) == {"function inner"}
    assert "method swap" in names(items, Scope.MEMBER)


def test_sets_of_names_hold_what_other_code_can_reach() -> None:
    items = defined_items(ZOO)
    assert items.functions == {"area", "name", "new", "swap", "fmt", "measure"}
    assert items.types == {"Unit", "Pair", "Colour", "Bits", "Grid", "Shape", "Hidden"}
    assert items.traits == {"Shape"}
    assert items.macros == {"shout", "quiet"}
    assert Item(ItemKind.CONST, "LIMIT", Scope.TOP, public=True) in items.top


def test_items_stand_in_the_order_of_the_source() -> None:
    items = defined_items("fn a() { fn b() {} }\nmod c { fn d() {} }\nfn e() {}").items
    assert [item.name for item in items] == ["a", "b", "c", "d", "e"]


def test_visibility_is_what_another_crate_would_see() -> None:
    public = {item.name for item in defined_items(ZOO).items if item.public}
    assert {"Unit", "Grid", "LIMIT", "shout", "Shape", "new", "area", "fmt"} <= public
    assert not {"Pair", "Colour", "COUNT", "quiet", "swap", "inner"} & public


@pytest.mark.parametrize(
    ("name", "owners"),
    [
        ("new", {"Stack", "Queue"}),
        ("Stack::new", {"Stack"}),
        ("crate::stack::Stack::new", {"Stack"}),
        ("Heap::new", set()),
        ("free", {""}),
        ("Stack::free", set()),
    ],
)
def test_a_method_is_found_by_its_type(name: str, owners: set[str]) -> None:
    source = "impl Stack { fn new() {} }\nimpl<T> Queue<T> { fn new() {} }\nfn free() {}"
    assert {item.owner for item in defined_items(source).functions_named(name)} == owners


@pytest.mark.parametrize(
    "attribute",
    ["#[cfg(test)]", "#[ cfg ( test ) ]", "#[cfg(all(test, unix))]", "#[test]", "#[tokio::test]"],
)
def test_what_only_tests_see_is_out_of_reach(attribute: str) -> None:
    source = f"{attribute}\n// note\n#[allow(dead_code)]\nfn probe() {{}}"
    items = defined_items(source)
    assert [item.scope for item in items.items] == [Scope.TEST]
    assert items.functions == frozenset()


@pytest.mark.parametrize("attribute", ["#[cfg(not(test))]", "#[inline]", '#[doc = "test"]'])
def test_what_the_library_sees_is_in_reach(attribute: str) -> None:
    assert defined_items(f"{attribute}\nfn probe() {{}}").functions == {"probe"}


def test_a_module_of_tests_hides_all_that_is_in_it() -> None:
    items = defined_items("#[cfg(test)]\nmod tests { mod m { fn a() {} } impl B { fn c() {} } }")
    assert {item.scope for item in items.items} == {Scope.TEST}


@pytest.mark.parametrize(
    ("body", "hollow"),
    [
        ("-> u8 { todo!() }", True),
        ('-> u8 { todo!("later"); }', True),
        ("-> u8 { unimplemented!() }", True),
        ("-> u8 { /* your code */ }", True),
        ("-> u8;", True),
        ("{ }", False),
        ("-> u8 { 1 }", False),
        ("-> u8 { let x = 1; todo!() }", False),
        ("-> u8 { todo!() + todo!() }", False),
    ],
)
def test_a_sketch_is_told_from_an_implementation(body: str, hollow: bool) -> None:
    assert [item.hollow for item in defined_items(f"fn f() {body}").items] == [hollow]


def test_a_trait_only_declares_and_that_is_no_sketch() -> None:
    items = defined_items("trait T { fn f(&self) -> u8; }").items
    assert [item.hollow for item in items] == [False, False]
    assert items[1].of_trait


@pytest.mark.parametrize(
    ("source", "functions", "types"),
    [
        ("fn f(x: u8) -> u8 {\n    if x > 1 {\n        ret", {"f"}, set()),
        ("struct S {\n    a: u8,", set(), {"S"}),
        ("fn f() { ... }\nfn g() {}", {"f", "g"}, set()),
        ("impl S {\n    pub fn push(&mut self) {\n        self.v.", {"push"}, set()),
        ("The function below works.", set(), set()),
    ],
)
def test_broken_source_still_shows_what_it_has_begun(
    source: str, functions: set[str], types: set[str]
) -> None:
    items = defined_items(source)
    assert items.broken
    assert (items.functions, items.types) == (functions, types)


def test_source_over_a_limit_defines_nothing_and_is_broken() -> None:
    assert defined_items("fn f() {}\n" + " " * (1 << 20)) == Items(broken=True)
    assert defined_items("fn f() {}", cpu_deadline(-1)) == Items(broken=True)


def test_hostile_nesting_is_walked_without_recursion() -> None:
    assert defined_items("mod a {" * 5000 + "}" * 5000).items[-1].name == "a"
    assert len(defined_items("fn f() {" * 5000 + "}" * 5000).items) == 5000


@given(st.text(st.characters()))
def test_no_text_makes_the_reader_raise(text: str) -> None:
    defined_items(text)
