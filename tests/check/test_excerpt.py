# ruff: noqa: E501 - rustc's own lines
"""rustc's blocks, put back into the text that the author of a case wrote.

The blocks are what rustc 1.95 printed for the cases below.
"""

from textwrap import dedent

import pytest
from graders import make_case

from forgetest.check.excerpt import excerpt_of, failure_excerpt, in_authors_words
from forgetest.check.types import Excerpt
from forgetest.grading.crate import AuthoredFile, authored_files
from forgetest.grading.verdict import Diagnostic, Layout, Span, TestOutcome, TestResult
from forgetest.render.checking import excerpt_lines

REFERENCE = "\npub fn half(n: u32) -> u32 {\n    return n / 2;\n}\n"
TESTS = """\
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves() {
        assert_eq!(half(4u64), 2); let x: u8 = "a"; assert!(half("ü") == 2);
        let v = vec![half(1,
            2)];
        assert_eq!(crate::nix(2), crate::half(2, 3));
    }

    #[test]
    fn typo() { assert_eq!(haf(4), 2); undefined(3);
    }

    #[test] fn wide() { assert_eq!(half("漢"), 2u8); }
    #[test] fn both() { assert_eq!(haf(1), 2); assert!(half(2) == 1); }
}
"""
FILE = "case/src/tests.rs"


def files(layout: Layout = Layout.SPLICE) -> dict[str, AuthoredFile]:
    return authored_files(make_case("m", TESTS, REFERENCE), REFERENCE, layout)


def error(line: int, column: int, block: str, *, file: str = FILE, label: str = "") -> Diagnostic:
    span = Span(
        file=file, line=line, column=column, end_line=line, end_column=column + 1, label=label
    )
    rendered = f"error[E0308]: mismatched types\n{dedent(block)}\n\n"
    return Diagnostic(level="error", code="E0308", message="m", span=span, rendered=rendered)


def drawn(excerpt: Excerpt | None) -> str:
    """Return a block as it is shown; the place must be where the first mark points."""
    assert excerpt is not None
    return "\n".join(excerpt_lines(excerpt))


