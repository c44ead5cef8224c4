"""One model's part of a comparison in the terminal: rates, evidence, drift, groups, usage."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from forgetest.compare.types import Finding, ModelComparison, Options, Shift
from forgetest.compare.types import Group as CaseGroup
from forgetest.render.comparison.evidence import detectability_line, rests_on, test_lines
from forgetest.render.comparison.numbers import (
    NONE,
    level,
    point_bounds,
    points,
    rate,
    rate_row,
    score_row,
)
from forgetest.render.comparison.usage import usage_line
from forgetest.render.comparison.words import attribution_words, drift_words
from forgetest.render.safe import one_line

COLOURS = {Finding.REGRESSED: "red", Finding.IMPROVED: "green", Finding.SAME: "green"}
LABEL = 8
GROUPS = 12  # shown of those that changed


def model_parts(model: ModelComparison, options: Options) -> list[RenderableType]:
    """Return everything about one model, from its name to what it cost."""
    parts: list[RenderableType] = [_title(model), _rates(model, options), _says(model, options)]
    groups = changed_groups(model)
    if groups:
        parts.append(_groups(groups))
    return parts


def _title(model: ModelComparison) -> Text:
    name = one_line(model.current)
    if model.baseline != model.current:
        name = f"{one_line(model.baseline)} -> {name}"
    return Text.assemble(
        (name, "bold"), "  ", (model.finding, COLOURS.get(model.finding, "yellow"))
    )


def _rates(model: ModelComparison, options: Options) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", collapse_padding=True)
    table.add_column("", no_wrap=True, min_width=10)
    for name in ("baseline", level(options.alpha), "current", level(options.alpha), "change"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column(level(options.alpha), justify="right", no_wrap=True)
    for name, cells in rate_rows(model):
        table.add_row(name, *(Text(cell) for cell in cells))
    return table


def rate_rows(model: ModelComparison) -> Iterator[tuple[str, list[str]]]:
    """Return each rate's name and cells; what has no value on either side is left out."""
    yield "pass rate", rate_row(model.pass_rate)
    yield from _at_k("pass", model.pass_at_k)
    yield "mean score", score_row(model.mean_score)
    yield "compiles", rate_row(model.drift.compile_rate)
    yield from _at_k("compile", model.drift.compile_at_k)
    yield "lint-free", rate_row(model.drift.lint_free_rate)


def _at_k(name: str, shifts: dict[str, Shift]) -> Iterator[tuple[str, list[str]]]:
    for k, shift in shifts.items():
        known = shift.baseline.value is not None or shift.current.value is not None
        if k != "1" and known:
            yield f"{name}@{k}", rate_row(shift)


def _says(model: ModelComparison, options: Options) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True, width=LABEL)
    grid.add_column(overflow="fold")
    grid.add_row("rests on", Text(rests_on(model, options)))
    for line in [*test_lines(model, options), detectability_line(model.detectability)]:
        grid.add_row("", Text(line))
    if model.attribution:
        grid.add_row("whose", Text(attribution_words(model.attribution)))
    for name, words in drift_rows(model):
        grid.add_row(name, Text(", ".join(words)))
    grid.add_row("usage", Text(usage_line(model.usage)))
    return grid


def drift_rows(model: ModelComparison) -> Iterator[tuple[str, list[str]]]:
    """Return what changed in how samples fail: outcomes, error codes, lints, flags."""
    drift = model.drift
    for name, changes in (
        ("outcomes", drift.outcomes),
        ("errors", drift.error_codes),
        ("lints", drift.lints),
        ("flags", drift.flags),
    ):
        words = drift_words(changes)
        if words:
            yield name, words


def changed_groups(model: ModelComparison) -> list[CaseGroup]:
    """Return the groups whose pass rate moved; one that holds all cases says nothing new."""
    return [
        group for group in model.groups if group.pass_rate.delta and group.cases < len(model.cases)
    ]


def _groups(groups: list[CaseGroup]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1))
    table.add_column("groups that moved", overflow="fold", min_width=16)
    for name in ("cases", "baseline", "current", "change", "interval"):
        table.add_column(name, justify="right", no_wrap=True)
    for group in groups[:GROUPS]:
        table.add_row(*(Text(cell) for cell in group_cells(group)))
    if len(groups) > GROUPS:
        table.add_row(f"and {len(groups) - GROUPS} more", *[""] * 5)
    return table


def group_cells(group: CaseGroup) -> list[str]:
    """Return name, number of cases, both rates, the change and its interval."""
    moved = group.pass_rate
    wide = (
        point_bounds(moved.interval) if moved.interval else (moved.reason or NONE).replace("_", " ")
    )
    return [
        f"{group.kind} {one_line(group.name)}",
        str(group.cases),
        rate(moved.baseline),
        rate(moved.current),
        points(moved.delta),
        one_line(wide),
    ]
