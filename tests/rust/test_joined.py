"""Several files as one text: what was joined is taken apart as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forgetest.rust.items import defined_items, nested
from forgetest.rust.joined import LIBRARY, joined, lines_before, sections, split

PATHS = ("src/lib.rs", "src/a.rs", "src/a/deep.rs", "src/b/mod.rs")
FILES = {
    "src/lib.rs": '//! Root.\nmod a;\n#[path = "c.rs"] mod gone;\npub mod b;\n'
    "mod own { fn here() {} }\n",
    "src/a.rs": "//! A.\npub fn in_a() {}\nmod deep;\n",
    "src/a/deep.rs": "fn below() {}\n",
    "src/b/mod.rs": "struct B;\n",
}
LINES = st.lists(
    st.sampled_from(["fn a() {}", "", "//====", "//==== file:", "/* é", '"', "mod b;"])
)
TEXTS = LINES.map(lambda lines: "".join(f"{line}\n" for line in lines))


@given(st.tuples(*[TEXTS] * len(PATHS)))
def test_files_come_back_as_they_were(texts: tuple[str, ...]) -> None:
    files = dict(zip(PATHS, texts, strict=True))
    code = joined(files)
    assert split(code, PATHS) == files
    assert sections(code) == files
    lines = code.split("\n")
    for path, before in lines_before(code).items():
        assert lines[before - 1] == f"//==== file: {path}"


@pytest.mark.parametrize("code", ["", "fn a() {}", "//==== file: src/a.rs\nfn a() {}\n", "\udc00"])
def test_one_file_is_its_own_text(code: str) -> None:
    assert joined({LIBRARY: code}) == code
    assert split(code, ()) == split(code, (LIBRARY,)) == {LIBRARY: code}
    assert nested(code, ()) == code


def test_a_file_ends_where_its_last_line_does() -> None:
    code = joined({LIBRARY: "mod a;", "src/a.rs": ""})
    assert split(code, ("src/lib.rs", "src/a.rs")) == {LIBRARY: "mod a;\n", "src/a.rs": ""}


def test_text_without_the_lines_is_the_root() -> None:
    assert split("fn a() {}\n", PATHS) == {LIBRARY: "fn a() {}\n"}
    assert nested("fn a() {}\n", PATHS) == "fn a() {}\n"


def test_a_file_that_would_seem_to_be_two_is_refused() -> None:
    with pytest.raises(ValueError, match=r"src/a\.rs holds a line that begins with"):
        joined({LIBRARY: "", "src/a.rs": "fn a() {}\n//==== file: src/b.rs\nfn b() {}\n"})


def test_modules_are_read_where_they_are_declared() -> None:
    whole = nested(joined(FILES), PATHS)
    items = {item.name: item.scope for item in defined_items(whole).items}
    assert {"a", "in_a", "deep", "below", "b", "B", "gone", "here"} <= items.keys()
    assert [item.name for item in defined_items(whole).top] == ["a", "gone", "b", "own"]
    assert not defined_items(whole).broken
