"""What a case wants, read from wherever the case says it."""

import pytest

from forgetest.evalset.types import Case, Expectations
from forgetest.extract.wants import Wants, wants
from forgetest.rust.items import defined_items

REFERENCE = """
use std::fmt;

pub const LIMIT: u32 = 7;

#[macro_export]
macro_rules! meter { () => { Meter::new() }; }

pub struct Meter(u32);

impl Meter {
    pub fn new() -> Self { Meter(0) }
    fn secret(&self) {}
}

impl fmt::Display for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, "{}", self.0) }
}

pub trait Reads { fn read(&self) -> u32; }

pub fn total(meters: &[Meter]) -> u32 { helper(meters) }

fn helper(meters: &[Meter]) -> u32 { meters.iter().map(|m| m.0).sum() }

fn main() {}
"""
WHOLE = Wants(
    functions=("total", "Meter::new"),
    types=("Meter", "Reads"),
    others=("LIMIT", "meter"),
    impls=("Display for Meter",),
)


def wanted(
    prompt: str = "Write it.", reference: str | None = None, **said: tuple[str, ...]
) -> Wants:
    expectations = Expectations.model_validate(said)
    return wants(
        Case(
            id="c",
            eval_set="s",
            name="C",
            prompt=prompt,
            reference_solution=reference,
            expectations=expectations,
        )
    )


def test_the_expectations_come_first() -> None:
    found = wanted(reference=REFERENCE, expected_functions=("total",), expected_types=("Meter",))
    assert (found.functions, found.types) == (("total",), ("Meter",))


def test_what_the_expectations_leave_open_is_the_public_api_of_the_reference() -> None:
    assert wanted(reference=REFERENCE) == WHOLE
    assert wanted(reference=REFERENCE, expected_types=("Meter",)).functions == WHOLE.functions


def test_a_reference_without_anything_public_wants_all_its_items_but_main() -> None:
    found = wanted(reference="struct A;\nfn f() {}\nfn main() {}")
    assert found == Wants(functions=("f",), types=("A",))


def test_the_prompt_is_read_only_when_nothing_else_speaks() -> None:
    prompt = "Write `fn area() -> u32`."
    assert wanted(prompt).functions == ("area",)
    assert wanted(prompt, expected_types=("Rect",)).functions == ()
    assert wanted(prompt, reference="pub fn zone() {}").functions == ("zone",)


@pytest.mark.parametrize(
    ("prompt", "functions", "types"),
    [
        ("Write a function.", (), ()),
        ("Write `pub fn area(w: u32) -> u32;` and `struct Rect`.", ("area",), ("Rect",)),
        ("/// Doc.\nfn area(w: u32) -> u32 {\n", ("area",), ()),
        ("Complete it:\n\nfn area(w: u32) -> u32", ("area",), ()),
        ("impl Rect {\n    fn area(&self) -> u32 {\n", ("Rect::area",), ()),
        ("```rust\nfn area() -> u32 {\n    todo!()\n}\nfn one() -> u32 { 1 }\n```", ("area",), ()),
        ("```rust\nstruct Rect;\nfn area(r: Rect) -> u32;\n```", ("area",), ("Rect",)),
        ("Mend this:\n```rust\nfn area() -> u32 { 1 + }\nfn main() {}\n```", ("area",), ()),
        ("```text\nfn area() {}\n```", (), ()),
    ],
)
def test_a_prompt_wants_what_its_code_leaves_to_be_written(
    prompt: str, functions: tuple[str, ...], types: tuple[str, ...]
) -> None:
    found = wanted(prompt)
    assert (found.functions, found.types) == (functions, types)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (REFERENCE, {"fn total", "fn Meter::new", "type Meter", "type Reads"}),
        ("mod inner { pub fn total() {} }", {"fn total"}),
        ("struct Other; impl Other { fn new() {} }", set()),
        ("fn main() { fn total() {} }", set()),
        ("#[cfg(test)] mod tests { pub struct Meter; }", set()),
        ("type Meter = u32;", {"type Meter"}),
    ],
)
def test_wanted_items_are_found_where_tests_can_reach_them(source: str, names: set[str]) -> None:
    found = WHOLE.found(defined_items(source))
    assert {name for name in found if not name.startswith("other")} == names


def test_the_count_is_what_must_be_defined() -> None:
    assert WHOLE.count == 6
    assert len(WHOLE.found(defined_items(REFERENCE))) == 6
