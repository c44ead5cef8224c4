"""Blank implementations and skeletons: items that are there and do no work."""

import subprocess
from pathlib import Path

import pytest

from forgetest.evalset.types import Case
from forgetest.mutants.blanks import blanks, skeleton

TYPES = """
enum E { Bad(u8), Empty, Long }
#[derive(Default)] struct D { inside: u8 }
struct P { x: i32, e: E }
type Short = Vec<u8>;
"""


def bodies(function: str) -> dict[str, str]:
    """Return the body of the last function in each blank implementation."""
    found = blanks(f"{TYPES}{function}")
    return {blank.name: blank.code.rpartition("{ ")[2].rpartition(" }")[0] for blank in found}


@pytest.mark.parametrize(
    ("returns", "empty", "constant", "constant_2"),
    [
        ("bool", "false", "true", None),
        ("u64", "0", "1", "2"),
        ("&'static str", '""', '"a"', '"b"'),
        ("String", "String::new()", 'String::from("a")', 'String::from("b")'),
        ("Option<char>", "None", "Some('a')", "Some('b')"),
        ("Vec<bool>", "Vec::new()", "vec![true]", "vec![true, true]"),
        ("Short", "Vec::new()", "vec![1]", "vec![2, 2]"),
        ("Result<u8, String>", "Ok(0)", "Ok(1)", "Err(String::new())"),
        ("Result<u8, E>", "Ok(0)", "Ok(1)", "Err(E::Empty)"),
        ("(u8, f64)", "(0, 0.0)", "(1, 1.0)", "(2, 2.0)"),
        ("(u8,)", "(0,)", "(1,)", "(2,)"),
        ("std::rc::Rc<u8>", "std::rc::Rc::new(0)", "std::rc::Rc::new(1)", "std::rc::Rc::new(2)"),
        ("&'static mut [u8]", "&mut []", None, None),
        ("std::collections::HashMap<u8, u8>", "Default::default()", None, None),
    ],
)
def test_a_body_returns_a_plain_value_of_its_type(
    returns: str, empty: str, constant: str | None, constant_2: str | None
) -> None:
    expected = {"panicking": "todo!()", "empty": empty}
    expected |= {"constant": constant} if constant else {}
    expected |= {"constant 2": constant_2} if constant_2 else {}
    assert bodies(f"fn f() -> {returns} {{ g() }}") == expected


@pytest.mark.parametrize("returns", ["T", "&T", "&mut str", "Box<dyn Fn()>", "!", "Unheard"])
def test_a_type_without_a_plain_value_keeps_its_todo(returns: str) -> None:
    assert [blank.name for blank in blanks(f"fn f<T>() -> {returns} {{ g() }}")] == ["panicking"]


def test_a_function_without_a_value_does_nothing() -> None:
    assert bodies("fn f() { g() }") == {"panicking": "todo!()", "empty": ""}


def test_types_of_the_source_are_built_from_their_fields() -> None:
    found = {
        blank.name: blank.code for blank in blanks(f"{TYPES}impl P {{ fn f() -> Self {{ g() }} }}")
    }
    assert "{ P { x: 0, e: E::Empty } }" in found["empty"]
    assert "{ P { x: 2, e: E::Long } }" in found["constant 2"]


def test_a_default_that_is_written_out_does_not_call_itself() -> None:
    code = "struct P(u8); impl Default for P { fn default() -> Self { P(g()) } }"
    assert "{ P(0) }" in next(blank.code for blank in blanks(code) if blank.name == "empty")


def test_what_the_compiler_runs_is_kept() -> None:
    code = "const fn n() -> usize { 3 } static S: [u8; n()] = [0; n()]; fn f() -> u8 { S[0] }"
    assert all("const fn n() -> usize { 3 }" in blank.code for blank in blanks(code))
    assert len(blanks(code)) == 4


def test_code_that_does_not_parse_has_no_blanks() -> None:
    assert blanks("fn f( {") == ()


