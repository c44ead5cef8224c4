"""Model and variant as two columns of what people read, and a heatmap by variant."""

import re
from io import StringIO

import pytest
from htmlruns import full_case, run
from records import VARIANTS
from rich.console import Console, RenderableType

from forgetest.errors import ConfigError
from forgetest.render.html.page import report_files
from forgetest.render.markdown import report_markdown
from forgetest.render.run import ShownRun, setting_words, variant_words
from forgetest.render.show.run import RunView, run_tables
from forgetest.render.tables import report_tables
from forgetest.report.files import dump_report, parse_report, pick_models

LETTERS = {
    "p/m": {"set/add": "PPFF", "set/merge": "BBBB"},
    "p/m@terse": {"set/add": "PPPP", "set/merge": "PPFF"},
    "q/n": {"set/add": "PFFF", "set/merge": "BBBB"},
    "q/n@terse": {"set/add": "PPFF", "set/merge": "PFFF"},
    "reference/solution": {"set/add": "PPPP", "set/merge": "PPPP"},
}


@pytest.fixture(scope="module")
def asked() -> ShownRun:
    return run(LETTERS, cases=[full_case("add"), full_case("merge")])


@pytest.fixture(scope="module")
def page(asked: ShownRun) -> str:
    return report_files([asked])["report.html"]


def printed(table: RenderableType, width: int) -> list[str]:
    page = StringIO()
    Console(file=page, width=width, highlight=False, no_color=True).print(table)
    return page.getvalue().splitlines()


@pytest.mark.parametrize("width", [80, 120])
def test_the_leaderboard_has_a_column_of_variants(asked: ShownRun, width: int) -> None:
    lines = printed(report_tables(asked.report, width=width), width)

    assert lines[0].split()[:4] == ["#", "model", "variant", "pass@1"]
    rows = [line.split()[:3] for line in lines]
    for row in (["1", "p/m", "terse"], ["4", "q/n", "default"], ["–", "reference/solution", "–"]):
        assert row in rows
    assert max(map(len, lines)) <= width


def test_markdown_has_it_too(asked: ShownRun) -> None:
    lines = report_markdown(asked.report).splitlines()

    assert any(line.startswith("| model | variant | pass@1 |") for line in lines)
    assert any(line.startswith("| p/m | default | **25.0 %**") for line in lines)


def test_the_page_has_it_with_a_heatmap_by_variant(page: str) -> None:
    board = page[page.index('<table class="board') : page.index("</table>")]
    rows = re.findall(r'<td class="variant">(.*?)</td>', board)
    heat = page[page.index("Cases and variants") :]

    assert sorted(rows) == ["default", "default", "terse", "terse", "–"]
    assert "set/merge · terse: 3/8" in heat
    assert "set/add · default: 3/8" in heat
    assert "3 models · 2 variants · 2 cases" in page
    assert VARIANTS["terse"].hash in page
    assert len(re.findall(r'id="heat[a-z-]*-title"', page)) == 2


def test_nothing_speaks_of_variants_where_there_are_none(asked: ShownRun) -> None:
    plain = run({"p/m": LETTERS["p/m"], "q/n": LETTERS["q/n"]})

    html = report_files([plain])["report.html"]
    texts = [
        report_markdown(plain.report),
        dump_report(plain.report),
        html[html.index("<main") :],
        "\n".join(printed(report_tables(plain.report, width=120), 120)),
    ]

    assert not any("variant" in text for text in texts)


def test_one_model_in_several_variants_needs_no_second_heatmap() -> None:
    one = run({name: LETTERS[name] for name in ("p/m", "p/m@terse")})

    assert "Cases and variants" not in report_files([one])["report.html"]


def test_show_says_how_models_were_asked(asked: ShownRun) -> None:
    view = RunView("run", asked.report, asked.report.models)

    lines = printed(run_tables(view, width=120), 120)

    words = variant_words(VARIANTS["terse"])
    assert words == 'system "You write terse Rust.", temperature 0.2'
    assert f"variant   terse: {words}; hash {VARIANTS['terse'].hash}" in map(str.rstrip, lines)


def test_long_settings_are_shown_by_their_size() -> None:
    assert setting_words("x" * 99) == "of 99 characters"
    assert setting_words([{"case": "a/b"}]) == "(1)"
    assert setting_words(["END"]) == '["END"]'


def test_reports_keep_their_variants_and_find_models_by_name(asked: ShownRun) -> None:
    report = parse_report(dump_report(asked.report).encode(), file="report.json")

    assert report.variants["terse"].variant == VARIANTS["terse"]
    assert report.variants["terse"].hash == VARIANTS["terse"].hash
    for name, found in (("p/m", "p/m"), ("p/m@default", "p/m"), ("p/m@terse", "p/m@terse")):
        assert [str(model.model) for model in pick_models(report, name)] == [found]
    with pytest.raises(ConfigError, match="matches 2 models: p/m@terse, q/n@terse"):
        pick_models(report, "@terse")
