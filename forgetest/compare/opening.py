"""From what the command line names to one side: a file, a run folder, standard input."""

from collections.abc import Callable
from pathlib import Path

from forgetest.compare.read import read
from forgetest.compare.side import Side
from forgetest.errors import ExitCode, ForgetestError
from forgetest.event import Record, fold
from forgetest.manifest import Manifest
from forgetest.report.build import build
from forgetest.report.files import ReportError, dump
from forgetest.rundir import MANIFEST, REPORT, read_events, read_manifest

STANDARD_INPUT = "-"


class UnfinishedError(ForgetestError):
    """A run folder holds a run that did not come to its end."""

    code = ExitCode.UNSCORED


def open_side(
    name: str, *, allow_incomplete: bool = False, standard_input: Callable[[], bytes] | None = None
) -> Side:
    """Return a side from a report.json, a run folder, or `-`.

    An unfinished run has no report; with `allow_incomplete` one is made of what its journal holds.
    Raises ReportError for what can not be read, UnfinishedError, and RunDirError for a damaged
    folder.
    """
    if name == STANDARD_INPUT and standard_input is not None:
        return read(standard_input(), file="standard input")
    path = Path(name)
    file = path / REPORT if path.is_dir() else path
    if path.is_dir() and (path / MANIFEST).exists() and not file.exists():
        return _unfinished(path, allow_incomplete=allow_incomplete)
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise ReportError(f"{file}: can not be read: {error.strerror}") from None
    return read(raw, file=name)


def _unfinished(path: Path, *, allow_incomplete: bool) -> Side:
    manifest = read_manifest(path)
    records = fold(read_events(path))
    if not allow_incomplete:
        raise UnfinishedError(
            f"{path}: {_progress(manifest, records)}; finish it with forgetest run --resume {path},"
            " or compare what is there with --allow-incomplete"
        )
    return read(dump(build(manifest, records)).encode(), file=str(path))


def _progress(manifest: Manifest, records: dict[str, Record]) -> str:
    graded = sum(record.verdict is not None for record in records.values())
    return f"unfinished: {graded} of {len(manifest.plan.samples())} samples are graded"
