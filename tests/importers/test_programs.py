"""Programs of asserts become named tests."""

import pytest
from foreign import MODULE, TESTS

from forgetest.importers.programs import as_tests
from forgetest.importers.reading import ItemError
from forgetest.rust.tests import expected_tests


def names(module: str) -> list[str]:
    return [test.name.removeprefix("tests::") for test in expected_tests(module)]


def test_each_assert_of_a_main_is_a_test_that_says_what_it_checks() -> None:
    assert as_tests(TESTS) == MODULE


def test_a_let_goes_with_the_asserts_that_need_it() -> None:
    module = as_tests(
        "fn main() {\n    let list = vec![1, 2];\n    let other = list.len();\n"
        "    assert_eq!(sum(&list), 3);\n    assert_eq!(other, 2);\n}"
    )

    first, second = module.split("#[test]")[1:]
    assert "let list = vec![1, 2];\n        assert_eq!(sum(&list), 3);" in first
    assert "other" not in first
    assert "let list" in second
    assert "let other" in second


def test_a_name_bound_again_goes_with_the_assert_behind_it() -> None:
    module = as_tests("fn main(){ let r = f(1); assert!(r > 0); let r = f(2); assert!(r > 1); }")

    first, second = module.split("#[test]")[1:]
    assert "f(1)" in first
    assert "f(2)" not in first
    assert "f(2)" in second
    assert "f(1)" not in second


@pytest.mark.parametrize(
    "body",
    [
        "let mut s = S::new(); s.push(1); assert_eq!(s.len(), 1); assert_eq!(s.pop(), Some(1));",
        "for n in 0..3 { assert!(f(n)); } assert!(f(4));",
        "let unused = f(1); assert!(f(2)); assert!(f(3));",
        "let mut n = 1; assert_eq!(f(&mut n), 1); assert_eq!(n, 2);",
    ],
)
def test_asserts_that_may_hang_together_stay_one_test(body: str) -> None:
    assert names(as_tests(f"fn main() {{ {body} }}")) == ["all_asserts_hold"]


def test_a_main_that_returns_keeps_its_type() -> None:
    module = as_tests("fn main() -> Result<(), String> { assert!(f()?); Ok(()) }")

    assert "fn all_asserts_hold() -> Result<(), String> {" in module


def test_what_stands_beside_main_is_kept() -> None:
    module = as_tests(
        "use std::f64::consts::PI;\n\n"
        "fn near(a: f64, b: f64) -> bool {\n    (a - b).abs() < 1e-6\n}\n"
        "\nfn main() {\n    assert!(near(area(1.0), PI));\n}\n"
    )

    assert (
        "    use std::f64::consts::PI;\n\n    fn near(a: f64, b: f64) -> bool {\n        (a"
        in module
    )
    assert names(module) == ["case_1_near_area_1_0_pi"]


def test_comments_stay_with_the_assert_below_them() -> None:
    module = as_tests("fn main() {\n    // the empty one\n    assert!(f());\n    assert!(g());\n}")

    assert "// the empty one\n        assert!(f());" in module
    assert module.count("// the empty one") == 1


def test_a_function_called_by_another_name_is_called_by_its_own() -> None:
    module = as_tests(
        'fn main() { let candidate = shout; assert_eq!(candidate("candidate"), "x"); }'
    )

    assert 'assert_eq!(shout("candidate"), "x");' in module
    assert "let candidate" not in module


def test_texts_over_several_lines_are_not_indented_anew() -> None:
    module = as_tests('fn main() {\n    assert_eq!(f("a\n  b"), 1);\n    assert_eq!(f(""), 0);\n}')

    assert '"a\n  b"' in module


def test_names_are_unique_valid_and_short_whatever_is_asserted() -> None:
    long = ", ".join(str(number) for number in range(200))
    checks = [f"&[{long}]", '"ü ß 文"', "&[]", "&[]"]
    asserts = "".join(f"assert!(f({check})); " for check in checks)
    module = as_tests(f"fn main() {{ {asserts}}}")

    assert len(set(names(module))) == 4
    assert max(map(len, names(module))) < 60
    assert all(name.isascii() and name.isidentifier() for name in names(module))


def test_tests_that_are_written_already_stay_as_they_are() -> None:
    module = "#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn a() {}\n}\n"

    assert as_tests(module) == module
    assert names(as_tests("#[test]\nfn a() {\n    assert!(f());\n}\n")) == ["a"]


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("}\nfn main() { assert_eq!(f(1), ", "do not parse"),
        ("fn main() { f(1); }", "asserts nothing"),
        ("fn main() {}", "asserts nothing"),
        ("fn check() { assert!(f()); }", "neither a `fn main` nor a #[test]"),
        ("\n}\n", "neither a `fn main` nor a #[test]"),
        ("mod a {" * 5000 + "}" * 5000, "nest modules too deeply"),
        (f"fn main() {{ assert!(true); }} /*{' ' * (1 << 20)}*/", "do not parse"),
    ],
)
def test_a_program_that_tests_nothing_is_left_out(program: str, said: str) -> None:
    with pytest.raises(ItemError, match=said.replace("[", r"\[")):
        as_tests(program)


def test_a_program_of_very_many_statements_is_one_test() -> None:
    lets = "".join(f"let a{n} = f; assert!(a{n}(1));\n" for n in range(5000))

    assert names(as_tests(f"fn main() {{ {lets}}}")) == ["all_asserts_hold"]
