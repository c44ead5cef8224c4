"""Where --output leads, a file or a folder, and where a page goes that somebody wants to see."""

from __future__ import annotations

import os
import sys
import tempfile
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli.options import CALLED, RESULTS
from forgetest.errors import ConfigError

if CALLED:
    from forgetest.value import readable

ENDINGS: Mapping[str, str] = {
    ".txt": "text",
    ".md": "markdown",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".xml": "junit",
    ".sarif": "sarif",
}
"""The format that the name of a file asks for."""

OpenOption = Annotated[
    bool,
    typer.Option(
        "--open",
        help="Write the HTML page and open it in the browser.",
        rich_help_panel=RESULTS,
    ),
]


def is_folder(text: str, *, unclear: bool) -> bool:
    """Tell whether --output names a folder and not a file.

    A trailing slash or a folder that is there makes it one, an ending of `ENDINGS` a file;
    `unclear` is returned for any other name.
    """
    if text.endswith("/") or Path(text).is_dir():
        return True
    return unclear and Path(text).suffix.lower() not in ENDINGS


def runs_folder_and_file(output: str | None) -> tuple[Path | None, Path | None]:
    """Return the folder for run folders and the file for the report: --output names one of them.

    Raises ConfigError for a file that could not be written, before the run costs anything.
    """
    if output is None or is_folder(output, unclear=True):
        return (None if output is None else Path(output)), None
    file = Path(output)
    parent = next(folder for folder in file.absolute().parents if folder.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
        reason = f"{parent} is not a writable folder"
        raise ConfigError(f"{readable(output)}: cannot be written: {reason}")
    return None, file


def form_of(file: Path) -> str:
    """Return the format that a file's name asks for, `text` where it does not tell."""
    return ENDINGS.get(file.suffix.lower(), "text")


def floods(form: str) -> bool:
    """Tell whether a document would fill a terminal with what only a browser can show."""
    return form == "html" and sys.stdout.isatty()


def place_of_page(name: str, folder: Path | None = None) -> Path:
    """Return where a page goes that has no --output: in a run's folder, or a temporary one."""
    return (folder or Path(tempfile.mkdtemp(prefix="forgetest-"))) / name


def open_page(page: Path) -> None:
    """Open a page in the browser; where there is none, say on standard error what to open."""
    if not webbrowser.open(page.resolve().as_uri()):
        sys.stderr.write(f"note: no browser found: open {readable(str(page))}\n")
