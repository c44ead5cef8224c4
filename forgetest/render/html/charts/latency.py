"""How long models take to answer: the distribution of request times, on a logarithmic scale."""

import math
from collections.abc import Sequence

from markupsafe import Markup

from forgetest.metrics import nearest_rank
from forgetest.render.html.markup import Figure, el, hue, labels, line, path, picture, said
from forgetest.render.html.models import PageModel
from forgetest.render.numbers import seconds

WIDTH, LABELS, RIGHT, ROW, BINS = 520.0, 150.0, 506.0, 46.0, 36
NAMED = 22  # characters of a model's name
LEAST = 0.001  # seconds that are told apart
NEAR = 2  # powers of ten below which an axis has 2 and 5 too
Range = tuple[float, float]


def latency_figure(entries: Sequence[PageModel]) -> Figure | None:
    """Return a ridge per model whose requests were timed; None where none was."""
    names = labels([entry.name for entry in entries], NAMED)
    timed = [(i, names[i], times) for i, entry in enumerate(entries) if (times := _times(entry))]
    if not timed:
        return None
    ends = _ends([secs for _, _, times in timed for secs in times])
    rows = [
        part
        for place, (index, name, times) in enumerate(timed)
        for part in _row(name, times, hue(index), ROW * place, ends)
    ]
    height = ROW * len(timed) + 26
    says = "A hill per model shows how its request times spread; marks are p50 and p95."
    return Figure(
        key="latency",
        title="Latency",
        caption="Times of successful requests, logarithmic; the marks are p50 and p95.",
        picture=picture(
            "latency", "Request times", says, (WIDTH, height), *_axis(ends, height), *rows
        ),
        head=("model", "requests", "p5", "p50", "p95", "longest"),
        rows=tuple((entries[i].name, str(len(times)), *_numbers(times)) for i, _, times in timed),
    )


def _times(entry: PageModel) -> list[float]:
    return [max(LEAST, secs) for secs in entry.latencies]


def _numbers(times: Sequence[float]) -> list[str]:
    return [seconds(_rank(times, q)) for q in (0.05, 0.5, 0.95)] + [seconds(times[-1])]


def _rank(times: Sequence[float], q: float) -> float:
    return nearest_rank(times, q) or LEAST


def _ends(times: Sequence[float]) -> Range:
    low, high = math.log10(min(times)), math.log10(max(times))
    pad = max(0.05, (high - low) / 20)
    return low - pad, high + pad


def _x(secs: float, ends: Range) -> float:
    low, high = ends
    return LABELS + (RIGHT - LABELS) * (math.log10(secs) - low) / (high - low)


def _axis(ends: Range, height: float) -> list[Markup]:
    parts = [line(LABELS, height - 26, RIGHT, height - 26, "base")]
    for secs in _ticks(ends):
        x = _x(secs, ends)
        parts.append(line(x, 0, x, height - 26, "grid"))
        parts.append(said(x, height - 8, _tick(secs), anchor="middle"))
    return parts


def _ticks(ends: Range) -> list[float]:
    """Return round times in a range: 1, 2 and 5 of every power of ten, or 1 alone."""
    low, high = ends
    tens = range(math.floor(low), math.ceil(high) + 1)
    steps = (1, 2, 5) if high - low < NEAR else (1,)
    found = [step * 10.0**ten for ten in tens for step in steps]
    return [secs for secs in found if low <= math.log10(secs) <= high]


def _tick(secs: float) -> str:
    return f"{secs:g} s" if secs >= 1 else f"{1000 * secs:g} ms"


def _row(name: str, times: Sequence[float], class_: str, y: float, ends: Range) -> list[Markup]:
    floor = y + ROW - 6
    parts = [
        said(0, floor - 6, name, class_="name"),
        path(_hill(times, floor, ends), f"hill {class_}", closed=True),
    ]
    for q, height in ((0.5, 18.0), (0.95, 10.0)):
        x = _x(_rank(times, q), ends)
        title = el("title", f"{name}: p{100 * q:g} {seconds(_rank(times, q))}")
        mark = {"x1": x, "x2": x, "y1": floor, "y2": floor - height}
        parts.append(el("line", title, class_=f"mark {class_}", **mark))
    return parts


def _hill(times: Sequence[float], floor: float, ends: Range) -> list[tuple[float, float]]:
    counts = [0.0] * BINS
    width = (RIGHT - LABELS) / BINS
    for secs in times:
        counts[min(BINS - 1, int((_x(secs, ends) - LABELS) / width))] += 1
    smooth = [sum(counts[max(0, i - 1) : i + 2]) / 3 for i in range(BINS)]
    scale = (ROW - 12) / max(smooth)
    tops = [(LABELS + width * (i + 0.5), floor - scale * top) for i, top in enumerate(smooth)]
    return [(LABELS, floor), *tops, (RIGHT, floor)]
