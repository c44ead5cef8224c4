"""All formats that a report can be written in: what makes each, and the files it makes.

The HTML page as one of the formats, with the letters of models that are not told apart.

Reports for people, as files: the tables of the terminal, and markdown; run after run.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from rich.console import RenderableType
from rich.text import Text

from forgetest.errors import ConfigError
from forgetest.render.formats import csv, ctrf, humaneval, inspect, junit, multipl_e, sarif
from forgetest.render.formats.standing import Files, file_names
from forgetest.render.markdown import report_markdown
from forgetest.render.run import ShownRun
from forgetest.render.safe import Paths, escape, one_line
from forgetest.render.tables import FILE_WIDTH, plain_text, report_tables
from forgetest.report.files import dump
from forgetest.run.manifest import REPORT

PAGE = "report.html"


def html_files(runs: Sequence[ShownRun]) -> Files:
    """Return the page of all runs, and beside it the files that many samples need."""
    # Templates take a while to load, and every command that knows the formats would wait for them.
    from forgetest.render.html import report_files  # noqa: PLC0415

    return report_files(runs, groups=_letters(runs))


def _letters(runs: Sequence[ShownRun]) -> dict[str, str]:
    """Return the models' letters; none where runs cannot be ranked, or there is one model."""
    if sum(len(run.report.models) for run in runs) < 2:  # noqa: PLR2004 - nobody to tell it from
        return {}
    from forgetest.compare.read import read  # noqa: PLC0415 - as above
    from forgetest.rank.rank import NotRankableError, rank_models  # noqa: PLC0415 - as above
    from forgetest.rank.types import RankOptions, groups  # noqa: PLC0415 - as above

    sides = [read(dump(run.report).encode(), file=run.label) for run in runs]
    try:
        return groups(rank_models(sides, RankOptions()))
    except NotRankableError:
        return {}


TEXT, MARKDOWN = "report.txt", "report.md"


def text_files(runs: Sequence[ShownRun]) -> Files:
    """Return report.txt: the terminal's tables, without colour."""
    return {TEXT: plain_text(*_parts(runs))}


def _parts(runs: Sequence[ShownRun]) -> Iterator[RenderableType]:
    for run in runs:
        if len(runs) > 1:
            yield Text(f"{one_line(run.label)}\n")
        yield report_tables(run.report, width=FILE_WIDTH)
        if run is not runs[-1]:
            yield ""


def markdown_files(runs: Sequence[ShownRun]) -> Files:
    """Return report.md, as GitHub shows it."""
    parts = [
        f"## {escape(run.label)}\n\n{report_markdown(run.report)}"
        if len(runs) > 1
        else report_markdown(run.report)
        for run in runs
    ]
    return {MARKDOWN: "\n".join(parts)}


FormatName = Literal[
    "text",
    "markdown",
    "html",
    "json",
    "csv",
    "junit",
    "sarif",
    "ctrf",
    "humaneval",
    "multipl-e",
    "inspect",
]
NAMES: tuple[FormatName, ...] = get_args(FormatName)

Make = Callable[[Sequence[ShownRun], Paths], Files]


@dataclass(frozen=True, slots=True)
class Format:
    """How one format is made; `files` are the files, or the folder, that hold it."""

    make: Make
    files: tuple[str, ...]
    needs_cases: bool = False  # the run folder: a report alone has no prompts and tests


def _each(make: Callable[[ShownRun], Files]) -> Make:
    """Return what makes a format that cannot hold several runs: a folder for each of them."""

    def made(runs: Sequence[ShownRun], _: Paths) -> Files:
        if len(runs) == 1:
            return make(runs[0])
        folders = file_names([run.label for run in runs])
        return {
            f"{folders[run.label]}/{name}": content
            for run in runs
            for name, content in make(run).items()
        }

    return made


def _all(make: Callable[[Sequence[ShownRun]], Files]) -> Make:
    return lambda runs, _: make(runs)


def _together(make: Callable[[ShownRun], Files]) -> Make:
    return lambda runs, _: {name: content for run in runs for name, content in make(run).items()}


def _json_files(run: ShownRun) -> Files:
    return {REPORT: dump(run.report)}


FORMATS: Final[Mapping[FormatName, Format]] = {
    "text": Format(_all(text_files), (TEXT,)),
    "markdown": Format(_all(markdown_files), (MARKDOWN,)),
    "html": Format(_all(html_files), (PAGE,)),
    "json": Format(_each(_json_files), (REPORT,)),
    "csv": Format(_all(csv.csv_files), (csv.SAMPLES, csv.CASES)),
    "junit": Format(_all(junit.junit_files), (junit.JUNIT,)),
    "sarif": Format(sarif.sarif_files, (sarif.SARIF,)),
    "ctrf": Format(ctrf.ctrf_files, (ctrf.CTRF,)),
    "humaneval": Format(_each(humaneval.humaneval_files), (humaneval.FOLDER,)),
    "multipl-e": Format(_each(multipl_e.multipl_e_files), (multipl_e.FOLDER,), needs_cases=True),
    "inspect": Format(_together(inspect.inspect_files), (inspect.FOLDER,)),
}


def format_names(said: str) -> tuple[FormatName, ...]:
    """Return the formats of a comma list, each once; ConfigError for one that does not exist."""
    words = [word.strip() for word in said.split(",") if word.strip()]
    unknown = [word for word in words if word not in NAMES]
    if unknown or not words:
        raise ConfigError(f"--format {','.join(unknown)} does not exist; choose {', '.join(NAMES)}")
    return tuple(name for name in NAMES if name in words)
