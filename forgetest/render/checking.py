"""What `validate` found: the same columns and sentences for the terminal and as markdown."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import indent
from typing import Literal

from rich.console import Group, RenderableType
from rich.text import Text

from forgetest.check.types import (
    CaseCheck,
    Excerpt,
    Finding,
    FindingKind,
    MemoryUse,
    SetCheck,
    Severity,
    Soundness,
    Strength,
    Survivor,
    Totals,
    Validation,
)
from forgetest.evalset.shipped import local_path
from forgetest.grading.probe import Noticed
from forgetest.grading.verdict import Outcome
from forgetest.metrics import percent
from forgetest.render.columns import (
    NONE,
    Cell,
    Column,
    balanced,
    markdown_table,
    terminal_table,
)
from forgetest.render.numbers import more, seconds
from forgetest.render.prompt import finding_lines
from forgetest.render.rounds import DIFF_STYLES
from forgetest.render.safe import code, escape, listing, many_lines, one_line
from forgetest.value import count

_STYLES = {
    Severity.BROKEN: "red",
    Severity.UNCHECKED: "magenta",
    Severity.WEAK: "yellow",
    Severity.NOTE: "dim",
}
_LONG = 600  # characters of a finding
_NAMED = 3  # cases that share a finding


def validation_tables(check: Validation, *, survivors: int, width: int) -> RenderableType:
    """Return a table per set, every finding in words, and so many survivors of each case."""
    parts: list[RenderableType] = []
    for eval_set in check.sets:
        columns = check_columns(eval_set, deep=check.deep)
        parts.append(terminal_table(columns, check_rows(eval_set, deep=check.deep), width=width))
        parts += [Text(totals_words(eval_set.totals, deep=check.deep)), Text("")]
    cases = [case for eval_set in check.sets for case in eval_set.cases]
    for shared in shared_findings(cases):
        parts += _finding_parts(shared)
    for case in cases:
        parts += _survivors(case, survivors)
    if len(check.sets) > 1:
        parts.append(Text(f"all: {totals_words(check.totals, deep=check.deep)}"))
    parts.append(Text(balanced(head_words(check), width), style="dim"))
    return Group(*parts)


def check_line(case: CaseCheck) -> str:
    """Return one line for a case that has been checked."""
    state = str(severity_of(case) or "ok")
    words = finding_words(case)
    killed = f", {case.strength.killed}/{case.strength.counted} mutants" if case.strength else ""
    cached = ", cached" if case.cached else ""
    return f"{case.case}: {state}{f' ({words})' if words else ''}{killed}{cached}"


@dataclass(frozen=True, slots=True)
class SharedFinding:
    """A finding, and all cases that have it: a crate that cannot be had is told of once."""

    finding: Finding
    cases: tuple[CaseCheck, ...]

    @property
    def place(self) -> str:
        """Where an editor should go: `mine.toml:21:9`; empty for a case without a file."""
        case, excerpt = self.cases[0], self.finding.excerpt
        line = excerpt.line if excerpt else case.line
        numbers = [line, excerpt.column if excerpt else None]
        if not line:
            return ""
        return ":".join(map(str, filter(None, (one_line(local_path(case.file)), *numbers))))

    @property
    def subject(self) -> str:
        """The case, or how many share the finding and which they are."""
        names = [one_line(case.case) for case in self.cases]
        if len(names) == 1:
            return names[0]
        rest = more(len(names) - _NAMED, "case")
        return (
            f"{count(len(names), 'case')} ({', '.join([*names[:_NAMED], *filter(None, [rest])])})"
        )


def shared_findings(cases: Sequence[CaseCheck]) -> list[SharedFinding]:
    """Return every finding once, in order, with the cases of the same file that share it."""
    by_content: dict[tuple[str, Finding], list[CaseCheck]] = {}
    for case in cases:
        for finding in case.findings:
            alone = "" if finding.kind is FindingKind.DEPENDENCIES else case.case
            by_content.setdefault((f"{case.file} {alone}", finding), []).append(case)
    return [SharedFinding(finding, tuple(found)) for (_, finding), found in by_content.items()]


def _finding_parts(shared: SharedFinding) -> Iterator[RenderableType]:
    finding = shared.finding
    line = Text(f"{shared.place}: " if shared.place else "")
    line.append(f"{finding.severity}: ", style=_STYLES[finding.severity])
    yield line.append(f"{shared.subject}: {one_line(finding.message, _LONG)}")
    if rows := excerpt_lines(finding.excerpt):
        for text in rows:
            yield Text(text)
        yield Text("")


def excerpt_lines(excerpt: Excerpt | None) -> list[str]:
    """Return the author's lines with their numbers, and below them what rustc says, as it does."""
    rows = excerpt.rows if excerpt else ()
    if not rows:
        return []
    width = max(len(str(row.number or "")) for row in rows)
    lines = [f"{' ' * width} |"]
    for row in rows:
        number = str(row.number or "").rjust(width)
        lines.append(f"{number} {row.sign or ' '} {many_lines(row.text)}".rstrip())
    return lines


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
        yield Text(f"    {line}", style=DIFF_STYLES.get(line[:1], ""))


