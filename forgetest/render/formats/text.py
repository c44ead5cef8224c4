"""Reports for people, as files: the tables of the terminal, and markdown; run after run."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from forgetest.render.formats.run import Files
from forgetest.render.markdown import report_markdown
from forgetest.render.plain import FILE_WIDTH, plain_text
from forgetest.render.run import Run
from forgetest.render.safe import escape, one_line
from forgetest.render.tables import report_tables

TEXT, MARKDOWN = "report.txt", "report.md"


def text_files(runs: Sequence[Run]) -> Files:
    """Return report.txt: the terminal's tables, without colour."""
    return {TEXT: plain_text(*_parts(runs))}


def _parts(runs: Sequence[Run]) -> Iterator[RenderableType]:
    for run in runs:
        if len(runs) > 1:
            yield Text(f"{one_line(run.label)}\n")
        yield report_tables(run.report, width=FILE_WIDTH)
        if run is not runs[-1]:
            yield ""


def markdown_files(runs: Sequence[Run]) -> Files:
    """Return report.md, as GitHub shows it."""
    parts = [
        f"## {escape(run.label)}\n\n{report_markdown(run.report)}"
        if len(runs) > 1
        else report_markdown(run.report)
        for run in runs
    ]
    return {MARKDOWN: "\n".join(parts)}
