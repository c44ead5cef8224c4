"""`forgetest report`: reports of runs in any format.

`run_outputs` and `write_formats` also serve the commands that make a run.
"""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from forgetest.cli import options as opt
from forgetest.cli.runs import open_whole
from forgetest.cli.terminal import FORMATS as PRINTED
from forgetest.cli.terminal import print_report, say_doubts, write_out, write_text
from forgetest.compare.read import STANDARD_INPUT
from forgetest.errors import ConfigError
from forgetest.render.formats.catalogue import FORMAT_NAMES, FORMATS, Format, format_names
from forgetest.render.formats.standing import Files
from forgetest.render.run import ShownRun
from forgetest.render.safe import Paths, one_line
from forgetest.report.files import doubts
from forgetest.run.folder import write_atomically
from forgetest.run.manifest import REPORT

FormatsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--format",
        "-f",
        metavar="LIST",
        help=f"{', '.join(FORMAT_NAMES)}; comma-separated or repeated. Default: text.",
        show_default=False,
    ),
]
FolderOption = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="DIR", help="Folder for the files. Default: one file, to stdout."
    ),
]


def report(
    names: opt.Runs,
    format_: FormatsOption = None,
    output: FolderOption = None,
    quiet: opt.Quiet = False,
) -> None:
    """Write reports of one or more runs, for people and for other tools.

    Example: forgetest report runs/2026-11-21-a1b2c3 --format html,csv,junit --output report
    """
    formats = format_names(_joined(format_))
    if output is None and len(formats) > 1:
        raise ConfigError(f"--format {_joined(format_)} writes several files: add --output DIR")
    runs = open_runs(names)
    _demand_cases(formats, runs, names)
    if formats != ("text",):  # which shows them itself
        for run in runs:
            say_doubts(run.label, doubts(run.report))
    if output is not None:
        write_formats(formats, runs, output, say=(lambda _: None) if quiet else _say)
    elif formats == ("text",):
        _print_text(runs)
    else:
        _print_file(formats[0], runs)


def _joined(formats: Sequence[str] | None) -> str:
    return ",".join(formats) if formats else "text"


def open_runs(names: Sequence[str]) -> list[ShownRun]:
    """Return the runs that the command line names, each with a label of its own.

    Raises ReportError and RunDirError for what cannot be read.
    """
    if names.count(STANDARD_INPUT) > 1:
        raise ConfigError("- can be given only once: standard input holds one report")
    runs: list[ShownRun] = []
    for name in names:
        label = _unused(_label(name), {run.label for run in runs})
        runs.append(open_whole(name, label=label))
    return runs


def _label(name: str) -> str:
    if name == STANDARD_INPUT:
        return "standard-input"
    path = Path(name).resolve()
    return path.parent.name if path.name == REPORT else path.name.removesuffix(".json")


def _unused(label: str, taken: set[str]) -> str:
    number, unused = 2, label
    while unused in taken:
        number, unused = number + 1, f"{label}-{number}"
    return unused


def _demand_cases(formats: Sequence[str], runs: Sequence[ShownRun], names: Sequence[str]) -> None:
    """Raise ConfigError where a format needs the cases and there is a report alone."""
    for form in formats:
        for run, name in zip(runs, names, strict=True):
            if FORMATS[form].needs_cases and not run.eval_sets:
                raise ConfigError(
                    f"{name}: --format {form} needs the run folder:"
                    " a report alone has no prompts and tests"
                )


def _print_text(runs: Sequence[ShownRun]) -> None:
    for run in runs:
        if len(runs) > 1:
            write_text(f"{one_line(run.label)}\n\n")
        print_report(run.report, "text")


def _print_file(form: str, runs: Sequence[ShownRun]) -> None:
    files = FORMATS[form].make(runs, _paths())
    if len(files) != 1:
        names = " and ".join(FORMATS[form].files)
        raise ConfigError(f"--format {form} writes {names}: add --output DIR")
    write_out(next(iter(files.values())), None)


class RunOutputs(NamedTuple):
    """What --format asks of a run that ends: what is printed, and what is written."""

    printed: str
    written: tuple[str, ...]


def run_outputs(formats: Sequence[str] | None) -> RunOutputs:
    """Return what a run prints and writes; ConfigError for a format that does not exist.

    A single text, json or markdown is printed; anything else is written, and text is printed.
    """
    names = _joined(formats)
    if names in PRINTED:
        return RunOutputs(names, ())
    # A run folder has its report.json already.
    return RunOutputs("text", tuple(name for name in format_names(names) if name != "json"))


def present_formats(folder: Path) -> tuple[str, ...]:
    """Return the formats that an earlier session wrote into a run folder, which are now old."""
    return tuple(
        name
        for name, form in FORMATS.items()
        if name != "json" and any((folder / file).exists() for file in form.files)
    )


def write_formats(
    formats: Sequence[str],
    runs: Sequence[ShownRun],
    folder: Path,
    *,
    say: Callable[[str], None],
) -> None:
    """Write the files of each format below a folder; ConfigError when one cannot be written."""
    paths = _paths()
    for name in formats:
        form = FORMATS[name]
        files = form.make(runs, paths)
        _write(files, folder)
        for place in dict.fromkeys(map(partial(_announced, form), files)):
            say(f"{name}: {folder / place}")


def _announced(form: Format, file: str) -> str:
    """Return the file, or the folder of the format that it is in."""
    parts = file.split("/")
    ends = (number for number, part in enumerate(parts, start=1) if part in form.files)
    return "/".join(parts[: next(ends, len(parts))])


def _write(files: Files, folder: Path) -> None:
    for name, content in files.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, content)
        except OSError as error:
            raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None


def _paths() -> Paths:
    here = Path.cwd()
    root = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)
    return Paths(root, here)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
