"""Reports for people, as files: text, markdown, HTML; and `report.json` itself."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from forgetest.render.columns import FILE_WIDTH, plain_text
from forgetest.render.formats.standing import Files, Pieces
from forgetest.render.markdown import report_markdown
from forgetest.render.run import ShownRun
from forgetest.render.safe import escape, one_line
from forgetest.render.tables import report_tables
from forgetest.report.stream import report_pieces
from forgetest.run.manifest import REPORT

TEXT, MARKDOWN, PAGE = "report.txt", "report.md", "report.html"


def text_files(runs: Sequence[ShownRun]) -> Files:
    """Return report.txt: the terminal's tables, without colour, run after run."""
    return {TEXT: plain_text(*_text_parts(runs))}


def _text_parts(runs: Sequence[ShownRun]) -> Iterator[RenderableType]:
    for run in runs:
        if len(runs) > 1:
            yield Text(f"{one_line(run.label)}\n")
        yield report_tables(run.report, width=FILE_WIDTH)
        if run is not runs[-1]:
            yield ""


def markdown_files(runs: Sequence[ShownRun]) -> Files:
    """Return report.md, as GitHub shows it, run after run."""
    if len(runs) == 1:
        return {MARKDOWN: report_markdown(runs[0].report)}
    parts = (f"## {escape(run.label)}\n\n{report_markdown(run.report)}" for run in runs)
    return {MARKDOWN: "\n".join(parts)}


def html_files(runs: Sequence[ShownRun], *, stem: str = "report") -> Files:
    """Return the page of all runs, and the files next to it that many samples need.

    `stem` is their name without an ending.
    """
    # Templates take a while to load, and every command that knows the formats would wait for them.
    from forgetest.render.html import report_files  # noqa: PLC0415

    return report_files(runs, groups=_groups(runs), stem=stem)


def _groups(runs: Sequence[ShownRun]) -> dict[str, str]:
    """Return the models' letters; none where runs cannot be ranked, or there is one model."""
    from forgetest.rank.lead import ranking_of  # noqa: PLC0415 - as above
    from forgetest.rank.types import letters_by_model  # noqa: PLC0415 - as above

    ranked = ranking_of([(run.label, run.report) for run in runs])
    return letters_by_model(ranked[1]) if ranked else {}


def json_files(run: ShownRun) -> Files:
    """Return report.json, as the run folder has it."""
    return {REPORT: Pieces(lambda: report_pieces(run.report))}