BLOCKS = {
    "marks and labels move with what they mark": (
        error(
            7,
            32,
            """\
             --> case/src/tests.rs:7:32
              |
            7 |         ::std::assert_eq!(half(4u64), 2); let x: u8 = "a"; ::std::assert!(half("ü") == 2);
              |                           ---- ^^^^ expected `u32`, found `u64`
              |                           |
              |                           arguments to this function are incorrect
              |
            note: function defined here
             --> case/src/api.rs:1:4
              |
            1 | fn half(a0: u32) -> u32 { crate::half(a0) }
              |    ^^^^ -------
            help: change the type of the numeric literal from `u64` to `u32`
              |
            7 -         ::std::assert_eq!(half(4u64), 2); let x: u8 = "a"; ::std::assert!(half("ü") == 2);
            7 +         ::std::assert_eq!(half(4u32), 2); let x: u8 = "a"; ::std::assert!(half("ü") == 2);
              |
            """,
        ),
        (7, 25),
        """\
          |
        7 |         assert_eq!(half(4u64), 2); let x: u8 = "a"; assert!(half("ü") == 2);
          |                    ---- ^^^^ expected `u32`, found `u64`
          |                    |
          |                    arguments to this function are incorrect
          = help: change the type of the numeric literal from `u64` to `u32`
        7 -         assert_eq!(half(4u64), 2); let x: u8 = "a"; assert!(half("ü") == 2);
        7 +         assert_eq!(half(4u32), 2); let x: u8 = "a"; assert!(half("ü") == 2);""",
    ),
    "behind two pieces that were put in": (
        error(
            7,
            80,
            """\
             --> case/src/tests.rs:7:80
              |
            7 |         ::std::assert_eq!(half(4u64), 2); let x: u8 = "a"; ::std::assert!(half("ü") == 2);
              |                                                                           ---- ^^^ expected
            """,
        ),
        (7, 66),
        """\
          |
        7 |         assert_eq!(half(4u64), 2); let x: u8 = "a"; assert!(half("ü") == 2);
          |                                                             ---- ^^^ expected""",
    ),
    "several lines, of which one was changed": (
        error(
            8,
            29,
            """\
             --> case/src/tests.rs:8:29
              |
            8 |         let v = ::std::vec![half(1,
              |                             ^^^^
            9 |             2)];
              |             - unexpected argument #2 of type `{integer}`
              |
            help: remove the extra argument
              |
            8 -         let v = ::std::vec![half(1,
            9 -             2)];
            8 +         let v = ::std::vec![half(1)];
              |
            """,
        ),
        (8, 22),
        """\
          |
        8 |         let v = vec![half(1,
          |                      ^^^^
        9 |             2)];
          |             - unexpected argument #2 of type `{integer}`
          = help: remove the extra argument
        8 -         let v = vec![half(1,
        9 -             2)];
        8 +         let v = vec![half(1)];""",
    ),
    "names with a random part, which moves the marks and is not shown": (
        error(
            10,
            60,
            """\
              --> case/src/tests.rs:10:60
               |
            10 |         ::std::assert_eq!(crate::api::nix(2), crate::api::half(2, 3));
               |                                                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^    - unexpected
            """,
        ),
        (10, 35),
        """\
           |
        10 |         assert_eq!(crate::nix(2), crate::half(2, 3));
           |                                   ^^^^^^^^^^^    - unexpected""",
    ),
    "a suggestion with a mark, and a file of ours": (
        error(
            14,
            39,
            """\
              --> case/src/tests.rs:14:39
               |
            14 |     pub fn typo() { ::std::assert_eq!(haf(4), 2); undefined(3);
               |                                       ^^^
               |
              ::: case/src/api.rs:1:1
               |
             1 | fn half(a0: u32) -> u32 { crate::half(a0) }
               | ----------------------- similarly named function `half` defined here
               |
            help: a function with a similar name exists
               |
            14 |     pub fn typo() { ::std::assert_eq!(half(4), 2); undefined(3);
               |                                         +
            """,
        ),
        (14, 28),
        """\
           |
        14 |     fn typo() { assert_eq!(haf(4), 2); undefined(3);
           |                            ^^^
           = help: a function with a similar name exists
        14 |     fn typo() { assert_eq!(half(4), 2); undefined(3);
           |                              +""",
    ),
    "a mark that ends in what was put in": (
        error(
            10,
            27,
            """\
              --> case/src/tests.rs:10:27
               |
            10 |         ::std::assert_eq!(crate::api::nix(2), crate::api::half(2, 3));
               |                           ^^^^^^^^^^^^^^^^^^^^^^^ wrong
            """,
        ),
        (10, 20),
        """\
           |
        10 |         assert_eq!(crate::nix(2), crate::half(2, 3));
           |                    ^^^^^ wrong""",
    ),
    "a suggestion of another length before what was put in": (
        error(
            18,
            40,
            """\
              --> case/src/tests.rs:18:40
               |
            18 |      pub fn both() { ::std::assert_eq!(haf(1), 2); ::std::assert!(half(2) == 1); }
               |                                        ^^^
               |
            help: a function with a similar name exists
               |
            18 |      pub fn both() { ::std::assert_eq!(half(1), 2); ::std::assert!(half(2) == 1); }
               |                                          +
            """,
        ),
        (18, 36),
        """\
           |
        18 |     #[test] fn both() { assert_eq!(haf(1), 2); assert!(half(2) == 1); }
           |                                    ^^^
           = help: a function with a similar name exists
        18 |     #[test] fn both() { assert_eq!(half(1), 2); assert!(half(2) == 1); }
           |                                      +""",
    ),
    "letters that take two columns: the label alone": (
        error(
            17,
            45,
            """\
              --> case/src/tests.rs:17:45
               |
            17 |      pub fn wide() { ::std::assert_eq!(half("漢"), 2u8); }
               |                                             ^^^^ expected `u32`, found `&str`
            """,
            label="expected `u32`, found `&str`",
        ),
        (17, 41),
        """\
           |
        17 |     #[test] fn wide() { assert_eq!(half("漢"), 2u8); }
           = expected `u32`, found `&str`""",
    ),
    "code as it was written": (
        error(
            3,
            5,
            """\
             --> src/lib.rs:3:5
              |
            3 |     return n / 2;
              |     ^^^^^^^^^^^^
              |
              = help: for further information visit https://example.org
              = note: `--force-warn clippy::needless-return` implied by `--force-warn clippy::all`
            help: remove `return`
              |
            3 -     return n / 2;
            3 +     n / 2
              |
            """,
            file="src/lib.rs",
        ),
        (3, 5),
        """\
          |
        3 |     return n / 2;
          |     ^^^^^^^^^^^^
          |
          = help: for further information visit https://example.org
          = help: remove `return`
        3 -     return n / 2;
        3 +     n / 2""",
    ),
}


