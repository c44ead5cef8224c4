"""An answer that a reply gives in pieces is put together, calls of macros among them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from replies import case, taken, tokens

from forgetest.evalset.types import Case
from forgetest.extract.types import ExtractionRule
from forgetest.rust.items import defined_items

LOCAL = """\
thread_local! {
    static CALLS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}"""
LAZY = """\
lazy_static::lazy_static! {
    static ref CALLS: std::sync::Mutex<u32> = std::sync::Mutex::new(0);
}"""
FLAGS = """\
bitflags::bitflags! {
    #[derive(Clone)]
    pub struct Flags: u32 {
        const CALLS = 1;
    }
}"""
RULES = """\
macro_rules! adder {
    ($name:ident, $keep:expr) => {
        pub fn $name(numbers: &[i64]) -> i64 {
            numbers.iter().filter(|n| $keep(**n)).sum()
        }
    };
}"""
CALL = "adder!(sum_even, |n: i64| n % 2 == 0);"
COUNTED = """\
pub fn sum_even(numbers: &[i64]) -> i64 {
    CALLS.with(|calls| calls.set(calls.get() + 1));
    numbers.iter().filter(|n| *n % 2 == 0).sum()
}"""
FLAGGED = """\
pub fn sum_even(numbers: &[i64]) -> i64 {
    let flags = Flags::CALLS;
    numbers.iter().filter(|n| flags.bits() == 1 && *n % 2 == 0).sum()
}"""
USAGE = 'fn main() {\n    println!("{}", sum_even(&[1, 2]));\n}'
# Pieces in an order in which they may stand in one file.
PIECED = {
    "thread_local": (LOCAL, COUNTED),
    "thread_local behind its use": (COUNTED, LOCAL),
    "thread_local in round brackets": (
        "thread_local!(static CALLS: std::cell::Cell<u32> = std::cell::Cell::new(0));",
        COUNTED,
    ),
    "std::thread_local": (f"std::{LOCAL}", COUNTED),
    "lazy_static": (LAZY, COUNTED),
    "bitflags": (FLAGS, FLAGGED),
    "a constant": ("pub const LIMIT: i64 = 2;", COUNTED.replace("% 2", "% LIMIT"), LOCAL),
    "a macro and its call": (RULES, CALL),
    "a macro in braces and its call": (RULES, f"adder! {{ {CALL[7:-2]} }}"),
    "a macro, a helper, its call": (
        RULES,
        "fn is_even(n: i64) -> bool {\n    n % 2 == 0\n}",
        "adder!(sum_even, is_even);",
    ),
}
TAGS = ("```rust", "```", "~~~rs")
PROSE = ("", "First this:", "Then:", "And, as it's needed:", "∑ – the rest")


@given(
    pieces=st.sampled_from(list(PIECED.values())),
    tag=st.sampled_from(TAGS),
    prose=st.lists(st.sampled_from(PROSE), min_size=4, max_size=4),
    usage=st.booleans(),
    crlf=st.booleans(),
)
def test_blocks_that_are_pieces_make_one_answer(
    pieces: tuple[str, ...], tag: str, prose: list[str], *, usage: bool, crlf: bool
) -> None:
    codes = [*pieces, USAGE] if usage else list(pieces)
    blocks = [
        f"{lead}\n\n{tag}\n{code}\n{tag[:3]}\n" for lead, code in zip(prose, codes, strict=False)
    ]
    text = "\n".join(blocks)
    found = taken(text.replace("\n", "\r\n") if crlf else text)
    assert tokens(found.code) == tokens("\n".join(pieces))
    assert found.rule is ExtractionRule.MERGED


@given(
    pieces=st.sampled_from(list(PIECED.values())),
    before=st.sampled_from(
        ["", "Here's the code:\n\n", "Sure! (it counts its calls)\n\n", "1. Do it\n"]
    ),
    behind=st.sampled_from(["", "\n\nIt's done: `sum_even` counts.", "\n\nNote!\n"]),
    crlf=st.booleans(),
)
def test_a_reply_without_fences_keeps_its_macro_calls(
    pieces: tuple[str, ...], before: str, behind: str, *, crlf: bool
) -> None:
    code = "\n\n".join(pieces)
    text = f"{before}{code}{behind}"
    assert tokens(taken(text.replace("\n", "\r\n") if crlf else text).code) == tokens(code)


@pytest.mark.parametrize("pieces", PIECED.values(), ids=PIECED)
def test_one_block_of_all_pieces_is_taken_whole(pieces: tuple[str, ...]) -> None:
    code = "\n\n".join(pieces)
    assert taken(f"```rust\n{code}\n```").code == code
    assert taken(f"```rust\nfn main() {{}}\n```\n```rust\n{code}\n```").code == code


def test_a_macro_stands_before_its_use_whatever_the_order_of_the_reply() -> None:
    found = taken(f"```rust\n{CALL}\n```\nwith\n```rust\n{RULES}\n```\n")
    assert found.code == f"{RULES}\n\n{CALL}"


STACK = "#[derive(Debug, Default)]\npub struct Stack<T> {\n    items: Vec<T>,\n}"
PUSH = """\
impl<T> Stack<T> {
    pub fn push(&mut self, item: T) {
        self.items.push(item);
    }
}"""
POP = """\
impl<T> Stack<T> {
    pub fn pop(&mut self) -> Option<T> {
        self.items.pop()
    }
}"""
DISPLAY = """\
impl<T: std::fmt::Debug> std::fmt::Display for Stack<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.items)
    }
}"""
COLLECT = """\
use std::iter::FromIterator;

