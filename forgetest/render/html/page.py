"""The page of one or several runs, and the files beside it."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from forgetest.render.html.assets import assets, templates
from forgetest.render.html.board import board
from forgetest.render.html.caserow import CaseRow, case_rows
from forgetest.render.html.charts.bars import codes_figure, outcomes_figure
from forgetest.render.html.charts.costs import costs_figure
from forgetest.render.html.charts.curves import curves_figure
from forgetest.render.html.charts.heat import heat_figure, shade, share
from forgetest.render.html.charts.latency import latency_figure
from forgetest.render.html.data import cases_json, index_json, models_json, script_json
from forgetest.render.html.entry import Entry, entries
from forgetest.render.html.figure import Figure
from forgetest.render.html.head import about, summary, title_of, warnings_of
from forgetest.render.html.shelf import EMBEDDED, Shelf, shelved
from forgetest.render.run import Run


def report_files(
    runs: Sequence[Run],
    *,
    groups: Mapping[str, str] | None = None,
    stem: str = "report",
    budget: int = EMBEDDED,
) -> dict[str, str]:
    """Return the page and, for many samples, the files that it loads: name -> text.

    `groups` maps models to the letter of the group in which they can not be told apart. Details
    of samples beyond `budget` bytes stand in files beside the page, named after `stem`.
    """
    ranked = entries(runs)
    rows = case_rows(runs, ranked)
    shelf = shelved(rows, stem=stem, budget=budget)
    page = templates().get_template("report.html.j2")
    text = page.render(
        assets=assets(loads_files=bool(shelf.files)),
        title=title_of(runs),
        summary=summary(runs, cases=len(rows), models=len(ranked)),
        warnings=warnings_of(runs),
        abouts=[about(run) for run in runs],
        board=board(ranked, groups or {}),
        figures=figures(ranked, rows),
        entries=ranked,
        rows=rows,
        several=len({row.any.eval_set for row in rows}) > 1,
        shade=shade,
        share=share,
        beside=sorted(shelf.files),
        data=page_data(ranked, rows, shelf),
    )
    return {f"{stem}.html": text, **shelf.files}


def figures(ranked: Sequence[Entry], rows: Sequence[CaseRow]) -> list[Figure]:
    """Return the charts that have something to show."""
    drawn = (
        heat_figure(ranked, rows),
        curves_figure(ranked),
        codes_figure(ranked),
        outcomes_figure(ranked),
        latency_figure(ranked),
        costs_figure(ranked),
    )
    return [figure for figure in drawn if figure is not None]


def page_data(
    ranked: Sequence[Entry],
    rows: Sequence[CaseRow],
    shelf: Shelf,
    *,
    pairs: Sequence[tuple[int, int]] = (),
) -> dict[str, Markup]:
    """Return the JSON that the page's script reads, by the id of its element.

    `pairs` are the places of models that are shown side by side.
    """
    values: dict[str, object] = {
        "models": models_json(ranked),
        "cases": cases_json(rows),
        "index": index_json(rows),
        "places": shelf.places,
        "pairs": pairs,
    }
    texts = {key: script_json(value) for key, value in values.items()}
    return {
        f"data-{key}": Markup(text)  # noqa: S704 - `script_json` leaves no <, > or &
        for key, text in {**texts, "details": shelf.embedded}.items()
    }
