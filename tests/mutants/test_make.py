"""Mutants: which changes are made of which code, and that each is a change that parses."""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from program import ROOT

from forgetest.evalset.load import load
from forgetest.mutants.make import MOST, left_out, mutants
from forgetest.mutants.mutant import Operator
from forgetest.rust.parse import parse


def changes(code: str, *operators: Operator) -> list[str]:
    """Return the mutants' ids without the function, of the operators given (default: all)."""
    return [
        mutant.id.removeprefix(f"{mutant.function}: ")
        for mutant in mutants(code)
        if not operators or mutant.operator in operators
    ]


EXPRESSIONS = [
    ("a == b", Operator.COMPARISON, ["a == b -> a != b"]),
    ("a < b", Operator.COMPARISON, ["a < b -> a > b"]),
    ("a < b", Operator.BOUNDARY, ["a < b -> a <= b"]),
    ("a as T > b", Operator.COMPARISON, ["a as T > b -> (a as T) < b"]),
    ("f(1).0", Operator.CONSTANT, ["f(1) -> f(2)", "f(1) -> f(0)"]),
    ("a.cmp(&b)", Operator.COMPARISON, ["a.cmp(&b) -> a.cmp(&b).reverse()"]),
    ("a.min(b)", Operator.COMPARISON, ["a.min(b) -> a.max(b)"]),
    ("a.min(b)", Operator.CALL, ["a.min(b) -> a"]),
    ("a..b", Operator.BOUNDARY, ["a..b -> a..=b"]),
    ("a..=b", Operator.BOUNDARY, ["a..=b -> a..b"]),
    ("a..", Operator.BOUNDARY, []),
    ("0..b", Operator.BOUNDARY, ["0..b -> 0..=b", "0..b -> 1..b"]),
    ("x.take(n)", Operator.BOUNDARY, ["x.take(n) -> x.take(n + 1)"]),
    ("a + b", Operator.ARITHMETIC, ["a + b -> a - b"]),
    ("a % b", Operator.ARITHMETIC, ["a % b -> a / b"]),
    ("a << b", Operator.ARITHMETIC, ["a << b -> a >> b"]),
    ("-a", Operator.ARITHMETIC, ["-a -> a"]),
    ("a.checked_add(b)", Operator.ARITHMETIC, ["a.checked_add(b) -> a.checked_sub(b)"]),
    (
        "a.saturating_add(b)",
        Operator.ARITHMETIC,
        [
            "a.saturating_add(b) -> a.saturating_sub(b)",
            "a.saturating_add(b) -> a.wrapping_add(b)",
        ],
    ),
    (
        "x.map(char::to_lowercase)",
        Operator.ARITHMETIC,
        ["char::to_lowercase -> char::to_uppercase"],
    ),
    ("x.first()", Operator.ARITHMETIC, ["x.first() -> x.last()"]),
    ("x.chars().last()", Operator.ARITHMETIC, []),
    ("x.take()", Operator.ARITHMETIC, []),
    ("std::mem::take(x)", Operator.ARITHMETIC, []),
    ("a && b", Operator.LOGIC, ["a && b -> a || b"]),
    ("!a", Operator.LOGIC, ["!a -> a"]),
    ("x.any(p)", Operator.LOGIC, ["x.any(p) -> x.all(p)"]),
    ("if a { b } else { c }", Operator.LOGIC, ["a -> !a"]),
    ("f(0)", Operator.CONSTANT, ["f(0) -> f(1)"]),
    ("f(7u8)", Operator.CONSTANT, ["f(7u8) -> f(8u8)", "f(7u8) -> f(6u8)"]),
    ("f(0xff)", Operator.CONSTANT, ["f(0xff) -> f(0x100)", "f(0xff) -> f(0xfe)"]),
    ("f(1.5)", Operator.CONSTANT, ["f(1.5) -> f(2.5)"]),
    ("f(true)", Operator.CONSTANT, ["f(true) -> f(false)"]),
    ("f('a')", Operator.CONSTANT, ["f('a') -> f('x')"]),
    ("f(b'x')", Operator.CONSTANT, ["f(b'x') -> f(b'y')"]),
    ('f("ab")', Operator.CONSTANT, ['f("ab") -> f("")']),
    ('f("")', Operator.CONSTANT, ['f("") -> f("x")']),
    ('f(r#"a"#)', Operator.CONSTANT, ['f(r#"a"#) -> f("")']),
    ("Some(a)", Operator.CONSTANT, ["Some(a) -> None"]),
    ("x.0", Operator.CONSTANT, []),
    ("vec![a; n + 1]", Operator.CONSTANT, ["n + 1 -> n + 0"]),
    ("[0; 4]", Operator.CONSTANT, ["[0; 4] -> [1; 4]"]),
    ("vec![a; 4]", Operator.CONSTANT, ["[a; 4] -> [a; 3]"]),
    (
        "if a == b { c } else { d }",
        Operator.BRANCH,
        ["if a == b -> if false", "if a == b -> if true"],
    ),
    ("f(a?)", Operator.BRANCH, ["a? -> a.unwrap()"]),
    (
        "if let Some(a) = b { a } else { c }",
        Operator.BRANCH,
        ["if let Some(a) = b -> else { ... }"],
    ),
    (
        "match a { 1 | 2 => b, n if n > m => c, _ => d }",
        Operator.BRANCH,
        [
            "1 | 2 => ... -> (left out)",
            "1 | 2 -> 2",
            "1 | 2 -> 1",
            "n if n > m -> n",
            "n if n > m => ... -> (left out)",
        ],
    ),
    ("match a { Some(b) => b, None => c }", Operator.BRANCH, []),
    ("x.iter().rev().sum()", Operator.CALL, ["x.iter().rev() -> x.iter()"]),
    ("x.clone()", Operator.CALL, []),
    ("matches!(a, 1..=5 if b > c)", Operator.BOUNDARY, 2),
    ('format!("{}", a + b)', Operator.ARITHMETIC, ["a + b -> a - b"]),
    ('format!("{}", a + b)', Operator.CONSTANT, []),
]


