"""Prints what `render` makes: results on standard output, everything else on standard error."""

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
from forgetest.evalset.forms import choices
from forgetest.render.columns import FILE_WIDTH, plain_text
from forgetest.render.safe import one_line, without_commands

T = TypeVar("T")
FORMATS = ("text", "json", "markdown")
WARNING = 1000  # characters of a warning


def check_format(name: str, formats: Collection[str] = FORMATS) -> None:
    """Raise ConfigError for a format that does not exist."""
    if name not in formats:
        raise ConfigError(f"--format {name} does not exist; {choices(name, formats)}")


def print_tables(tables: Callable[[int], RenderableType]) -> None:
    """Print to standard output the tables for its width in columns."""
    console = results()
    with console.capture() as printed:
        console.print(tables(console.width))
    write_text(printed.get())


def write_tables(tables: Callable[[int], RenderableType], output: Path | None) -> None:
    """Print the tables, or write them to a file as plain text."""
    if output is None:
        print_tables(tables)
        return
    write_out(plain_text(tables(FILE_WIDTH)), output)


def write_text(text: str) -> None:
    """Write text for people to standard output, in the characters of their terminal."""
    sys.stdout.write(_no_commands(text))
    sys.stdout.flush()


def _no_commands(text: str) -> str:
    """Return the text; in a GitHub workflow, without lines that would be commands."""
    if os.environ.get("GITHUB_ACTIONS"):
        return without_commands(text)
    return text


def write_out(text: str | Iterable[str], output: Path | None) -> None:
    """Write a document, or its pieces as they come, to a file or to standard output as UTF-8.

    Raises ConfigError when the file cannot be written; no half-written new file stays.
    """
    if output is not None:
        write_files({output: text})
    elif isinstance(text, str) or "GITHUB_ACTIONS" in os.environ:
        write_document(_no_commands("".join(text)))
    else:
        write_document(text)


def write_files(texts: Mapping[Path, str | Iterable[str]]) -> None:
    """Write all files; if one fails, remove the new ones and raise ConfigError, which names it."""
    new = [path for path in texts if not path.exists()]
    for path, text in texts.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("w", encoding="utf-8") as file:
                file.writelines([text] if isinstance(text, str) else text)
        except OSError as error:
            for unfinished in new:
                with contextlib.suppress(OSError):
                    unfinished.unlink()
            raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None


def say_doubts(name: str, doubts: Iterable[str]) -> None:
    """Warn on standard error of each reason why a report may differ from what its run wrote."""
    console = Console(stderr=True, highlight=False)
    for doubt in doubts:
        console.print(f"warning: {name}: {doubt}", markup=False, soft_wrap=True)


def warn(lines: Iterable[str]) -> None:
    """Print each line as a warning on standard error."""
    console = Console(stderr=True, highlight=False)
    for line in lines:
        console.print(f"warning: {one_line(line, WARNING)}", markup=False, soft_wrap=True)


def results() -> Console:
    """Return the console of standard output, 100 columns wide where there is no terminal."""
    width = shutil.get_terminal_size(fallback=(100, 24)).columns
    return Console(width=width, highlight=False)


def counter(total: int, line: Callable[[T], str], *, quiet: bool) -> Callable[[T], None]:
    """Return a function that prints `[n/total]` and a line on standard error for each result."""
    console = Console(stderr=True, highlight=False, quiet=quiet)
    numbers = itertools.count(1)

    def print_result(result: T) -> None:
        text = f"[{next(numbers)}/{total}] {line(result)}"
        console.print(text, markup=False, soft_wrap=True)

    return print_result
