"""A comparison for the terminal: the verdict, the changed cases, each model with its evidence.

At the end, the table of `compare --self-check`: how often the gates fire although nothing changed.
"""

from collections.abc import Iterator
from functools import partial

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from forgetest.compare.selfcheck import Alarms, ModelCheck, SelfCheck
from forgetest.compare.types import (
    CompareOptions,
    Comparison,
    ComparisonVerdict,
    GateResult,
    MeanChange,
    ModelComparison,
)
from forgetest.compare.types import Group as CaseGroup
from forgetest.evalset.shipped import case_place
from forgetest.metrics import percent
from forgetest.render.columns import WIDE, markdown_rows, warnings_table
from forgetest.render.comparison.cases import (
    Moved,
    beyond_noise,
    failure_lines,
    improved,
    moved_cells,
    name_of,
    regressed,
    settled,
)
from forgetest.render.comparison.headline import FAIL, PASS, UNKNOWN, WARN, headline, next_step
from forgetest.render.comparison.numbers import (
    NONE,
    level,
    point_bounds,
    points,
    rate,
    rate_row,
    score_row,
)
from forgetest.render.comparison.words import (
    attribution_words,
    coverage_words,
    detectability_line,
    difference_words,
    drift_words,
    gate_words,
    left_out_cases,
    left_out_cells,
    model_name,
    rates,
    repeat_words,
    rests_on,
    run_words,
    same_rustc,
    shows_variants,
    summary_cells,
    test_lines,
    usage_line,
    variant_name,
)
from forgetest.render.numbers import interval, more
from forgetest.render.safe import Marks, escape, one_line
from forgetest.value import count

ROWS = 40  # of a list of cases: dropped, risen, left out
GROUPS = 12  # changed groups that are shown
EXCERPTS = 10  # dropped cases whose failures are shown
LABEL = 8  # columns of the labels on the left
MODEL = 24  # columns at most for a model's name next to a case
STYLES = {
    ComparisonVerdict.REGRESSED: "bold red",
    ComparisonVerdict.IMPROVED: "bold green",
    ComparisonVerdict.SAME: "bold green",
    ComparisonVerdict.INCONCLUSIVE: "bold yellow",
    ComparisonVerdict.NOT_COMPARABLE: "bold yellow",
}
SIGN_STYLES = {
    PASS: "bold green",
    FAIL: "bold red",
    WARN: "bold yellow",
    UNKNOWN: "bold yellow",
}
brief = partial(one_line, limit=80)
BRIEF = Marks(brief, one_line)


def comparison_tables(comparison: Comparison, *, width: int) -> RenderableType:
    """Return the whole comparison for a terminal of so many columns."""
    parts: list[RenderableType] = [_verdict(comparison), _head(comparison)]
    if len(comparison.models) > 1:
        parts.extend([Text(), _summary(comparison)])
    parts.extend(changed_cases(comparison, width=width))
    parts.extend(excerpts(comparison, width=width))
    for model in comparison.models:
        parts.extend([Text(), *model_parts(model, comparison.options)])
    parts.extend(_left_out(comparison))
    if comparison.notes:
        notes = [one_line(note, 500) for note in comparison.notes]
        parts.extend([Text(), warnings_table(notes, width=width)])
    return Group(*parts)


def _verdict(comparison: Comparison) -> Text:
    first = headline(comparison, BRIEF)
    return Text.assemble((first.word.upper(), SIGN_STYLES[first.sign]), (first.rest, "bold"))


def _head(comparison: Comparison) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", width=LABEL, no_wrap=True)
    grid.add_column(overflow="fold")
    for label, words in _head_rows(comparison):
        grid.add_row(label, words)
    return grid


