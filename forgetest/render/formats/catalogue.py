"""All formats that a report can be written in.

A format is one module, which makes files from runs, and one row of `FORMATS`; or it is a plugin's.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
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
from forgetest.system.plugins import PluginGroup, failed, find_plugin

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


def format_of(name: str) -> Format:
    """Return a format by its name, of a plugin too; ConfigError where it does not exist."""
    if name in FORMATS:
        return FORMATS[name]
    form = find_plugin(PluginGroup.FORMATS, name, checked_format)
    if form is None:
        raise ConfigError(f"--format {name} does not exist; {choices(name, FORMAT_NAMES)}")
    return replace(form, make=_telling(name, form.make))


def checked_format(provided: object) -> Format:
    """Return a format of a plugin; TypeError says why it is none."""
    if not (isinstance(provided, Format) and callable(provided.make)):
        raise TypeError(f"it provides a {type(provided).__name__}, not a Format")
    return provided


def _telling(name: str, make: Make) -> Make:
    """Return what makes the files of a plugin's format, and names the plugin where it fails."""

    def files(runs: Sequence[ShownRun], paths: Paths) -> Files:
        try:
            return make(runs, paths)
        except Exception as error:
            raise failed(f"format {name}", error) from error

    return files


def format_names(text: str) -> tuple[str, ...]:
    """Return the formats of a comma list, each once; ConfigError for one that does not exist."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise ConfigError(f"--format  does not exist; {choices('', FORMAT_NAMES)}")
    added = tuple(dict.fromkeys(name for name in names if name not in FORMATS))
    for name in added:
        format_of(name)
    return (*(name for name in FORMAT_NAMES if name in names), *added)