@pytest.mark.parametrize(("expression", "operator", "expected"), EXPRESSIONS)
def test_an_expression_is_changed(
    expression: str, operator: Operator, expected: list[str] | int
) -> None:
    found = changes(f"fn f() -> T {{ {expression} }}", operator)
    assert expected == (len(found) if isinstance(expected, int) else found)


STATEMENTS = [
    ("x.sort();", Operator.CALL, ["x.sort(); -> (left out)"]),
    ("x.push(a)?; let b = c;", Operator.CALL, ["x.push(a)?; -> (left out)"]),
    ("x = a; let b = c;", Operator.CALL, ["x = a; -> (left out)"]),
    ("match a { b => x.push(c), _ => {} }", Operator.CALL, ["x.push(c) -> {}"]),
    ("for a in b { x.push(a) }", Operator.CALL, ["x.push(a) -> (left out)"]),
    ('println!("{a}"); x.reserve(9);', Operator.CALL, []),
    ("for a in b { c(a); }", Operator.BRANCH, ["for a in b { ... } -> for a in b {}"]),
    ("while a { b(); }", Operator.BRANCH, ["while a -> while false"]),
    (
        "for a in b { if a { continue; } }",
        Operator.BRANCH,
        [
            "for a in b { ... } -> for a in b {}",
            *("if a -> if false", "if a -> if true"),
            "continue; -> (left out)",
        ],
    ),
    ("loop { break; }", Operator.BRANCH, []),
    ("if let A = b { c(); } d();", Operator.BRANCH, ["if let A = b -> (left out)"]),
    (
        "if a { b() } else { c() } d();",
        Operator.BRANCH,
        ["if a -> if false", "if a -> if true", "if a { ... } else { ... } -> if a { ... }"],
    ),
    ("while let A = b { c(); } d();", Operator.BRANCH, ["while let A = b -> (left out)"]),
    ("x += 1;", Operator.ARITHMETIC, ["x += 1 -> x -= 1"]),
    ("let x = Vec::with_capacity(9);", Operator.CONSTANT, []),
    ('x.expect("text"); panic!("text"); todo!("text");', Operator.CONSTANT, []),
    ('assert!(a == 1, "text");', Operator.CONSTANT, ["a == 1 -> a == 2", "a == 1 -> a == 0"]),
    ('assert!(a == 1, "text");', Operator.COMPARISON, ["a == 1 -> a != 1"]),
    ("let x: [u8; 4] = y;", Operator.CONSTANT, []),
]


@pytest.mark.parametrize(("statement", "operator", "expected"), STATEMENTS)
def test_a_statement_is_changed(statement: str, operator: Operator, expected: list[str]) -> None:
    assert changes(f"fn f() {{ {statement} }}", operator) == expected