def _head_rows(comparison: Comparison) -> Iterator[tuple[str, Text]]:
    yield "to do", Text(next_step(comparison, BRIEF), style="bold")
    if len(comparison.models) == 1:
        yield "change", Text(rates(comparison.models[0]))
    repeats = repeat_words(comparison)
    if repeats:
        yield "repeats", Text(repeats, style="yellow")
    passed = comparison.gate.result is GateResult.PASSED
    yield "gate", Text(gate_words(comparison), style="" if passed else "yellow")
    yield "baseline", Text(run_words(comparison.baseline, BRIEF))
    yield "current", Text(run_words(comparison.current, BRIEF))
    rustc = same_rustc(comparison)
    if rustc:
        yield "rustc", Text(brief(rustc))
    if comparison.differences:
        words = [difference_words(difference, BRIEF) for difference in comparison.differences]
        yield "differs", Text(" · ".join(words), style="yellow")
    yield "cases", Text(coverage_words(comparison.coverage, len(comparison.models), BRIEF))


def _summary(comparison: Comparison) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("model", overflow="fold", min_width=12)
    varied = shows_variants(comparison)
    if varied:
        table.add_column("variant", overflow="fold")
    table.add_column("finding", no_wrap=True)
    for name in ("pass rate", "change", "p"):
        table.add_column(name, justify="right", no_wrap=True)
    for model in comparison.models:
        finding = Text(model.finding, style=STYLES[model.finding])
        variant = [Text(brief(variant_name(model)))] if varied else []
        cells = map(Text, summary_cells(model))
        table.add_row(Text(brief(model_name(model))), *variant, finding, *cells)
    return table


def _left_out(comparison: Comparison) -> Iterator[RenderableType]:
    left = left_out_cases(comparison.coverage)
    if not left:
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("left out", "model", "why"):
        table.add_column(name, overflow="fold")
    for case in left[:ROWS]:
        table.add_row(*map(Text, left_out_cells(case)))
    yield Text()
    yield table
    yield from _rest(len(left) - ROWS, "case", "cases")


def changed_cases(comparison: Comparison, *, width: int) -> Iterator[RenderableType]:
    """Yield the table of what dropped, the largest drop first, then of what rose."""
    fell, rose = regressed(comparison), improved(comparison)
    if not fell and not rose:
        return
    table = _columns(comparison, short=_short(comparison, width))
    for moved in fell[:ROWS]:
        table.add_row(*_row(comparison, moved, "-", width=width))
    for moved in rose[:ROWS]:
        table.add_row(*_row(comparison, moved, "+", width=width))
    yield Text()
    yield table
    yield from _rest(len(fell) - ROWS, "case that dropped", "cases that dropped")
    yield from _rest(len(rose) - ROWS, "case that rose", "cases that rose")


