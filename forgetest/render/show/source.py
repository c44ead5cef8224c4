"""Code with numbered lines, the ones that a compiler complains of marked."""

from collections.abc import Collection, Sequence

from rich.console import RenderableType
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from forgetest.grading.verdict import Diagnostic
from forgetest.render.safe import many_lines
from forgetest.words import count

LINES = 1000  # of code that are shown
LINE = 400  # characters of one of them
COLOURED = 100_000  # characters of code that are worth colouring
SAMPLE_FILE = "src/lib.rs"
ERROR, LINT = "error", "lint"
_STYLES = {ERROR: "bold red", LINT: "bold yellow"}


def code_table(code: str, marks: dict[int, str]) -> RenderableType:
    """Return code with line numbers; `marks` says which lines, from 1, have an error or a lint."""
    lines = highlighted(code)
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True, width=1)
    table.add_column(justify="right", no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for number, line in enumerate(lines[:LINES], start=1):
        style = _STYLES.get(marks.get(number, ""), "")
        mark = Text(">" if style else " ", style=style)
        table.add_row(mark, Text(str(number), style=style), line)
    if len(lines) > LINES:
        rest = f"… {count(len(lines) - LINES, 'more line')}; --raw has them"
        table.add_row("", "", Text(rest, style="dim"))
    return table


def marks_of(errors: Sequence[Diagnostic], lints: Sequence[Diagnostic]) -> dict[int, str]:
    """Return which lines of the sample's file have a lint or, graver, an error."""
    found = {line: LINT for lint in lints for line in _lines(lint)}
    return found | {line: ERROR for error in errors for line in _lines(error)}


def _lines(one: Diagnostic) -> Collection[int]:
    """Return the line that a diagnostic begins at."""
    span = one.span
    return () if span is None or span.file != SAMPLE_FILE else (span.line,)


def highlighted(code: str) -> Sequence[Text]:
    """Return the lines of code, safe to show, coloured as Rust where that does not take long."""
    lines = [_cut(line) for line in many_lines(code).removesuffix("\n").split("\n")]
    text = "\n".join(lines)
    if len(text) > COLOURED or any(line.endswith("…") for line in lines):
        return [Text(line) for line in lines]
    syntax = Syntax("", "rust", theme="ansi_dark", background_color="default")
    return syntax.highlight(text).split("\n", allow_blank=True)[: len(lines)]


def _cut(line: str) -> str:
    return line if len(line) <= LINE else f"{line[: LINE - 1]}…"
