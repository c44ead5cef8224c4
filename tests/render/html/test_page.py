"""The page of a report in a real browser: sorting, filtering, samples, addresses, keys."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import Browsing, Opened
from htmlruns import run, three_models
from playwright.sync_api import Locator, expect

from forgetest.render.html import report_files

SAMPLE = "#set%2Fmerge/p%2Fmiddle/3"


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    return report_files([three_models()], groups={"p/strong": "a", "p/middle": "b"})


@pytest.fixture
def opened(browsing: Browsing, files: dict[str, str], tmp_path: Path) -> Iterator[Opened]:
    opened = browsing.open(tmp_path, files)
    yield opened
    assert opened.complaints == []
    assert opened.requests == []
    opened.page.context.close()


def models(opened: Opened) -> list[str]:
    return opened.page.locator(".board tbody th").all_inner_texts()


def chosen(opened: Opened, name: str) -> Locator:
    return opened.page.get_by_role("combobox", name=name)


def head(opened: Opened, name: str) -> None:
    opened.page.locator(".board thead").get_by_role("button", name=name, exact=True).click()


def test_the_best_model_comes_first_and_a_click_turns_a_column_round(opened: Opened) -> None:
    assert models(opened) == ["p/strong", "p/middle", "p/weak"]
    head(opened, "pass@1")
    assert models(opened) == ["p/strong", "p/middle", "p/weak"]
    head(opened, "pass@1")
    assert models(opened) == ["p/weak", "p/middle", "p/strong"]
    assert opened.page.locator(".board [aria-sort]").get_attribute("aria-sort") == "ascending"


def test_what_has_no_number_is_last_both_ways(opened: Opened) -> None:
    for way in ("descending", "ascending"):
        head(opened, "pass@4")
        assert opened.page.locator(".board [aria-sort]").get_attribute("aria-sort") == way
        assert models(opened)[-1] == "p/middle"


def test_groups_that_can_not_be_told_apart_are_marked(opened: Opened) -> None:
    assert opened.page.locator(".board td.group").all_inner_texts() == ["a", "b", ""]
    assert "share a letter" in opened.text("main")


def test_filters_narrow_the_list_together(opened: Opened) -> None:
    assert opened.text("#count") == "36 samples"
    chosen(opened, "Outcome").select_option(label="compile failed (11)")
    assert opened.text("#count") == "11 of 36 samples"
    chosen(opened, "Model").select_option(label="p/middle")
    assert opened.text("#count") == "2 of 36 samples"
    chosen(opened, "Tag").select_option("math")
    assert opened.text("#count") == "0 of 36 samples"
    opened.page.get_by_role("button", name="Clear").click()
    chosen(opened, "Error or lint").select_option("clippy::needless_return")
    assert opened.text("#count") == "2 of 36 samples"
    opened.page.get_by_role("button", name="Clear").click()
    opened.page.get_by_role("searchbox").fill("BELOW_zero")
    assert opened.text("#count") == "7 of 36 samples"


def test_a_sample_shows_the_error_at_its_line(opened: Opened) -> None:
    chosen(opened, "Outcome").select_option(label="compile failed (11)")
    opened.page.locator("#list tbody a").first.click()
    opened.await_text("#viewer-body", "compile failed")
    body = opened.page.locator("#viewer-body")
    assert opened.text(".code .row.hit .at") == "4"
    assert opened.text(".code .hit mark") == "text"
    assert "error E0308: mismatched types – expected i32" in opened.text(".code .note")
    assert body.locator(".code .k").first.inner_text() == "pub"
    assert body.locator(".code .c").first.inner_text().startswith("// Adds")
    assert body.locator(".code .s").first.inner_text() == 'r#"raw "string" /* no comment */"#'


def test_each_of_several_files_has_its_path_and_its_own_lines(
    browsing: Browsing, tmp_path: Path
) -> None:
    code = (
        "//==== file: src/lib.rs\nmod a;\n\n// One\n    return\n//==== file: src/a.rs\nfn a() {}\n"
    )
    shown = report_files([run({"p/one": {"set/two": "L"}}, code=code)])
    opened = browsing.open(tmp_path, shown, at="#set%2Ftwo/p%2Fone/1")
    assert opened.text(".code .row.mild .at") == "4"
    assert opened.page.locator(".code .file b").all_inner_texts() == ["src/lib.rs", "src/a.rs"]
    numbers = opened.page.locator(".code").first.locator(".at").all_inner_texts()
    assert numbers == ["", "1", "2", "3", "4", "", "", "1"]


def test_a_failed_test_stands_by_name_with_its_message(
    browsing: Browsing, files: dict[str, str], tmp_path: Path
) -> None:
    opened = browsing.open(tmp_path, files, at="#set%2Fparse/p%2Fstrong/3")
    row = opened.page.locator(".tests tr", has_text="adds_below_zero")
    assert "failed" in row.inner_text()
    assert "left 1, right 2" in row.inner_text()
    assert "tokens out\n40" in opened.text("#viewer-body")
    assert "a command left\nnew, not graded: plan.txt" in opened.text("#viewer-body")
    assert "Completion as received" in opened.text("#viewer-body")


def test_an_address_opens_its_sample_and_going_back_closes_it(
    browsing: Browsing, files: dict[str, str], tmp_path: Path
) -> None:
    opened = browsing.open(tmp_path, files, at=SAMPLE)
    assert "sample 3 of 4" in opened.text("#viewer-title")
    opened.page.get_by_role("button", name="Next sample").click()
    opened.await_text("#viewer-title", "sample 4 of 4")
    opened.page.get_by_role("button", name="Close").click()
    opened.page.locator("#viewer").wait_for(state="hidden")
    opened.page.go_back()
    opened.page.locator("#viewer").wait_for(state="visible")
    assert opened.complaints == []


@pytest.mark.parametrize(
    "at",
    ["#set%2Fmerge/nobody", "#set%2Fmerge/p%2Fmiddle/99", "#%E0%A4%A", "#set%2Fgone", "#a/b/c/d"],
)
def test_an_address_of_nothing_opens_nothing(
    at: str, browsing: Browsing, files: dict[str, str], tmp_path: Path
) -> None:
    opened = browsing.open(tmp_path, files, at=at)
    assert not opened.page.locator("#viewer").is_visible()
    assert opened.complaints == []


def test_a_case_shows_prompt_context_tests_and_reference(opened: Opened) -> None:
    opened.page.locator(".cases tbody a", has_text="merge").click()
    opened.await_text("#viewer-body", "Write merge.")
    body = opened.page.locator("#viewer-body")
    assert "Write merge.\nIt adds." in body.inner_text()
    titles = body.locator("summary").all_inner_texts()
    assert titles == ["Prompt", "Context: src/extra.rs", "Tests", "Reference solution"]
    body.locator("summary", has_text="Reference").click()
    assert "pub fn add(a: i32, b: i32) -> i32 { a + b }" in body.inner_text()


def test_a_cell_of_the_heatmap_opens_its_samples(opened: Opened) -> None:
    opened.page.locator(".heat .cell").first.click()
    expect(opened.page.locator("#viewer-body .picks a")).to_have_count(4)


def test_everything_is_done_without_a_mouse(opened: Opened) -> None:
    keys = opened.page.keyboard
    focused = "document.activeElement.textContent.trim()"
    keys.press("Tab")
    assert opened.page.evaluate(focused) == "Skip to the results"
    for _ in range(60):
        keys.press("Tab")
        if re.match("pass@1", opened.page.evaluate(focused)):
            break
    keys.press("Enter")
    keys.press("Enter")
    assert models(opened)[0] == "p/weak"
    opened.page.locator("#list tbody a").first.focus()
    keys.press("Enter")
    opened.page.locator("#viewer-title:focus").wait_for()
    keys.press("ArrowRight")
    opened.await_text("#viewer-title", "sample 2 of 4")
    keys.press("Escape")
    opened.page.locator("#viewer").wait_for(state="hidden")
    opened.page.locator("#list :focus").wait_for()


def test_the_theme_can_be_switched_and_stays(opened: Opened) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    light = opened.page.evaluate(colour)
    opened.page.get_by_role("button", name="Dark").click()
    dark = opened.page.evaluate(colour)
    assert (light, dark) == ("rgb(255, 255, 255)", "rgb(19, 21, 25)")
    opened.page.reload()
    opened.requests.clear()
    assert opened.page.evaluate(colour) == dark


def test_without_scripts_the_page_still_has_its_numbers(
    browsing: Browsing, files: dict[str, str], tmp_path: Path
) -> None:
    opened = browsing.open(tmp_path, files, scripts=False)
    said = opened.text("main")
    assert "91.7 %" in said
    assert "Single samples need JavaScript" in said
    assert not opened.page.locator("#filters").is_visible()
    assert opened.page.locator("figure svg").count() == 6


def test_the_whole_page_fits_a_phone(
    browsing: Browsing, files: dict[str, str], tmp_path: Path
) -> None:
    opened = browsing.open(tmp_path, files, viewport={"width": 390, "height": 844})
    assert opened.page.evaluate("document.documentElement.scrollWidth") == 390


def test_paper_is_light_and_holds_the_whole_leaderboard(
    browsing: Browsing, files: dict[str, str], tmp_path: Path
) -> None:
    paper = {"width": 1017, "height": 700}  # A4 on its side without margins
    opened = browsing.open(tmp_path, files, viewport=paper, color_scheme="dark")
    opened.page.emulate_media(media="print", color_scheme="dark")
    assert opened.page.evaluate("document.querySelector('.board').scrollWidth") <= 1017
    assert not opened.page.locator("#filters").is_visible()
    background = "getComputedStyle(document.body).backgroundColor"
    assert opened.page.evaluate(background) == "rgb(255, 255, 255)"


def test_samples_beyond_the_budget_come_from_a_file_beside_the_page(
    browsing: Browsing, tmp_path: Path
) -> None:
    files = report_files([three_models()], budget=1000)
    assert list(files) == ["report.html", "report-samples-01.js"]
    opened = browsing.open(tmp_path, files, at=SAMPLE)
    opened.page.locator(".code .hit").wait_for()
    assert "report-samples-01.js" in opened.text("#samples ~ .caption >> nth=0")
    assert [url.rpartition("/")[2] for url in opened.requests] == ["report-samples-01.js"]
    assert opened.complaints == []


def test_a_file_that_is_missing_is_named(browsing: Browsing, tmp_path: Path) -> None:
    page = report_files([three_models()], budget=1000)["report.html"]
    opened = browsing.open(tmp_path, {"report.html": page}, at=SAMPLE)
    opened.page.locator("[role=alert]").wait_for()
    assert "report-samples-01.js is not in the folder of this page" in opened.text("[role=alert]")


def test_two_runs_of_one_model_are_told_apart(browsing: Browsing, tmp_path: Path) -> None:
    one = run({"p/m": {"set/add": "PP"}}, label="monday")
    other = run({"p/m": {"set/add": "PB"}}, label="tuesday")
    opened = browsing.open(tmp_path, report_files([one, other]))
    assert models(opened) == ["p/m @ monday", "p/m @ tuesday"]
    assert opened.complaints == []
