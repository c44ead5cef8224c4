"""The forms of single strings, held against cargo itself where cargo decides."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forgetest.evalset.forms import (
    MAX_SHOWN,
    context_path,
    crate_name,
    error_code,
    feature,
    identifier,
    quoted,
    rust_name,
    tag,
    version_requirement,
)

# What cargo takes, and what it refuses; the last test asks it.
REQUIREMENTS = {
    True: (
        *("1", "0", "1.2", "1.2.3", "*", "x", "1.*", "1.*.*", "1.2.*", "1.x", "1.X.x"),
        *(">=1.*", "=1.*", "^1.2", "~1", "~1.*", "<2", "<=2", ">1", ">= 1.2", " 1 ", "1 , <2"),
        *(">=1.2, <2", "1.2.3-alpha.1", "1.2.3-0a", "1.2.3+b", "1.2.3-a+b.01", "9" * 19),
        ",".join([">1"] * 32),
    ),
    False: (
        *("", " ", ",1", "1,", "*,1", "1,*", "01", "1.02", "1.2-alpha", "1.2.3-01", "1-", "1 2"),
        *("1.2.3.4", "v1", "latest", "==1", "!1", "1.*.3", "1.2.*-a", "^*", ">=*", "1||2", "="),
        *("1.2.3+", "1.2.3-", "1.2.3-a..b", ">=1.2 <2", "1\t", "1\n", "1.", "9" * 21, "²"),
        ",".join([">1"] * 33),
    ),
}
CRATES = {
    True: ("serde", "Serde", "a", "foo-bar", "foo_bar", "h2"),
    False: ("", "1foo", "-foo", "foo bar", "foo+x", "foo/x", 'a"b', "a\n"),
}
FEATURES = {
    True: ("full", "rt-multi-thread", "a.b", "a+b", "1a", "_a"),
    False: ("a/b", "a?/b", "dep:x"),
}


def accepts(check: Callable[[str], str], text: str) -> bool:
    try:
        return check(text) == text
    except ValueError:
        return False


@pytest.mark.parametrize("valid", [True, False])
@pytest.mark.parametrize(
    ("check", "table"),
    [
        (version_requirement, REQUIREMENTS),
        (crate_name, CRATES),
        (feature, FEATURES),
    ],
)
def test_what_cargo_reads_has_its_form(
    check: Callable[[str], str], table: dict[bool, tuple[str, ...]], *, valid: bool
) -> None:
    assert [text for text in table[valid] if accepts(check, text) is not valid] == []


@pytest.mark.cargo
@pytest.mark.parametrize("valid", [True, False])
@pytest.mark.parametrize(
    ("dependency", "table"),
    [
        ("foo = {}", REQUIREMENTS),
        ('{} = "1"', CRATES),
        ('foo = {{ version = "1", features = [{}] }}', FEATURES),
    ],
)
def test_cargo_agrees(
    tmp_path: Path, dependency: str, table: dict[bool, tuple[str, ...]], *, valid: bool
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "lib.rs").touch()

    texts = [text for text in table[valid] if text != "²"]  # JSON escapes are not all TOML's

    assert [text for text in texts if cargo_reads(tmp_path, dependency, text) is not valid] == []


def cargo_reads(crate: Path, dependency: str, text: str) -> bool:
    manifest = crate / "Cargo.toml"
    line = dependency.format(json.dumps(text))
    manifest.write_text(
        f'[package]\nname = "probe"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n{line}\n'
    )
    argv = ["cargo", "metadata", "--offline", "--no-deps", "--format-version=1"]
    return subprocess.run(argv, cwd=crate, check=False, capture_output=True).returncode == 0


@pytest.mark.parametrize(
    "text", ["a", "A-b_c.9", "HumanEval_0_has_close_elements", "CodeGen-53bba", "_x", "x" * 100]
)
def test_an_id_may_be(text: str) -> None:
    assert identifier(text) == text


@pytest.mark.parametrize(
    "text",
    ["", " ", "a b", "a/b", "a|b", "..", ".a", "-a", "a\n", "é", "a*", "a:b", "\\", "x" * 101],
)
def test_an_id_may_not_be(text: str) -> None:
    assert not accepts(identifier, text)


@pytest.mark.parametrize(
    "text",
    [
        *("src/types.rs", "src/lib/types.rs", "data/in put.txt", "README.md", "ü.txt"),
        *("src/build.rs", "src/Cargo.toml", "testing/a.rs", "x" * 200),
    ],
)
def test_a_context_path_may_be(text: str) -> None:
    assert context_path(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "/etc/passwd", "../a", "a/../b", "a/..", "a//b", "a/", "./a", ".", ".."),
        *("a\\b", "C:/a", "c:a", "a\nb", "a\0", "a\u202eb", "a\u200bb", "x" * 201, "ü" * 101),
        *(".cargo/config.toml", ".git/config", "a/.hidden", "a./b", "a.", "a ", " a", "a/ b"),
        *("Cargo.toml", "cargo.toml", "Cargo.lock", "build.rs", "BUILD.rs", "clippy.toml"),
        *("rust-toolchain", "rust-toolchain.toml", "src/lib.rs", "src/LIB.rs", "src/main.rs"),
        *("src/lib.rs/a", "src/bin/a.rs", "tests/a.rs", "tests", "examples/a.rs", "benches/a.rs"),
        *("target/a", "Target/debug/a"),
    ],
)
def test_a_context_path_may_not_be(text: str) -> None:
    assert not accepts(context_path, text)


@pytest.mark.parametrize("text", ["a-b c", "async/io", "c++", "a!", "größe"])
def test_a_tag_may_be(text: str) -> None:
    assert tag(text) == text


@pytest.mark.parametrize("text", ["", " ", "a,b", "!a", " a", "a ", "a\nb"])
def test_a_tag_may_not_be_what_a_filter_could_not_name(text: str) -> None:
    assert not accepts(tag, text)


@pytest.mark.parametrize("text", ["f", "Stack", "Stack::push", "_x", "r#type", "a1", "größe"])
def test_an_expected_item_may_be(text: str) -> None:
    assert rust_name(text) == text


@pytest.mark.parametrize("text", ["", "fn f", "f()", "Vec<T>", "1a", "a::", "::a", "a b", "f\n"])
def test_an_expected_item_may_not_be(text: str) -> None:
    assert not accepts(rust_name, text)


@pytest.mark.parametrize("text", ["", "E1", "e0382", "E03822", "0382", "E0382 ", "clippy::all"])
def test_an_error_code_has_four_digits(text: str) -> None:
    assert error_code("E0382") == "E0382"
    assert not accepts(error_code, text)


@settings(deadline=None)
@given(st.text())
def test_a_quoted_text_is_one_short_line_that_hides_nothing(text: str) -> None:
    shown = quoted(text)

    assert shown.isprintable()
    assert len(shown) <= 10 * MAX_SHOWN + len('"..."')
