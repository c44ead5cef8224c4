"""All formats that a report can be written in.

A format is one module, which makes files from runs, and one row of `FORMATS`; or it is a plugin's.
The module is loaded when the format is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from forgetest.errors import ConfigError
from forgetest.evalset.forms import choices
from forgetest.system.plugins import PluginGroup, failed, find_plugin

if TYPE_CHECKING:
    from forgetest.render.formats.standing import Files
    from forgetest.render.run import ShownRun
    from forgetest.render.safe import Paths

Make = Callable[["Sequence[ShownRun]", "Paths"], "Files"]


@dataclass(frozen=True, slots=True)
class Format:
    """How one format is made; `files` are the files, or the folder, that hold it."""

    make: Make
    files: tuple[str, ...]
    needs_cases: bool = False  # the run folder: a report alone has no prompts and tests


def _loaded(function: str) -> Any:
    """Return the function that `MODULE.FUNCTION` names, of a module next to this one."""
    module, _, name = function.partition(".")
    return getattr(import_module(f"{__package__}.{module}"), name)


def _all_runs(function: str) -> Make:
    """Return a format whose files hold all runs."""
    return lambda runs, _: _loaded(function)(runs)


def _with_paths(function: str) -> Make:
    """Return a format whose files hold all runs, and name the files of the repository."""

    def files(runs: Sequence[ShownRun], paths: Paths) -> Files:
        return dict(_loaded(function)(runs, paths))

    return files


def _merged(function: str) -> Make:
    """Return a format with files of their own for each run, all in one folder."""

    def files(runs: Sequence[ShownRun], _: Paths) -> Files:
        make = _loaded(function)
        return {name: content for run in runs for name, content in make(run).items()}

    return files


def _folder_per_run(function: str) -> Make:
    """Return a format that cannot hold several runs: each has a folder then."""

    def files(runs: Sequence[ShownRun], _: Paths) -> Files:
        make = _loaded(function)
        if len(runs) == 1:
            return dict(make(runs[0]))
        folders = _loaded("standing.file_names")([run.label for run in runs])
        return {
            f"{folders[run.label]}/{name}": content
            for run in runs
            for name, content in make(run).items()
        }

    return files


FORMATS: Final[Mapping[str, Format]] = {
    "text": Format(_all_runs("documents.text_files"), ("report.txt",)),
    "markdown": Format(_all_runs("documents.markdown_files"), ("report.md",)),
    "html": Format(_all_runs("documents.html_files"), ("report.html",)),
    "json": Format(_folder_per_run("documents.json_files"), ("report.json",)),
    "csv": Format(_all_runs("csv.csv_files"), ("samples.csv", "cases.csv")),
    "junit": Format(_all_runs("junit.junit_files"), ("junit.xml",)),
    "sarif": Format(_with_paths("sarif.sarif_files"), ("sarif.json",)),
    "ctrf": Format(_with_paths("ctrf.ctrf_files"), ("ctrf.json",)),
    "humaneval": Format(_folder_per_run("humaneval.humaneval_files"), ("humaneval",)),
    "multipl-e": Format(
        _folder_per_run("multipl_e.multipl_e_files"), ("multipl-e",), needs_cases=True
    ),
    "inspect": Format(_merged("inspect.inspect_files"), ("inspect",)),
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
