"""The two main tables of a report, as columns: the models, best first, and the cases.

A column that is added here appears in every view that it names: the terminal, markdown, the HTML
page and, for cases, `cases.csv`. `columns.py` says what a column is.
"""

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Literal, NamedTuple

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
from forgetest.sampling.plan import is_anchor

_MISSING = Metric(value=None, reason="not computed in this run")
_SCORE = "{:.3f}".format
_Taken = Literal["allocations", "peak_bytes"]
_LATENCY, _MEMORY = 0, 1  # columns that a folded leaderboard keeps together


@dataclass(frozen=True, slots=True)
class RankedModel:
    """A row of the leaderboard; an anchor, which is not a model, has no rank."""

    rank: int | None
    name: str
    model: ModelReport

    @property
    def label(self) -> str:
        """What stands for the model in other tables: its rank, or the anchor's short name."""
        return self.model.model.model if self.rank is None else f"#{self.rank}"

    @property
    def title(self) -> str:
        """The name without the variant, which has a column of its own."""
        return self.model.model.titled(self.name)

    @property
    def variant(self) -> str | None:
        """How the model was asked; None for an anchor, which answers alike however it is asked."""
        return None if self.rank is None else self.model.model.variant_shown


def best_first(models: Iterable[ModelReport]) -> list[ModelReport]:
    """Return models in the order of every table."""
    return sorted(models, key=lambda model: leaderboard_order(model, str(model.model)))


def leaderboard_order(model: ModelReport, name: str) -> tuple[bool, Number, Number, str]:
    """Return the key that sorts models best first: by pass@1, then mean score, then name.

    Anchors are listed apart, after all models.
    """
    key = ranking_key(leading_rate(model).value, model.overall.mean_score.value, name)
    return (is_anchor(str(model.model)), *key)


def leading_rate(model: ModelReport) -> Metric:
    """Return the rate that ranks a model: pass@1, or pass@k of the first k that there is."""
    at_k = model.overall.pass_at_k
    return at_k.get("1") or next(iter(at_k.values()), model.overall.pass_rate)


def ranked_rows(models: Iterable[tuple[str, ModelReport]]) -> list[RankedModel]:
    """Return the rows of the leaderboard for named models that are in order."""
    ranks = itertools.count(1)
    return [
        RankedModel(None if is_anchor(str(model.model)) else next(ranks), name, model)
        for name, model in models
    ]


def report_rows(models: Iterable[ModelReport]) -> list[RankedModel]:
    """Return the rows of the leaderboard of one report, best first."""
    return ranked_rows((str(model.model), model) for model in best_first(models))


def shows_variants(rows: Iterable[RankedModel]) -> bool:
    """Tell whether any model was asked in another way than the default one."""
    return any(row.model.model.variant is not None for row in rows)


def model_columns(ks: Sequence[int], rows: Sequence[RankedModel]) -> list[Column[RankedModel]]:
    """Return the columns of the leaderboard; the page draws rank, name and variant in its own way.

    There is a column of variants where models were asked in several ways, and there are columns of
    memory where it was counted.
    """
    column = Column[RankedModel]
    varied = shows_variants(rows)
    return [
        column(title="#", cell=lambda row: number_cell(row.rank), views=View.TERMINAL),
        column(
            title="model",
            cell=lambda row: text_cell(row.title),
            views=View.TEXT,
            is_text=True,
            min_width=12,
            key=True,
        ),
        column(
            title="variant",
            cell=lambda row: text_cell(row.variant),
            views=View.TEXT if varied else View(0),
            is_text=True,
            key=True,
        ),
        *_pass_columns(ks),
        column(
            title="overall",
            cell=lambda row: number_cell(row.model.overall_macro, percent),
            explains="Mean over the eval sets of their pass rates",
            legend=True,
        ),
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
            explains="Average test pass rate: the share of a sample's tests that pass",
        ),
        column(
            title="lint-free",
            cell=lambda row: metric_cell(row.model.overall.lint_free_rate),
            explains=LINT_FREE,
        ),
        column(
            title="flaky",
            cell=_flaky,
            explains="Cases of which some samples pass and some fail",
            low_is_good=True,
            legend=True,
        ),
        column(
            title="latency",
            cell=lambda row: _latency(row.model),
            explains="Mean request time, with the 95th percentile",
            low_is_good=True,
            group=_LATENCY,
        ),
        column(
            title="p50",
            cell=lambda row: _percentile(row.model, "p50"),
            views=View.TEXT,
            group=_LATENCY,
        ),
        column(
            title="p95",
            cell=lambda row: _percentile(row.model, "p95"),
            views=View.WIDE | View.MARKDOWN,
            group=_LATENCY,
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
        *(_memory_columns() if any(row.model.efficiency for row in rows) else ()),
    ]


