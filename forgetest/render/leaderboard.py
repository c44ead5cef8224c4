"""The two main tables of a report, as columns: the models, best first, and the cases.

A column that is added here appears in every view that it names: the terminal, markdown, the HTML
page and, for cases, `cases.csv`. `columns.py` says what a column is.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

from forgetest.metrics import Number, percent
from forgetest.render.columns import (
    NONE,
    NOT_COMPUTED,
    SCORE,
    Cell,
    Column,
    View,
    metric_cell,
    number_cell,
    text_cell,
)
from forgetest.render.numbers import dollars, interval, money, seconds
from forgetest.report.score import LINT_FREE, ranking_key
from forgetest.report.types import Metric, ModelReport
from forgetest.sampling.completion import Usd
from forgetest.sampling.plan import is_anchor

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
            cell=lambda row: metric_cell(row.model.overall.mean_score, SCORE),
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
    metric = row.model.overall.pass_at_k.get(str(k), NOT_COMPUTED)
    return metric_cell(metric, interval=interval(metric.ci95) if noted else "")


def _interval_at(row: RankedModel, *, k: int) -> Cell:
    return text_cell(interval(row.model.overall.pass_at_k.get(str(k), NOT_COMPUTED).ci95))


def _pass_hat(row: RankedModel, *, k: int) -> Cell:
    return metric_cell(row.model.overall.pass_hat_k.get(str(k), NOT_COMPUTED))


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
