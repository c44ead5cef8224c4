"""All formats that a report can be written in: what makes each, and the files it makes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from forgetest.errors import ConfigError
from forgetest.manifest import REPORT
from forgetest.render.formats import (
    csv,
    ctrf,
    humaneval,
    inspect,
    junit,
    multipl_e,
    page,
    sarif,
    text,
)
from forgetest.render.formats.run import Files, file_names
from forgetest.render.paths import Paths
from forgetest.render.run import Run
from forgetest.report.files import dump

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

Make = Callable[[Sequence[Run], Paths], Files]


@dataclass(frozen=True, slots=True)
class Format:
    """How one format is made; `files` are the files, or the folder, that hold it."""

    make: Make
    files: tuple[str, ...]
    needs_cases: bool = False  # the run folder: a report alone has no prompts and tests


def _each(make: Callable[[Run], Files]) -> Make:
    """Return what makes a format that can not hold several runs: a folder for each of them."""

    def made(runs: Sequence[Run], _: Paths) -> Files:
        if len(runs) == 1:
            return make(runs[0])
        folders = file_names([run.label for run in runs])
        return {
            f"{folders[run.label]}/{name}": content
            for run in runs
            for name, content in make(run).items()
        }

    return made


def _all(make: Callable[[Sequence[Run]], Files]) -> Make:
    return lambda runs, _: make(runs)


def _together(make: Callable[[Run], Files]) -> Make:
    return lambda runs, _: {name: content for run in runs for name, content in make(run).items()}


def _json_files(run: Run) -> Files:
    return {REPORT: dump(run.report)}


FORMATS: Final[Mapping[FormatName, Format]] = {
    "text": Format(_all(text.text_files), (text.TEXT,)),
    "markdown": Format(_all(text.markdown_files), (text.MARKDOWN,)),
    "html": Format(_all(page.html_files), (page.PAGE,)),
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
