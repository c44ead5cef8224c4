"""Source as a row of top-level pieces, and the names that it mentions."""

import pytest

from forgetest.rust.parse import parse
from forgetest.rust.pieces import Piece, names_used, pieces_of


def pieces(source: str) -> tuple[Piece, ...]:
    return pieces_of(parse(source.encode()), source.encode())


def test_a_piece_takes_its_attributes_and_comments_along() -> None:
    source = (
        "//! Crate.\n#![allow(a)]\n/// Doc.\n#[derive(B)]\nstruct C;\n\n// note\nfn d() {}\n// end"
    )
    assert [piece.text for piece in pieces(source)] == [
        "//! Crate.\n",
        "#![allow(a)]",
        "/// Doc.\n#[derive(B)]\nstruct C;",
        "// note\nfn d() {}",
    ]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("fn f<T>() {}", {"f"}),
        ("struct S<T>(T);", {"S"}),
        ("macro_rules! m { () => {}; }", {"m"}),
        ("use a::b;", {"b"}),
        ("use a;", {"a"}),
        ("use a::b as c;", {"c"}),
        ("use std::{fmt::{self, Display as D}, io::*};", {"fmt", "D"}),
        ("use a::*;", set()),
        ("extern crate a as b;", {"b"}),
        ("impl<T> S<T> { fn f() {} const C: u8 = 1; }", {"S::f", "S::C"}),
        ("impl From<u8> for S { fn from(a: u8) -> S { S } }", {"From<u8> for S"}),
        ("mod m { fn f() {} }", {"m"}),
        ("m! {}", set()),
    ],
)
def test_a_piece_binds_names_at_the_root(source: str, names: set[str]) -> None:
    assert [piece.names for piece in pieces(source)] == [names]


def test_imports_and_main_are_told_apart() -> None:
    found = pieces("use a::b;\nextern crate c;\nfn main() {}\nfn other() {}")
    assert [piece.is_import for piece in found] == [True, True, False, False]
    assert [piece.is_main for piece in found] == [False, False, True, False]


def test_names_are_those_of_types_calls_macros_and_paths() -> None:
    source = """
    fn f(x: Kind) -> Vec<Other> {
        let y = helper(x.field, local);
        module::call(y);
        show!(inside(1));
        x.method()
    }
    """
    found = names_used(parse(source.encode()), source.encode())
    assert {"Kind", "Vec", "Other", "helper", "module", "show", "inside"} <= found
    assert not {"f", "x", "y", "field", "local", "method", "call"} & found
