"""From what the command line names to one side: a file, a run folder, standard input."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

from forgetest.compare.read import read
from forgetest.compare.side import Side
from forgetest.manifest import MANIFEST, REPORT
from forgetest.report.files import ReportError, journal_doubt
from forgetest.rundir import without_manifest
from forgetest.words import readable

STANDARD_INPUT = "-"


def is_unfinished(name: str) -> bool:
    """Tell whether this is the folder of a run that has no report yet."""
    path = Path(name)
    return (path / MANIFEST).exists() and not (path / REPORT).exists()


def open_side(name: str, *, standard_input: Callable[[], bytes] | None = None) -> Side:
    """Return a side from a report.json, a finished run's folder, or `-`.

    Raises ReportError for what can not be read.
    """
    if name == STANDARD_INPUT and standard_input is not None:
        return read(standard_input(), file="standard input")
    path = Path(name)
    file = path / REPORT if path.is_dir() else path
    if path.is_dir() and not file.exists():
        raise ReportError(f"{path}: {without_manifest(path)}")
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise ReportError(f"{file}: can not be read: {error.strerror}") from None
    side = read(raw, file=readable(name))
    doubt = (
        journal_doubt(file.parent, side.journal) if side.journal and file.name == REPORT else None
    )
    return dataclasses.replace(side, doubts=(*side.doubts, doubt)) if doubt else side