def validation_markdown(check: Validation, *, survivors: int) -> str:
    """Return a table per set, its findings, so many survivors of each case, and bad prompts."""
    parts = [escape(head_words(check))]
    for eval_set in check.sets:
        sums = totals_words(eval_set.totals, deep=check.deep)
        columns = check_columns(eval_set, deep=check.deep)
        rows = check_rows(eval_set, deep=check.deep)
        parts += [f"### {code(eval_set.eval_set)}", escape(sums), markdown_table(columns, rows)]
        if findings := list(map(_markdown_finding, shared_findings(eval_set.cases))):
            parts.append("\n".join(findings))
        for case in eval_set.cases:
            parts += _markdown_survivors(case, survivors)
    if prompts := [f"- {escape(line, _LONG)}" for line in finding_lines(check.prompts)]:
        parts += ["### Prompts", "\n".join(prompts)]
    if len(check.sets) > 1:
        parts.append(f"**All sets**: {escape(totals_words(check.totals, deep=check.deep))}")
    return "\n\n".join(parts) + "\n"


def _markdown_finding(shared: SharedFinding) -> str:
    finding = shared.finding
    place = f"{code(shared.place)}: " if shared.place else ""
    cases = code(shared.subject)
    line = f"- {place}{finding.severity}: {cases}: {escape(finding.message, _LONG)}"
    if block := excerpt_lines(finding.excerpt):
        return f"{line}\n\n{indent(listing(chr(10).join(block), 'text'), '  ')}\n"
    return line


def _markdown_survivors(case: CaseCheck, most: int) -> Iterator[str]:
    for survivor in (case.strength.survivors if case.strength else ())[:most]:
        head = f"{code(case.case)} survives: {code(survivor.mutant)}"
        diff = listing(survivor.diff, "diff")
        yield f"{head}  \nmissing: {escape(survivor.missing, _LONG)}\n\n{diff}"


CheckRow = CaseCheck | Totals  # a case, or the sums of its set below it


def check_columns(eval_set: SetCheck, *, deep: bool) -> list[Column[CheckRow]]:
    """Return the columns of a set's cases; in a deep check, the last row holds its totals."""
    counts = any(case.soundness.memory for case in eval_set.cases)
    return [
        Column(
            title="case",
            terminal_title=one_line(eval_set.eval_set),
            cell=_name,
            is_text=True,
            markdown=code,
            key=counts,  # with the columns of memory it is too wide for many terminals
        ),
        *(_deep_columns() if deep else _plain_columns()),
        *(_memory_columns() if counts else ()),
        Column(title="findings", cell=_finding_cell, is_text=True),
    ]


def _plain_columns() -> list[Column[CheckRow]]:
    return [
        _column("tests", lambda case: str(case.soundness.tests)),
        _column("reference", lambda case: case.soundness.reference or NONE),
        _column("stub", lambda case: case.soundness.stub or NONE),
    ]


def _deep_columns() -> list[Column[CheckRow]]:
    return [
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
    ]


def _memory_columns() -> list[Column[CheckRow]]:
    """Return what the reference takes of each limit, for a set with a case that counts."""
    return [
        _column(
            "allocations",
            lambda case: _used(case.soundness.memory, "allocations"),
            short="allocs",
        ),
        _column(
            "peak bytes", lambda case: _used(case.soundness.memory, "peak_bytes"), short="bytes"
        ),
    ]


def check_rows(eval_set: SetCheck, *, deep: bool) -> list[CheckRow]:
    """Return the rows of a set: its cases, and in a deep check its totals."""
    return [*eval_set.cases, eval_set.totals] if deep else [*eval_set.cases]


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


def totals_words(sums: Totals, *, deep: bool) -> str:
    """Return the sums of a set, or of all, in one line."""
    parts = [
        count(sums.cases, "case"),
        f"{sums.broken} broken",
        *([f"{sums.unchecked} not checked"] if sums.unchecked else []),
        *([f"{sums.weak} too weak"] if sums.weak else []),
        *(_strength_words(sums) if deep else ()),
    ]
    return ", ".join(parts)


def _strength_words(sums: Totals) -> Iterator[str]:
    uncounted = f"{sums.not_compiled} do not compile, {sums.equivalent} equivalent"
    yield f"{count(sums.mutants, 'mutant')} ({uncounted})"
    yield f"{sums.killed} of {sums.killed + sums.survived} killed: {_share(sums.test_strength)}"
    if sums.lowest_strength is not None:
        yield f"lowest {_share(sums.lowest_strength)}"


def head_words(check: Validation) -> str:
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


def _used(memory: MemoryUse | None, name: Literal["allocations", "peak_bytes"]) -> str:
    """Return the most that one test takes, and of how much; a dash where nothing is counted."""
    if memory is None:
        return NONE
    used: int = getattr(memory, name)
    limit: int | None = getattr(memory, f"max_{name}")
    return f"{used:,}" if limit is None else f"{used:,}/{limit:,}"


def _killed(strong: Strength | None) -> str:
    """Return how many mutants are killed of those that count, and how many were not tried."""
    if strong is None:
        return NONE
    more = f" (+{strong.left_out})" if strong.left_out else ""
    return f"{strong.killed}/{strong.counted}{more}"


def _share(share: float | None) -> str:
    return NONE if share is None else percent(share)
