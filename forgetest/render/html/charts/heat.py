"""The heatmaps: every case against every model or variant, the hardest cases to the right."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from markupsafe import Markup

from forgetest.rank.entrants import AskedWays, in_variant
from forgetest.render.html.markup import Figure, el, labels, link_to, picture, said, shortened
from forgetest.render.html.models import CaseAcrossModels, PageModel
from forgetest.render.numbers import passed_of
from forgetest.report.types import CaseReport

WIDTH, LABELS, ROW, GAP = 1080.0, 200.0, 30.0, 2.0
STEPS = 10  # shades between none and all
WIDEST = 60.0  # of a cell
NAMED = 30  # characters of a model's name
LEGIBLE, SLANTED = 18.0, 96.0  # width of a cell that has room for a case's name, height of names
CASE = 20  # characters of a case's name


class Passed(Protocol):
    """How many samples pass: of a case and model, or of several models together."""

    @property
    def c(self) -> int:
        """Samples that pass."""

    @property
    def n(self) -> int:
        """Scored samples."""

    @property
    def planned(self) -> int:
        """Planned samples."""


class _Together(NamedTuple):
    """The samples of several models."""

    c: int
    n: int
    planned: int


class _HeatRow(NamedTuple):
    """One row of a heatmap; `leads_to` is the model whose samples its cells lead to."""

    name: str
    results: Sequence[Passed | None]  # in the order of the cases
    leads_to: tuple[str, ...] = ()


def heat_figure(entries: Sequence[PageModel], rows: Sequence[CaseAcrossModels]) -> Figure:
    """Return the heatmap by model; its numbers are the table of cases."""
    ranked = sorted(rows, key=lambda row: -row.rate)
    strips = [
        _HeatRow(entry.name, [row.results[place] for row in ranked], (entry.name,))
        for place, entry in enumerate(entries)
    ]
    return _figure("heat", "model", strips, ranked)


def variant_heat_figure(
    entries: Sequence[PageModel], rows: Sequence[CaseAcrossModels]
) -> Figure | None:
    """Return the heatmap by variant, of the models that were asked in all of them.

    Returns None for fewer than two models: their heatmap by model shows their variants.
    """
    specs = [entry.model.model for entry in entries]
    ways = AskedWays.of(specs)
    places = {variant: in_variant(specs, ways, variant) for variant in ways.variants}
    if len(ways.variants) < 2 or len(ways.models) < 2:  # noqa: PLR2004 - nothing to add up
        return None
    ranked = sorted(rows, key=lambda row: -row.rate)
    strips = [
        _HeatRow(variant, [_together([row.results[place] for place in of]) for row in ranked])
        for variant, of in places.items()
    ]
    return _figure("heat-variants", "variant", strips, ranked)


def _together(results: Sequence[CaseReport | None]) -> _Together | None:
    asked = [result for result in results if result is not None]
    if not asked:
        return None
    return _Together(
        sum(result.c for result in asked),
        sum(result.n for result in asked),
        sum(result.planned for result in asked),
    )


def _figure(
    key: str, kind: str, strips: Sequence[_HeatRow], ranked: Sequence[CaseAcrossModels]
) -> Figure:
    size = min(WIDEST, (WIDTH - LABELS) / max(1, len(ranked)))
    named = size >= LEGIBLE
    height = ROW * len(strips) + (SLANTED if named else 24)
    says = "Darker cells have more passing samples. The table of cases has the numbers."
    names = labels([strip.name for strip in strips], NAMED)
    body = [
        part
        for index, strip in enumerate(strips)
        for part in (
            said(0, ROW * (index + 0.5) + 4, names[index], class_="name"),
            *_row(strip, index, ranked, size=size),
        )
    ]
    ends = _names(ranked, size, ROW * len(strips)) if named else _ends(height, size * len(ranked))
    of = "" if kind == "model" else " of the models asked in every variant"
    return Figure(
        key=key,
        title=f"Cases and {kind}s",
        caption=f"Share of samples{of} that pass, one column per case, the hardest to the right.",
        picture=picture(
            key, f"Pass rate of every case and {kind}", says, (WIDTH, height), *body, *ends
        ),
        head=("case", *(strip.name for strip in strips)),
        rows=tuple(
            (row.key, *(passed_share(strip.results[place]) for strip in strips))
            for place, row in enumerate(ranked)
        ),
        wide=True,
    )


def passed_share(result: Passed | None) -> str:
    """Return `c/n`, a dash where the case was not asked, and how many samples are unscored."""
    if result is None:
        return "–"
    return passed_of(result.c, result.n, result.planned)


def shade(result: Passed | None) -> str:
    """Return the class of a cell: h0 for none passing to h10 for all, or none for unscored."""
    if result is None or not result.n:
        return "none"
    step = round(STEPS * result.c / result.n)
    inner = min(STEPS - 1, max(1, step))  # the ends are said only of exactly none and all
    return f"h{step if result.c in (0, result.n) else inner}"


def _names(rows: Sequence[CaseAcrossModels], size: float, y: float) -> list[Markup]:
    """Return the names of the cases, slanted, each below its column."""
    return [
        el(
            "text",
            shortened(row.any.case, CASE),
            x=0,
            y=0,
            text_anchor="end",
            transform=f"translate({LABELS + size * (place + 0.5):.1f} {y + 12:.1f}) rotate(-40)",
        )
        for place, row in enumerate(rows)
    ]


def _ends(y: float, width: float) -> list[Markup]:
    ends = said(LABELS, y - 4, "easiest"), said(LABELS + width, y - 4, "hardest", anchor="end")
    return list(ends)


def _row(
    strip: _HeatRow, index: int, rows: Sequence[CaseAcrossModels], *, size: float
) -> list[Markup]:
    y = ROW * index
    return [
        _cell(strip, row, strip.results[place], (LABELS + size * place, y, size))
        for place, row in enumerate(rows)
    ]


def _cell(
    strip: _HeatRow,
    row: CaseAcrossModels,
    result: Passed | None,
    place: tuple[float, float, float],
) -> Markup:
    x, y, size = place
    title = el("title", f"{row.key} · {strip.name}: {passed_share(result)}")
    gap = GAP if size > 3 * GAP else 0.4
    return el(
        "rect",
        title,
        x=x,
        y=y,
        width=size - gap,
        height=ROW - GAP,
        rx=min(3.0, size / 4),
        class_=f"cell {shade(result)}",
        data_go=link_to(row.key, *strip.leads_to),
    )
