"""One side of a comparison from the journal of a run that did not come to its end."""

from pathlib import Path

from forgetest.compare.read import read
from forgetest.compare.side import Side
from forgetest.errors import ExitCode, ForgetestError
from forgetest.event import Record, fold
from forgetest.manifest import Manifest
from forgetest.report.build import build
from forgetest.report.files import dump
from forgetest.rundir import read_journal, read_manifest
from forgetest.runstate import State, read_state
from forgetest.words import readable


class UnfinishedError(ForgetestError):
    """A run folder holds a run that did not come to its end."""

    code = ExitCode.UNSCORED


def open_unfinished(path: Path, *, allow_incomplete: bool) -> Side:
    """Return a side made of what an unfinished run's journal holds, if that is allowed.

    Raises UnfinishedError if not, and RunDirError for a damaged folder.
    """
    manifest = read_manifest(path)
    journal = read_journal(path, manifest.plan)
    records = fold(journal.events)
    if not allow_incomplete:
        is_running = read_state(path).state is State.RUNNING
        finish = "wait for it" if is_running else f"finish it with forgetest run --resume {path}"
        raise UnfinishedError(
            f"{path}: {'still running' if is_running else 'unfinished'}:"
            f" {_progress(manifest, records)}; {finish},"
            " or compare what is there with --allow-incomplete"
        )
    report = build(manifest, records, journal=journal.mark)
    return read(dump(report).encode(), file=readable(str(path)))


def _progress(manifest: Manifest, records: dict[str, Record]) -> str:
    graded = sum(record.verdict is not None for record in records.values())
    return f"{graded} of {len(manifest.plan.samples())} samples are graded"