def _columns(comparison: Comparison, *, short: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("", no_wrap=True)
    table.add_column("changed cases", overflow="fold", min_width=14)
    if len(comparison.models) > 1:
        table.add_column("model", overflow="ellipsis", no_wrap=True, max_width=MODEL)
    if shows_variants(comparison):
        table.add_column("variant", overflow="fold")
    for name in ("passed", *(() if short else ("score",)), "change", "p", "noise"):
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _short(comparison: Comparison, width: int) -> bool:
    """Tell whether the names of several models leave no room for scores."""
    return len(comparison.models) > 1 and width < WIDE


def _row(comparison: Comparison, moved: Moved, sign: str, *, width: int) -> Iterator[Text]:
    colour = "red" if sign == "-" else "green"
    yield Text(sign, style=colour)
    yield Text(name_of(comparison, moved), style=colour)
    if len(comparison.models) > 1:
        yield Text(one_line(model_name(moved.model)))
    if shows_variants(comparison):
        yield Text(one_line(variant_name(moved.model)))
    passed, score, *rest, noise = moved_cells(moved)
    yield Text(passed)
    if not _short(comparison, width):
        yield Text(score)
    yield from map(Text, rest)
    if width >= WIDE:
        noise = "; ".join(filter(None, [noise, settled(moved)]))
    yield Text(noise, style="bold" if beyond_noise(moved) else "dim")


def _rest(number: int, noun: str, plural: str) -> Iterator[Text]:
    """Yield a line that says how many more there are, where there are more."""
    if number > 0:
        yield Text(f"   {more(number, noun, plural)}; --format json has all", style="dim")


def excerpts(comparison: Comparison, *, width: int) -> Iterator[RenderableType]:
    """Yield what failed in the cases that dropped the most."""
    failing = [moved for moved in regressed(comparison) if moved.case.current.failures]
    if not failing:
        return
    yield Text()
    yield Text("failures", style="bold")
    for moved in failing[:EXCERPTS]:
        yield _excerpt_title(comparison, moved, width)
        for line in failure_lines(moved.case.current):
            yield _cut(Text(f"  {line}"), width)
    yield from _rest(len(failing) - EXCERPTS, "case", "cases")


def _excerpt_title(comparison: Comparison, moved: Moved, width: int) -> Text:
    name = one_line(name_of(comparison, moved), width // 2)
    who = f" {one_line(moved.model.current, MODEL)}" if len(comparison.models) > 1 else ""
    case = moved.case
    place = (f"  {one_line(case_place(case.file, case.line, case.key))}", "dim")
    return _cut(Text.assemble(("- ", "red"), (name, "red"), who, place), width)


def _cut(line: Text, width: int) -> Text:
    """Return a line that never wraps, so that no text of a model starts a line of output."""
    line.no_wrap = True
    line.truncate(width, overflow="ellipsis")
    return line


def model_parts(model: ModelComparison, options: CompareOptions) -> list[RenderableType]:
    """Return everything about one model, from its name to what it cost."""
    rates, evidence = _rates(model, options), _evidence(model, options)
    parts: list[RenderableType] = [_title(model), rates, *_meaning_of_k(model), evidence]
    groups = changed_groups(model)
    if groups:
        parts.append(_groups(groups))
    return parts


def _title(model: ModelComparison) -> Text:
    name = one_line(model.current)
    if model.baseline != model.current:
        name = f"{one_line(model.baseline)} -> {name}"
    return Text.assemble((name, "bold"), "  ", (model.finding, STYLES[model.finding]))


def _rates(model: ModelComparison, options: CompareOptions) -> Table:
    """Return each rate with its interval right behind it, and the pairs further apart."""
    table = Table(box=None, header_style="dim", padding=(0, 1, 0, 0))
    table.add_column("", no_wrap=True)
    interval = f"{level(options.alpha)} CI"
    for name in ("baseline", "current", "change"):
        table.add_column(f" {name}", justify="right", no_wrap=True)
        table.add_column(interval, justify="right", no_wrap=True)
    for name, cells in rate_rows(model):
        pairs = zip(cells[::2], cells[1::2], strict=True)
        close = ((f" {value}", bounds.replace(" – ", "–")) for value, bounds in pairs)
        table.add_row(name, *(Text(cell) for pair in close for cell in pair))
    return table


def _meaning_of_k(model: ModelComparison) -> Iterator[Text]:
    """Yield what a row of k samples says, where there is one."""
    ks = [name.rpartition("@")[2] for name, _ in rate_rows(model) if "@" in name]
    if ks:
        k = " or ".join(dict.fromkeys(ks))
        compiles = f"compile@{k}: chance that at least one of {k} samples compiles"
        yield Text(f"{compiles}; pass@{k}: that one passes", style="dim")


def rate_rows(model: ModelComparison) -> Iterator[tuple[str, list[str]]]:
    """Return each rate's name and cells; what has no value on either side is left out."""
    yield "pass rate", rate_row(model.pass_rate)
    yield from _at_k("pass", model.pass_at_k)
    yield "mean score", score_row(model.mean_score)
    yield "compiles", rate_row(model.drift.compile_rate)
    yield from _at_k("compile", model.drift.compile_at_k)
    yield "lint-free", rate_row(model.drift.lint_free_rate)


def _at_k(name: str, shifts: dict[str, MeanChange]) -> Iterator[tuple[str, list[str]]]:
    for k, shift in shifts.items():
        known = shift.baseline.value is not None or shift.current.value is not None
        if k != "1" and known:
            yield f"{name}@{k}", rate_row(shift)


def _evidence(model: ModelComparison, options: CompareOptions) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True, width=LABEL)
    grid.add_column(overflow="fold")
    grid.add_row("evidence", Text(rests_on(model, options)))
    for line in [*test_lines(model, options), detectability_line(model.detectability)]:
        grid.add_row("", Text(line))
    if model.attribution:
        grid.add_row("cause", Text(attribution_words(model.attribution)))
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


def large_groups(model: ModelComparison) -> list[CaseGroup]:
    """Return the eval sets, tags and difficulties with enough cases for an interval."""
    return [group for group in model.groups if group.pass_rate.interval is not None]


def changed_groups(model: ModelComparison) -> list[CaseGroup]:
    """Return the groups whose pass rate moved; one that holds all cases says nothing new."""
    return [
        group
        for group in large_groups(model)
        if group.pass_rate.delta and group.cases < len(model.cases)
    ]


def _groups(groups: list[CaseGroup]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1))
    table.add_column("changed groups", overflow="fold", min_width=16)
    for name in ("cases", "baseline", "current", "change", "interval"):
        table.add_column(name, justify="right", no_wrap=True)
    for group in groups[:GROUPS]:
        table.add_row(*(Text(cell) for cell in group_cells(group)))
    if len(groups) > GROUPS:
        table.add_row(more(len(groups) - GROUPS, "group"), *[""] * 5)
    return table


