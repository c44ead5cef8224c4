"""Which tests a test file declares, and the file made callable."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgetest.rust.callable import callable_file, invoked_macros, without_test_items
from forgetest.rust.splice import head, splice, splice_module
from forgetest.rust.tests import TestFunction, expected_tests

HOSTILE_SECS = 10  # a square of these lengths would take hours
SCOPE = "#[allow(unused_imports)] use super::*;"

DECLARED = {
    "bare": ("#[test] fn adds() {}", [TestFunction("adds")]),
    "in a module": (
        "#[cfg(test)]\nmod tests {\n use super::*;\n #[test]\n fn adds() {}\n}",
        [TestFunction("tests::adds")],
    ),
    "in nested modules, in order": (
        "mod a { #[test] fn x() {} mod b { #[test] fn y() {} } }\n#[test] fn z() {}",
        [TestFunction("a::x"), TestFunction("a::b::y"), TestFunction("z")],
    ),
    "a function that is no test": ("fn helper() {}\n#[inline] fn other() {}", []),
    "none at all": ("use super::*;", []),
    "docs and comments between": (
        "/// adds\n#[test] // here\n/* and */ #[ignore]\nfn adds() {}",
        [TestFunction("adds", ignored=True)],
    ),
    "an attribute belongs to its own item": (
        "#[test] fn a() {}\nfn helper() {}",
        [TestFunction("a")],
    ),
    "ignored with a reason": (
        '#[ignore = "slow"] #[test] fn a() {}',
        [TestFunction("a", ignored=True)],
    ),
    "any panic": ("#[test] #[should_panic] fn a() {}", [TestFunction("a", should_panic=True)]),
    "a certain panic": (
        '#[should_panic(expected = "divide by \\"zero\\"")] #[test] fn a() {}',
        [TestFunction("a", should_panic=True, panic_text='"divide by \\"zero\\""')],
    ),
    "a certain panic, raw": (
        '#[should_panic(expected = r#"a "b""#,)] #[test] fn a() {}',
        [TestFunction("a", should_panic=True, panic_text='r#"a "b""#')],
    ),
    "a certain panic, old spelling": (
        '#[should_panic = "boom"] #[test] fn a() {}',
        [TestFunction("a", should_panic=True, panic_text='"boom"')],
    ),
    "the full path of the attribute": (
        "#[::core::prelude::v1::test] fn a() {}",
        [TestFunction("a")],
    ),
    "tokio": ("#[tokio::test] async fn a() {}", [TestFunction("a")]),
    "tokio with arguments": (
        "#[tokio :: test(start_paused = true)] pub async fn a() -> Result<(), u8> { Ok(()) }",
        [TestFunction("a")],
    ),
    "another runtime": (
        "#[async_std::test] async fn a() {}",
        [TestFunction("a", is_direct=False)],
    ),
    "an async function under the plain attribute": (
        "#[test] async fn a() {}",
        [TestFunction("a", is_direct=False)],
    ),
    "rstest": (
        "#[rstest] #[case(1)] fn a(#[case] x: u8) {}",
        [TestFunction("a", is_direct=False)],
    ),
    "test_case beside test": (
        "#[test_case(1)] #[test] fn a(x: u8) {}",
        [TestFunction("a", is_direct=False)],
    ),
    "proptest": (
        "mod t { proptest! { #![c] #[test] fn a(x in 0..3) {} fn h() {}\n#[test] fn b() {} } }",
        [TestFunction("t::a", is_direct=False), TestFunction("t::b", is_direct=False)],
    ),
    "proptest in round brackets": (
        "proptest!( #[test] fn a(x in 0..3) {} );",
        [TestFunction("a", is_direct=False)],
    ),
    "names in strings and comments": (
        '// #[test] fn a() {}\nconst S: &str = "#[test] fn b(){}";',
        [],
    ),
}


@pytest.mark.parametrize(("source", "expected"), DECLARED.values(), ids=DECLARED)
def test_declared_tests_are_found_by_name_and_kind(
    source: str, expected: list[TestFunction]
) -> None:
    assert list(expected_tests(source)) == expected


CALLABLE = {
    "made public, attribute gone": ("#[test] fn a() {}", "        pub fn a() {}"),
    "modules too, and the condition holds": (
        "#[cfg(test)] mod t { #[test] fn a() {} }",
        "#[cfg(all())] pub mod t {         pub fn a() {} }",
    ),
    "a narrower visibility is widened": (
        "pub(crate) mod t { #[test] pub(super) fn a() {} }",
        "pub mod t {         pub fn a() {} }",
    ),
    "lines stay": (
        '#[should_panic(\n expected = "x"\n)]\n#[test]\nfn a() {}',
        "\n\n\n" + "\n" + "pub fn a() {}",
    ),
    "helpers and their conditions": (
        """#[cfg(all(test, not(miri)))] fn h() {} #[cfg_attr(test, derive(Debug))] struct S;
        #[cfg(feature = "test")] fn f() {} #[cfg_attr(miri, test)] fn g() {}""",
        """#[cfg(all(all(), not(miri)))] fn h() {} #[cfg_attr(all(), derive(Debug))] struct S;
        #[cfg(feature = "test")] fn f() {} #[cfg_attr(miri, test)] fn g() {}""",
    ),
    "tokio's default runtime": (
        "#[tokio::test] async fn a() {}",
        '#[tokio::main(flavor = "current_thread")] pub async fn a() {}',
    ),
    "tokio's other runtime": (
        '#[tokio::test(flavor = "multi_thread", worker_threads = 2)] async fn a() {}',
        '#[tokio::main(flavor = "multi_thread", worker_threads = 2)] pub async fn a() {}',
    ),
    "tokio's paused clock": (
        "#[tokio::test(start_paused = true)] async fn a() {}",
        '#[tokio::main(flavor = "current_thread", start_paused = true)] pub async fn a() {}',
    ),
    "what only libtest can run stays": (
        "#[rstest] fn a(x: u8) {}",
        "#[rstest] fn a(x: u8) {}",
    ),
    "letters of more than one byte": (
        "// ж\n#[test] fn ж() {} // é",
        "// ж\n        pub fn ж() {} // é",
    ),
}


