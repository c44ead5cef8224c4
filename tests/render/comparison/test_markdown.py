"""A comparison's markdown in GitHub's own renderer: whole, small, and calling nobody."""

import re

import comparisons as made
import pytest
from compared import compared
from compared_runs import TEN
from github_page import Page
from hypothesis import given, settings
from nasty import CALLS, NASTY

from forgetest.render.comparison.markdown import MARKER, Origin, comparison_markdown

OURS = {
    *("h3", "h4", "p", "strong", "em", "ul", "li", "code", "pre", "details", "summary", "span"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a_regression", "### ❌ Regression: 2 of 40 cases dropped by more than 0.05"),
        ("noise", "### ❌ Regression: `rust-basics/parse-duration` dropped by 0.100, within noise"),
        ("an_improvement", "### ✅ Improved: pass rate rose 15.0 points"),
        (
            "no_change",
            "### ✅ No regression: no case's score dropped by more than 0.05 (0.0 points)",
        ),
        ("an_open_question", "### ❌ Inconclusive: -4.0 points, within noise"),
        ("an_incomplete_one", "### ❌ Incomplete: rust-basics/old-one is missing; 2 of 200"),
        ("not_comparable", "### ❌ Not comparable: scoring profile `standard` -> `strict`"),
        ("several_models", "### ❌ Regression in `openai/gpt-x`: 2 of 40 cases dropped"),
    ],
)
def test_the_second_line_is_the_gate_with_its_sign(name: str, shown: str) -> None:
    lines = comparison_markdown(getattr(made, name)()).splitlines()

    assert lines[0] == MARKER
    assert lines[1].startswith(shown)


def test_what_failed_the_gate_stands_open_and_all_else_that_moved_is_folded() -> None:
    text = comparison_markdown(made.a_regression())
    page = Page(text)
    above, _, folded = text.partition("<details>")

    assert page.tables[0] == [6, 6, 6]
    assert above.index("merge-intervals") < above.index("parse-duration")
    assert "rotate-left" not in above
    assert "<summary>1 more case changed within noise</summary>" in folded
    assert "4 of 5 compile_failed: E0502 cannot borrow `v` as mutable" in "".join(page.code)
    assert page.comments == ["forgetest-compare"]


def test_on_a_passing_gate_everything_that_moved_is_folded() -> None:
    moved = {**TEN, "set/c3": "PPPPB", "set/c4": "PBPPP"}
    above, _, folded = comparison_markdown(compared(TEN, moved, rule="evidence")).partition(
        "<details>"
    )

    assert "### ✅ No regression beyond noise (-4.0 points)" in above
    assert "**To do:** nothing." in above
    assert "c3" not in above
    assert "<summary>2 cases changed within noise</summary>" in folded


def test_ten_worst_cases_stand_open_and_the_rest_in_one_fold() -> None:
    before = {f"set/c{i:02}": "PPPPP" for i in range(30)}
    text = comparison_markdown(compared(before, dict.fromkeys(before, "BBBBB"), rule="evidence"))
    above, _, folded = text.partition("<details>")

    assert above.count("🟠 `set/") == 10
    assert "<summary>20 more cases changed within noise</summary>" in folded
    assert folded.count("🟠 `set/") == 20


def test_groups_with_too_few_cases_are_left_out() -> None:
    text = comparison_markdown(made.a_regression())

    assert "`borrowing`" in text
    assert "`strings`" not in text


def test_commit_and_run_are_named_where_they_are_known() -> None:
    origin = Origin(commit="c0ffee1", link="https://forge.example/acme/actions/runs/1")
    text = comparison_markdown(made.noise(), origin=origin)

    assert "\n- commit: c0ffee1, [run](https://forge.example/acme/actions/runs/1)\n" in text
    assert "commit" not in comparison_markdown(made.noise())


def test_the_same_comparison_gives_the_same_text() -> None:
    assert comparison_markdown(made.several_models()) == comparison_markdown(made.several_models())


def check_hostile(text: str) -> None:
    shown = comparison_markdown(made.hostile(text))
    page = Page(shown)

    assert set(page.tags) <= OURS
    assert page.comments == ["forgetest-compare"]
    assert page.tables[0] == page.tables[1] == [6, 6]
    assert [set(table) for table in page.tables] == [{6}, {6}, {7}, {6}, {4}, {3}]
    assert page.tags["details"] == page.tags["summary"] == 10
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
    assert "### ❌ Regression in 3 of 3 models" in text
    assert "| dropped | model | passed |" in text
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

    assert text.startswith(f"{MARKER}\n### ❌ Regression")
    assert "| dropped | model |" in text
    assert "case-0001" not in text
