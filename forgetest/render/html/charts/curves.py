"""pass@k against k: how much more a model solves when it may try more often."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from forgetest.metrics import percent
from forgetest.render.html.entry import Entry
from forgetest.render.html.figure import Figure, hue, legend, line, path, picture, said
from forgetest.render.html.markup import el
from forgetest.render.numbers import interval
from forgetest.report.block import block
from forgetest.report.types import Metric

WIDTH, HEIGHT = 520.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 506.0, 14.0, 262.0
MOST_K = 12  # points of a curve


@dataclass(frozen=True, slots=True)
class Curve:
    """pass@k of one model, for every k that all its cases have samples for."""

    name: str
    points: tuple[tuple[int, Metric], ...]


def curves_figure(entries: Sequence[Entry]) -> Figure:
    """Return the curves with bands of 95 %."""
    curves = [_curve(entry) for entry in entries]
    most = max((k for curve in curves for k, _ in curve.points), default=1)
    says = "One line per model; it rises where more samples solve more cases. Numbers below."
    drawn = [
        part
        for index, curve in reversed(list(enumerate(curves)))
        for part in _drawn(curve, index, most)
    ]
    return Figure(
        key="curves",
        title="pass@k",
        caption="Share of cases that at least one of k samples solves; bands are 95 % intervals.",
        picture=picture("curves", "pass@k by k", says, (WIDTH, HEIGHT), *_axes(curves), *drawn),
        head=("model", "k", "pass@k", "95 % interval"),
        rows=tuple(
            (curve.name, str(k), percent(metric.value), interval(metric.ci95))
            for curve in curves
            for k, metric in curve.points
            if metric.value is not None
        ),
        legend=legend([curve.name for curve in curves]),
    )


def ks_of(n: int) -> tuple[int, ...]:
    """Return 1 to n, or as many of them as a curve needs, evenly on a logarithmic scale."""
    if n <= MOST_K:
        return tuple(range(1, n + 1))
    steps = (round(n ** (step / (MOST_K - 1))) for step in range(MOST_K))
    return tuple(sorted(set(steps)))


def _curve(entry: Entry) -> Curve:
    scored = [case for case in entry.model.cases if case.n]
    ks = ks_of(min((case.n for case in scored), default=0))
    at_k = block(scored, pass_k=ks).pass_at_k
    return Curve(entry.name, tuple((k, at_k[str(k)]) for k in ks))


def _x(k: int, most: int) -> float:
    return LEFT + 12 + (RIGHT - LEFT - 24) * ((k - 1) / (most - 1) if most > 1 else 0.5)


def _y(share: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * share


def _axes(curves: Sequence[Curve]) -> list[Markup]:
    ks = sorted({k for curve in curves for k, _ in curve.points}) or [1]
    parts: list[Markup] = []
    for quarter in range(5):
        y = _y(quarter / 4)
        parts.append(line(LEFT, y, RIGHT, y, "base" if quarter == 0 else "grid"))
        parts.append(said(LEFT - 8, y + 4, f"{25 * quarter} %", anchor="end"))
    parts.extend(said(_x(k, ks[-1]), BOTTOM + 20, str(k), anchor="middle") for k in _told(ks))
    parts.append(said((LEFT + RIGHT) / 2, BOTTOM + 36, "k samples", anchor="middle"))
    return parts


def _told(ks: Sequence[int]) -> list[int]:
    """Return the ks that have room for their number: each half as large again as the one before."""
    told: list[int] = []
    for k in ks:
        if not told or len(ks) <= MOST_K // 2 or k >= 1.5 * told[-1]:
            told.append(k)
    return told


def _drawn(curve: Curve, index: int, most: int) -> list[Markup]:
    known = [
        (_x(k, most), metric.value, metric.ci95 or (metric.value, metric.value))
        for k, metric in curve.points
        if metric.value is not None
    ]
    upper = [(x, _y(high)) for x, _, (_, high) in known]
    lower = [(x, _y(low)) for x, _, (low, _) in known]
    middle = [(x, _y(value)) for x, value, _ in known]
    dots = [el("circle", cx=x, cy=y, r=3.2, class_=f"dot {hue(index)}") for x, y in middle]
    if len(known) == 1:
        (x, top), (_, low) = upper[0], lower[0]
        return [line(x, top, x, low, f"curve {hue(index)}"), *dots]
    if not known:
        return []
    band = path([*upper, *reversed(lower)], f"band {hue(index)}", closed=True)
    return [band, path(middle, f"curve {hue(index)}"), *dots]