@pytest.mark.parametrize(("diagnostic", "place", "block"), BLOCKS.values(), ids=BLOCKS)
def test_a_block_of_rustc_is_shown_in_the_authors_lines(
    diagnostic: Diagnostic, place: tuple[int, int], block: str
) -> None:
    excerpt = excerpt_of(diagnostic, files())

    assert excerpt is not None
    assert (excerpt.line, excerpt.column) == place
    assert drawn(excerpt) == dedent(block)


def test_a_block_that_is_not_understood_costs_the_block_and_not_the_place() -> None:
    strange = " --> case/src/tests.rs:7:32\n  |\n7 |         ...assert_eq!(half(4u64), 2); let...\n"

    excerpt = excerpt_of(error(7, 32, strange, label="wrong"), files())

    assert excerpt is not None
    assert (excerpt.line, excerpt.column) == (7, 25)
    assert [row.text for row in excerpt.rows] == [TESTS.split("\n")[6], "wrong"]


def test_what_points_into_files_of_ours_has_no_place() -> None:
    assert excerpt_of(error(1, 4, "", file="case/src/api.rs"), files()) is None


def panic(name: str, message: str) -> TestResult:
    return TestResult(name=name, outcome=TestOutcome.FAILED, message=message)


@pytest.mark.parametrize(
    ("result", "key", "place", "words"),
    [
        (
            panic(
                "tests::halves",
                "thread 'main' panicked at case/tests/tests.rs:7:60:\n"
                "assertion `left == right` failed\n  left: 2\n right: 3",
            ),
            "expectations.test_file",
            (7, 53),
            [
                "test tests::halves: assertion `left == right` failed",
                "  left: 2",
                " right: 3",
            ],
        ),
        (
            panic("tests::halves", "thread 'main' panicked at src/lib.rs:3:12:\nno"),
            "reference_solution",
            (3, 12),
            ["test tests::halves: no"],
        ),
        (
            panic("tests::typo", "it should have panicked, and did not"),
            "expectations.test_file",
            (14, None),
            ["test tests::typo: it should have panicked, and did not"],
        ),
        (
            panic("tests::typo", "thread 'main' panicked at library/core/src/x.rs:1:2:\nno"),
            "expectations.test_file",
            (14, None),
            ["test tests::typo: no"],
        ),
    ],
    ids=["in the tests", "in the reference", "at its end", "in the standard library"],
)
def test_a_test_that_fails_shows_its_assertion_where_it_stands(
    result: TestResult, key: str, place: tuple[int, int | None], words: list[str]
) -> None:
    excerpt = failure_excerpt(result, files(Layout.PUBLIC))

    assert excerpt is not None
    source = TESTS if key.endswith("test_file") else REFERENCE
    assert (excerpt.key, (excerpt.line, excerpt.column)) == (key, place)
    assert [row.text for row in excerpt.rows] == [source.split("\n")[place[0] - 1], *words]


def test_the_module_that_wraps_the_sample_is_the_crate_in_messages() -> None:
    assert in_authors_words("cannot find `x` in module `crate::api`") == (
        "cannot find `x` in the crate root"
    )
    assert in_authors_words("`crate::api::half` is private") == "`crate::half` is private"
