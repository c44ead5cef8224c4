"""How changes are written: signed, in points, and never rounded to nothing or to everything."""

from forgetest.compare.types import Bounds, Estimate, MeanChange
from forgetest.metrics import percent
from forgetest.render.numbers import interval

NONE = "–"


def signed(value: float, size: str) -> str:
    """Return a size with the sign of a value in front; nothing has no sign."""
    return f"{'-' if value < 0 else '+'}{size}" if value else size


def points(delta: float | None) -> str:
    """Return a change of a rate in points, such as `-7.6`; `-<0.1` for one that is not quite 0."""
    return NONE if delta is None else signed(delta, percent(abs(delta)).removesuffix(" %"))


def point_bounds(bounds: Bounds | None) -> str:
    """Return the interval of a change of a rate, such as `-12.1 to -3.1`."""
    return NONE if bounds is None else f"{points(bounds[0])} to {points(bounds[1])}"


def score(value: float | None) -> str:
    """Return a score or a p-value with three decimals; 0.000 and 1.000 are said of no other."""
    if value is None:
        return NONE
    shown = f"{value:.3f}"
    if shown == "0.000" and value:
        return "<0.001"
    return ">0.999" if shown == "1.000" and value < 1 else shown


def score_change(delta: float | None) -> str:
    """Return a change of a score, such as `-0.300`."""
    return NONE if delta is None else signed(delta, score(abs(delta)))


def score_bounds(bounds: Bounds | None) -> str:
    """Return the interval of a change of a score, such as `-0.412 to -0.020`."""
    return NONE if bounds is None else f"{score_change(bounds[0])} to {score_change(bounds[1])}"


def chance(p: float) -> str:
    """Return a p-value for a sentence: `p 0.003`, `p < 0.001`, `p > 0.999`; it is never 0."""
    shown = score(p)
    if shown == "0.000":
        return "p < 0.001"
    return f"p {shown[0]} {shown[1:]}" if shown[0] in "<>" else f"p {shown}"


def level(alpha: float) -> str:
    """Return the level of the intervals, such as `95 %`."""
    return f"{round(100 * (1 - alpha), 6):g} %"


def rate(estimate: Estimate) -> str:
    """Return a rate as a percentage, or a dash."""
    return NONE if estimate.value is None else percent(estimate.value)


def rate_bounds(estimate: Estimate) -> str:
    """Return a rate's interval, without the sign of percent: its column has it."""
    return interval(estimate.interval).removesuffix(" %")


def estimate_bounds(estimate: Estimate) -> str:
    """Return a mean score's interval, such as `0.612 – 0.801`."""
    if estimate.interval is None:
        return NONE
    low, high = estimate.interval
    return f"{score(low)} – {score(high)}"


def rate_row(shift: MeanChange) -> list[str]:
    """Return a rate before and after with intervals, its change in points, and that one's."""
    before, after = shift.baseline, shift.current
    sides = [rate(before), rate_bounds(before), rate(after), rate_bounds(after)]
    return [*sides, points(shift.delta), point_bounds(shift.interval)]


def score_row(shift: MeanChange) -> list[str]:
    """Return the same cells for a mean score."""
    sides = [
        cell
        for side in (shift.baseline, shift.current)
        for cell in (score(side.value), estimate_bounds(side))
    ]
    return [*sides, score_change(shift.delta), score_bounds(shift.interval)]


def share_change(baseline: float, current: float) -> str:
    """Return a relative change such as `+21.5 %`; a dash where there is nothing to relate to."""
    if not baseline:
        return NONE if current else "0.0 %"
    part = (current - baseline) / baseline
    shown = f"{abs(100 * part):,.1f}"
    return f"{signed(part, '<0.1' if shown == '0.0' and part else shown)} %"
