"""The heatmap: every case against every model, the cases that fewest solve to the right."""

from collections.abc import Sequence

from markupsafe import Markup

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


def heat_figure(entries: Sequence[PageModel], rows: Sequence[CaseAcrossModels]) -> Figure:
    """Return the heatmap; its numbers are the table of cases."""
    ranked = sorted(rows, key=lambda row: -row.rate)
    size = min(WIDEST, (WIDTH - LABELS) / max(1, len(ranked)))
    named = size >= LEGIBLE
    height = ROW * len(entries) + (SLANTED if named else 24)
    says = "Darker cells have more passing samples. The table of cases has the numbers."
    names = labels([entry.name for entry in entries], NAMED)
    body = [
        part
        for index, entry in enumerate(entries)
        for part in (
            said(0, ROW * (index + 0.5) + 4, names[index], class_="name"),
            *_row(entry, index, ranked, size=size),
        )
    ]
    ends = _names(ranked, size, ROW * len(entries)) if named else _ends(height, size * len(ranked))
    return Figure(
        key="heat",
        title="Cases and models",
        caption="Share of samples that pass, one column per case, the hardest to the right.",
        picture=picture(
            "heat", "Pass rate of every case and model", says, (WIDTH, height), *body, *ends
        ),
        head=("case", *(entry.name for entry in entries)),
        rows=tuple((row.key, *map(passed_share, row.results)) for row in ranked),
        wide=True,
    )


def passed_share(result: CaseReport | None) -> str:
    """Return `c/n`, a dash where the case was not asked, and how many samples are unscored."""
    if result is None:
        return "–"
    return passed_of(result.c, result.n, result.planned)


def shade(result: CaseReport | None) -> str:
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
    entry: PageModel, index: int, rows: Sequence[CaseAcrossModels], *, size: float
) -> list[Markup]:
    y = ROW * index
    return [
        _cell(entry, row, row.results[index], (LABELS + size * place, y, size))
        for place, row in enumerate(rows)
    ]


def _cell(
    entry: PageModel,
    row: CaseAcrossModels,
    result: CaseReport | None,
    place: tuple[float, float, float],
) -> Markup:
    x, y, size = place
    title = el("title", f"{row.key} · {entry.name}: {passed_share(result)}")
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
        data_go=link_to(row.key, entry.name),
    )
