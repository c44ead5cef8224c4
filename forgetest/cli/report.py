"""`forgetest report`: reports of runs in any format.

`run_outputs`, `print_report` and `write_formats` also serve the commands that make a run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from forgetest.cli import options as opt
from forgetest.cli.completion import complete_format
from forgetest.cli.fail_under import FailUnderOption, judge_minimums, parse_minimums
from forgetest.cli.output import (
    OpenOption,
    floods,
    form_of,
    is_folder,
    open_page,
    place_of_page,
)
from forgetest.errors import ConfigError, ExitCode
from forgetest.render.formats.catalogue import (
    FORMAT_NAMES,
    FORMATS,
    Format,
    format_names,
    format_of,
)

if opt.CALLED:
    from forgetest.cli.runs import latest, open_whole
    from forgetest.cli.streams import write_document
    from forgetest.cli.terminal import FORMATS as PRINTED
    from forgetest.cli.terminal import print_tables, say_doubts, write_out, write_text
    from forgetest.compare.read import STANDARD_INPUT
    from forgetest.render.formats.documents import PAGE, html_files
    from forgetest.render.formats.standing import Files, Pieces
    from forgetest.render.markdown import report_markdown
    from forgetest.render.run import ShownRun
    from forgetest.render.safe import Paths, one_line
    from forgetest.render.tables import report_tables
    from forgetest.report.files import doubts
    from forgetest.report.stream import report_pieces
    from forgetest.report.types import Report
    from forgetest.run.folder import write_atomically
    from forgetest.run.manifest import REPORT
    from forgetest.value import readable

FormatsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--format",
        "-f",
        metavar="LIST",
        help=f"{', '.join(FORMAT_NAMES)}; comma-separated or repeated. Default: text.",
        show_default=False,
        autocompletion=complete_format,
    ),
]
OutputOption = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="PATH",
        help="File such as report.html, whose ending is its format, or folder for the files."
        " Default: stdout; on a terminal, HTML goes into a file.",
        show_default=False,
    ),
]


def report(
    names: opt.Runs = None,
    format_: FormatsOption = None,
    output: OutputOption = None,
    open_: OpenOption = False,
    fail_under: FailUnderOption = None,
    quiet: opt.Quiet = False,
) -> None:
    """Write reports of one or more runs, for people and for other tools.

    Example: forgetest report --format html,csv,junit --output report
    """
    minimums = parse_minimums(fail_under)
    file = None if output is None or is_folder(output, unclear=True) else Path(output)
    formats = _formats(format_, file, open_=open_)
    if len(formats) > 1 and (output is None or file is not None):
        raise ConfigError(f"--format {','.join(formats)} writes several files: add --output DIR/")
    names = names or [str(latest())]
    runs = open_runs(names)
    _demand_cases(formats, runs, names)
    if formats != ("text",):  # which shows them itself
        for run in runs:
            say_doubts(run.label, doubts(run.report))
    if output is None and (open_ or floods(formats[0])):
        file = place_of_page(PAGE, _folder_of(names))
    say = (lambda _: None) if quiet and output is not None else _say
    if file is not None:
        write_report(formats[0], runs, file, say=say)
    elif output is not None:
        write_formats(formats, runs, Path(output), say=say)
    else:
        _print(formats[0], runs)
    if open_:
        open_page(file or Path(output or "") / PAGE)
    codes = [judge_minimums(run.report, minimums) for run in runs]
    raise typer.Exit(ExitCode.REGRESSION if ExitCode.REGRESSION in codes else max(codes))


def _formats(formats: Sequence[str] | None, file: Path | None, *, open_: bool) -> tuple[str, ...]:
    """Return the formats of --format, and without it what a file's ending says; of --open, html.

    Raises ConfigError for a format that does not exist.
    """
    if formats:
        names = format_names(",".join(formats))
    elif file is not None:
        names = (form_of(file),)
    else:
        names = ("html",) if open_ else ("text",)
    return (*names, "html") if open_ and "html" not in names else names


def _folder_of(names: Sequence[str]) -> Path | None:
    """Return the run folder that a page of these runs may lie in: of one run that has a folder."""
    path = Path(names[0])
    return path if len(names) == 1 and path.is_dir() else None


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
            if format_of(form).needs_cases and not run.eval_sets:
                raise ConfigError(
                    f"{name}: --format {form} needs the run folder:"
                    " a report alone has no prompts and tests"
                )


def _print(form: str, runs: Sequence[ShownRun]) -> None:
    if form != "text":
        write_out(_only_text(form, runs), None)
        return
    for run in runs:
        if len(runs) > 1:
            write_text(f"{one_line(run.label)}\n\n")
        print_report(run.report, "text")


def print_report(report: Report, form: str) -> None:
    """Print a report to standard output as text, json or markdown."""
    match form:
        case "json":
            write_document(report_pieces(report))
        case "markdown":
            write_out(report_markdown(report), None)
        case _:
            print_tables(lambda width: report_tables(report, width=width))


def _only_text(form: str, runs: Sequence[ShownRun]) -> str | Pieces:
    """Return the one file that a format makes; ConfigError where it makes several."""
    files = format_of(form).make(runs, _paths())
    if len(files) != 1:
        names = " and ".join(format_of(form).files)
        raise ConfigError(f"--format {form} writes {names}: add --output DIR/")
    return next(iter(files.values()))


class RunOutputs(NamedTuple):
    """What --format, --output and --open ask of a run that ends."""

    printed: str
    written: tuple[str, ...]  # into the run folder
    file: Path | None = None  # one more document, outside of it
    form: str = "text"  # of that
    open_page: bool = False


def run_outputs(
    formats: Sequence[str] | None, *, file: Path | None = None, open_: bool = False
) -> RunOutputs:
    """Return what a run prints and writes; ConfigError for a format that does not exist.

    A single text, json or markdown is printed; anything else is written into the run folder, and
    text is printed. A `file` takes a single format, or else has the one that its ending says.
    """
    names = format_names(",".join(formats)) if formats else ()
    if file is not None:
        form, *others = names if len(names) == 1 else (form_of(file), *names)
        return RunOutputs("text", _with_page(others, open_=open_), file, form, open_)
    if len(names) == 1 and names[0] in PRINTED:
        return RunOutputs(names[0], _with_page((), open_=open_), open_page=open_)
    return RunOutputs("text", _with_page(names, open_=open_), open_page=open_)


def _with_page(formats: Sequence[str], *, open_: bool) -> tuple[str, ...]:
    """Return the formats to write into a run folder, with the page where that is opened."""
    wanted = (*formats, "html") if open_ else formats
    return tuple(dict.fromkeys(name for name in wanted if name != "json"))  # it has that


def present_formats(folder: Path) -> tuple[str, ...]:
    """Return the formats that an earlier session wrote into a run folder, which are now old."""
    return tuple(
        name
        for name, form in FORMATS.items()
        if name != "json" and any((folder / file).exists() for file in form.files)
    )


def write_report(
    form: str, runs: Sequence[ShownRun], file: Path, *, say: Callable[[str], None]
) -> None:
    """Write one format to a file; ConfigError where it cannot be written, or needs several."""
    if form == "html":
        page, *others = html_files(runs, stem=file.stem).items()
        texts = {file: page[1], **{file.with_name(name): text for name, text in others}}
    else:
        texts = {file: _only_text(form, runs)}
    for path, text in texts.items():
        _write({path.name: text}, path.parent)
    say(f"{form}: {readable(str(file))}")


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
        form = format_of(name)
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
