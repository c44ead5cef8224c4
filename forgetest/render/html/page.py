"""The page of one run or several: its head, leaderboard, charts and cases, and its data."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from forgetest.render.case_table import PivotColumn, case_columns, pivot_columns
from forgetest.render.columns import Cell, Column, View, shown_in
from forgetest.render.conclusions import conclusions
from forgetest.render.formats.standing import Files
from forgetest.render.html.charts.bars import codes_figure, outcomes_figure
from forgetest.render.html.charts.costs import costs_figure, whisker
from forgetest.render.html.charts.curves import curves_figure
from forgetest.render.html.charts.heat import heat_figure, shade, variant_heat_figure
from forgetest.render.html.charts.latency import latency_figure
from forgetest.render.html.data import (
    EMBEDDED,
    SampleDetails,
    cases_json,
    index_json,
    models_json,
    sample_details,
    script_json,
)
from forgetest.render.html.markup import Figure, assets, hue, link_to, templates
from forgetest.render.html.models import (
    CaseAcrossModels,
    PageModel,
    cases_that_differ,
    page_cases,
    page_models,
)
from forgetest.render.leaderboard import (
    RankedModel,
    SuiteRow,
    model_columns,
    ranked_rows,
    shows_variants,
    suite_columns,
    suite_rows,
)
from forgetest.render.numbers import and_more
from forgetest.render.rounds import RoundLine, round_columns, round_lines, round_rows
from forgetest.render.run import ShownRun, sandbox_line, setting_words, variant_words
from forgetest.report.types import Report
from forgetest.value import count

NAMED = 5  # changed cases, or eval sets, that are named


@dataclass(frozen=True, slots=True)
class About:
    """What one run was: names and values."""

    label: str
    facts: tuple[tuple[str, str], ...]


def warnings_of(runs: Sequence[ShownRun]) -> tuple[str, ...]:
    """Return every warning, cases that differ between runs first."""
    names = [str(model.model) for run in runs for model in run.report.models]
    several = len(set(names)) < len(names)
    warnings = (text for run in runs for text in _warnings(run, several=several))
    return (*_differing_cases(runs), *dict.fromkeys(warnings))


def title_of(runs: Sequence[ShownRun]) -> str:
    """Return the names of what was evaluated."""
    names = list(dict.fromkeys(item.name for run in runs for item in run.report.eval_sets))
    return and_more(names, NAMED) or "No eval set"


def about(run: ShownRun) -> About:
    """Return what was run, with what, and what held it."""
    return About(run.label, tuple(_facts(run)))


def summary(runs: Sequence[ShownRun], *, cases: int) -> str:
    """Return one line: how much was run, and when."""
    asked = [model.model for run in runs for model in run.report.models]
    variants = {spec.variant for spec in asked}
    models = len(asked) if len(variants) == 1 else len({spec.plain for spec in asked})
    samples = sum(model.overall.samples for run in runs for model in run.report.models)
    days = sorted({run.report.created[:10] for run in runs})
    when = days[0] if len(days) == 1 else f"{days[0]} – {days[-1]}"
    ways = [count(len(variants), "variant")] if len(variants) > 1 else []
    counts = (count(models, "model"), *ways, count(cases, "case"), count(samples, "sample"))
    return " · ".join((*counts, when))


def _differing_cases(runs: Sequence[ShownRun]) -> Iterator[str]:
    if differing := cases_that_differ(runs):
        number = count(len(differing), "case")
        yield f"{number} not the same in all runs: {and_more(differing, NAMED)}"


def _warnings(run: ShownRun, *, several: bool) -> Iterator[str]:
    label = f"{run.label}: " if several else ""
    if not run.report.complete:
        yield f"{label}not every planned sample is scored"
    for text in run.report.warnings:
        yield f"{label}{text}"


def _facts(run: ShownRun) -> Iterator[tuple[str, str]]:
    report = run.report
    yield "run", run.label
    yield (
        "eval sets",
        ", ".join(
            f"{item.name} {item.version}".strip() + f" ({count(len(item.cases), 'case')})"
            for item in report.eval_sets
        ),
    )
    yield "models", ", ".join(str(model.model) for model in report.models)
    yield "samples", f"{report.samples_per_case} per case and model"
    yield "sampling", _sampling(report)
    for name, info in report.variants.items():
        yield f"variant {name}", f"{variant_words(info.variant)}; hash {info.hash}"
    for provider, address in report.endpoints.items():
        yield f"server of {provider}", address
    rustc = report.toolchain.rustc.partition("\n")[0]
    yield "toolchain", f"{rustc}; {report.toolchain.clippy}"
    yield "sandbox", sandbox_line(report.sandbox)
    yield "scoring", f"{report.scoring_profile}, lints {report.lint_rule}"
    yield "extraction", f"{report.extractor}; prompts of version {report.prompt_version}"
    yield "forgetest", report.forgetest
    yield "date", report.created
    yield "command", " ".join(report.command)


def _sampling(report: Report) -> str:
    options = report.sampling.model_dump(mode="json", exclude_none=True)
    words = [f"{name.replace('_', ' ')} {setting_words(value)}" for name, value in options.items()]
    return ", ".join(words) or "the servers' defaults"


@dataclass(frozen=True, slots=True)
class DrawnCell:
    """A cell of the page's tables: what its column says, and how the page shows that."""

    cell: Cell
    sort: str | float | None
    whisker: Markup | None = None
    link: str = ""
    class_: str = ""


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One model, or an anchor, which has no rank."""

    rank: int | None
    title: str
    variant: str | None
    group: str
    hue: str
    cells: tuple[DrawnCell, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """The leaderboard; `grouped` and `varied` say whether it has groups and variants."""

    columns: tuple[Column[RankedModel], ...]
    rows: tuple[BoardRow, ...]
    grouped: bool
    varied: bool


def board(models: Sequence[PageModel], groups: Mapping[str, str]) -> Board:
    """Return the leaderboard; `groups` maps models to the letters of their groups."""
    rows = ranked_rows((entry.name, entry.model) for entry in models)
    varied = shows_variants(rows)
    columns = tuple(shown_in(View.PAGE, model_columns(_ks(models), rows)))
    return Board(
        columns=columns,
        rows=tuple(
            BoardRow(
                rank=row.rank,
                title=row.title,
                variant=row.variant,
                group=groups.get(row.name, ""),
                hue=hue(place),
                cells=tuple(_board_cell(column, column.cell(row)) for column in columns),
            )
            for place, row in enumerate(rows)
        ),
        grouped=bool(groups),
        varied=varied,
    )


def _board_cell(column: Column[RankedModel], cell: Cell) -> DrawnCell:
    drawn = column.interval and cell.metric is not None and cell.value is not None
    return DrawnCell(cell, cell.value, whisker(cell.metric) if drawn and cell.metric else None)


@dataclass(frozen=True, slots=True)
class SuiteTable:
    """The score of each eval set for each model; no rows for a single set."""

    columns: tuple[Column[SuiteRow], ...]
    rows: tuple[tuple[DrawnCell, ...], ...]


def suite_table(models: Sequence[PageModel]) -> SuiteTable:
    """Return the scores of the eval sets; nothing where the models were asked different ones."""
    rows = ranked_rows((entry.name, entry.model) for entry in models)
    columns = tuple(suite_columns([row.name for row in rows]))
    same = len({tuple(row.model.suites) for row in rows}) == 1
    return SuiteTable(
        columns,
        tuple(
            tuple(DrawnCell(cell, cell.value) for cell in (column.cell(row) for column in columns))
            for row in (suite_rows(rows) if same else ())
        ),
    )


@dataclass(frozen=True, slots=True)
class RoundTable:
    """How far models were after each round, and in words what that was worth."""

    columns: tuple[Column[RoundLine], ...]
    rows: tuple[tuple[DrawnCell, ...], ...]
    lines: tuple[str, ...]


def round_table(models: Sequence[PageModel]) -> RoundTable:
    """Return the numbers by round of the models that are asked again."""
    ranked = ranked_rows((entry.name, entry.model) for entry in models)
    columns = tuple(shown_in(View.PAGE, round_columns()))
    return RoundTable(
        columns,
        tuple(
            tuple(DrawnCell(cell, cell.value) for cell in (column.cell(row) for column in columns))
            for row in round_rows(ranked)
        ),
        tuple(round_lines(ranked)),
    )


@dataclass(frozen=True, slots=True)
class CaseTable:
    """The table of cases: a row for each, with the cells of `columns`."""

    columns: tuple[PivotColumn, ...]
    rows: tuple[tuple[DrawnCell, ...], ...]


def case_table(models: Sequence[PageModel], cases: Sequence[CaseAcrossModels]) -> CaseTable:
    """Return the cases; a case's name and its results lead to the samples."""
    several = len({row.any.eval_set for row in cases}) > 1
    names = [entry.name for entry in models]
    columns = pivot_columns(case_columns(_ks(models), several_sets=several), View.PAGE, names)
    return CaseTable(
        tuple(columns),
        tuple(tuple(_case_cell(column, row, names) for column in columns) for row in cases),
    )