@pytest.mark.parametrize(("source", "expected"), CALLABLE.values(), ids=CALLABLE)
def test_a_test_file_becomes_callable(source: str, expected: str) -> None:
    def squeezed(text: str) -> str:
        return "\n".join(" ".join(line.split()) for line in text.split("\n"))

    result = callable_file(source).text.replace(f"{SCOPE} ", "", 1)
    assert squeezed(result) == squeezed(expected)


def test_the_sample_is_in_scope_after_the_inner_attributes_of_the_test_file() -> None:
    source = "#![allow(dead_code)]\n//! docs\n\n#[test] fn a() {}"
    assert callable_file(source).text.splitlines()[3].startswith(f" {SCOPE} ")


MODULE = "mod m;"
HEADS = {
    "nothing": "^",
    "an item": "^fn a() {}",
    "an item with attributes and docs": "^/// docs\n#[inline]\nfn a() {}",
    "block docs of the item": "^/** docs */ fn a() {}",
    "inner attribute": "#![allow(dead_code)]\n^fn a() {}",
    "inner docs": "//! docs\n^fn a() {}",
    "inner block docs": "/*! docs /* nested */ */^fn a() {}",
    "comments that only look like docs": "//// no\n/*** no */ /**/ ^fn a() {}",
    "a licence before an attribute": "// (c)\n\n#![allow(x)] ^fn a() {}",
    "byte-order mark": "\ufeff^fn a() {}",
    "byte-order mark and attribute, CRLF": "\ufeff#![a]\r\n^fn a() {}",
    "shebang": "#!/usr/bin/env run\n^fn a() {}",
    "shebang before an attribute": "#!/bin/x\n#![a]\n^fn a() {}",
    "an attribute is no shebang": "#! /* c */ [allow(x)]\n^fn a() {}",
    "brackets in an attribute": '#![doc = "]"] ^fn a() {}',
    "quotes in an attribute": r'#![doc = "\"]"] ^fn a() {}',
    "raw string in an attribute": '#![doc = r#"]"#] ^fn a() {}',
    "character in an attribute": r"#![x(']', '\'', '[')] ^fn a() {}",
    "comments in an attribute": "#![x( /* ] /* ] */ */ // ]\n)] ^fn a() {}",
    "several lines": "#![cfg_attr(\n  all(),\n  allow(x)\n)]\n^fn a() {}",
    "a macro call": "#![a]\n^x! { #![b] }",
    "an unclosed attribute": "^#![a(\nfn a() {}",
}


