"""A run on disk: manifest, append-only journal, and the derived files beside them.

The journal is the only state. A line counts when its newline is there: a torn last line is cut
when the folder is opened for writing, a bad line anywhere else is damage and stops the reader.
"""

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from forgetest.errors import RunDirError
from forgetest.event import EVENT, Event
from forgetest.manifest import MANIFEST, Manifest

JOURNAL = "journal.jsonl"
COMPLETIONS = "completions.jsonl"
LOG = "logs/forgetest.log"
_TRIES, _PAUSE_SECS = 10, 0.02


def parse_journal(raw: bytes, *, file: str) -> list[Event]:
    """Return the events of every newline-terminated line; RunDirError names a damaged line."""
    events: list[Event] = []
    for number, line in enumerate(raw.split(b"\n")[:-1], start=1):
        try:
            events.append(EVENT.validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]["msg"]
            raise RunDirError(
                f"{file}:{number}: damaged journal line ({first}); restore the file or start anew"
            ) from None
    return events


def write_atomically(path: Path, text: str) -> None:
    """Write text under a temporary name, sync, then rename: readers see old or new, never half."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:  # a full disk, an interrupt: nothing half-written stays
        temporary.unlink(missing_ok=True)
        raise


class RunDir:
    """An open run folder, locked by this process; made by `create` or `resume`."""

    def __init__(
        self, path: Path, manifest: Manifest, *, journal: int, events: list[Event]
    ) -> None:
        self.path = path
        self.manifest = manifest
        self.events = events
        self._journal = journal

    def append(self, event: Event) -> None:
        """Add one line and force it to the disk before returning; RunDirError when it refuses."""
        line = event.model_dump_json().encode() + b"\n"
        whole = os.fstat(self._journal).st_size
        try:
            _write_all(self._journal, line)
            os.fsync(self._journal)
        except OSError as error:
            with suppress(OSError):  # half a line must not stand before a whole one
                os.ftruncate(self._journal, whole)
            raise RunDirError(
                f"{self.path / JOURNAL}: {error.strerror}; mend that, then continue with"
                f" forgetest run --resume {self.path}"
            ) from None
        self.events.append(event)

    def write(self, name: str, text: str) -> Path:
        """Place a derived file in the folder and return its path; RunDirError when it refuses."""
        path = self.path / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, text)
        except OSError as error:
            raise RunDirError(
                f"{path}: {error.strerror}; mend that, then continue with"
                f" forgetest run --resume {self.path}"
            ) from None
        return path

    def discard(self, name: str) -> None:
        """Remove a derived file that is no longer true, if it is there."""
        (self.path / name).unlink(missing_ok=True)

    def log(self, text: str) -> None:
        """Add lines to the run's own log, for people who ask why; a full disk loses only them."""
        path = self.path / LOG
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text.rstrip("\n") + "\n")


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


@contextmanager
def create(root: Path, manifest: Manifest) -> Iterator[RunDir]:
    """Make a new run folder below `root`, named by date and plan, and hold its lock."""
    path = _free_name(root, manifest)
    try:
        path.mkdir(parents=True)
        write_atomically(path / MANIFEST, manifest.model_dump_json(indent=2) + "\n")
    except OSError as error:
        with suppress(OSError):
            path.rmdir()
        raise RunDirError(f"{path}: can not be written: {error.strerror}") from None
    with _locked(path) as journal:
        yield RunDir(path, manifest, journal=journal, events=[])


@contextmanager
def resume(path: Path) -> Iterator[RunDir]:
    """Open an existing run folder for more events: lock it, cut a torn tail, read the rest."""
    manifest = read_manifest(path)
    with _locked(path) as journal:
        _clear_halves(path)
        raw = (path / JOURNAL).read_bytes()
        whole = raw.rfind(b"\n") + 1
        os.ftruncate(journal, whole)
        events = parse_journal(raw[:whole], file=str(path / JOURNAL))
        yield RunDir(path, manifest, journal=journal, events=events)


def read_manifest(path: Path) -> Manifest:
    """Return a run folder's manifest; RunDirError when the folder is no run or a newer one."""
    file = path / MANIFEST
    try:
        data: Any = json.loads(file.read_text(encoding="utf-8"))
    except OSError:
        raise RunDirError(f"{path}: {without_manifest(path)}") from None
    except ValueError:
        raise RunDirError(f"{file}: not JSON; the run folder is damaged") from None
    return Manifest.read(data, file=str(file))


def without_manifest(path: Path) -> str:
    """Return what a folder without a readable manifest is, and what to do about it."""
    if (path / MANIFEST).exists():
        return f"{MANIFEST} can not be read; restore its permissions, or start the run again"
    if (path / JOURNAL).exists():
        return f"{MANIFEST} is missing; restore it, or start the run again"
    if path.is_dir() and all(_is_half(file) for file in path.iterdir()):
        return "the run was ended before it began; remove this folder and start the run again"
    return f"not a run folder ({MANIFEST} is missing)"


def read_events(path: Path) -> list[Event]:
    """Return the journal of a run folder without locking it."""
    file = path / JOURNAL
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise RunDirError(f"{file}: {error.strerror}") from None
    return parse_journal(raw, file=str(file))


def _is_half(file: Path) -> bool:
    """Tell whether a file is one that somebody was killed over while writing it."""
    return file.name.startswith(".") and file.name.endswith(".tmp")


def _clear_halves(path: Path) -> None:
    for file in path.iterdir():
        if _is_half(file):
            with suppress(OSError):
                file.unlink()


def _free_name(root: Path, manifest: Manifest) -> Path:
    day = datetime.fromisoformat(manifest.created).astimezone(UTC).strftime("%Y-%m-%d")
    base = root / f"{day}-{manifest.plan.digest[:6]}"
    number = 2
    path = base
    while path.exists():
        path = base.with_name(f"{base.name}-{number}")
        number += 1
    return path


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """Yield the journal's descriptor, opened for appending under an exclusive lock."""
    try:
        journal = os.open(path / JOURNAL, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
    except OSError as error:
        raise RunDirError(f"{path / JOURNAL}: {error.strerror}") from None
    try:
        if not _is_alone(journal):
            raise RunDirError(f"{path}: in use by another forgetest; wait for it or stop it first")
        yield journal
    finally:
        os.close(journal)


def _is_alone(journal: int) -> bool:
    """Take the lock; whoever only asks for the run's state holds it for a moment."""
    for _ in range(_TRIES):
        try:
            fcntl.flock(journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_PAUSE_SECS)
        else:
            return True
    return False