impl<T> FromIterator<T> for Stack<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self { items: items.into_iter().collect() }
    }
}"""
IMPLS = (PUSH, POP, DISPLAY, COLLECT)
CASES = {
    "types": case(functions=(), types=("Stack",)),
    "one function": case(functions=("Stack::push",), types=("Stack",)),
    "reference": case(functions=(), reference="\n".join((STACK, *IMPLS))),
    "nothing": case("Write a stack.", functions=()),
    "prompt": case("Write `struct Stack<T>` with `fn push(&mut self, item: T)`.", functions=()),
}


@pytest.mark.parametrize("asked", CASES.values(), ids=CASES)
@given(
    number=st.integers(1, 4),
    order=st.permutations(IMPLS),
    head=st.integers(0, 1),
    tag=st.sampled_from(TAGS),
)
def test_each_impl_may_stand_in_a_block_of_its_own(
    asked: Case, number: int, order: list[str], head: int, tag: str
) -> None:
    if head and any(impl.startswith("use") for impl in order[:1]):
        order.reverse()
    first = "\n\n".join((STACK, *order[:head]))
    pieces = [first, *order[head : head + number]]
    text = "\n\n".join(f"Next:\n{tag}\n{code}\n{tag[:3]}" for code in pieces)
    assert tokens(taken(text, asked).code) == tokens("\n".join(pieces))


def test_an_impl_that_is_optional_is_left_out() -> None:
    text = (
        f"```rust\n{STACK}\n{IMPLS[0]}\n```\nIf you want to print it:\n```rust\n{IMPLS[2]}\n```\n"
    )
    found = taken(text, CASES["types"])
    assert found.rule is ExtractionRule.DEFINING
    assert "Display" not in (found.code or "")


def test_calls_of_an_example_are_no_pieces() -> None:
    code = "#[macro_export]\nmacro_rules! square {\n    ($x:expr) => { $x * $x };\n}"
    asked = case("Write `square!`.", functions=(), reference=code)
    for example in ("assert_eq!(square!(3), 9);", "square!(3);", "let nine = square!(3);"):
        found = taken(f"```rust\n{code}\n```\nSo:\n```rust\n{example}\n```\n", asked)
        assert (found.code, found.rule) == (code, ExtractionRule.DEFINING)


MADE = {
    "macro": f"{RULES}\n\n{CALL}",
    "macro that names it": """\
macro_rules! all {
    () => {
        pub fn sum_even(numbers: &[i64]) -> i64 { numbers.len() as i64 }
    };
}
all!();""",
    "re-export": """\
mod inner {
    pub fn run(_: &[i64]) -> i64 { 0 }
}
pub use inner::{run as sum_even};""",
    "re-export of all": """\
mod inner {
    pub fn sum_even(_: &[i64]) -> i64 { 0 }
}
pub use inner::*;""",
    "constant": "pub const sum_even: fn(&[i64]) -> i64 = |_| 0;",
    "raw name": "pub fn r#sum_even(_: &[i64]) -> i64 {\n    0\n}",
    "include": 'include!("given.rs");',
    "module of macros": """\
#[macro_use]
mod rules {
    macro_rules! make { ($n:ident) => { pub fn $n() {} }; }
}
make!(sum_even);""",
    "macro of that name": """\
#[macro_export]
macro_rules! sum_even {
    ($x:expr) => { $x };
}""",
}


@pytest.mark.parametrize("code", MADE.values(), ids=MADE)
def test_a_definition_that_only_the_compiler_sees_is_preferred_to_an_example(code: str) -> None:
    helper = "pub fn helper() -> i64 {\n    sum_even(&[1])\n}"
    for other in (USAGE, helper, "#[test]\nfn works() {\n    assert_eq!(sum_even(&[]), 0);\n}"):
        for text in (
            f"```rust\n{other}\n```\n\n```rust\n{code}\n```\n",
            f"```rust\n{code}\n```\n\n```rust\n{other}\n```\n",
        ):
            found = taken(text).code or ""
            assert set(tokens(code)) <= set(tokens(found)), found
    assert taken(f"Here:\n\n{code}\n\nDone.").code == code or code.startswith("include")


def test_what_is_seen_comes_before_what_may_be() -> None:
    seen = "pub fn sum_even(n: &[i64]) -> i64 {\n    n.iter().filter(|n| *n % 2 == 0).sum()\n}"
    found = taken(f"```rust\n{RULES}\n{CALL}\n```\nWithout a macro:\n```rust\n{seen}\n```\n")
    assert (found.code, found.rule) == (seen, ExtractionRule.DEFINING)
    assert "sum_even" in defined_items(seen).functions


@pytest.mark.parametrize(
    ("code", "types"),
    [
        ("pub type Stack<T> = Vec<T>;", ("Stack",)),
        ("mod m {\n    pub struct Pile;\n}\npub use m::Pile as Stack;", ("Stack",)),
        ("mod m {\n    pub struct Pile;\n}\npub use self::m::{Pile as Stack};", ("Stack",)),
        ("make_struct! { pub struct Stack { n: u8 } }", ("Stack",)),
        ("pub struct r#Stack;", ("Stack",)),
    ],
)
def test_a_type_by_another_way_is_a_definition(code: str, types: tuple[str, ...]) -> None:
    text = f"```rust\nfn main() {{\n    let s = Stack::new();\n}}\n```\n```rust\n{code}\n```\n"
    found = taken(text, case(functions=(), types=types))
    assert (found.code, found.rule) == (code, ExtractionRule.DEFINING)
