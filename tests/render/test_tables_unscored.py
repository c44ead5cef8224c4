"""No view hides unscored samples, and the lint-free share means one thing everywhere."""

import csv
import io
import json
from fractions import Fraction
from typing import Any

import pytest
from compared import compared, side
from formatted import judged, lint, made, run
from hypothesis import given
from hypothesis import strategies as st
from metrics_strategies import calm
from program import ROOT
from ranked import ranked
from rich.console import Console

from forgetest.compare.model import lint_free_rate
from forgetest.grading.verdict import Outcome
from forgetest.render.case_table import passed_cell
from forgetest.render.comparison.cases import passed
from forgetest.render.comparison.markdown import comparison_markdown
from forgetest.render.formats.catalogue import FORMATS
from forgetest.render.html.charts.heat import passed_share
from forgetest.render.html.models import PageModel
from forgetest.render.html.page import board
from forgetest.render.leaderboard import report_rows
from forgetest.render.markdown import report_markdown
from forgetest.render.numbers import passed_of
from forgetest.render.ranking import rank_columns
from forgetest.render.tables import case_table
from forgetest.report.score import LINT_FREE, lint_free

LETTERS = st.text("PFBx", min_size=1, max_size=6)
DOCS = ROOT / "docs"


@pytest.mark.parametrize(
    ("counts", "shown"),
    [
        ((4, 4, 4), "4/4"),
        ((4, 4, 5), "4/4 (1 unscored)"),
        ((0, 2, 5), "0/2 (3 unscored)"),
        ((0, 0, 2), "– (2 unscored)"),
        ((0, 0, 0), "–"),
    ],
)
def test_passed_samples_are_shown_of_the_scored_with_the_unscored_beside(
    counts: tuple[int, int, int], shown: str
) -> None:
    assert passed_of(*counts) == shown


@calm
@given(st.lists(LETTERS, min_size=1, max_size=4))
def test_every_view_of_a_case_says_the_same(words: list[str]) -> None:
    names = {f"case{i}": word for i, word in enumerate(words)}
    shown = run({"p/m": names})
    cases = shown.report.models[0].cases
    console = Console(file=io.StringIO(), width=200, color_system=None)
    console.print(case_table(shown.report, report_rows(shown.report.models), width=200))
    terminal = console.file.getvalue()  # type: ignore[attr-defined]
    markdown = report_markdown(shown.report)
    for case, word in zip(cases, words, strict=True):
        scored = len(word) - word.count("x")
        expected = passed_of(word.count("P"), scored, len(word))
        assert passed_cell(case).shown == passed_share(case) == expected
        assert expected in terminal
        assert expected in markdown
        assert ("unscored" in expected) == ("x" in word)


def _sarif(files: dict[str, str]) -> Any:
    return json.loads(next(iter(files.values())))


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_says_that_a_sample_is_unscored(name: str) -> None:
    without, with_ = (
        made(name, run({"p/m": {"alpha": word, "beta": word}})) for word in ("PPPF", "PPPFx")
    )
    match name:
        case "csv":
            rows = list(csv.DictReader(io.StringIO(with_["cases.csv"])))
            assert [row["unscored"] for row in rows] == ["1", "1"]
        case "multipl-e":
            told = [json.loads(text) for file, text in with_.items() if ".results." in file]
            assert [one["unscored"] for one in told] == [1, 1]
        case "sarif":
            messages = [one["message"]["text"] for one in _sarif(with_)["runs"][0]["results"]]
            assert messages
            assert all("3 of 4 pass (1 unscored)." in text for text in messages)
        case _:
            said = ["".join(files.values()).lower().count("unscored") for files in (without, with_)]
            assert said[1] > said[0]


def test_the_comparison_says_so_on_both_sides() -> None:
    found = compared({"s/a": "PPPPx"}, {"s/a": "PFFxx"}).models[0].cases[0]
    assert (passed(found.baseline), passed(found.current)) == (
        "4/4 (1 unscored)",
        "1/3 (2 unscored)",
    )
    text = comparison_markdown(compared({"s/a": "PPPPx"}, {"s/a": "PFFxx"}))
    assert "4/4 (1 unscored)" in text
    assert "1/3 (2 unscored)" in text


def test_the_ranking_says_how_many_samples_of_the_common_cases_are_unscored() -> None:
    found = ranked({"p/a": {"s/a": "PPxx", "s/b": "PFP"}, "p/b": {"s/a": "PPPP", "s/b": "FFF"}})
    column = next(column for column in rank_columns(found) if column.title == "n")
    shown = {model.name: column.cell(model).shown for model in found.models}
    assert shown == {"p/a": "5 (2 unscored)", "p/b": "7"}


def test_the_lint_free_share_has_all_scored_samples_below_it() -> None:
    clean = judged(Outcome.PASSED)
    linted = judged(Outcome.PASSED, lints=(lint("needless_return"),))
    broken = judged(Outcome.COMPILE_FAILED)
    assert [lint_free(verdict) for verdict in (clean, linted, broken)] == [True, False, False]
    shown = run({"p/m": {"alpha": "PPBBxx"}})
    assert shown.report.models[0].overall.lint_free_rate.value == 0.5
    case = next(iter(side({"s/a": "PPBBxx"}).models["p/m"].cases.values()))
    assert lint_free_rate(case) == Fraction(1, 2)


def test_the_page_and_the_docs_say_what_lint_free_means() -> None:
    shown = run({"p/m": {"alpha": "PPBBxx"}})
    entry = PageModel("p/m", shown.report.models[0], shown)
    column = next(item for item in board([entry], {}).columns if item.title == "lint-free")
    assert (
        column.explains == LINT_FREE == "Share of scored samples that compile without a clippy lint"
    )
    told = " ".join((DOCS / "reports.md").read_text(encoding="utf-8").split())
    assert (
        "lint-free share is the share of scored samples that compile without a clippy lint" in told
    )
