"""What `validate --deep` found, for the terminal."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from forgetest.check.types import CaseCheck, DeepCheck, SetCheck, Severity, Survivor
from forgetest.render.checking.cells import (
    NARROW,
    case_cells,
    finding_words,
    head_words,
    severity_of,
    total_cells,
    totals_words,
)
from forgetest.render.safe import many_lines, one_line

_STYLES = {
    Severity.BROKEN: "red",
    Severity.UNCHECKED: "magenta",
    Severity.WEAK: "yellow",
    Severity.NOTE: "dim",
}
_LONG = 600  # characters of a finding
_DIFF_STYLES = {"-": "red", "+": "green", "@": "cyan"}


def deep_tables(found: DeepCheck, *, survivors: int) -> RenderableType:
    """Return a table per set, every finding in words, and so many survivors of each case."""
    parts: list[RenderableType] = []
    for item in found.sets:
        parts += [_set_table(item), Text(totals_words(item.totals)), Text("")]
    for case in (case for item in found.sets for case in item.cases):
        parts += [*_findings(case), *_survivors(case, survivors)]
    if len(found.sets) > 1:
        parts.append(Text(f"all: {totals_words(found.totals)}"))
    parts.append(Text(head_words(found), style="dim"))
    return Group(*parts)


def case_line(case: CaseCheck) -> str:
    """Return one line for a case that has been checked."""
    state = str(severity_of(case) or "ok")
    words = finding_words(case)
    killed = f", {case.strength.killed}/{case.strength.counted} mutants" if case.strength else ""
    cached = ", cached" if case.cached else ""
    return f"{case.case}: {state}{f' ({words})' if words else ''}{killed}{cached}"


def _set_table(item: SetCheck) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(one_line(item.eval_set), overflow="fold")
    for name in NARROW:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("findings", overflow="fold")
    for case in item.cases:
        style = _STYLES.get(severity_of(case) or Severity.NOTE, "")
        table.add_row(
            case.case.partition("/")[2], *case_cells(case), Text(finding_words(case), style=style)
        )
    table.add_row("total", *total_cells(item.totals), "", style="bold")
    return table


def _findings(case: CaseCheck) -> Iterator[RenderableType]:
    place = f" ({one_line(case.file)}:{case.line})" if case.file and case.line else ""
    for one in case.findings:
        head = Text(f"{case.case}{place}: ")
        head.append(f"{one.severity}: ", style=_STYLES[one.severity])
        yield head.append(one_line(one.message, _LONG))


def _survivors(case: CaseCheck, most: int) -> Iterator[RenderableType]:
    found = case.strength.survivors if case.strength else ()
    for survivor in found[:most]:
        yield Text("")
        yield from _survivor(case, survivor)
    if most and len(found) > most:
        yield Text(f"  and {len(found) - most} more survivors of {case.case}", style="dim")
    if most and found:
        yield Text("")


def _survivor(case: CaseCheck, survivor: Survivor) -> Iterator[RenderableType]:
    yield Text(f"{case.case}: survives: {one_line(survivor.mutant)}", style="bold")
    yield Text(f"  missing: {one_line(survivor.missing, _LONG)}")
    for line in many_lines(survivor.diff).split("\n"):
        yield Text(f"    {line}", style=_DIFF_STYLES.get(line[:1], ""))
