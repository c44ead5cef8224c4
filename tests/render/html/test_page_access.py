"""What axe-core says of the pages: nothing serious, in light, dark and on a phone."""

from collections.abc import Callable
from pathlib import Path

import pytest
from accessibility import violations
from browsing import Browsing
from htmlruns import hostile, run, three_models

from forgetest.render.html import ShownRun, report_files


def many() -> ShownRun:
    return run({f"p/m{i}": {"set/add": "PFB"} for i in range(9)})


@pytest.mark.parametrize(
    ("of", "at", "scheme"),
    [
        (three_models, "", "light"),
        (three_models, "", "dark"),
        (three_models, "#set%2Fmerge", "light"),
        (three_models, "#set%2Fmerge/p%2Fmiddle/3", "light"),
        (three_models, "#set%2Fmerge/p%2Fmiddle/3", "dark"),
        (three_models, "#set%2Fmerge/p%2Fmiddle/1", "dark"),
        (many, "", "light"),
        (hostile, "", "light"),
    ],
    ids=["page", "dark page", "case", "error", "dark error", "dark lint", "many", "hostile"],
)
def test_nothing_serious_stands_in_the_way(
    of: Callable[[], ShownRun], at: str, scheme: str, browsing: Browsing, tmp_path: Path
) -> None:
    files = report_files([of()], groups={"p/strong": "a"})
    opened = browsing.open(tmp_path, files, at=at, color_scheme=scheme)
    opened.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert violations(opened) == []


def test_nothing_serious_stands_in_the_way_on_a_phone(browsing: Browsing, tmp_path: Path) -> None:
    files = report_files([three_models()])
    opened = browsing.open(tmp_path, files, viewport={"width": 390, "height": 844})
    assert violations(opened) == []


def test_every_chart_says_what_it_is_and_has_its_numbers(
    browsing: Browsing, tmp_path: Path
) -> None:
    opened = browsing.open(tmp_path, report_files([three_models()]))
    charts = opened.page.locator("figure")
    for chart in charts.all():
        assert chart.locator("svg[role=img] > title").text_content()
        assert chart.locator("svg[role=img] > desc").text_content()
        assert chart.locator("table.numbers tbody tr").count() > 0
