"""The table of cases: what one model made of a case, and several models side by side."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

from forgetest.metrics import percent
from forgetest.render.columns import (
    NONE,
    NOT_COMPUTED,
    SCORE,
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
from forgetest.render.numbers import passed_of
from forgetest.report.types import CaseReport, ModelReport


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
        _figure("mean_score", lambda case: number_cell(case.mean_score, SCORE), _TEXT_TOO),
        _figure("score_sd", lambda case: number_cell(case.score_sd, SCORE)),
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
    at_k = ((k, case.pass_at_k.get(str(k), NOT_COMPUTED).value) for k in ks if k > 1)
    notes = [f"pass@{k} {percent(value)}" for k, value in at_k if value is not None]
    if case.mean_score is not None:
        notes.append(f"score {SCORE(case.mean_score)}")
    return replace(passed_cell(case), note=" · ".join(notes))


def _case_pass_at(case: CaseReport, *, k: int) -> Cell:
    return metric_cell(case.pass_at_k.get(str(k), NOT_COMPUTED))


def _case_pass_hat(case: CaseReport, *, k: int) -> Cell:
    return metric_cell(case.pass_hat_k.get(str(k), NOT_COMPUTED))


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
