"""Dollars per sample against pass@1; and a rate with its interval, small enough for a cell."""

from collections.abc import Sequence
from decimal import Decimal

from markupsafe import Markup

from forgetest.metrics import percent
from forgetest.render.columns import metric_cell
from forgetest.render.html.markup import Figure, el, hue, legend, line, picture, said
from forgetest.render.html.models import PageModel
from forgetest.render.leaderboard import leading_rate
from forgetest.render.numbers import dollars, interval
from forgetest.report.types import Metric

WIDTH, HEIGHT = 520.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 490.0, 14.0, 262.0


def costs_figure(entries: Sequence[PageModel]) -> Figure | None:
    """Return a point per model whose price is known; None when nothing cost anything."""
    priced = [
        (index, entry, cost)
        for index, entry in enumerate(entries)
        if (cost := cost_per_sample(entry))
    ]
    if not priced:
        return None
    most = max(cost for _, _, cost in priced)
    points = [part for index, entry, cost in priced for part in _point(index, entry, cost, most)]
    says = "A point per model, with its 95 % interval: up is better, left is cheaper."
    return Figure(
        key="costs",
        title="Cost and pass rate",
        caption="US dollars per sample against the pass rate; up and to the left is better.",
        picture=picture(
            "costs", "Cost against pass rate", says, (WIDTH, HEIGHT), *_axes(most), *points
        ),
        head=("model", "per sample", "pass rate", "95 % interval"),
        rows=tuple(
            (entry.name, dollars(cost), _rate(entry), interval(leading_rate(entry.model).ci95))
            for _, entry, cost in priced
        ),
        legend=legend([entry.name for entry in entries]),
    )


def cost_per_sample(entry: PageModel) -> Decimal | None:
    """Return the mean dollars of a sample; None when any price is unknown."""
    usd, samples = entry.model.cost.usd, entry.model.overall.samples
    return usd / samples if usd is not None and samples else None


def _rate(entry: PageModel) -> str:
    return metric_cell(leading_rate(entry.model)).shown


def _y(share: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * share


def _axes(most: Decimal) -> list[Markup]:
    parts: list[Markup] = []
    for quarter in range(5):
        y, x = _y(quarter / 4), LEFT + (RIGHT - LEFT) * quarter / 4
        parts.append(line(LEFT, y, RIGHT, y, "base" if quarter == 0 else "grid"))
        parts.append(said(LEFT - 8, y + 4, f"{25 * quarter} %", anchor="end"))
        shown = dollars(most * quarter / 4)
        parts.append(said(x, BOTTOM + 20, shown, anchor="middle"))
    parts.append(said((LEFT + RIGHT) / 2, BOTTOM + 36, "per sample", anchor="middle"))
    return parts


def _point(index: int, entry: PageModel, cost: Decimal, most: Decimal) -> list[Markup]:
    rate = leading_rate(entry.model)
    if rate.value is None:
        return []
    x = LEFT + (RIGHT - LEFT) * float(cost / most)
    low, high = rate.ci95 or (rate.value, rate.value)
    title = el("title", f"{entry.name}: {percent(rate.value)}, {dollars(cost)}")
    return [
        line(x, _y(low), x, _y(high), f"curve {hue(index)}"),
        el("circle", title, cx=x, cy=_y(rate.value), r=5, class_=f"dot {hue(index)}"),
    ]


WHISKER_WIDTH, WHISKER_HEIGHT = 104.0, 18.0
PAD = 5.0


def whisker(metric: Metric) -> Markup:
    """Return a dot between whiskers on a scale from 0 to 1; it says nothing the cells do not."""
    middle = WHISKER_HEIGHT / 2
    parts = [line(PAD, middle, WHISKER_WIDTH - PAD, middle, "grid")]
    if metric.ci95 is not None:
        low, high = map(_x, metric.ci95)
        parts.append(line(low, middle, high, middle, "range"))
        parts.extend(line(x, middle - 4, x, middle + 4, "range") for x in (low, high))
    if metric.value is not None:
        parts.append(el("circle", cx=_x(metric.value), cy=middle, r=4, class_="point"))
    return el(
        "svg",
        *parts,
        viewBox=f"0 0 {WHISKER_WIDTH:g} {WHISKER_HEIGHT:g}",
        width=WHISKER_WIDTH,
        height=WHISKER_HEIGHT,
        class_="whisker",
        aria_hidden="true",
    )


def _x(share: float) -> float:
    return PAD + (WHISKER_WIDTH - 2 * PAD) * share
