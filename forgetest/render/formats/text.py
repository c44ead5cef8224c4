"""Reports for people, as files: the tables of the terminal, and markdown; run after run."""

from collections.abc import Sequence
from io import StringIO

from rich.console import Console

from forgetest.render.formats.run import Files
from forgetest.render.markdown import report_markdown
from forgetest.render.run import Run
from forgetest.render.safe import escape, one_line
from forgetest.render.tables import report_tables

TEXT, MARKDOWN = "report.txt", "report.md"

_WIDTH = 120  # columns of a file


def text_files(runs: Sequence[Run]) -> Files:
    """Return report.txt: the terminal's tables, without colour."""
    page = StringIO()
    console = Console(file=page, width=_WIDTH, highlight=False, no_color=True)
    for run in runs:
        if len(runs) > 1:
            console.print(f"{one_line(run.label)}\n", markup=False)
        console.print(report_tables(run.report, width=_WIDTH))
        if run is not runs[-1]:
            console.print()
    return {TEXT: page.getvalue()}


def markdown_files(runs: Sequence[Run]) -> Files:
    """Return report.md, as GitHub shows it."""
    parts = [
        f"## {escape(run.label)}\n\n{report_markdown(run.report)}"
        if len(runs) > 1
        else report_markdown(run.report)
        for run in runs
    ]
    return {MARKDOWN: "\n".join(parts)}