def _ks(models: Sequence[PageModel]) -> list[int]:
    return sorted({int(k) for entry in models for k in entry.model.overall.pass_at_k})


def _case_cell(column: PivotColumn, row: CaseAcrossModels, names: Sequence[str]) -> DrawnCell:
    cell = column.cell(row.results)
    if column.model is None:
        return DrawnCell(cell, None, link=link_to(row.key))
    result = row.results[column.model]
    return DrawnCell(
        cell,
        -1 if cell.value is None else cell.value,
        link=link_to(row.key, names[column.model]) if result else "",
        class_=f"heat {shade(result)}" if column.shaded else "",
    )


def report_files(
    runs: Sequence[ShownRun],
    *,
    groups: Mapping[str, str] | None = None,
    stem: str = "report",
    budget: int = EMBEDDED,
) -> Files:
    """Return the page and, for many samples, the files that it loads: name -> text.

    `groups` maps models to the letters of their groups, within which they do not differ. Details
    of samples beyond `budget` bytes go to files next to the page, named after `stem`.
    """
    models = page_models(runs)
    cases = page_cases(runs, models)
    details = sample_details(cases, stem=stem, budget=budget)
    page = templates().get_template("report.html.j2")
    text = page.render(
        assets=assets(loads_files=bool(details.files)),
        title=title_of(runs),
        summary=summary(runs, cases=len(cases)),
        warnings=warnings_of(runs),
        abouts=[about(run) for run in runs],
        conclusions=list(conclusions([(run.label, run.report) for run in runs])),
        board=board(models, groups or {}),
        suites=suite_table(models),
        rounds=round_table(models),
        figures=figures(models, cases),
        cases=case_table(models, cases),
        beside=sorted(details.files),
        data=page_data(models, cases, details),
    )
    return {f"{stem}.html": text, **details.files}


def figures(models: Sequence[PageModel], cases: Sequence[CaseAcrossModels]) -> list[Figure]:
    """Return the charts that have something to show."""
    charts = (
        heat_figure(models, cases),
        variant_heat_figure(models, cases),
        curves_figure(models),
        codes_figure(models),
        outcomes_figure(models),
        latency_figure(models),
        costs_figure(models),
    )
    return [figure for figure in charts if figure is not None]


def page_data(
    models: Sequence[PageModel],
    cases: Sequence[CaseAcrossModels],
    details: SampleDetails,
    *,
    pairs: Sequence[tuple[int, int]] = (),
) -> dict[str, Markup]:
    """Return the JSON that the page's script reads, by the id of its element.

    `pairs` are the places of models that are shown side by side.
    """
    texts = {
        "models": script_json(models_json(models)),
        "cases": script_json(cases_json(cases)),
        "index": index_json(cases),
        "places": script_json(details.places),
        "pairs": script_json(pairs),
        "details": details.embedded,
    }
    return {
        f"data-{key}": Markup(text)  # noqa: S704 - `script_json` leaves no <, > or &
        for key, text in texts.items()
    }
