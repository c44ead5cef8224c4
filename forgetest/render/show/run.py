"""A run at a glance: what it was, the leaderboard, and every case with how its samples fail."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple, TypeVar

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from forgetest.grading.verdict import TestOutcome, Verdict, panic_message
from forgetest.render.case_table import passed_cell
from forgetest.render.columns import spaced, warnings_table
from forgetest.render.leaderboard import report_rows
from forgetest.render.run import sandbox_line, variant_words
from forgetest.render.safe import one_line
from forgetest.render.tables import conclusion_lines, leaderboard
from forgetest.report.samples import SampleReport
from forgetest.report.types import CaseReport, ModelReport, Report
from forgetest.sampling.plan import is_anchor
from forgetest.value import count

FINE = (TestOutcome.PASSED, TestOutcome.IGNORED)
CODES = 3  # error codes named for one outcome
_T = TypeVar("_T")


class Way(NamedTuple):
    """A way to fail."""

    outcome: str
    code: str | None  # rustc's; safe to print, as is the message
    message: str  # one line


def way_of(verdict: Verdict) -> Way:
    """Return how a sample fails: by the first error, or else the first test, or the reason."""
    if errors := verdict.errors or verdict.test_errors:
        code = errors[0].code
        return Way(verdict.outcome, code and one_line(code, 40), one_line(errors[0].message))
    test = next((test for test in verdict.tests if test.outcome not in FINE), None)
    if test is not None:
        return Way(verdict.outcome, None, one_line(f"{test.name}: {panic_message(test.message)}"))
    return Way(verdict.outcome, None, one_line(verdict.reasons[0] if verdict.reasons else ""))


@dataclass(slots=True)
class Failures:
    """How the samples of one case fail; none is kept."""

    outcomes: Counter[str] = field(default_factory=Counter)
    codes: dict[str, Counter[str]] = field(default_factory=dict)  # by outcome
    ways: Counter[Way] = field(default_factory=Counter)
    unscored: int = 0

    def add(self, sample: SampleReport) -> None:
        """Count one sample."""
        self.unscored += not sample.scored
        if sample.passed is not False or sample.verdict is None:
            return
        way = way_of(sample.verdict)
        self.outcomes[way.outcome] += 1
        self.ways[way] += 1
        if way.code:
            self.codes.setdefault(way.outcome, Counter())[way.code] += 1

    @property
    def line(self) -> str:
        """`compile_failed 4 (E0425 3, E0308 1) · tests_failed 1`, unscored samples last."""
        parts = [
            f"{outcome} {number}{self._codes(outcome)}"
            for outcome, number in _ordered(self.outcomes)
        ]
        return " · ".join([*parts, f"unscored {self.unscored}"] if self.unscored else parts)

    def _codes(self, outcome: str) -> str:
        named = _ordered(self.codes.get(outcome, Counter()))
        shown = ", ".join(f"{code} {number}" for code, number in named[:CODES])
        more = ", …" if len(named) > CODES else ""
        return f" ({shown}{more})" if shown else ""

    @property
    def commonest(self) -> str:
        """The message of the most common failure and its share; empty if none failed."""
        if not self.ways:
            return ""
        way, number = _ordered(self.ways)[0]
        failed = self.ways.total()
        often = f"{number} of {failed}: " if failed > 1 else ""
        return f"{often}{way.message or way.outcome}"


def _ordered(counts: Counter[_T]) -> list[tuple[_T, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))


LABEL = 8  # columns of the labels of the head
NAME = 28  # columns of a case's name, where there is little room
GAP = 2
ROOM = 30  # columns that the failures need next to the counts
WIDE_ROOM = 80  # columns that the commonest failure needs next to them


@dataclass(frozen=True, slots=True)
class RunView:
    """What of a run is shown."""

    name: str
    report: Report
    models: tuple[ModelReport, ...]
    failed: bool = False  # only cases with a sample that fails


def run_tables(view: RunView, *, width: int) -> RenderableType:
    """Return head, warnings, leaderboard, table of cases and conclusions for so many columns."""
    report = view.report.model_copy(update={"models": view.models})
    ranked = report_rows(report.models)
    parts: list[RenderableType] = [run_head(view)]
    if report.warnings:
        safe = [one_line(warning, 500) for warning in report.warnings]
        parts.extend([Text(), warnings_table(safe, width=width)])
    parts.extend([Text(), leaderboard(report, ranked, width=width), Text()])
    rows = list(_rows(view, [row.model for row in ranked]))
    labels = [row.label for row in ranked]
    models = sum(row.rank is not None for row in ranked) or len(ranked)
    table = _cases(labels, rows, models=models, width=width) if rows else _all_passed(view)
    parts.append(table)
    return Group(*parts, *conclusion_lines(report, width=width))


def _all_passed(view: RunView) -> Text:
    return Text("every scored sample passes" if view.failed else "no cases", style="green")


def run_head(view: RunView) -> Table:
    """Return what was run: sets, samples, toolchain, sandbox, date and command, labelled."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", width=LABEL, no_wrap=True)
    grid.add_column(overflow="fold")
    for label, words in _facts(view):
        grid.add_row(label, Text(one_line(words, 500)))
    return grid