SHAPES = """
use std::collections::{BTreeMap, HashMap};
#[derive(Debug, Clone, PartialEq)]
pub enum Fault { Missing, Wrong(String) }
#[derive(Default)]
pub struct Shelf<T> { items: Vec<T>, names: HashMap<String, u8> }
pub struct Pair(pub u8, pub Option<bool>);
impl<T: Clone> Shelf<T> {
    pub fn new() -> Self { Shelf { items: Vec::new(), names: HashMap::new() } }
    pub fn put(&mut self, item: T) -> Result<usize, Fault> { self.items.push(item); Ok(1) }
    pub fn first(&self) -> Option<&T> { self.items.first() }
    pub fn all(&self) -> impl Iterator<Item = &T> { self.items.iter() }
    pub fn pair(&self) -> Pair { Pair(1, None) }
}
impl std::fmt::Display for Pair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { write!(f, "{}", self.0) }
}
pub fn counts(words: &[&str]) -> BTreeMap<String, usize> { let _ = words; BTreeMap::new() }
pub async fn later(x: [i64; 3]) -> [i64; 3] { x }
"""


def compiles(code: str, folder: Path) -> str:
    """Return what rustc says against a library, nothing when it takes it."""
    (folder / "code.rs").write_text(code, encoding="utf-8")
    command = ["rustc", "--edition=2021", "--crate-type=lib", "--emit=metadata", "--test"]
    command += ["--cap-lints=allow", "--out-dir", str(folder), str(folder / "code.rs")]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    return built.stderr if built.returncode else ""


@pytest.mark.cargo
def test_blanks_compile(tmp_path: Path) -> None:
    found = blanks(SHAPES)
    assert [blank.name for blank in found] == ["panicking", "empty", "constant", "constant 2"]
    assert [compiles(blank.code, tmp_path) for blank in found] == [""] * 4


def asked(prompt: str) -> str | None:
    return skeleton(Case(id="a", eval_set="a", name="a", prompt=prompt))


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("/// Doubles.\nfn f(a: u8) -> u8 {\n", "/// Doubles.\nfn f(a: u8) -> u8 { todo!() }"),
        ("fn f(a: u8) -> u8", "fn f(a: u8) -> u8 { todo!() }"),
        (
            "struct S;\nimpl S {\n    fn f(&self) {",
            "struct S;\nimpl S {\n    fn f(&self) { todo!() }}",
        ),
        ("Write `pub fn f(a: u8) -> u8` that doubles.", "pub fn f(a: u8) -> u8 { todo!() }"),
        ("Write:\n\n    pub fn f(a: u8) -> u8\n\nIt doubles.", "pub fn f(a: u8) -> u8 { todo!() }"),
        ("Write:\n```rust\nfn f(a: u8);\n```\nIt prints.", "fn f(a: u8) { todo!() }"),
        (
            "Do:\n```rust\nstruct S { a: u8 }\nimpl S { fn f(&self) -> u8; }\n```\nand `fn g()`.",
            "struct S { a: u8 }\n\nimpl S { fn f(&self) -> u8 { todo!() } }\n\nfn g() { todo!() }",
        ),
        ("Write:\n```rust\ntrait T { fn f(&self); }\n```\nplease.", "trait T { fn f(&self); }"),
    ],
)
def test_a_skeleton_holds_what_the_prompt_declares(prompt: str, expected: str) -> None:
    assert (asked(prompt) or "").strip() == expected


@pytest.mark.parametrize(
    "prompt",
    [
        "Write a function `f` that doubles a number.",
        "```rust\nassert_eq!(f(1), 2);\n```",
        "```toml\n[package]\n```",
        "A type with `fn new() -> Self` and `fn len(&self) -> usize`.",
        "",
    ],
)
def test_a_prompt_without_declarations_has_no_skeleton(prompt: str) -> None:
    assert asked(prompt) is None


@pytest.mark.cargo
def test_tests_compile_against_a_skeleton(tmp_path: Path) -> None:
    made = asked("Implement\n```rust\npub fn double(a: u8) -> Option<u8>;\n```\nfor all numbers.")
    tests = "#[test]\nfn doubles() { assert_eq!(double(2), Some(4)); }\n"
    assert compiles(f"{made}{tests}", tmp_path) == ""
    assert "E0308" in compiles(f"{made}{tests.replace('2', 'true')}", tmp_path)
