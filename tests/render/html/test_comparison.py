"""The page of a comparison in a real browser, and the command that writes it."""

from pathlib import Path

import pytest
from accessibility import violations
from browsing import Browsing
from comparisons import hostile as hostile_comparison
from htmlruns import ALL_HOSTILE, hostile, run
from program import Program

from forgetest.compare.compare import compare_sides
from forgetest.compare.read import read_side
from forgetest.compare.types import CompareOptions, Comparison
from forgetest.render.html import ShownRun, comparison_files
from forgetest.report.files import dump_report

BEFORE = run({"p/m": {"set/add": "PPPP", "set/merge": "PFPP", "set/parse": "BBBB"}}, label="main")
AFTER = run({"p/m": {"set/add": "PBBB", "set/merge": "PPPP", "set/parse": "BBBB"}}, label="branch")
CASE = "#set%2Fadd/p%2Fm%20(current)"


def compared(
    before: ShownRun,
    after: ShownRun,
    options: CompareOptions = CompareOptions(),  # noqa: B008 - frozen
) -> Comparison:
    then, now = (
        read_side(dump_report(one.report).encode(), file=one.label) for one in (before, after)
    )
    return compare_sides(then, now, options)


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    return comparison_files(compared(BEFORE, AFTER), BEFORE, AFTER)


def test_the_verdict_is_the_title_and_changed_cases_come_first(
    browsing: Browsing, files: dict[str, str], tmp_path: Path
) -> None:
    opened = browsing.open(tmp_path, files)
    assert opened.text("h1").startswith("Inconclusive: -16.7 points, within noise")
    assert opened.page.locator(".moved tbody a").all_inner_texts() == ["add", "merge"]
    assert "3 of 4 compile_failed: E0308 mismatched types" in opened.text(".moved >> nth=0")
    assert "outcomes\ncompile_failed 4 to 7, passed 7 to 5" in opened.text(".drift")
    assert opened.complaints == opened.requests == []


def test_a_case_shows_both_codes_side_by_side(
    browsing: Browsing, files: dict[str, str], tmp_path: Path
) -> None:
    opened = browsing.open(tmp_path, files)
    opened.page.locator(".moved tbody a").first.click()
    sides = opened.page.locator(".pair > div")
    sides.first.wait_for()
    then, now = sides.all()
    assert "Baseline · sample 1 of 4" in then.inner_text()
    assert "passed" in then.locator(".verdict").inner_text()
    assert "Current · sample 2 of 4" in now.inner_text()
    assert "compile failed" in now.locator(".verdict").inner_text()
    boxes = [side.bounding_box() for side in (then, now)]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["x"] < boxes[1]["x"]
    assert boxes[0]["y"] == boxes[1]["y"]
    now.locator(".picks a").first.click()
    opened.await_text(".pair > div:last-child", "Current · sample 1 of 4")


def test_cases_of_a_mapped_eval_set_stand_side_by_side(browsing: Browsing, tmp_path: Path) -> None:
    other = run({"p/m": {"new/add": "PBBB"}}, label="branch")
    found = compared(BEFORE, other, CompareOptions(maps=(("set", "new"),)))
    at = "#new%2Fadd/p%2Fm%20(current)"
    opened = browsing.open(tmp_path, comparison_files(found, BEFORE, other), at=at)
    opened.page.locator(".pair").wait_for()
    assert "sample 1 of 4" in opened.page.locator(".pair > div").first.inner_text()


def test_nothing_serious_stands_in_the_way(
    browsing: Browsing, files: dict[str, str], tmp_path: Path
) -> None:
    opened = browsing.open(tmp_path, files)
    assert violations(opened) == []
    opened.page.evaluate(f"location.hash = '{CASE}'")
    opened.page.locator(".pair").wait_for()
    assert violations(opened) == []


def test_hostile_text_does_nothing(browsing: Browsing, tmp_path: Path) -> None:
    files = comparison_files(hostile_comparison(ALL_HOSTILE), hostile(), hostile())
    opened = browsing.open(tmp_path, files)
    assert opened.page.evaluate("window.pwned") is None
    assert opened.page.locator("img, iframe, base, link, form:not(#filters)").count() == 0
    assert opened.complaints == opened.requests == []


def test_compare_writes_the_page_and_keeps_its_exit_code(tmp_path: Path) -> None:
    for one in (BEFORE, AFTER):
        (tmp_path / f"{one.label}.json").write_text(dump_report(one.report), encoding="utf-8")
    program = Program(tmp_path)
    sides = ("--baseline", "main.json", "--current", "branch.json", "--format", "html")
    sides += ("--fail-on-regression",)
    done = program("compare", *sides, "--output", "made/page.html")
    assert (done.code, done.out, done.err) == (1, "", "html: made/page.html\n")
    page = (tmp_path / "made" / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert program("compare", *sides).out == page


def test_html_is_no_format_of_a_self_check(tmp_path: Path) -> None:
    done = Program(tmp_path)("compare", "--self-check", "x.json", "--format", "html")
    assert done.code == 2
    assert "--format html does not exist; choose text, json, markdown" in done.err
