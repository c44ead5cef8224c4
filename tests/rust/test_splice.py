"""A place in a rewritten file is found again in its source."""

from hypothesis import given
from hypothesis import strategies as st

from forgetest.rust.callable import callable_file, libtest_file
from forgetest.rust.splice import Rewrite, Rewritten

SOURCE = """//! ж
use super::*;

#[test]
fn adds() { assert_eq!(crate::add(1), add("é")); let x = vec![1]; }

#[cfg(test)] mod deeper { #[test] #[should_panic] fn fails() { super::add(9); panic!("ж"); } }
"""


def test_every_word_that_both_files_have_is_found_at_its_own_place() -> None:
    for file in (callable_file(SOURCE, api="api_0f", std_macros=True), libtest_file(SOURCE)):
        for word in ("ж", "super::*;\n", "adds()", "assert_eq", 'add("é")', "panic!(", "deeper"):
            assert file.origin(file.text.rindex(word)) == SOURCE.rindex(word)


@st.composite
def rewritten(draw: st.DrawFn) -> Rewritten:
    """Return a source with some of its pieces replaced."""
    kept = draw(st.lists(st.text("ab\n", min_size=1), min_size=1))
    replaced = draw(st.lists(st.tuples(st.text("cd"), st.text("xy")), max_size=len(kept)))
    source, changes = "", []
    for index, piece in enumerate(kept):
        source += piece
        if index < len(replaced):
            old, new = replaced[index]
            changes.append(Rewrite(len(source), len(source) + len(old), new))
            source += old
    return Rewritten(source, tuple(changes))


@given(rewritten(), st.data())
def test_what_is_kept_comes_from_where_it_stood(file: Rewritten, data: st.DataObject) -> None:
    text = file.text
    kept = [place for place, letter in enumerate(text) if letter in "ab\n"]
    origins = [file.origin(place) for place in kept]

    assert [file.source[place] for place in origins] == [text[place] for place in kept]
    assert origins == sorted(set(origins))
    if not kept:
        return
    offset = data.draw(st.sampled_from(kept))
    more = file.with_insertion(offset, "new")
    assert more.text == f"{text[:offset]}new{text[offset:]}"
    assert more.origin(offset + 3) == file.origin(offset)
