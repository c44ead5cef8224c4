"""pass@k against k: how much more a model solves when it may try more often."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from forgetest.metrics import modified_wilson, pass_at_k_exact, percent
from forgetest.render.html.markup import Figure, el, hue, legend, line, path, picture, said
from forgetest.render.html.models import PageModel
from forgetest.render.numbers import interval

WIDTH, HEIGHT = 520.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 506.0, 14.0, 262.0
MOST_K = 12  # points of a curve


@dataclass(frozen=True, slots=True)
class Point:
    """pass@k for one k."""

    k: int
    value: float
    bounds: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Curve:
    """pass@k of one model, for every k that all its cases have samples for."""

    name: str
    points: tuple[Point, ...]


def curves_figure(entries: Sequence[PageModel]) -> Figure:
    """Return the curves with bands of 95 %."""
    curves = [_curve(entry) for entry in entries]
    most = max((point.k for curve in curves for point in curve.points), default=1)
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
            (curve.name, str(point.k), percent(point.value), interval(point.bounds))
            for curve in curves
            for point in curve.points
        ),
        legend=legend([curve.name for curve in curves]),
    )


def ks_of(n: int) -> tuple[int, ...]:
    """Return 1 to n, or as many of them as a curve needs, evenly on a logarithmic scale."""
    if n <= MOST_K:
        return tuple(range(1, n + 1))
    steps = (round(n ** (step / (MOST_K - 1))) for step in range(MOST_K))
    return tuple(sorted(set(steps)))


def _curve(entry: PageModel) -> Curve:
    counts = [(case.n, case.c) for case in entry.model.cases if case.n]
    ks = ks_of(min((n for n, _ in counts), default=0))
    return Curve(entry.name, tuple(point for k in ks if (point := _at(counts, k))))


def _at(counts: Sequence[tuple[int, int]], k: int) -> Point | None:
    """Return the mean over cases with its modified Wilson interval, as the report has it."""
    values = [value for n, c in counts if (value := pass_at_k_exact(n, c, k)) is not None]
    found = modified_wilson(values, samples=sum(n for n, _ in counts))
    return Point(k, float(found.mean), (found.lower, found.upper)) if found else None


def _x(k: int, most: int) -> float:
    return LEFT + 12 + (RIGHT - LEFT - 24) * ((k - 1) / (most - 1) if most > 1 else 0.5)


def _y(share: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * share


def _axes(curves: Sequence[Curve]) -> list[Markup]:
    ks = sorted({point.k for curve in curves for point in curve.points}) or [1]
    parts: list[Markup] = []
    for quarter in range(5):
        y = _y(quarter / 4)
        parts.append(line(LEFT, y, RIGHT, y, "base" if quarter == 0 else "grid"))
        parts.append(said(LEFT - 8, y + 4, f"{25 * quarter} %", anchor="end"))
    parts.extend(said(_x(k, ks[-1]), BOTTOM + 20, str(k), anchor="middle") for k in _told(ks))
    parts.append(said((LEFT + RIGHT) / 2, BOTTOM + 36, "k samples", anchor="middle"))
    return parts


def _told(ks: Sequence[int]) -> list[int]:
    """Return the ks that have room for their number: the last, and few of the large ones."""
    told: list[int] = []
    for k in ks:
        if not told or len(ks) <= MOST_K // 2 or k >= 1.5 * told[-1]:
            told.append(k)
    return told if told[-1] == ks[-1] else [*told[:-1], ks[-1]]


def _drawn(curve: Curve, index: int, most: int) -> list[Markup]:
    xs = [_x(point.k, most) for point in curve.points]
    lower, middle, upper = (
        [(x, _y(share(point))) for x, point in zip(xs, curve.points, strict=True)]
        for share in (_low, _value, _high)
    )
    dots = [el("circle", cx=x, cy=y, r=3.2, class_=f"dot {hue(index)}") for x, y in middle]
    if len(xs) == 1:
        (x, top), (_, low) = upper[0], lower[0]
        return [line(x, top, x, low, f"curve {hue(index)}"), *dots]
    if not xs:
        return []
    band = path([*upper, *reversed(lower)], f"band {hue(index)}", closed=True)
    return [band, path(middle, f"curve {hue(index)}"), *dots]


def _low(point: Point) -> float:
    return point.bounds[0]


def _value(point: Point) -> float:
    return point.value


def _high(point: Point) -> float:
    return point.bounds[1]
