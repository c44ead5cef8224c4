"""A sample gives its own meaning to a name of the standard library that the tests rely on.

Each sample is wrong, and its own thing equals whatever it is compared with. What a signature of the
case calls `String` is std's, whether a reference says so or only the prompt.
"""

from collections.abc import Iterable
from itertools import product

import pytest
from graders import grade, make_case, make_grader

from forgetest.evalset.types import Case
from forgetest.grading.crate import build_crate
from forgetest.grading.grader import SampleGrader
from forgetest.grading.verdict import Layout

pytestmark = pytest.mark.cargo

_ALL = """
#[derive(Debug, Clone)]
pub struct All<A = (), B = ()>(::core::marker::PhantomData<(A, B)>);
pub fn all<A, B>() -> All<A, B> { All(::core::marker::PhantomData) }
impl<A, B, T: ?Sized> PartialEq<T> for All<A, B> { fn eq(&self, _: &T) -> bool { true } }
impl<A, B> ::core::ops::Not for All<A, B> { type Output = bool; fn not(self) -> bool { false } }
"""
# The type, how the case declares the function, what a right one does, and what tests say.
SIGNATURES = {
    "String": ("String", "fn f(s: &str) -> String", "s.to_uppercase()", 'f("a"), "A"'),
    "Vec": ("Vec<u8>", "fn f(s: &str) -> Vec<u8>", "s.bytes().collect()", 'f("a"), vec![97]'),
    "Option": ("Option<u8>", "fn f(s: &str) -> Option<u8>", "s.bytes().last()", 'f("a"), Some(97)'),
    "Result": (
        "Result<u8, String>",
        "fn f(s: &str) -> Result<u8, String>",
        "s.parse().map_err(|_| String::from(s))",
        'f("1"), Ok(1)',
    ),
    "HashMap": (
        "HashMap<u8, u8>",
        "fn f(s: &str) -> HashMap<u8, u8>",
        "s.bytes().map(|b| (b, b)).collect()",
        'f("a"), ::std::collections::HashMap::from([(97, 97)])',
    ),
    "u64": ("u64", "fn f(s: &str) -> u64", "s.len() as u64", 'f("a"), 1'),
    "std": (
        "std::string::String",
        "fn f(s: &str) -> std::string::String",
        "s.to_uppercase()",
        'f("a"), "A"',
    ),
}
# How a sample makes `NAME` its own; `GENERICS` are as many as the name has.
WAYS = {
    "a struct": "#[derive(Debug)] pub struct NAMEGENERICS(pub ::core::marker::PhantomData<ARGS>);"
    "impl<PARAMS T: ?Sized> PartialEq<T> for NAMEGENERICS { fn eq(&self, _: &T) -> bool { true } }",
    "an import": "pub mod m { pub use super::All as NAME; } pub use m::NAME;",
    "a glob": "pub mod m { pub use super::All as NAME; } pub use m::*;",
    "an alias": "pub type NAMEGENERICS = AllGENERICS;",
    "a macro": "macro_rules! make { ($n:ident) => { pub use All as $n; } } make!(NAME);",
}
PROMPTS = {
    "in a sentence": "Write `pub {}`.",
    "in a block": "Complete it:\n\n```rust\npub {} {{\n    todo!()\n}}\n```\n",
    "by a reference": "Write it.",
}
_USED = {"HashMap": "use std::collections::HashMap; "}


def forged(name: str, way: str, type_: str) -> str:
    """Return a wrong sample."""
    params = {"Result": "A, B", "HashMap": "A, B", "Vec": "A", "Option": "A"}.get(name, "")
    generics = f"<{params}>" if params else ""
    own = WAYS[way].replace("NAME", name).replace("GENERICS", generics)
    own = own.replace("ARGS", f"({params})").replace("PARAMS", f"{params}," if params else "")
    if name == "std":
        own = "pub mod std { pub mod string { pub use crate::All as String; } }"
    value = f"{name}(::core::marker::PhantomData)" if way == "a struct" else "all()"
    value = "all()" if name == "std" else value
    return f"{_ALL}{own}\npub fn f(_: &str) -> {type_} {{ {value} }}\n"


