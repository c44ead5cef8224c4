"""What tests use must be named to the model; what is not the sample's need not be."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from program import ROOT
from recorded import files, needs_data

from forgetest.check.naming import unnamed
from forgetest.evalset.load import load
from forgetest.evalset.types import Case, CompileFail, ContextFile, Dependency, Expectations
from forgetest.importers.catalogue import importer
from forgetest.importers.types import ImportOptions

SHIPPED = sorted((ROOT / "eval-sets").glob("*.toml"))
SHAPES = """
pub const LIMIT: u32 = 9;
pub enum Shape { Square(u32), Dot }
pub struct Pen { pub width: u32, ink: u32 }
pub trait Area { fn area(&self) -> u32; }
impl Area for Shape { fn area(&self) -> u32 { 1 } }
impl Pen {
    pub fn new() -> Self { Pen { width: 1, ink: 2 } }
    pub fn sketch(&self) -> u32 { self.ink }
    pub fn len(&self) -> usize { 0 }
}
impl Default for Pen { fn default() -> Self { Pen::new() } }
#[macro_export]
macro_rules! draw { () => { 1 } }
pub fn paint(x: u32) -> u32 { x }
pub fn helper(x: u32) -> u32 { x }
"""


def case(
    body: str,
    *,
    prompt: str = "Write it.",
    reference: str | None = SHAPES,
    head: str = "",
    **wanted: tuple[object, ...],
) -> Case:
    tests = f"#[cfg(test)]\nmod tests {{\nuse super::*;\n{head}\n#[test]\nfn t() {{ {body} }}\n}}"
    return Case(
        id="a",
        eval_set="s",
        name="a",
        prompt=prompt,
        reference_solution=reference,
        dependencies=(Dependency(name="serde-json", version="1"),),
        expectations=Expectations(test_file=tests, **wanted),
    )


USED = [
    ("assert_eq!(paint(1), 1);", ("paint",)),
    ("assert_eq!(super::paint(1), 1); crate::helper(2);", ("paint", "helper")),
    ("let all: Vec<u32> = [1].map(paint).to_vec();", ("paint",)),
    ("assert_eq!(LIMIT, 9);", ("LIMIT",)),
    ("let shape = Shape::Square(1);", ("Shape", "Shape::Square")),
    ("let pen: Pen = make();", ("Pen",)),
    ("assert_eq!(Pen::new().sketch(), 2);", ("Pen", "Pen::new", "sketch")),
    ("assert_eq!(pen.width, 2);", ("width",)),
    ("assert_eq!(draw!(), 1);", ("draw",)),
    ("assert_eq!(x.area(), 1); fn all(x: &dyn Area) {}", ("area", "Area")),
    ("use super::Shape::Dot;", ("Dot",)),
    ("paint(1); paint(2); other(Shape::Dot, Shape::Dot);", ("paint", "Shape", "Shape::Dot")),
]


@pytest.mark.parametrize(("body", "expected"), USED)
def test_an_item_of_the_reference_that_the_tests_use_must_be_named(
    body: str, expected: tuple[str, ...]
) -> None:
    told = "Write " + ", ".join(name.rpartition("::")[2] for name in expected)

    assert unnamed(case(body)) == expected
    assert unnamed(case(body, prompt=told)) == ()


WITHOUT_REFERENCE = [
    ("assert_eq!(paint(1), 1);", ("paint",)),
    ("let shape = Shape::Square(1);", ("Shape", "Shape::Square")),
    ("assert_eq!(pens::ink(1), LIMIT);", ("pens", "pens::ink", "LIMIT")),
    ("assert_eq!(draw!(), 1);", ("draw",)),
    ("let pen = Pen::default();", ("Pen",)),
    ("let pen = Pen::deserialize(1);", ("Pen",)),
    ("let pen = Pen::with_capacity(1);", ("Pen", "Pen::with_capacity")),
]


@pytest.mark.parametrize(("body", "expected"), WITHOUT_REFERENCE)
def test_without_a_reference_what_nothing_else_defines_must_be_named(
    body: str, expected: tuple[str, ...]
) -> None:
    assert unnamed(case(body, reference=None)) == expected


OTHERS = [
    ("", 'let v = Vec::new(); v.len(); String::from("a"); drop(v); Some(1); u32::MAX;'),
    ("", "let p = make; p(1); let paint = |x: u32| x; paint(1);".replace("make", "1")),
    ("fn paint(x: u32) -> u32 { x }\nstruct Shape;", "paint(1); Shape;"),
    ("use std::collections::HashMap;", "HashMap::<u8, u8>::new(); std::mem::swap(1, 2);"),
    ("use std::cmp::max as paint;", "assert_eq!(paint(1, 2), 2);"),
    ("use std::cmp::Ordering::*;", "assert_eq!(x, Less);".replace("x", "1")),
    ("", "serde_json::to_string(&1).unwrap(); size_of::<u8>();"),
    ("", 'assert!(vec![1].iter().all(|x| *x > 0), "paint {}", 1); format!("{}", 1);'),
    ("thread_local! { static LOG: u8 = 0; }", "LOG.with(|x| x);"),
    ("fn all<T: Ord>(x: T) -> T { x }", "all(1);"),
    ("mod inner { pub fn paint() {} }", "inner::paint();"),
    ("enum Own { A }\nimpl Own { fn make() -> Self { Own::A } }", "Own::make();"),
    ("// paint(1)\n/* Shape::Dot */", "let text = \"paint(1)\"; 'outer: loop { break 'outer; }"),
    ("macro_rules! twice { ($x:expr) => { $x }; }", "twice!(1);"),
    ("#[derive(Debug, Clone)]\nstruct Own { width: u8 }", "own().width;".replace("own()", "1")),
]


@pytest.mark.parametrize("reference", [SHAPES, None])
@pytest.mark.parametrize(("head", "body"), OTHERS)
def test_what_is_not_the_samples_need_not_be_named(
    head: str, body: str, reference: str | None
) -> None:
    assert unnamed(case(body, head=head, reference=reference)) == ()


def test_methods_that_common_types_have_do_not_count() -> None:
    assert unnamed(case("assert_eq!(x.len(), 1);")) == ()


def test_a_word_of_a_context_file_or_of_its_path_names_an_item() -> None:
    shown = ContextFile(path="src/pens.rs", content="pub fn ink(x: u32) -> u32 { x }")
    bare = case("assert_eq!(pens::ink(1), 1);", reference=None)

    assert unnamed(bare.model_copy(update={"context": (shown,)})) == ()


def test_a_part_of_a_word_names_nothing() -> None:
    assert unnamed(case("paint(1);", prompt="Write paints and repaint.")) == ("paint",)


def test_what_is_expected_must_be_named_too() -> None:
    wanted = {"expected_functions": ("Pen::sketch", "paint"), "expected_types": ("Area",)}

    assert unnamed(case("paint(1);", **wanted)) == ("paint", "Pen::sketch", "Area")
    assert unnamed(case("paint(1);", prompt="paint sketch Area", **wanted)) == ()


HOSTILE = [
    "(" * 50_000,
    "mod a {" * 15_000,
    "use a::{" * 15_000,
    "use a;" * 20_000,
    "a::" * 40_000,
    "a(" * 40_000,
    'r#"' * 40_000,
    "fn f(x: A) { |a| " * 6_000,
    "#[" * 40_000,
    "r#a " * 30_000,
    "x" * 10_000_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_files_take_little_time(text: str) -> None:
    plain = case("", reference=None)
    hostile = plain.model_copy(update={"expectations": Expectations(test_file=text)})
    start = time.thread_time()

    unnamed(hostile)

    assert time.thread_time() - start < 2.0


WORDS = """
use super :: { } * ; fn a ( ) ! . # [ r#b A < > = , 'a
"""


@settings(deadline=None)
@given(st.lists(st.sampled_from(WORDS.split())))
@example(["use", "::", ";"])
def test_no_file_is_too_odd(words: list[str]) -> None:
    unnamed(case(" ".join(words)))
    unnamed(case("", reference=" ".join(words), head=" ".join(words)))


@needs_data
def test_no_alarm_is_false_in_recorded_cases() -> None:
    sets = [importer("recorded").read(file, ImportOptions()).eval_set for file in files()]
    cases = [one for found in sets if found for one in found.cases]
    assert len(cases) > 100

    assert [(one.id, unnamed(one)) for one in cases if unnamed(one)] == []


def test_shipped_prompts_name_what_their_tests_use() -> None:
    cases = [one for eval_set in load(SHIPPED) for one in eval_set.cases]

    assert [(one.key, unnamed(one)) for one in cases if unnamed(one)] == []


def test_what_only_a_use_that_must_not_compile_names_must_be_named_too() -> None:
    use = CompileFail(
        name="n",
        code=("E0382",),
        source="use super::*;\nfn misuse(pen: Pen) { drop(pen); pen.sketch(); }",
        compiles="use super::*;\nfn misuse(pen: Pen) { helper(1); }",
    )
    wanted = case("paint(1);", prompt="Write `paint` and `Pen`.", compile_fail=(use,))

    assert unnamed(wanted) == ("helper", "sketch")