def _memory_columns() -> Iterator[Column[RankedModel]]:
    """Yield what passing samples take over what the reference solution takes."""
    names: tuple[tuple[str, _Taken, str], ...] = (
        ("allocs", "allocations", "Allocations"),
        ("memory", "peak_bytes", "Bytes held at once"),
    )
    for title, key, what in names:
        yield Column(
            title=title,
            cell=partial(_taken, key=key),
            explains=f"{what} of samples that pass, over those of the reference solution",
            low_is_good=True,
            legend=True,
            group=_MEMORY,
        )


def _taken(row: RankedModel, *, key: "_Taken") -> Cell:
    found = row.model.efficiency
    return Cell(NONE) if found is None else number_cell(getattr(found, key), "{:.2f}x".format)


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


def _flaky(row: RankedModel) -> Cell:
    block = row.model.overall
    return number_cell(block.cases_flaky if block.cases else None)


def _latency(model: ModelReport) -> Cell:
    latency = model.latency
    if latency is None:
        return Cell(NONE, why="no request was timed")
    return Cell(seconds(latency.mean), latency.mean, note=f"p95 {seconds(latency.p95)}")


def _percentile(model: ModelReport, name: Literal["p50", "p95"]) -> Cell:
    latency = model.latency
    return Cell(NONE) if latency is None else number_cell(getattr(latency, name), seconds)


def _tokens(model: ModelReport) -> Cell:
    output, unreported = model.tokens.output, model.tokens.unreported
    if unreported and not output:
        return Cell(NONE, why="no completion came with token counts")
    return Cell(f"{output:,}{' + ?' if unreported else ''}", output)


