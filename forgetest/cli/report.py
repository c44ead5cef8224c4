"""`forgetest report`: what a run found, in any format.

Carries out `forgetest report`, and writes the files of a run that just ended.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli import options as opt
from forgetest.cli.runs import open_whole
from forgetest.cli.terminal import FORMATS as PRINTED
from forgetest.cli.terminal import print_report, say_doubts, write_out, write_text
from forgetest.compare.read import STANDARD_INPUT
from forgetest.errors import ConfigError, ExitCode
from forgetest.render.formats.catalogue import FORMAT_NAMES, FORMATS, Format, format_names
from forgetest.render.formats.standing import Files
from forgetest.render.run import ShownRun
from forgetest.render.safe import Paths, one_line
from forgetest.report.files import doubts
from forgetest.run.folder import write_atomically
from forgetest.run.manifest import REPORT


def report(
    runs: Annotated[
        list[str],
        typer.Argument(help="Run folders, report.json files, or -.", show_default=False),
    ],
    format_: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            "-f",
            help=f"Formats, separated by commas, or repeated: {', '.join(FORMAT_NAMES)}."
            " Default: text.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The folder to write to; one file goes to standard output."
        ),
    ] = None,
    quiet: opt.Quiet = False,
) -> None:
    """Write what one run or several found, for people and for other tools.

    Example: forgetest report runs/2026-11-21-a1b2c3 --format html,csv,junit --output report
    """
    raise typer.Exit(carry_out(runs, opt.joined(format_) or "text", output, quiet=quiet))


Say = Callable[[str], None]


def carry_out(names: Sequence[str], said: str, output: Path | None, *, quiet: bool) -> ExitCode:
    """Write the reports of runs in the formats of a comma list; return the exit code."""
    formats = format_names(said)
    if output is None and len(formats) > 1:
        raise ConfigError(f"--format {said} makes several files; say where with --output DIR")
    runs = open_runs(names)
    _demand_cases(formats, runs, names)
    if formats != ("text",):  # which shows them itself
        for run in runs:
            say_doubts(run.label, doubts(run.report))
    if output is not None:
        write_files(formats, runs, output, say=(lambda _: None) if quiet else _say)
    elif formats == ("text",):
        _print_text(runs)
    else:
        _print_one(formats[0], runs)
    return ExitCode.DONE


def open_runs(names: Sequence[str]) -> list[ShownRun]:
    """Return the runs that the command line names, labelled so that no two are alike.

    Raises ReportError and RunDirError for what cannot be read.
    """
    if names.count(STANDARD_INPUT) > 1:
        raise ConfigError("standard input holds one report; name - only once")
    runs: list[ShownRun] = []
    for name in names:
        label = _free(_label(name), {run.label for run in runs})
        runs.append(open_whole(name, label=label))
    return runs


def _label(name: str) -> str:
    if name == STANDARD_INPUT:
        return "standard-input"
    path = Path(name).resolve()
    return path.parent.name if path.name == REPORT else path.name.removesuffix(".json")


def _free(label: str, taken: set[str]) -> str:
    number, free = 2, label
    while free in taken:
        number, free = number + 1, f"{label}-{number}"
    return free


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


def _print_one(form: str, runs: Sequence[ShownRun]) -> None:
    files = FORMATS[form].make(runs, _paths())
    if len(files) != 1:
        made = " and ".join(FORMATS[form].files)
        raise ConfigError(f"--format {form} makes {made}; say where with --output DIR")
    write_out(next(iter(files.values())), None)


def asked_of_run(said: str) -> tuple[str, tuple[str, ...]]:
    """Return what a run prints and which formats it writes; ConfigError for one that is not there.

    A single text, json or markdown is printed; anything else is written, and text is printed.
    """
    if said in PRINTED:
        return said, ()
    # The folder of a run has its report.json already.
    return "text", tuple(name for name in format_names(said) if name != "json")


def present(folder: Path) -> tuple[str, ...]:
    """Return the formats that an earlier session wrote into a run folder, which are now old."""
    return tuple(
        name
        for name, form in FORMATS.items()
        if name != "json" and any((folder / file).exists() for file in form.files)
    )


def write_files(
    formats: Sequence[str], runs: Sequence[ShownRun], folder: Path, *, say: Say
) -> None:
    """Write the files of each format below a folder; ConfigError when one cannot be written."""
    paths = _paths()
    for name in formats:
        form = FORMATS[name]
        files = form.make(runs, paths)
        _write(files, folder)
        for place in dict.fromkeys(_place(file, form) for file in files):
            say(f"{name}: {folder / place}")


def _place(file: str, form: Format) -> str:
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
    root = next((one for one in (here, *here.parents) if (one / ".git").exists()), here)
    return Paths(root, here)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
