"""The two main tables of a report, as columns: the models, best first, and the cases.

A column that is added here appears in every view that it names: the terminal, markdown, the HTML
page and, for cases, `cases.csv`. `columns.py` says what a column is.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

from forgetest.metrics import Number, percent
from forgetest.render.columns import (
    NONE,
    Cell,
    Column,
    View,
    fact_cell,
    metric_cell,
    number_cell,
    shown_in,
    text_cell,
)
from forgetest.render.formats.standing import main_failure
from forgetest.render.numbers import dollars, interval, money, passed_of, seconds
from forgetest.report.score import LINT_FREE, ranking_key
from forgetest.report.types import CaseReport, Metric, ModelReport
from forgetest.sampling.completion import Usd

_MISSING = Metric(value=None, reason="not computed in this run")
_SCORE = "{:.3f}".format


@dataclass(frozen=True, slots=True)
class RankedModel:
    """A row of the leaderboard."""

    rank: int
    name: str
    model: ModelReport


def best_first(models: Iterable[ModelReport]) -> list[ModelReport]:
    """Return models in the order of every table."""
    return sorted(models, key=lambda model: leaderboard_order(model, str(model.model)))


def leaderboard_order(model: ModelReport, name: str) -> tuple[Number, Number, str]:
    """Return the key that sorts models best first: by pass@1, then mean score, then name."""
    return ranking_key(leading_rate(model).value, model.overall.mean_score.value, name)


def leading_rate(model: ModelReport) -> Metric:
    """Return the rate that ranks a model: pass@1, or pass@k of the first k that there is."""
    at_k = model.overall.pass_at_k
    return at_k.get("1") or next(iter(at_k.values()), model.overall.pass_rate)


def ranked_rows(models: Iterable[ModelReport]) -> list[RankedModel]:
    """Return the rows of the leaderboard for models that are in order."""
    return [RankedModel(rank, str(model.model), model) for rank, model in enumerate(models, 1)]


def model_columns(ks: Sequence[int]) -> list[Column[RankedModel]]:
    """Return the columns of the leaderboard; the page draws rank and name in its own way."""
    column = Column[RankedModel]
    return [
        column(title="#", cell=lambda row: number_cell(row.rank), views=View.TERMINAL),
        column(
            title="model",
            cell=lambda row: text_cell(row.name),
            views=View.TEXT,
            is_text=True,
            min_width=12,
        ),
        *_pass_columns(ks),
        column(
            title="score",
            cell=lambda row: metric_cell(row.model.overall.mean_score, _SCORE),
            explains="Mean score, 0 to 1: compiling, tests, lints",
        ),
        column(
            title="compile",
            cell=lambda row: metric_cell(row.model.overall.compile_rate),
            explains="Share of samples that compile",
        ),
        column(
            title="tests",
            cell=lambda row: metric_cell(row.model.overall.test_pass_rate),
            views=View.WIDE | View.PAGE,
            explains="Share of tests that pass",
        ),
        column(
            title="lint-free",
            cell=lambda row: metric_cell(row.model.overall.lint_free_rate),
            views=View.WIDE | View.PAGE,
            explains=LINT_FREE,
        ),
        column(
            title="latency",
            terminal_title="p50",
            cell=lambda row: _latency(row.model),
            views=View.WIDE | View.PAGE,
            explains="Median request time, with the 95th percentile",
            low_is_good=True,
        ),
        column(
            title="cost",
            cell=lambda row: _usd(row.model.cost.usd, money(row.model.cost)),
            explains="US dollars for all samples",
            low_is_good=True,
        ),
        column(
            title="per solved",
            cell=lambda row: _usd(cost_per_solved(row.model)),
            views=View.PAGE,
            explains="US dollars for all samples, divided by the samples that pass",
            low_is_good=True,
        ),
        column(
            title="tokens",
            cell=lambda row: _tokens(row.model),
            views=View.PAGE,
            explains="Output tokens of all samples",
            low_is_good=True,
        ),
    ]


def _pass_columns(ks: Sequence[int]) -> Iterator[Column[RankedModel]]:
    """Yield pass@k for each k, with the interval of the first, and pass^k for the last."""
    for k in ks:
        first = k == ks[0]
        tries = f"that at least one of {k} samples solves"
        yield Column(
            title=f"pass@{k}",
            cell=partial(_pass_at, k=k, noted=first),
            explains=f"Share of cases {'solved, with its 95 % interval' if first else tries}",
            strong=True,
            interval=first,
        )
        if first:
            yield Column(title="95 % interval", cell=partial(_interval_at, k=k), views=View.TEXT)
    if ks and ks[-1] > 1:
        yield Column(
            title=f"pass^{ks[-1]}",
            cell=partial(_pass_hat, k=ks[-1]),
            views=View.PAGE,
            explains=f"Share of cases that all of {ks[-1]} samples solve",
        )


def _pass_at(row: RankedModel, *, k: int, noted: bool) -> Cell:
    metric = row.model.overall.pass_at_k.get(str(k), _MISSING)
    return metric_cell(metric, interval=interval(metric.ci95) if noted else "")


def _interval_at(row: RankedModel, *, k: int) -> Cell:
    return text_cell(interval(row.model.overall.pass_at_k.get(str(k), _MISSING).ci95))


def _pass_hat(row: RankedModel, *, k: int) -> Cell:
    return metric_cell(row.model.overall.pass_hat_k.get(str(k), _MISSING))


def cost_per_solved(model: ModelReport) -> Usd | None:
    """Return dollars of all samples for each that passed; None when unknown or none passed."""
    usd, passed = model.cost.usd, model.overall.samples_passed
    return usd / passed if usd is not None and passed else None


def _usd(usd: Usd | None, shown: str | None = None) -> Cell:
    if usd is None:
        return Cell(shown or NONE)
    return Cell(shown or dollars(usd), float(usd))


def _latency(model: ModelReport) -> Cell:
    latency = model.latency
    if latency is None:
        return Cell(NONE, why="no request was timed")
    return Cell(seconds(latency.p50), latency.p50, note=f"p95 {seconds(latency.p95)}")


def _tokens(model: ModelReport) -> Cell:
    output, unreported = model.tokens.output, model.tokens.unreported
    if unreported and not output:
        return Cell(NONE, why="no completion came with token counts")
    return Cell(f"{output:,}{' + ?' if unreported else ''}", output)


@dataclass(frozen=True, kw_only=True)
class CaseColumn(Column[CaseReport]):
    """A column of the cases: of the case itself, or of what one model made of it.

    `cases.csv` has a row for each case and model. Tables for people have one row for each case,
    and a column that is `per_model` stands there once for each model.
    """

    per_model: bool = True
    shaded: bool = False  # whether the page colours it by the share that passes


def case_columns(ks: Sequence[int], *, several_sets: bool) -> list[CaseColumn]:
    """Return the columns of the cases, in the order of `cases.csv`."""
    return [
        *case_names(several_sets=several_sets),
        _figure("planned", lambda case: number_cell(case.planned)),
        _figure("n", lambda case: number_cell(case.n)),
        _figure("c", lambda case: number_cell(case.c)),
        CaseColumn(title="passed", cell=passed_cell, shaded=True),
        _figure("unscored", lambda case: number_cell(case.planned - case.n)),
        _figure("compiled", lambda case: number_cell(case.compiled)),
        _figure("distinct_completions", lambda case: number_cell(case.distinct_completions)),
        _figure("pass_rate", lambda case: number_cell(case.pass_rate, percent)),
        *(_figure(f"pass@{k}", partial(_case_pass_at, k=k)) for k in ks),
        *(_figure(f"pass^{k}", partial(_case_pass_hat, k=k)) for k in ks),
        _figure("compile_rate", lambda case: number_cell(case.compile_rate, percent)),
        _figure("test_pass_rate", lambda case: number_cell(case.test_pass_rate, percent)),
        _figure("mean_score", lambda case: number_cell(case.mean_score, _SCORE)),
        _figure("score_sd", lambda case: number_cell(case.score_sd, _SCORE)),
        _figure("flaky", lambda case: fact_cell(case.flaky)),
        _figure("flakiness_percent", lambda case: number_cell(case.flakiness_percent)),
        _figure("commonest", lambda case: text_cell(main_failure(case))),
    ]


def case_names(*, several_sets: bool) -> list[CaseColumn]:
    """Return the columns that say which case it is; people read `set/case` of several sets."""
    return [
        _about("eval_set", lambda case: text_cell(case.eval_set)),
        _about(
            "case",
            lambda case: Cell(case.key if several_sets else case.case, case.case),
            View.EVERYWHERE,
        ),
        _about("name", lambda case: text_cell(case.name)),
        _about("difficulty", lambda case: text_cell(case.difficulty)),
        _about("tags", _tags, View.CSV | View.PAGE),
    ]


def _about(title: str, cell: Callable[[CaseReport], Cell], views: View = View.CSV) -> CaseColumn:
    return CaseColumn(
        title=title, cell=cell, views=views, is_text=True, min_width=16, per_model=False
    )


def _figure(title: str, cell: Callable[[CaseReport], Cell]) -> CaseColumn:
    return CaseColumn(title=title, cell=cell, views=View.CSV)


def _tags(case: CaseReport) -> Cell:
    difficulty = f"{case.difficulty} · " if case.difficulty else ""
    return Cell(difficulty + ", ".join(case.tags), " ".join(case.tags))


def passed_cell(case: CaseReport) -> Cell:
    """Return `c/n`, coloured; unscored samples are marked and never hidden."""
    shown = passed_of(case.c, case.n, case.planned)
    if case.n == 0:
        return Cell(shown, style="yellow")
    style = "green" if case.c == case.n else "red" if case.c == 0 else "yellow"
    return Cell(shown, case.c / case.n, style=style)


def _case_pass_at(case: CaseReport, *, k: int) -> Cell:
    return metric_cell(case.pass_at_k.get(str(k), _MISSING))


def _case_pass_hat(case: CaseReport, *, k: int) -> Cell:
    return metric_cell(case.pass_hat_k.get(str(k), _MISSING))


CaseRow = Sequence[CaseReport | None]  # one case: a result of each model, None if not asked


@dataclass(frozen=True, kw_only=True)
class PivotColumn(Column[CaseRow]):
    """A column of a table with one row for each case."""

    model: int | None = None  # the place of the model that it is about
    shaded: bool = False


def pivot_columns(
    columns: Iterable[CaseColumn], view: View, models: Sequence[str]
) -> list[PivotColumn]:
    """Return the columns of a view with one row a case; `models` are the titles of the models."""
    shown = shown_in(view, columns)
    figures = [column for column in shown if column.per_model]
    return [
        *(_pivoted(column, column.title, None) for column in shown if not column.per_model),
        *(
            _pivoted(column, name if len(figures) == 1 else f"{name} {column.title}", place)
            for place, name in enumerate(models)
            for column in figures
        ),
    ]


def _pivoted(column: CaseColumn, title: str, model: int | None) -> PivotColumn:
    def cell(row: CaseRow) -> Cell:
        case = row[model] if model is not None else next(case for case in row if case is not None)
        return Cell(NONE) if case is None else column.cell(case)

    same: dict[str, Any] = {field.name: getattr(column, field.name) for field in fields(Column)}
    return PivotColumn(**{**same, "title": title, "cell": cell}, model=model, shaded=column.shaded)


def case_rows(models: Sequence[ModelReport]) -> list[CaseRow]:
    """Return a row for each case of one report, with the results of its models in their order."""
    return list(zip(*(model.cases for model in models), strict=True))