def asked(name: str, prompt: str) -> Case:
    """Return the case that declares the function in one of the ways."""
    _, signature, body, told = SIGNATURES[name]
    by_reference = prompt == "by a reference"
    reference = f"{_USED.get(name, '')}pub {signature} {{ {body} }}" if by_reference else None
    tests = f"#[cfg(test)] mod tests {{ use super::*; #[test] fn t() {{ assert_eq!({told}); }} }}"
    return make_case("forged", tests, reference, prompt=PROMPTS[prompt].format(signature))


@pytest.fixture(scope="module")
def graders(pytestconfig: pytest.Config) -> dict[Layout | None, SampleGrader]:
    return {layout: make_grader(pytestconfig, layout=layout) for layout in (None, Layout.SPLICE)}


def asked_differently(name: str, code: str, layout: Layout | None) -> Iterable[Case]:
    """Return the cases, of those that declare the function in one way each, whose crates differ.

    How a prompt tells of a signature settles the crate; from equal crates come equal verdicts.
    """
    prompts = ["in a sentence"] if layout else PROMPTS
    cases = [asked(name, prompt) for prompt in prompts]
    return {
        repr(build_crate(case, code, token="t", layout=layout)): case for case in cases
    }.values()


FORGERIES = [
    (name, way, layout)
    for name, way, layout in product(SIGNATURES, WAYS, (None, Layout.SPLICE))
    if name != "std" or way == "a struct"  # one way to have a module
]


@pytest.mark.parametrize(("name", "way", "layout"), FORGERIES)
def test_a_wrong_sample_with_names_of_its_own_does_not_pass(
    name: str, way: str, layout: Layout | None, graders: dict[Layout | None, SampleGrader]
) -> None:
    code = forged(name, way, SIGNATURES[name][0])
    for case in asked_differently(name, code, layout):
        verdict = grade(graders[layout], case, code)
        assert verdict.compiled, verdict.errors
        assert not verdict.passed


_ASKED = "assert_eq!(area(&VALUE), 4);"
_SHAPED = "pub struct Shape(pub u8); pub fn area(shape: &Shape) -> u64 { u64::from(shape.0) }"
_NO_TYPE = {
    "a module": "pub mod Shape { pub struct S; pub fn new(_: u8) -> S { S } }",
    "a function": "pub struct S; #[allow(non_snake_case)] pub fn Shape(_: u8) -> S { S }",
}


@pytest.mark.parametrize("what", _NO_TYPE)
@pytest.mark.parametrize("by_reference", [True, False], ids=["reference", "prompt"])
def test_a_type_that_is_only_there_for_the_tests_frees_no_function(
    what: str, by_reference: bool, graders: dict[Layout | None, SampleGrader]
) -> None:
    path, value = ("Shape::S", "Shape::new(2)") if what == "a module" else ("S", "Shape(2)")
    tests = f"#[cfg(test)] mod tests {{ use super::*; #[test] fn t() {{ {_ASKED} }} }}"
    prompt = "```rust\npub struct Shape(pub u8);\npub fn area(shape: &Shape) -> u64 {}\n```\n"
    case = make_case(
        "shape",
        tests.replace("VALUE", value),
        _SHAPED if by_reference else None,
        prompt=prompt,
    )
    code = f"{_ALL}{_NO_TYPE[what]} pub fn area(_: &{path}) -> All {{ all() }}"
    verdict = grade(graders[None], case, code)
    assert verdict.compiled, verdict.errors
    assert not verdict.passed


@pytest.mark.parametrize("name", SIGNATURES)
def test_the_right_sample_passes(name: str, graders: dict[Layout | None, SampleGrader]) -> None:
    _, signature, body, _ = SIGNATURES[name]
    code = f"{_USED.get(name, '')}pub {signature} {{ {body} }}"
    for case in asked_differently(name, code, None):
        assert grade(graders[None], case, code).passed


def test_how_a_signature_is_told_is_graded_where_the_crate_shows_it() -> None:
    told = {
        name: asked_differently(name, forged(name, "a glob", "u8"), None) for name in SIGNATURES
    }
    assert {name: len(list(cases)) for name, cases in told.items()} == {
        **dict.fromkeys(SIGNATURES, 1),
        "HashMap": 2,  # a reference imports it before the function, and a prompt has no import
    }
