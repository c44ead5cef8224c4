"""What `validate --deep` found: the same columns and sentences for the terminal and as markdown."""

from collections.abc import Callable, Iterator

from rich.console import Group, RenderableType
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
from forgetest.render.columns import NONE, WIDE, Cell, Column, markdown_table, terminal_table
from forgetest.render.numbers import more, seconds
from forgetest.render.safe import code, escape, listing, many_lines, one_line
from forgetest.value import count

_STYLES = {
    Severity.BROKEN: "red",
    Severity.UNCHECKED: "magenta",
    Severity.WEAK: "yellow",
    Severity.NOTE: "dim",
}
_LONG = 600  # characters of a finding
_DIFF_STYLES = {"-": "red", "+": "green", "@": "cyan"}


def deep_tables(check: DeepCheck, *, survivors: int) -> RenderableType:
    """Return a table per set, every finding in words, and so many survivors of each case."""
    parts: list[RenderableType] = []
    for eval_set in check.sets:
        table = terminal_table(check_columns(eval_set), check_rows(eval_set), width=WIDE)
        parts += [table, Text(totals_words(eval_set.totals)), Text("")]
    for case in (case for eval_set in check.sets for case in eval_set.cases):
        parts += [*_findings(case), *_survivors(case, survivors)]
    if len(check.sets) > 1:
        parts.append(Text(f"all: {totals_words(check.totals)}"))
    parts.append(Text(head_words(check), style="dim"))
    return Group(*parts)


def deep_case_line(case: CaseCheck) -> str:
    """Return one line for a case that has been checked."""
    state = str(severity_of(case) or "ok")
    words = finding_words(case)
    killed = f", {case.strength.killed}/{case.strength.counted} mutants" if case.strength else ""
    cached = ", cached" if case.cached else ""
    return f"{case.case}: {state}{f' ({words})' if words else ''}{killed}{cached}"


def _findings(case: CaseCheck) -> Iterator[RenderableType]:
    place = f" ({one_line(case.file)}:{case.line})" if case.file and case.line else ""
    for finding in case.findings:
        line = Text(f"{case.case}{place}: ")
        line.append(f"{finding.severity}: ", style=_STYLES[finding.severity])
        yield line.append(one_line(finding.message, _LONG))


def _survivors(case: CaseCheck, most: int) -> Iterator[RenderableType]:
    survivors = case.strength.survivors if case.strength else ()
    for survivor in survivors[:most]:
        yield Text("")
        yield from _survivor(case, survivor)
    if most and (rest := more(len(survivors) - most, "survivor")):
        yield Text(f"  {rest} of {case.case}", style="dim")
    if most and survivors:
        yield Text("")


def _survivor(case: CaseCheck, survivor: Survivor) -> Iterator[RenderableType]:
    yield Text(f"{case.case}: survives: {one_line(survivor.mutant)}", style="bold")
    yield Text(f"  missing: {one_line(survivor.missing, _LONG)}")
    for line in many_lines(survivor.diff).split("\n"):
        yield Text(f"    {line}", style=_DIFF_STYLES.get(line[:1], ""))


def deep_markdown(check: DeepCheck, *, survivors: int) -> str:
    """Return a table per set, the findings and so many survivors of each case."""
    parts = [escape(head_words(check))]
    for eval_set in check.sets:
        parts += [f"### {code(eval_set.eval_set)}", escape(totals_words(eval_set.totals))]
        parts.append(markdown_table(check_columns(eval_set), check_rows(eval_set)))
        if findings := [line for case in eval_set.cases for line in _markdown_findings(case)]:
            parts.append("\n".join(findings))
        for case in eval_set.cases:
            parts += _markdown_survivors(case, survivors)
    if len(check.sets) > 1:
        parts.append(f"**All sets**: {escape(totals_words(check.totals))}")
    return "\n\n".join(parts) + "\n"


def _markdown_findings(case: CaseCheck) -> Iterator[str]:
    for finding in case.findings:
        yield f"- {code(case.case)}: {finding.severity}: {escape(finding.message, _LONG)}"


def _markdown_survivors(case: CaseCheck, most: int) -> Iterator[str]:
    for survivor in (case.strength.survivors if case.strength else ())[:most]:
        head = f"{code(case.case)} survives: {code(survivor.mutant)}"
        diff = listing(survivor.diff, "diff")
        yield f"{head}  \nmissing: {escape(survivor.missing, _LONG)}\n\n{diff}"