@pytest.mark.parametrize("marked", HEADS.values(), ids=HEADS)
def test_splice_comes_after_inner_attributes_and_before_the_first_item(marked: str) -> None:
    assert splice(marked.replace("^", ""), MODULE).text == marked.replace("^", f"{MODULE} ")


def test_splice_into_a_file_without_items_gets_a_line_of_its_own() -> None:
    assert splice("// only words", MODULE).text == f"// only words\n{MODULE} "


ITEM = "#[inline] fn item() {}"
PIECES = st.lists(
    st.sampled_from([*" \t\n", "\r\n", "//! d\n", "// c\n", "/* c */", "/*! d */", '#![a("]")]\n'])
)


@given(PIECES)
def test_whatever_the_head_the_splice_stands_right_before_the_item(pieces: list[str]) -> None:
    source = "".join(pieces) + ITEM
    assert splice(source, MODULE).text == "".join(pieces) + MODULE + " " + ITEM


@given(st.text(alphabet="#![]()/*'\"rb \n\\x"))
def test_any_text_keeps_its_characters_around_the_splice(text: str) -> None:
    place = head(text).end
    assert splice(text, MODULE).text in {
        f"{text[:place]}{gap}{MODULE} {text[place:]}" for gap in ("", "\n")
    }


HOSTILE = {
    "opened raw strings": "#![x(" + 'r#"' * 300_000,
    "opened strings": '#![x("' + '\\"' * 500_000,
    "opened characters": "#![x(" + "'\\u{" * 250_000,
    "opened comments": "/*" * 500_000,
    "opened brackets": "#![x" + "[" * 300_000,
    "many attributes": "#![deny(x)]" * 90_000,
    "a long shebang": "#!" + "/**/" * 250_000,
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_head_takes_no_longer_than_its_length_allows(source: str) -> None:
    started = time.thread_time()
    splice_module(source, "m")
    assert time.thread_time() - started < HOSTILE_SECS


def test_whole_file_denials_are_softened_and_columns_kept() -> None:
    source = (
        "#![forbid(unsafe_code)] #![cfg_attr(all(), deny (warnings))]\n#[deny(dead_code)] fn a() {}"
    )
    spliced = splice_module(source, "m")
    assert spliced.startswith(
        "#![warn  (unsafe_code)] #![cfg_attr(all(), warn (warnings))]\n"
        "#[deny(dead_code)] fn a() {}\n#[allow"
    )


def test_a_crate_without_the_standard_library_has_it_for_the_tests() -> None:
    spliced = splice_module("#![no_std] #![cfg_attr(not(test), no_std)] fn a() {}", "m")
    assert spliced.startswith("#![warn()] #![cfg_attr(not(test), warn())] fn a() {}\n")


def test_the_module_stands_below_the_macros_that_it_may_use() -> None:
    spliced = splice_module("macro_rules! sq { () => {} } // end", "m")
    assert spliced == (
        'macro_rules! sq { () => {} } // end\n#[allow(warnings)] #[path = "m.rs"] pub mod m;\n'
    )


def test_invoked_macros_are_found_inside_other_macros_too() -> None:
    source = "fn a() { one!(two![3]); let x = !y(); if !(z) { std::three!(); } }"
    assert {"one", "two"} <= invoked_macros(source)
    assert "y" not in invoked_macros(source)


def test_items_for_tests_alone_are_erased_and_lines_kept() -> None:
    source = (
        "fn a() {}\n#[cfg(test)]\n#[allow(x)]\nmod tests {\n broken\n}\n#[cfg(not(test))] fn b() {}"
    )
    assert without_test_items(source).text.split() == [
        "fn",
        "a()",
        "{}",
        "#[cfg(not(test))]",
        "fn",
        "b()",
        "{}",
    ]
    assert without_test_items(source).text.count("\n") == source.count("\n")


def test_a_condition_that_goes_with_its_attribute_is_not_rewritten() -> None:
    source = (
        "#[cfg_attr(test, test)]\nfn a() { assert!(true); }\n#[cfg_attr(test, allow(x))] fn b() {}"
    )
    assert callable_file(source).text.endswith(
        " pub fn a() { assert!(true); }\n#[cfg_attr(all(), allow(x))] fn b() {}"
    )
