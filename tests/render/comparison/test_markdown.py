"""A comparison's markdown in GitHub's own renderer: whole, small, and calling nobody."""

import re

import comparisons as made
import pytest
from github_page import Page
from hypothesis import given, settings
from nasty import CALLS, NASTY

from forgetest.render.comparison.markdown import MARKER, comparison_markdown, sign

OURS = {
    *("h3", "h4", "p", "strong", "em", "ul", "li", "code", "pre", "details", "summary", "span"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a_regression", "❌"),
        ("an_improvement", "✅"),
        ("no_change", "✅"),
        ("an_open_question", "⚠️"),
        ("an_incomplete_one", "⚠️"),
        ("not_comparable", "❓"),
    ],
)
def test_the_second_line_shows_the_verdict_with_its_sign(name: str, shown: str) -> None:
    found = getattr(made, name)()
    lines = comparison_markdown(found).splitlines()

    assert lines[0] == MARKER
    assert lines[1].startswith(f"### {shown} {found.finding}: ")
    assert sign(found) == shown


def test_the_changed_cases_stand_in_a_table_and_their_failures_are_folded() -> None:
    text = comparison_markdown(made.a_regression())
    page = Page(text)

    assert page.tables[0] == [6, 6, 6, 6]
    assert "4 of 5 compile_failed: E0502 cannot borrow `v` as mutable" in "".join(page.code)
    assert text.index("merge-intervals") < text.index("parse-duration") < text.index("rotate-left")
    assert page.comments == ["forgetest-compare"]


def test_the_same_comparison_gives_the_same_text() -> None:
    assert comparison_markdown(made.several_models()) == comparison_markdown(made.several_models())


def check_hostile(text: str) -> None:
    shown = comparison_markdown(made.hostile(text))
    page = Page(shown)

    assert set(page.tags) <= OURS
    assert page.comments == ["forgetest-compare"]
    assert page.tables[0] == [6, 6, 6]
    assert [set(table) for table in page.tables] == [{6}, {7}, {6}, {4}, {3}]
    assert page.tags["details"] == page.tags["summary"] == 8
    assert page.tags["pre"] == 1
    assert not CALLS.search(re.sub(r"(?:pass|compile)@5|\$", "", page.prose))
    assert all(line.replace("\ufe0f", "").isprintable() for line in shown.splitlines())


def test_hostile_texts_break_nothing_and_call_nobody() -> None:
    check_hostile(made.HOSTILE)


@given(NASTY.filter(str.strip))
@settings(max_examples=60, deadline=None)
def test_no_text_breaks_the_page(text: str) -> None:
    check_hostile(text)


@pytest.mark.parametrize("limit", [60_000, 20_000, 9_000, 4_000, 2_000])
def test_it_fits_and_says_what_was_left_out(limit: int) -> None:
    text = comparison_markdown(made.huge(), limit=limit)

    assert len(text.encode()) <= limit
    assert "### ❌ regressed: 3 of 3 models" in text
    assert "| changed cases | model | passed |" in text
    assert ("Left out to keep this short" in text) == (limit < 60_000)
    assert set(Page(text).tags) <= OURS


def test_hostile_and_huge_at_once_still_fit() -> None:
    found = made.huge()
    wide = [
        model.model_copy(update={"current": made.HOSTILE * 3, "baseline": "\U0001f600" * 300})
        for model in found.models
    ]
    text = comparison_markdown(found.model_copy(update={"models": tuple(wide)}))

    assert len(text.encode()) <= 60_000


def test_head_and_table_heads_stay_however_small_the_limit() -> None:
    text = comparison_markdown(made.huge(), limit=10)

    assert text.startswith(f"{MARKER}\n### ❌ regressed")
    assert "| changed cases | model |" in text
    assert "case-0001" not in text