CheckRow = CaseCheck | Totals  # a case, or the sums of its set below it


def check_columns(eval_set: SetCheck) -> list[Column[CheckRow]]:
    """Return the columns of a set's cases; the last row holds its totals."""
    return [
        Column(
            title="case",
            terminal_title=one_line(eval_set.eval_set),
            cell=_name,
            is_text=True,
            markdown=code,
        ),
        _column("difficulty", lambda case: str(case.difficulty or NONE), short="level"),
        _column("reference", lambda case: _reference(case.soundness), short="ref"),
        _column("stub", lambda case: _stub(case.soundness)),
        _column("blanks", lambda case: _blanks(case.soundness)),
        _column("slowest", lambda case: _slowest(case.soundness)),
        _column("timeout", lambda case: _timeout(case.soundness)),
        _column(
            "killed",
            lambda case: _killed(case.strength),
            lambda totals: f"{totals.killed}/{totals.killed + totals.survived}",
        ),
        _column(
            "strength",
            lambda case: _share(case.test_strength),
            lambda totals: _share(totals.test_strength),
        ),
        Column(title="findings", cell=_finding_cell, is_text=True),
    ]


def check_rows(eval_set: SetCheck) -> list[CheckRow]:
    """Return the rows of a set: its cases, then its totals."""
    return [*eval_set.cases, eval_set.totals]


def _column(
    title: str,
    of_case: Callable[[CaseCheck], str],
    of_totals: Callable[[Totals], str] = lambda _: "",
    *,
    short: str | None = None,
) -> Column[CheckRow]:
    def cell(row: CheckRow) -> Cell:
        return Cell(of_totals(row), style="bold") if isinstance(row, Totals) else Cell(of_case(row))

    return Column(title=title, terminal_title=short, cell=cell)


def _name(row: CheckRow) -> Cell:
    if isinstance(row, Totals):
        return Cell("total", style="bold")
    return Cell(row.case.partition("/")[2])


def _finding_cell(row: CheckRow) -> Cell:
    if isinstance(row, Totals):
        return Cell("")
    return Cell(finding_words(row), style=_STYLES.get(severity_of(row) or Severity.NOTE, ""))


def finding_words(case: CaseCheck) -> str:
    """Return the kinds of a case's findings, each once."""
    kinds = dict.fromkeys(str(finding.kind) for finding in case.findings)
    return ", ".join(kind.replace("_", " ") for kind in kinds)


def severity_of(case: CaseCheck) -> Severity | None:
    """Return the gravest severity among a case's findings, None when there is no finding."""
    severities = {finding.severity for finding in case.findings}
    return next((severity for severity in Severity if severity in severities), None)


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


def head_words(check: DeepCheck) -> str:
    """Return what checked the cases, in one line."""
    rustc = check.toolchain.rustc.partition("\n")[0]
    return (
        f"forgetest {check.forgetest}, {rustc}, {check.sandbox},"
        f" {count(check.times, 'grading')} of each reference, {seconds(check.secs)}"
    )


def _reference(sound: Soundness) -> str:
    if sound.reference is None or sound.score is None:
        return NONE
    return f"{sound.score:.2f}"


def _stub(sound: Soundness) -> str:
    """Return what became of the stub; what fails as it should says so in one short word."""
    match sound.stub:
        case None:
            return NONE
        case Outcome.COMPILE_FAILED | Outcome.COMPILE_TIMEOUT:
            return "no build"
        case Outcome.PASSED:
            return "passes"
        case _:
            return "fails"


def _blanks(sound: Soundness) -> str:
    """Return how many implementations that do nothing are noticed, of those that compile."""
    counted = [blank for blank in sound.blanks.values() if blank is not Noticed.NOT_COMPILED]
    noticed = sum(blank is not Noticed.PASSED for blank in counted)
    return f"{noticed}/{len(counted)}" if counted else NONE


def _slowest(sound: Soundness) -> str:
    return NONE if sound.timing is None else seconds(sound.timing.slowest_secs)


def _timeout(sound: Soundness) -> str:
    return NONE if sound.timing is None else f"{sound.timing.suggested_timeout_secs:g} s"


def _killed(strong: Strength | None) -> str:
    """Return how many mutants are killed of those that count, and how many were not tried."""
    if strong is None:
        return NONE
    more = f" (+{strong.left_out})" if strong.left_out else ""
    return f"{strong.killed}/{strong.counted}{more}"


def _share(share: float | None) -> str:
    return NONE if share is None else percent(share)