@dataclass(frozen=True, kw_only=True)
class CaseColumn(Column[CaseReport]):
    """A column of the cases: of the case itself, or of what one model made of it.

    `cases.csv` has a row for each case and model. Tables for people have one row for each case,
    and a column that is `per_model` is there once for each model.
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
        CaseColumn(title="passed", cell=partial(_passed_cell, ks=ks), shaded=True),
        _figure("unscored", lambda case: number_cell(case.planned - case.n)),
        _figure("compiled", lambda case: number_cell(case.compiled)),
        _figure("distinct_completions", lambda case: number_cell(case.distinct_completions)),
        _figure("pass_rate", lambda case: number_cell(case.pass_rate, percent)),
        *(_figure(f"pass@{k}", partial(_case_pass_at, k=k), _views_of_k(k)) for k in ks),
        *(_figure(f"pass^{k}", partial(_case_pass_hat, k=k)) for k in ks),
        _figure("compile_rate", lambda case: number_cell(case.compile_rate, percent)),
        _figure("test_pass_rate", lambda case: number_cell(case.test_pass_rate, percent)),
        _figure("mean_score", lambda case: number_cell(case.mean_score, _SCORE), _TEXT_TOO),
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
        title=title, cell=cell, views=views, is_text=True, min_width=16, per_model=False, key=True
    )


_TEXT_TOO = View.CSV | View.TEXT


def _figure(title: str, cell: Callable[[CaseReport], Cell], views: View = View.CSV) -> CaseColumn:
    return CaseColumn(title=title, cell=cell, views=views)


def _views_of_k(k: int) -> View:
    """Return where pass@k of a case is shown: pass@1 is the share next to it."""
    return _TEXT_TOO if k > 1 else View.CSV


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


def _passed_cell(case: CaseReport, *, ks: Sequence[int]) -> Cell:
    """Return `c/n`, with pass@k and the mean score as the note."""
    at_k = ((k, case.pass_at_k.get(str(k), _MISSING).value) for k in ks if k > 1)
    notes = [f"pass@{k} {percent(value)}" for k, value in at_k if value is not None]
    if case.mean_score is not None:
        notes.append(f"score {_SCORE(case.mean_score)}")
    return replace(passed_cell(case), note=" · ".join(notes))


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
    columns: Iterable[CaseColumn],
    view: View,
    models: Sequence[str],
    *,
    anchors: Collection[str] = (),
) -> list[PivotColumn]:
    """Return the columns of a view with one row a case; `models` are the titles of the models.

    Of `anchors`, which are titles too, only what passes is shown.
    """
    shown = shown_in(view, columns)
    figures = [column for column in shown if column.per_model]
    return [
        *(_pivoted(column, column.title, None) for column in shown if not column.per_model),
        *(
            _pivoted(column, _pivoted_title(name, column), place)
            for place, name in enumerate(models)
            for column in figures
            if column.shaded or name not in anchors
        ),
    ]


def _pivoted_title(model: str, column: CaseColumn) -> str:
    """Return the model's name for the column that all views have, else the figure's, too."""
    return model if column.shaded else f"{model} {column.title.removeprefix('mean_')}"


def _pivoted(column: CaseColumn, title: str, model: int | None) -> PivotColumn:
    def cell(row: CaseRow) -> Cell:
        case = row[model] if model is not None else next(case for case in row if case is not None)
        return Cell(NONE) if case is None else column.cell(case)

    same: dict[str, Any] = {field.name: getattr(column, field.name) for field in fields(Column)}
    same |= {"title": title, "cell": cell, "group": model}
    return PivotColumn(**same, model=model, shaded=column.shaded)


def case_rows(models: Sequence[ModelReport]) -> list[CaseRow]:
    """Return a row for each case of one report, with the results of its models in their order."""
    return list(zip(*(model.cases for model in models), strict=True))


class SuiteRow(NamedTuple):
    """One eval set, or all of them together; a rate for each model."""

    name: str
    cases: int
    rates: tuple[float | None, ...]


def suite_rows(rows: Sequence[RankedModel]) -> list[SuiteRow]:
    """Return the score of each eval set, then the overall score; nothing for a single set."""
    models = [row.model for row in rows]
    suites = list(models[0].suites) if models else []
    if len(suites) < 2:  # noqa: PLR2004 - its score is pass@1, which the leaderboard has
        return []
    return [
        *(
            SuiteRow(
                name,
                max(model.suites[name].cases for model in models),
                tuple(model.suites[name].pass_rate.value for model in models),
            )
            for name in suites
        ),
        SuiteRow(
            "overall (mean)",
            max(model.overall.cases for model in models),
            tuple(model.overall_macro for model in models),
        ),
    ]


def suite_columns(models: Sequence[str]) -> list[Column[SuiteRow]]:
    """Return the columns of the eval sets; `models` are the titles of the models."""
    column = Column[SuiteRow]
    return [
        column(
            title="eval set",
            cell=lambda row: text_cell(row.name),
            is_text=True,
            min_width=16,
            key=True,
        ),
        column(title="cases", cell=lambda row: number_cell(row.cases)),
        *(
            column(title=name, cell=partial(_suite_rate, place=place))
            for place, name in enumerate(models)
        ),
    ]


def _suite_rate(row: SuiteRow, *, place: int) -> Cell:
    return number_cell(row.rates[place], percent)