def _facts(view: RunView) -> Iterator[tuple[str, str]]:
    report = view.report
    sets = ", ".join(f"{item.id} ({count(len(item.cases), 'case')})" for item in report.eval_sets)
    state = "" if report.complete else " · incomplete"
    yield "run", f"{view.name} · {report.created[:16].replace('T', ' ')}{state}"
    yield "sets", f"{sets} · {count(report.samples_per_case, 'sample')} per case"
    rustc = report.toolchain.rustc.split("\n", 1)[0]
    yield "with", f"{rustc} · forgetest {report.forgetest} · extractor {report.extractor}"
    for name, info in report.variants.items():
        yield "variant", f"{name}: {variant_words(info.variant)}; hash {info.hash}"
    yield "sandbox", sandbox_line(report.sandbox)
    yield "command", " ".join(report.command)


@dataclass(frozen=True, slots=True)
class _ShownCase:
    name: str
    cases: tuple[CaseReport, ...]
    failures: str
    commonest: str  # of the failures


def _rows(view: RunView, ranked: Sequence[ModelReport]) -> Iterator[_ShownCase]:
    several = len(view.report.eval_sets) > 1
    # That a stub fails says nothing, unless only anchors were asked.
    anchors = [is_anchor(str(model.model)) for model in ranked]
    for cases in zip(*(model.cases for model in ranked), strict=True):
        asked = [case for case, anchor in zip(cases, anchors, strict=True) if not anchor]
        counted = asked or list(cases)
        if view.failed and all(case.c == case.n for case in counted):
            continue
        failures = Failures()
        for case in counted:
            if case.c < case.planned:
                for sample in case.samples:
                    failures.add(sample)
        name = cases[0].key if several else cases[0].case
        yield _ShownCase(one_line(name), cases, failures.line, failures.commonest)


def _cases(
    labels: Sequence[str], rows: Sequence[_ShownCase], *, models: int, width: int
) -> RenderableType:
    """Return a row for each case, with its failures where they fit next to the counts of `models`.

    Columns without room go into further tables below.
    """
    name = min(NAME, max(len("case"), *(cell_len(row.name) for row in rows)))
    counts = [_counts(rows, place) for place in range(len(labels))]
    widths = [max(_columns(cells), len(labels[place]) + GAP) for place, cells in enumerate(counts)]
    first = _fitting(widths[:models], width - name)
    room = width - name - sum(widths[:first]) - GAP
    if room < ROOM:  # there are no failures to show
        first = _fitting(widths, width - name)
    tables = [_part(labels[:first], counts, rows, name=name, room=room)]
    while first < len(labels):
        last = first + _fitting(widths[first:], width - name)
        tables.append(_part(labels[first:last], counts[first:], rows, name=name, room=0))
        first = last
    return Group(*spaced(tables))


def _part(
    labels: Sequence[str],
    counts: Sequence[Sequence[Text]],
    rows: Sequence[_ShownCase],
    *,
    name: int,
    room: int,
) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, GAP, 0, 0))
    table.add_column("case", overflow="fold", width=name)
    for label, cells in zip(labels, counts, strict=False):
        least = max(_columns(cells) - GAP, len(label))
        table.add_column(label, justify="right", no_wrap=True, min_width=least)
    for title in _titles(room):
        table.add_column(title, overflow="fold")
    for place, row in enumerate(rows):
        cells = [counts[number][place] for number in range(len(labels))]
        table.add_row(Text(row.name), *cells, *_failure(row, room))
    return table


def _counts(rows: Sequence[_ShownCase], place: int) -> list[Text]:
    cells = (passed_cell(row.cases[place]) for row in rows)
    return [Text(cell.shown, style=cell.style) for cell in cells]


def _columns(cells: Sequence[Text]) -> int:
    return max(cell.cell_len for cell in cells) + GAP


def _fitting(widths: Sequence[int], room: int) -> int:
    """Return how many models have room; at least one."""
    return max(1, sum(end <= room for end in accumulate(widths)))


def _titles(room: int) -> list[str]:
    if room < ROOM:
        return []
    return ["failures", "most common failure"] if room >= WIDE_ROOM else ["failures"]


def _failure(row: _ShownCase, room: int) -> list[Text]:
    outcomes, message = (
        Text(row.failures),
        Text(row.commonest, style="dim"),
    )
    match len(_titles(room)):
        case 0:
            return []
        case 1:
            message.truncate(room, overflow="ellipsis")
            return [Text("\n").join([outcomes, message]) if message else outcomes]
    return [outcomes, message]
