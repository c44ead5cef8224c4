"""Brackets of code, told from those in strings, characters and comments."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgetest.rust.lexer import Ending, lex, marks


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("fn a() {}", "(){}"),
        ('"}" }', "}"),
        (r'"\"}" }', "}"),
        (r'"\\" }', "}"),
        ('r"\\" }', "}"),
        ('r#"}"}"# ]', "]"),
        ('br##"}"#"## ;', ";"),
        ('b"}" c"}" )', ")"),
        ('for"}"', ""),
        ("r#type {", "{"),
        (r"'{' '\'' b'}' '\u{7d}' '\\' {", "{"),
        ("fn f<'a>(x: &'a str) {", "(){"),
        ("'outer: loop {", "{"),
        ("// }\n{", "{"),
        ("/* } /* } */ } */ {", "{"),
        ("a[0];", "[];"),
        ("'\"' {", "{"),
        ("don't {", "{"),
    ],
)
def test_only_the_brackets_of_code_are_marks(source: str, found: str) -> None:
    assert "".join(mark.char for mark in lex(source).marks) == found


@pytest.mark.parametrize(
    ("source", "ending"),
    [
        ("", Ending.CODE),
        ("fn a() {", Ending.CODE),
        ("// a", Ending.LINE_COMMENT),
        ("// a\n", Ending.CODE),
        ("/* a /* */", Ending.BLOCK_COMMENT),
        ("/**/", Ending.CODE),
        ('"a', Ending.STRING),
        ('"a\\"', Ending.STRING),
        ('r##"a"#', Ending.STRING),
        ('"a" // "', Ending.LINE_COMMENT),
    ],
)
def test_the_ending_says_what_the_text_stops_in(source: str, ending: Ending) -> None:
    assert lex(source).ending is ending


def test_marks_know_what_is_open_behind_them() -> None:
    found = [(m.char, m.at, m.depth, m.inner) for m in lex("a({ [b] });").marks]
    assert found == [
        ("(", 1, 0, 1),
        ("{", 2, 1, 1),
        ("[", 4, 1, 2),
        ("]", 6, 1, 1),
        ("}", 8, 0, 1),
        (")", 9, 0, 0),
        (";", 10, 0, 0),
    ]
    assert lex("{ {").depth == 2
    assert lex("}").depth == -1
    assert lex("a").depth == 0


def test_marks_can_be_read_from_the_middle() -> None:
    assert [mark.at for mark in marks("{ { }", 1)] == [2, 4]
    assert next(marks("{" + '"' * 1_000_000)).char == "{"


@pytest.mark.parametrize("unit", ['r#"', '"', "'", "/*", 'r##"', "r######", '"\\', "b'", "\\"])
def test_every_text_is_read_in_one_pass(unit: str) -> None:
    start = time.thread_time()
    lex(unit * (1_000_000 // len(unit)))
    assert time.thread_time() - start < 20


@given(st.text(st.characters()))
def test_no_text_makes_the_lexer_raise(text: str) -> None:
    assert all(text[mark.at] == mark.char for mark in lex(text).marks)
