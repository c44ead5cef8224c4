"""Tokens are those of rustc, on every text that rustc takes, and cost one pass."""

import re
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forgetest.rust.lexer import LIFETIME, LITERAL, tokenize


def texts(source: str, edition: str = "2021") -> str:
    return " ".join(tokenize(source, edition=edition).texts)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("fn f<'a>(x: &'a str) {}", "fn f < ' > ( x : & ' str ) { }"),
        ("'a' 'b '\\'' b'\\'' '\\u{1F_600}' 'é'", '" \' " " " "'),
        ('\'r"a" x', "' \" x"),
        ('"a"r"b" x', '" " x'),
        ("'a'r\"b\" x", '" " x'),
        ('1r"b" x', '1r " x'),
        ('1.r"b" x', '1 . " x'),
        ('r#"a" b"# x', '" x'),
        ('br##"a"# b"## x', '" x'),
        ('b"\\"" c"\\"" x', '" " x'),
        ("r#fn r#no_mangle", "fn no_mangle"),
        ("a/* /* */ b */c//d\ne", "a c e"),
        ("a /*/ b */ c", "a c"),
        ("// a\\\nb", "b"),
        ("::a=>b->c!=d", ":: a => b -> c != d"),
        ("\ufefffn", "fn"),
        ('#!/usr/bin/env "\nfn', "fn"),
        ("#!/* a */ [no_std] fn", "# ! [ no_std ] fn"),
        ("#!", ""),
        ("a\u200eb\u0301c", "a b\u0301c"),
        ('x\u0301r"a"', 'x\u0301r "'),
    ],
)
def test_tokens_are_split_as_rustc_splits_them(source: str, found: str) -> None:
    assert texts(source) == found


def test_c_strings_exist_from_2021_on() -> None:
    assert texts('cr#"a" no_mangle "#', "2021") == LITERAL
    assert texts('cr#"a" no_mangle "#', "2018") == f"cr # {LITERAL} no_mangle {LITERAL}"


def test_raw_lifetimes_exist_from_2021_on() -> None:
    assert texts("'r#a x", "2021") == f"{LIFETIME} x"
    assert texts("'r#a x", "2018") == f"{LIFETIME} # a x"
    assert texts("'r#[a]", "2018") == texts("'r#[a]", "2021") == f"{LIFETIME} # [ a ]"


def test_a_token_knows_its_place() -> None:
    assert tokenize("a /* b */ r#c\n'd").starts == [0, 10, 14]


HOSTILE = ['r#"', "/*", '"', "'", "#", "b'", "'\\", '"\\', "r######", "/**/", "'a", '"a"r', "r#"]


@pytest.mark.parametrize("unit", HOSTILE)
def test_every_text_is_read_in_one_pass(unit: str) -> None:
    """Four times the text must not take sixteen times the time."""
    secs = [cpu_secs(unit * (size // len(unit))) for size in (100_000, 400_000)]
    assert secs[1] < 8 * secs[0] + 0.5
    assert secs[1] < 20


def cpu_secs(text: str) -> float:
    start = time.thread_time()
    tokenize(text)
    return time.thread_time() - start


@given(st.text(st.characters()), st.sampled_from(["2015", "2024"]))
def test_every_text_has_tokens(text: str, edition: str) -> None:
    tokens = tokenize(text, edition=edition)
    assert len(tokens.texts) == len(tokens.starts)
    assert tokens.starts == sorted(tokens.starts)


# Pieces whose boundaries depend on each other, and words in them that must not be seen.
PIECES = st.sampled_from(
    [
        *(
            '"',
            "'",
            "\\",
            "/*",
            "*/",
            "//",
            "\n",
            "#",
            "r",
            "b",
            "c",
            "br",
            "cr",
            "a",
            "1",
            ".",
            " ",
        ),
        *('r"', 'r#"', '"#', "'a", "'a'", "b'", "'\\''", '"\\""', "_", "é", "!", "r#a", "\u200e"),
    ]
)
EXAMPLES = 100
TEXTS = st.lists(PIECES, min_size=1, max_size=10).map("".join)


@pytest.mark.cargo
@pytest.mark.parametrize("edition", ["2018", "2021"])
def test_rustc_counts_the_same_tokens_in_what_it_takes(edition: str, tmp_path: Path) -> None:
    """Each text stands between marks in a macro's call that counts the token trees it is given."""

    @settings(max_examples=EXAMPLES, deadline=None, database=None)
    @given(TEXTS)
    def collect(text: str) -> None:
        # `1.0` is three tokens to us; a doc comment is an attribute to rustc.
        if not re.search(r"\.|//[/!]|/\*[*!]", text):
            drawn.append(text)

    drawn: list[str] = []
    collect()
    taken = accepted(sorted(set(drawn)), edition, tmp_path)
    assert len(taken) > EXAMPLES // 10
    assert {text: len(tokenize(f" {text}\n", edition=edition).texts) for text in taken} == taken


def accepted(drawn: list[str], edition: str, folder: Path) -> dict[str, int]:
    """Return how many tokens rustc finds in each text, for those that it takes alone."""
    taken = [text for text in drawn if compiled(program([text]), edition, folder / "one")]
    folder.joinpath("all.rs").write_text(program(taken), encoding="utf-8")
    assert compiled(program(taken), edition, folder / "all")
    said = subprocess.run([folder / "all"], capture_output=True, text=True, check=True).stdout
    return dict(zip(taken, map(int, said.split()), strict=True))


def program(drawn: list[str]) -> str:
    calls = "\n".join(f'    println!("{{}}", count!( {text}\n));' for text in drawn)
    macro = "macro_rules! count { () => {0}; ($a:tt $($b:tt)*) => {1 + count!($($b)*)}; }"
    return f'#![allow(warnings)]\n#![recursion_limit = "512"]\n{macro}\nfn main() {{\n{calls}\n}}\n'


def compiled(source: str, edition: str, output: Path) -> bool:
    """Compile on standard input; a single text is only checked."""
    emit = "--emit=metadata" if output.name == "one" else "--emit=link"
    argv = ["rustc", f"--edition={edition}", emit, "-o", str(output), "-"]
    done = subprocess.run(argv, input=source.encode(), capture_output=True, check=False)
    return done.returncode == 0
