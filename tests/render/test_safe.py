"""Texts of models and users break no line, table, code or page, and call nobody."""

import re

import pytest
from github_page import Page
from hypothesis import given
from hypothesis import strategies as st
from nasty import CALLS, NASTY

from forgetest.render.safe import (
    ZERO_WIDTH_SPACE,
    code,
    code_html,
    escape,
    fence,
    one_line,
    without_commands,
)


@given(NASTY)
def test_a_code_span_in_a_cell_shows_the_text_and_nothing_else(text: str) -> None:
    page = Page(f"| a | b |\n|---|---|\n| {code(text)} | {code(text)} |")

    assert page.tables == [[2, 2]]
    assert set(page.tags) <= {"table", "thead", "tbody", "tr", "th", "td", "code"}
    shown = one_line(text)
    assert page.code == ([shown, shown] if shown else [])


@given(NASTY)
def test_escaped_prose_links_to_nothing_in_a_cell_a_list_and_a_heading(text: str) -> None:
    shown = escape(text)
    page = Page(
        f"| a | b |\n|---|---|\n| {shown} | {shown} |\n\n- {shown}\n\n### {shown}\n\n{shown}"
    )

    assert page.tables == [[2, 2]]
    assert set(page.tags) <= {
        *("table", "thead", "tbody", "tr", "th", "td", "ul", "li", "h3", "p", "span")
    }
    assert page.tags["li"] == page.tags["h3"] == 1
    assert not CALLS.search(page.prose.replace("$", "" if "span" in page.tags else "$"))
    seen = "".join(page.prose.replace("\u200b", "").split())
    assert seen == "ab" + 5 * "".join(one_line(text, 3200).split())


@given(st.lists(NASTY, max_size=4))
def test_a_fence_holds_every_line(lines: list[str]) -> None:
    page = Page(fence(lines))

    assert page.tags["pre"] == page.tags["code"] == 1
    assert page.code[0].splitlines() == [one_line(line) for line in lines]


@given(NASTY)
def test_a_summary_is_one_line_of_html(text: str) -> None:
    page = Page(f"<details><summary>{code_html(text)}</summary>\n\nbody\n\n</details>")

    assert dict(page.tags) == {"details": 1, "summary": 1, "code": 1, "p": 1}
    assert page.code == [one_line(text)]


@pytest.mark.parametrize(
    "call",
    ["@octocat", "#12", "GH-12", "o/r#1", "https://a.bc", "www.a.bc", "me@a.bc", "mailto:a@b.cd"],
)
def test_what_github_would_link_is_broken_in_prose(call: str) -> None:
    page = Page(f"see {escape(call)} there")

    assert "a" not in page.tags
    assert not CALLS.search(page.prose)


@given(st.text())
def test_one_line_is_printable_short_and_stable(text: str) -> None:
    shown = one_line(text, 50)

    assert shown.isprintable()
    assert len(shown) <= 50
    assert one_line(shown, 50) == shown


@pytest.mark.parametrize(
    "unseen", ["\u202e", "\u2066", "\u200b", "\ufeff", "\u3164", "\u115f", "\ufe0f", "\x1b", "\x00"]
)
def test_nothing_invisible_stays(unseen: str) -> None:
    assert one_line(f"a{unseen}b").replace(" ", "") == "ab"


def test_accents_do_not_pile_up() -> None:
    assert one_line("e" + "\u0301" * 50) == "e\u0301\u0301"


def test_the_old_form_of_a_workflow_command_is_broken_up() -> None:
    assert one_line("x ##[error]y") == "x # #[error]y"


def test_no_printed_line_is_a_command_of_the_runner() -> None:
    text = "fine :: so\n::error::x\n  \t::add-mask::y\nlast ::no::"

    safe = without_commands(text)

    assert not re.search(r"^\s*::", safe, re.MULTILINE)
    assert safe.replace(ZERO_WIDTH_SPACE, "") == text
