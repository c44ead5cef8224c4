"""A rate with its interval, as small as a cell of a table."""

from markupsafe import Markup

from forgetest.render.html.figure import line
from forgetest.render.html.markup import el
from forgetest.report.types import Metric

WIDTH, HEIGHT = 104.0, 18.0
PAD = 5.0


def whisker(metric: Metric) -> Markup:
    """Return a dot between whiskers on a scale from 0 to 1; it says nothing the cells do not."""
    middle = HEIGHT / 2
    parts = [line(PAD, middle, WIDTH - PAD, middle, "grid")]
    if metric.ci95 is not None:
        low, high = map(_x, metric.ci95)
        parts.append(line(low, middle, high, middle, "range"))
        parts.extend(line(x, middle - 4, x, middle + 4, "range") for x in (low, high))
    if metric.value is not None:
        parts.append(el("circle", cx=_x(metric.value), cy=middle, r=4, class_="point"))
    return el(
        "svg",
        *parts,
        viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}",
        width=WIDTH,
        height=HEIGHT,
        class_="whisker",
        aria_hidden="true",
    )


def _x(share: float) -> float:
    return PAD + (WIDTH - 2 * PAD) * share
