"""What rustc and clippy say of a sample, as cargo shows it, and what became of its tests."""

import re
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from forgetest.grading.verdict import Diagnostic, TestOutcome, TestResult
from forgetest.render.numbers import seconds
from forgetest.render.safe import many_lines, one_line
from forgetest.render.show.failures import FINE
from forgetest.words import count

SHOWN = 20  # diagnostics
NAME_KEPT = 200
_HEAD = re.compile(r"^(error|warning)(\[[^\]]*\])?(?=:)")
_GUTTER = re.compile(r"^ *(?:-->|:::|\d+ *\||\||\.\.\.|=)")
_CARETS = re.compile(r"\^+|-{2,}")
_COLOURS = {"error": "red", "warning": "yellow"}


def diagnostics(found: Sequence[Diagnostic]) -> Iterator[RenderableType]:
    """Yield each diagnostic as its compiler rendered it; long lists end in a count."""
    for one in found[:SHOWN]:
        yield _rendered(one)
        yield Text()
    if len(found) > SHOWN:
        yield Text(f"… and {len(found) - SHOWN} more", style="dim")


def _rendered(one: Diagnostic) -> Text:
    colour = _COLOURS.get(one.level, "blue")
    lines = many_lines(one.rendered or _plain(one)).rstrip().split("\n")
    return Text("\n").join(_line(line, colour) for line in lines)


def _plain(one: Diagnostic) -> str:
    """Return the two lines that stand for a diagnostic whose rendering was not kept."""
    code = f"[{one.code}]" if one.code else ""
    span = one.span
    place = f"\n --> {span.file}:{span.line}:{span.column}" if span else ""
    return f"{one.level}{code}: {one.message}{place}"


def _line(line: str, colour: str) -> Text:
    text = Text(line)
    if head := _HEAD.match(line):
        text.stylize("bold")
        text.stylize(_COLOURS[head[1]], 0, head.end())
    elif gutter := _GUTTER.match(line):
        text.stylize("bold blue", 0, gutter.end())
        if "|" in gutter[0] and not any(sign.isdigit() for sign in gutter[0]):
            for carets in _CARETS.finditer(line, gutter.end()):
                text.stylize(f"bold {colour if '^' in carets[0] else 'blue'}", *carets.span())
    return text


def tests_table(tests: Sequence[TestResult]) -> RenderableType:
    """Return a row a test: what became of it, its name and time, and its message below."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(justify="right", no_wrap=True, style="dim")
    for test in tests:
        secs = seconds(test.secs) if test.secs else ""
        table.add_row(_outcome(test.outcome), Text(one_line(test.name, NAME_KEPT)), secs)
        if test.message and test.outcome not in FINE:
            table.add_row("", Text(many_lines(test.message).strip(), style="dim"), "")
    return table


def _outcome(outcome: TestOutcome) -> Text:
    if outcome is TestOutcome.PASSED:
        return Text(outcome, style="green")
    return Text(outcome, style="yellow" if outcome in FINE else "red")


def tests_line(tests: Sequence[TestResult]) -> str:
    """Return `3 of 5 tests passed`."""
    passed = sum(test.outcome is TestOutcome.PASSED for test in tests)
    return f"{passed} of {count(len(tests), 'test')} passed"
