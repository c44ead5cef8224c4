"""What `validate --deep` found: for the terminal and as markdown, from the same cells.

The cells that the table in the terminal and the one in markdown have in common.

What `validate --deep` found, for the terminal.

What `validate --deep` found, as GitHub markdown.
"""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from forgetest.check.types import (
    CaseCheck,
    DeepCheck,
    SetCheck,
    Severity,
    Soundness,
    Strength,
    Survivor,
    Totals,
)
from forgetest.grading.probe import Noticed
from forgetest.grading.verdict import Outcome
from forgetest.metrics import percent
from forgetest.render.markdown import table
from forgetest.render.numbers import seconds
from forgetest.render.safe import code, escape, listing, many_lines, one_line
from forgetest.value import count

NOTHING = "–"
COLUMNS = ("difficulty", "reference", "stub", "blanks", "slowest", "timeout", "killed", "strength")
NARROW = ("level", "ref", *COLUMNS[2:])  # the same, in a terminal


def case_cells(case: CaseCheck) -> list[str]:
    """Return the cells of a case, one for each of `COLUMNS`."""
    return [
        str(case.difficulty or NOTHING),
        _reference(case.soundness),
        _stub(case.soundness),
        _blanks(case.soundness),
        *_times(case.soundness),
        _killed(case.strength),
        _share(case.test_strength),
    ]


def total_cells(sums: Totals) -> list[str]:
    """Return the cells of a line of totals, one for each of `COLUMNS`."""
    left = [""] * (len(COLUMNS) - 2)
    killed = f"{sums.killed}/{sums.killed + sums.survived}"
    return [*left, killed, _share(sums.test_strength)]


def finding_words(case: CaseCheck) -> str:
    """Return the kinds of a case's findings, the gravest severity before them."""
    kinds = dict.fromkeys(str(one.kind) for one in case.findings)
    return ", ".join(kind.replace("_", " ") for kind in kinds)


def severity_of(case: CaseCheck) -> Severity | None:
    """Return the gravest severity among a case's findings, None when there is no finding."""
    found = {one.severity for one in case.findings}
    return next((severity for severity in Severity if severity in found), None)


def totals_words(sums: Totals) -> str:
    """Return the sums of a set, or of all, in one line."""
    uncounted = f"{sums.not_compiled} do not compile, {sums.equivalent} equivalent"
    parts = [
        count(sums.cases, "case"),
        f"{sums.broken} broken",
        *([f"{sums.unchecked} not checked"] if sums.unchecked else []),
        *([f"{sums.weak} too weak"] if sums.weak else []),
        f"{count(sums.mutants, 'mutant')} ({uncounted})",
        f"{sums.killed} of {sums.killed + sums.survived} killed: {_share(sums.test_strength)}",
    ]
    if sums.lowest_strength is not None:
        parts.append(f"lowest {_share(sums.lowest_strength)}")
    return ", ".join(parts)


def head_words(found: DeepCheck) -> str:
    """Return what checked the cases, in one line."""
    rustc = found.toolchain.rustc.partition("\n")[0]
    return (
        f"forgetest {found.forgetest}, {rustc}, {found.sandbox},"
        f" {count(found.times, 'grading')} of each reference, {seconds(found.secs)}"
    )


def _reference(sound: Soundness) -> str:
    if sound.reference is None or sound.score is None:
        return NOTHING
    return f"{sound.score:.2f}"


def _stub(sound: Soundness) -> str:
    """Return what became of the stub; what fails as it should says so in one short word."""
    match sound.stub:
        case None:
            return NOTHING
        case Outcome.COMPILE_FAILED | Outcome.COMPILE_TIMEOUT:
            return "no build"
        case Outcome.PASSED:
            return "passes"
        case _:
            return "fails"


def _blanks(sound: Soundness) -> str:
    """Return how many implementations that do nothing are noticed, of those that compile."""
    counted = [one for one in sound.blanks.values() if one is not Noticed.NOT_COMPILED]
    noticed = sum(one is not Noticed.PASSED for one in counted)
    return f"{noticed}/{len(counted)}" if counted else NOTHING


def _times(sound: Soundness) -> Sequence[str]:
    if sound.timing is None:
        return (NOTHING, NOTHING)
    return seconds(sound.timing.slowest_secs), f"{sound.timing.suggested_timeout_secs:g} s"


def _killed(strong: Strength | None) -> str:
    """Return how many mutants are killed of those that count, and how many were not tried."""
    if strong is None:
        return NOTHING
    more = f" (+{strong.left_out})" if strong.left_out else ""
    return f"{strong.killed}/{strong.counted}{more}"


def _share(share: float | None) -> str:
    return NOTHING if share is None else percent(share)


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


def deep_case_line(case: CaseCheck) -> str:
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


_LONG_MARKDOWN = 600  # characters of a finding


def deep_markdown(found: DeepCheck, *, survivors: int) -> str:
    """Return a table per set, the findings and so many survivors of each case."""
    parts = [escape(head_words(found))]
    for item in found.sets:
        parts += [
            f"### {code(item.eval_set)}",
            escape(totals_words(item.totals)),
            _set_markdown(item),
        ]
        parts += list(_findings_markdown(item))
        parts += [part for case in item.cases for part in _survivors_markdown(case, survivors)]
    if len(found.sets) > 1:
        parts.append(f"**All sets**: {escape(totals_words(found.totals))}")
    return "\n\n".join(parts) + "\n"


def _set_markdown(item: SetCheck) -> str:
    rows = [
        [code(case.case.partition("/")[2]), *map(escape, case_cells(case)), finding_words(case)]
        for case in item.cases
    ]
    rows.append(["**total**", *map(escape, total_cells(item.totals)), ""])
    return table(["case", *COLUMNS, "findings"], rows)


def _findings_markdown(item: SetCheck) -> Iterator[str]:
    lines = [
        f"- {code(case.case)}: {one.severity}: {escape(one.message, _LONG)}"
        for case in item.cases
        for one in case.findings
    ]
    if lines:
        yield "\n".join(lines)


def _survivors_markdown(case: CaseCheck, most: int) -> Iterator[str]:
    for survivor in (case.strength.survivors if case.strength else ())[:most]:
        head = f"{code(case.case)} survives: {code(survivor.mutant)}"
        diff = listing(survivor.diff, "diff")
        yield f"{head}  \nmissing: {escape(survivor.missing, _LONG)}\n\n{diff}"
