"""The leaderboard: one row per model, its numbers as shown and as sorted by."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from forgetest.metrics import percent
from forgetest.render.html.charts.whisker import whisker
from forgetest.render.html.entry import Entry
from forgetest.render.html.figure import hue
from forgetest.render.numbers import dollars, interval, money, seconds
from forgetest.report.types import Latency, Metric
from forgetest.score import LINT_FREE


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


def board(entries: Sequence[Entry], groups: Mapping[str, str]) -> Board:
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


def _cells(entry: Entry, ks: Sequence[int]) -> Iterator[Cell]:
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
