"""All formats that a report can be written in.

A format is one module, which makes files from runs, and one row of `FORMATS`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from forgetest.errors import ConfigError
from forgetest.evalset.forms import choices
from forgetest.render.formats import (
    csv,
    ctrf,
    documents,
    humaneval,
    inspect,
    junit,
    multipl_e,
    sarif,
)
from forgetest.render.formats.standing import Files, file_names
from forgetest.render.run import ShownRun
from forgetest.render.safe import Paths
from forgetest.run.manifest import REPORT

Make = Callable[[Sequence[ShownRun], Paths], Files]


@dataclass(frozen=True, slots=True)
class Format:
    """How one format is made; `files` are the files, or the folder, that hold it."""

    make: Make
    files: tuple[str, ...]
    needs_cases: bool = False  # the run folder: a report alone has no prompts and tests


def _all_runs(make: Callable[[Sequence[ShownRun]], Files]) -> Make:
    """Return a format whose files hold all runs."""
    return lambda runs, _: make(runs)


def _merged(make: Callable[[ShownRun], Files]) -> Make:
    """Return a format with files of their own for each run, all in one folder."""
    return lambda runs, _: {name: content for run in runs for name, content in make(run).items()}


def _folder_per_run(make: Callable[[ShownRun], Files]) -> Make:
    """Return a format that cannot hold several runs: each has a folder then."""

    def files(runs: Sequence[ShownRun], _: Paths) -> Files:
        if len(runs) == 1:
            return make(runs[0])
        folders = file_names([run.label for run in runs])
        return {
            f"{folders[run.label]}/{name}": content
            for run in runs
            for name, content in make(run).items()
        }

    return files


FORMATS: Final[Mapping[str, Format]] = {
    "text": Format(_all_runs(documents.text_files), (documents.TEXT,)),
    "markdown": Format(_all_runs(documents.markdown_files), (documents.MARKDOWN,)),
    "html": Format(_all_runs(documents.html_files), (documents.PAGE,)),
    "json": Format(_folder_per_run(documents.json_files), (REPORT,)),
    "csv": Format(_all_runs(csv.csv_files), (csv.SAMPLES, csv.CASES)),
    "junit": Format(_all_runs(junit.junit_files), (junit.JUNIT,)),
    "sarif": Format(sarif.sarif_files, (sarif.SARIF,)),
    "ctrf": Format(ctrf.ctrf_files, (ctrf.CTRF,)),
    "humaneval": Format(_folder_per_run(humaneval.humaneval_files), (humaneval.FOLDER,)),
    "multipl-e": Format(
        _folder_per_run(multipl_e.multipl_e_files), (multipl_e.FOLDER,), needs_cases=True
    ),
    "inspect": Format(_merged(inspect.inspect_files), (inspect.FOLDER,)),
}
FORMAT_NAMES = tuple(FORMATS)


def format_names(text: str) -> tuple[str, ...]:
    """Return the formats of a comma list, each once; ConfigError for one that does not exist."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in FORMATS]
    if unknown or not names:
        hint = choices(unknown[0] if unknown else "", FORMAT_NAMES)
        raise ConfigError(f"--format {','.join(unknown)} does not exist; {hint}")
    return tuple(name for name in FORMAT_NAMES if name in names)
