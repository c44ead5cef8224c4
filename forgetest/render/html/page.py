"""The page of one or several runs, and the files beside it.

The head of a page: what was run, and what a reader must know before believing a number.

The leaderboard: one row per model, its numbers as shown and as sorted by.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from forgetest.metrics import percent
from forgetest.render.html.charts.bars import codes_figure, outcomes_figure
from forgetest.render.html.charts.costs import costs_figure, whisker
from forgetest.render.html.charts.curves import curves_figure
from forgetest.render.html.charts.heat import heat_figure, shade, share
from forgetest.render.html.charts.latency import latency_figure
from forgetest.render.html.data import (
    EMBEDDED,
    Shelf,
    cases_json,
    index_json,
    models_json,
    script_json,
    shelved,
)
from forgetest.render.html.markup import Figure, assets, hue, templates
from forgetest.render.html.models import (
    CaseAcrossModels,
    PageModel,
    case_rows,
    changed_cases,
    entries,
)
from forgetest.render.numbers import dollars, interval, money, seconds
from forgetest.render.run import ShownRun, sandbox_line
from forgetest.report.score import LINT_FREE
from forgetest.report.types import Latency, Metric, Report
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
    told = (text for run in runs for text in _of(run, several=several))
    return (*_changed(runs), *dict.fromkeys(told))


def title_of(runs: Sequence[ShownRun]) -> str:
    """Return the names of what was evaluated."""
    names = list(dict.fromkeys(item.name for run in runs for item in run.report.eval_sets))
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more or "No eval set"


def about(run: ShownRun) -> About:
    """Return what was run, with what, and what held it."""
    return About(run.label, tuple(_facts(run)))


def summary(runs: Sequence[ShownRun], *, cases: int, models: int) -> str:
    """Return one line: how much was run, and when."""
    samples = sum(model.overall.samples for run in runs for model in run.report.models)
    days = sorted({run.report.created[:10] for run in runs})
    when = days[0] if len(days) == 1 else f"{days[0]} – {days[-1]}"
    counts = (count(models, "model"), count(cases, "case"), count(samples, "sample"))
    return " · ".join((*counts, when))


def _changed(runs: Sequence[ShownRun]) -> Iterator[str]:
    changed = changed_cases(runs)
    if changed:
        names = ", ".join(changed[:NAMED]) + (", …" if len(changed) > NAMED else "")
        yield f"{count(len(changed), 'case')} not the same in all runs: {names}"


def _of(run: ShownRun, *, several: bool) -> Iterator[str]:
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
    yield "samples", f"{report.samples_per_case} of each case and model"
    yield "sampling", _sampling(report)
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
    said = report.sampling.model_dump(exclude_none=True)
    return ", ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in said.items()) or (
        "as the servers have it"
    )


@dataclass(frozen=True, slots=True)
class Cell:
    """One number; `sort` is None where there is none."""

    shown: str
    sort: float | None
    note: str = ""  # smaller, below it: an interval
    drawn: Markup | None = None
    why: str = ""  # why there is no number


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column."""

    name: str
    says: str
    descending: bool = True  # which way a first click sorts


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One model."""

    rank: int
    name: str
    group: str
    hue: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """The leaderboard; `grouped` says whether groups were given."""

    columns: tuple[Column, ...]
    rows: tuple[BoardRow, ...]
    grouped: bool


def board(entries: Sequence[PageModel], groups: Mapping[str, str]) -> Board:
    """Return the leaderboard; `groups` maps models to the letters of their groups."""
    ks = sorted({int(k) for entry in entries for k in entry.model.overall.pass_at_k})
    return Board(
        columns=tuple(_columns(ks)),
        rows=tuple(
            BoardRow(
                rank=rank,
                name=entry.name,
                group=groups.get(entry.name, ""),
                hue=hue(rank - 1),
                cells=tuple(_cells(entry, ks)),
            )
            for rank, entry in enumerate(entries, start=1)
        ),
        grouped=bool(groups),
    )


def _columns(ks: Sequence[int]) -> Iterator[Column]:
    for k in ks:
        if k == ks[0]:
            yield Column(f"pass@{k}", "Share of cases solved, with its 95 % interval")
        else:
            yield Column(f"pass@{k}", f"Share of cases that at least one of {k} samples solves")
    if ks and ks[-1] > 1:
        yield Column(f"pass^{ks[-1]}", f"Share of cases that all of {ks[-1]} samples solve")
    yield Column("score", "Mean score, 0 to 1: compiling, tests, lints")
    yield Column("compile", "Share of samples that compile")
    yield Column("tests", "Share of tests that pass")
    yield Column("lint-free", LINT_FREE)
    yield Column("cost", "US dollars of all samples", descending=False)
    yield Column("per solved", "US dollars of all samples for each that passed", descending=False)
    yield Column("latency", "Median request time, and the 95th percentile", descending=False)
    yield Column("tokens", "Output tokens of all samples", descending=False)


def _cells(entry: PageModel, ks: Sequence[int]) -> Iterator[Cell]:
    model, block = entry.model, entry.model.overall
    missing = Metric(value=None, reason="not computed in this run")
    for k in ks:
        metric = block.pass_at_k.get(str(k), missing)
        yield _rate(metric, drawn=whisker(metric) if k == ks[0] else None)
    if ks and ks[-1] > 1:
        yield _rate(block.pass_hat_k.get(str(ks[-1]), missing))
    score = block.mean_score
    yield Cell("–" if score.value is None else f"{score.value:.3f}", score.value)
    yield from map(_rate, (block.compile_rate, block.test_pass_rate, block.lint_free_rate))
    usd, each = model.cost.usd, entry.cost_per_solved
    yield Cell(money(model.cost), None if usd is None else float(usd))
    yield Cell("–" if each is None else dollars(each), None if each is None else float(each))
    yield _latency(model.latency)
    yield _tokens(model.tokens.output, unreported=model.tokens.unreported)


def _latency(latency: Latency | None) -> Cell:
    if latency is None:
        return Cell("–", None, why="no request was timed")
    return Cell(seconds(latency.p50), latency.p50, note=f"p95 {seconds(latency.p95)}")


def _tokens(output: int, *, unreported: int) -> Cell:
    if unreported and not output:
        return Cell("–", None, why="no completion came with token counts")
    return Cell(f"{output:,}{' + ?' if unreported else ''}", output)


def _rate(metric: Metric, drawn: Markup | None = None) -> Cell:
    if metric.value is None:
        return Cell("–", None, why=(metric.reason or "").replace("_", " "))
    note = interval(metric.ci95) if drawn is not None else ""
    return Cell(percent(metric.value), metric.value, note=note, drawn=drawn)


def report_files(
    runs: Sequence[ShownRun],
    *,
    groups: Mapping[str, str] | None = None,
    stem: str = "report",
    budget: int = EMBEDDED,
) -> dict[str, str]:
    """Return the page and, for many samples, the files that it loads: name -> text.

    `groups` maps models to the letter of the group in which they cannot be told apart. Details
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


def figures(ranked: Sequence[PageModel], rows: Sequence[CaseAcrossModels]) -> list[Figure]:
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
    ranked: Sequence[PageModel],
    rows: Sequence[CaseAcrossModels],
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