def group_cells(group: CaseGroup) -> list[str]:
    """Return name, number of cases, both rates, the change and its interval."""
    moved = group.pass_rate
    return [
        f"{group.kind} {one_line(group.name)}",
        str(group.cases),
        rate(moved.baseline),
        rate(moved.current),
        points(moved.delta),
        point_bounds(moved.interval),
    ]


HEADER = ["model", "cases", "samples per half", "threshold rule fires", "evidence gate fires"]


def self_check_table(check: SelfCheck) -> RenderableType:
    """Return one row a model for the terminal, with what it means."""
    rows = Table(box=None, pad_edge=False, header_style="bold")
    for number, name in enumerate(HEADER):
        rows.add_column(name, justify="right" if number else "left", overflow="fold")
    for model in check.models:
        rows.add_row(model.model, *_figures(model))
    return Group(rows, Text(), *(Text(line, style="dim") for line in _meaning(check)))


def self_check_markdown(check: SelfCheck) -> str:
    """Return the same as GitHub markdown, ending in a newline."""
    rows = [[escape(model.model), *_figures(model)] for model in check.models]
    return (
        "\n\n".join(["### forgetest: self-check", markdown_rows(HEADER, rows), *_meaning(check)])
        + "\n"
    )


def _figures(model: ModelCheck) -> list[str]:
    if not model.cases:
        return ["0", NONE, NONE, NONE]
    return [
        str(model.cases),
        str(model.samples_per_half),
        _rate(model.threshold),
        _rate(model.evidence),
    ]


def _rate(alarms: Alarms) -> str:
    return f"{percent(alarms.fired / alarms.splits)} ({interval(alarms.interval)})"


def _meaning(check: SelfCheck) -> Iterator[str]:
    splits = max((model.threshold.splits for model in check.models), default=0)
    if not splits:
        yield "No case has two scored samples, so there are no halves to compare."
        return
    yield (
        f"Nothing changed between the halves, so every alarm is a false one. {splits} random splits"
        f" of each case's samples; threshold {check.options.threshold:g}, alpha"
        f" {check.options.alpha:g}; in brackets the 95 % interval of the rate."
    )
    left_out = sum(model.cases_left_out for model in check.models)
    if left_out:
        yield f"Left out: {count(left_out, 'case')} with fewer than two scored samples."
