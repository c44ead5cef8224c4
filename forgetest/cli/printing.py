"""Prints what the renderers made: results on standard output, everything else on standard error."""

import contextlib
import itertools
import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from rich.console import Console, RenderableType

from forgetest.cli.streams import write_document
from forgetest.errors import ConfigError
from forgetest.report.files import dump
from forgetest.report.types import Report

T = TypeVar("T")
FORMATS = ("text", "json", "markdown")


def check_format(name: str, formats: Collection[str] = FORMATS) -> None:
    """Raise ConfigError for a format that does not exist."""
    if name not in formats:
        raise ConfigError(f"--format {name} does not exist; choose {', '.join(formats)}")


def print_report(report: Report, form: str) -> None:
    """Print a report to standard output in one of `FORMATS`."""
    match form:
        case "json":
            write_document(dump(report))
        case "markdown":
            from forgetest.render.markdown import report_markdown

            write_out(report_markdown(report), None)
        case _:
            from forgetest.render.tables import report_tables

            print_tables(lambda width: report_tables(report, width=width))


def print_tables(tables: Callable[[int], RenderableType]) -> None:
    """Print to standard output what a function makes for its width in columns."""
    console = results()
    with console.capture() as printed:
        console.print(tables(console.width))
    write_text(printed.get())


def write_tables(tables: Callable[[int], RenderableType], output: Path | None) -> None:
    """Print what a function makes for a width, or write it to a file as plain text."""
    if output is None:
        print_tables(tables)
        return
    from forgetest.render.plain import FILE_WIDTH, plain_text

    write_out(plain_text(tables(FILE_WIDTH)), output)


def write_text(text: str) -> None:
    """Write text for people to standard output, in the characters of their terminal."""
    sys.stdout.write(_no_commands(text))
    sys.stdout.flush()


def _no_commands(text: str) -> str:
    """Return the text; in a workflow, where lines can be commands, as text only."""
    if os.environ.get("GITHUB_ACTIONS"):
        from forgetest.render.safe import without_commands

        return without_commands(text)
    return text


def write_out(text: str, output: Path | None) -> None:
    """Write a document to a file, or to standard output as UTF-8.

    Raises ConfigError when the file can not be written; one that was not there is not there then.
    """
    if output is None:
        write_document(_no_commands(text))
        return
    write_files({output: text})


def write_files(texts: Mapping[Path, str]) -> None:
    """Write all files, or none that was not there before; ConfigError names the one that fails."""
    new = [path for path in texts if not path.exists()]
    for path, text in texts.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            for unfinished in new:
                with contextlib.suppress(OSError):
                    unfinished.unlink()
            raise ConfigError(f"{path}: can not be written: {error.strerror}") from None


def say_doubts(name: str, doubts: Iterable[str]) -> None:
    """Say on standard error why a report may not be what its run wrote, where it may not."""
    console = Console(stderr=True, highlight=False)
    for doubt in doubts:
        console.print(f"warning: {name}: {doubt}", markup=False, soft_wrap=True)


def results() -> Console:
    """Return the console of standard output; as wide as 100 columns where there is no terminal."""
    wide = shutil.get_terminal_size(fallback=(100, 24)).columns
    return Console(width=wide, highlight=False)


def counter(total: int, line: Callable[[T], str], *, quiet: bool) -> Callable[[T], None]:
    """Return what says `[n/total]` and a line on standard error for each thing that is done."""
    console = Console(stderr=True, highlight=False, quiet=quiet)
    numbers = itertools.count(1)

    def done(found: T) -> None:
        text = f"[{next(numbers)}/{total}] {line(found)}"
        console.print(text, markup=False, soft_wrap=True)

    return done