RETURNS = [
    ("bool", ["{ false }", "{ true }"]),
    ("u8", ["{ 0 }", "{ 1 }"]),
    ("String", ["{ String::new() }", '{ String::from("a") }']),
    ("&str", ['{ "" }', '{ "a" }']),
    ("Option<u8>", ["{ None }", "{ Some(1) }"]),
    ("Result<(), E>", ["{ Ok(()) }"]),
    ("std::io::Result<bool>", ["{ Ok(false) }", "{ Ok(true) }"]),
    ("Vec<(u8, char)>", ["{ Vec::new() }", "{ vec![(1, 'a')] }"]),
    ("HashMap<u8, u8>", ["{ Default::default() }"]),
    ("[u8; 2]", ["{ [0; 2] }", "{ [1; 2] }"]),
    ("Box<u8>", ["{ Box::new(0) }", "{ Box::new(1) }"]),
    ("impl Iterator<Item = u8>", ["{ std::iter::empty() }"]),
    ("E", ["{ E::A }", "{ E::B }"]),
    ("P", ["{ P { x: 0, e: E::A } }", "{ P { x: 1, e: E::B } }"]),
    ("D", ["{ Default::default() }", "{ D(1) }"]),
    ("Short", ["{ Vec::new() }", "{ vec![1] }"]),
    ("T", []),
    ("&u8", []),
]
TYPES = """
enum E { A, B, C(u8) }
struct P { x: i32, e: E }
#[derive(Debug, Default)] struct D(u8);
type Short = Vec<u8>;
"""


@pytest.mark.parametrize(("type_", "expected"), RETURNS)
def test_a_body_gives_plain_values_of_its_type(type_: str, expected: list[str]) -> None:
    found = changes(f"{TYPES} fn f<T>() -> {type_} {{ g() }}", Operator.RETURN)
    assert found == [f"{{ ... }} -> {body}" for body in expected]


def test_a_body_without_a_value_is_emptied() -> None:
    assert changes("fn f() { g() }", Operator.RETURN) == ["{ ... } -> {}"]
    assert changes("fn f() {}") == []


def test_an_early_result_is_replaced() -> None:
    found = changes("fn f() -> bool { if g() { return false; } h() }", Operator.RETURN)
    assert "return false -> return true" in found


def test_a_constructor_of_nothing_is_not_replaced_by_the_default() -> None:
    code = "#[derive(Default)] struct D { x: u8 } impl D { fn new() -> Self { D { x: 0 } } }"
    assert changes(code, Operator.RETURN) == ["{ ... } -> { D { x: 1 } }"]


def test_a_default_is_not_replaced_by_itself() -> None:
    code = "struct D(u8); impl Default for D { fn default() -> Self { D(g()) } }"
    assert all("Default::default" not in change for change in changes(code))


def test_a_variant_is_exchanged_for_the_next_of_its_shape() -> None:
    code = "enum E { A(u8), B, C(u8), D } fn f() -> E { k(E::D); E::A(h()) }"
    found = changes(code, Operator.CONSTANT)
    assert found == ["E::D -> E::B", "E::A(h()) -> E::C(h())"]


def test_methods_of_the_source_itself_keep_their_names() -> None:
    code = "impl P { fn take(&self, n: u8) {} fn f(&self) { self.take(n); } }"
    assert changes(code, Operator.ARITHMETIC) == []


def test_the_rules_of_a_macro_are_changed() -> None:
    found = changes("macro_rules! m { ($a:expr) => { $a + 1 }; ($($b:tt)+) => { *$a } }")
    assert found == [
        "{ $a + 1 } -> { $a - 1 }",
        "{ $a + 1 } -> { $a + 2 }",
        "{ $a + 1 } -> { $a + 0 }",
    ]


@pytest.mark.parametrize(
    "code",
    [
        "#[cfg(test)] mod tests { fn f() -> u8 { 1 + 2 } }",
        "#[test] fn f() { g(1 + 2); }",
        "impl std::fmt::Debug for P { fn fmt(&self) -> u8 { 1 + 2 } }",
        "#[repr(align(8))] struct P { x: [u8; 9] }",
        "/// 1 + 2\nstruct P<const N: usize = 9>;",
        "use a::b; fn f();",
        'fn f() { println!("{}", 1 + 2) } fn broken( {',
        "",
    ],
)
def test_what_no_test_of_a_sample_sees_is_left_alone(code: str) -> None:
    assert mutants(code) == ()


def test_an_id_names_the_function_and_counts_repeats() -> None:
    code = "impl P { fn f(&self) -> T { g(a + b, a + b) } } const N: u8 = 4;"
    assert [m.id for m in mutants(code)] == [
        "P::f: a + b -> a - b",
        "P::f: a + b -> a - b #2",
        "const N: u8 = 4; -> const N: u8 = 5;",
        "const N: u8 = 4; -> const N: u8 = 3;",
    ]


def test_a_long_id_shows_the_change() -> None:
    long = " + ".join(f"number_{n}" for n in range(30))
    ids = [m.id for m in mutants(f"fn f() -> T {{ {long} }}")]
    assert len(ids) == len(set(ids)) == 29
    for one in ids:
        before, after = one.removeprefix("f: ").partition(" #")[0].split(" -> ")
        assert max(len(before), len(after)) <= 60
        assert before != after


