"""A conversation as people see it: in a terminal and on the page, a diff from round to round."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import Browsing, Opened
from conversations import report
from viewed import text

from forgetest.render.html import report_files
from forgetest.render.run import ShownRun
from forgetest.render.show.sample import sample_parts
from forgetest.report.files import samples_of
from forgetest.report.types import Report


@pytest.fixture(scope="module")
def made() -> Report:
    return report({"a": ["BBP", "YY!", "P"]})


def test_a_sample_is_walked_through_as_a_diff_from_round_to_round(made: Report) -> None:
    first, broken, _ = samples_of(made.models, "set/a")
    shown = text(sample_parts(first, None, prompt=False))

    assert [line.split(" ─")[0] for line in shown.splitlines() if "─" in line] == [
        "round 1: compile_failed",
        "round 2: compile_failed",
        "round 3: passed",
        "src/lib.rs, as scored: round 3",
        "2 of 2 tests passed",
    ]
    assert "words" in shown
    assert "-fn f1() {}\n+fn f2() {}" in "\n".join(map(str.rstrip, shown.splitlines()))
    open_end = text(sample_parts(broken, None, prompt=False))
    assert "too dear" in open_end
    assert "as scored" not in open_end


@pytest.fixture
def opened(browsing: Browsing, made: Report, tmp_path: Path) -> Iterator[Opened]:
    files = report_files([ShownRun(made, (), "run")])
    opened = browsing.open(tmp_path, files, at="#set%2Fa/p%2Fm%40fix/1")
    yield opened
    assert opened.complaints == []
    opened.page.context.close()


def test_the_page_shows_rounds_in_a_table_and_a_sample_as_diffs(opened: Opened) -> None:
    opened.await_text("#viewer-body .rounds", "+fn f2() {}")
    rounds = opened.page.locator("#viewer-body .rounds > li b").all_inner_texts()

    assert rounds == ["compile failed", "compile failed", "passed"]
    assert "-fn f2() {}" in opened.text("#viewer-body .rounds")
    table = opened.page.locator(".turns tbody tr").all_inner_texts()
    assert [row.split()[:5] for row in table] == [
        ["p/m", "fix", "1", "2", "1"],
        ["p/m", "fix", "2", "1", "1"],
        ["p/m", "fix", "3", "1", "2"],
    ]
    assert "repair gained" in opened.page.locator(".conclusions").last.inner_text()