def test_a_mutant_says_which_test_would_notice() -> None:
    found = {m.id: m.missing for m in mutants("fn f(a: u8, b: u8) -> bool { a < b }")}
    assert found["f: a < b -> a <= b"] == (
        "call `f` where `a == b`: only then do `a < b` and `a <= b` differ"
    )


def test_a_mutant_says_where_it_is() -> None:
    (first, *_) = mutants("// x\nfn f() -> T {\n    a == b\n}\n")
    assert (first.line, first.function, first.operator) == (3, "f", Operator.COMPARISON)
    assert first.code == "// x\nfn f() -> T {\n    a != b\n}\n"


MANY = "".join(f"fn f{n}(a: u8) -> u8 {{ {' + '.join(['a'] * 40)} == {n}7 }}\n" for n in range(9))


def test_many_mutants_are_thinned_evenly() -> None:
    every, some = mutants(MANY, most=10_000), mutants(MANY)
    assert len(every) > 300
    assert len(some) == MOST
    assert set(some) <= set(every)
    counts = [sum(m.function == f"f{n}" for m in some) for n in range(9)]
    assert max(counts) - min(counts) <= 2
    assert {m.operator for m in some} == {m.operator for m in every}


SETS = [ROOT / "eval-sets" / f"rust-{name}.toml" for name in ("basics", "algorithms")]
WORDS = [
    *("fn f() -> u8 {", "}", "{", "if a == 1 {", "else {", "match a {", "1 | 2 => b,", "_ => c,"),
    *("x.sort();", "return 3;", "a + b", "(", ")", "vec![1, 2]", 'assert!(a, "t");', "let y = "),
    *("!a", "0..n", "'a'", "é", '"ü"', "impl P {", "#[cfg(test)]", "mod m {", ";", "loop {"),
    *("matches!(a, 1..=5)", "macro_rules! m { () => { 1 + 2 } }", "// c\n", 'format!("{a}", 1)'),
]


@given(st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join))
@settings(max_examples=300, deadline=None)
def test_whatever_the_code_every_mutant_is_another_that_parses(code: str) -> None:
    found = mutants(code)
    codes = {mutant.code for mutant in found}
    assert code not in codes
    assert len(codes) == len(found) == len({mutant.id for mutant in found})
    assert not any(parse(one.encode()).root_node.has_error for one in codes)


@pytest.mark.parametrize(
    "code",
    [
        f"fn f() -> T {{ {' + '.join(['a'] * 9_000)} }}",
        f"fn f() {{ {'if a { ' * 5_000}{'}' * 5_000} }}",
        f"fn f() {{ {'x.sort();' * 36_000} }}",
    ],
)
def test_code_that_is_too_long_or_too_deep_has_no_mutants(code: str) -> None:
    assert mutants(code) == ()


def test_how_many_are_thinned_out_is_told() -> None:
    code = "fn f(a: u8) -> u8 { a + 1 }"
    every = len(mutants(code))
    assert (left_out(code), left_out(code, most=every - 2)) == (0, 2)
    assert len(mutants(code, most=every - 2)) == every - 2


def test_edition_2024_in_extern_blocks_hides_nothing_behind_it() -> None:
    head = 'unsafe extern "C" { safe fn abs(n: i32) -> i32; }'
    code = "fn f(a: i32) -> i32 { a + 1 }"
    assert [one.id for one in mutants(f"{head} {code}")] == [one.id for one in mutants(code)]
    assert all(one.code.startswith(head) for one in mutants(f"{head} {code}"))


@pytest.mark.cargo
def test_most_mutants_of_references_compile(tmp_path: Path) -> None:
    cases = {case.id: case for one in load(SETS) for case in one.cases}
    codes = [
        mutant.code
        for case in ("merge-intervals", "ring-buffer", "title-case", "parse-size")
        for mutant in mutants(cases[case].reference_solution or "", most=15)
    ]

    def compiles(numbered: tuple[int, str]) -> bool:
        file = tmp_path / f"mutant{numbered[0]}.rs"
        file.write_text(numbered[1], encoding="utf-8")
        command = ["rustc", "--edition=2021", "--crate-type=lib", "--emit=metadata"]
        return not subprocess.run(
            [*command, "--out-dir", tmp_path, file], capture_output=True, check=False
        ).returncode

    with ThreadPoolExecutor(2) as pool:
        share = sum(pool.map(compiles, enumerate(codes))) / len(codes)
    assert share >= 0.8


@pytest.mark.parametrize(("kib", "some"), [(84, True), (260, False)])
def test_a_solution_of_several_files_is_changed_up_to_a_size(kib: int, some: bool) -> None:
    filler = f"// {'x' * 60}\n" * (kib * 16)

    assert bool(mutants(f"{filler}fn f(a: u8) -> bool {{ a > 1 }}")) is some
