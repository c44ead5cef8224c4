"""A run folder: manifest, append-only journal, and the files derived from them.

The journal is the only state. It is read once when the folder is opened for writing, and a torn
last line is cut then.
"""

import errno
import fcntl
import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forgetest.errors import RunDirError
from forgetest.run.events import Event, SampleRecord, record_of
from forgetest.run.journal import read_line, read_lines
from forgetest.run.manifest import JOURNAL, MANIFEST, REPORT, Manifest
from forgetest.run.progress import RunProgress
from forgetest.run.seal import Chain, JournalMark, sealed
from forgetest.run.tally import Tallies
from forgetest.sampling.plan import Plan, SampleKeys

if TYPE_CHECKING:
    from asyncio import Task

COMPLETIONS = "completions.jsonl"
LOG = "logs/forgetest.log"
_TRIES, _PAUSE_SECS = 10, 0.02

# Errors of file systems that cannot sync folders.
_NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS)


def write_atomically(path: Path, text: str | Iterable[str]) -> None:
    """Write text, or its pieces as they come: under a temporary name, then synced and renamed.

    Readers see old or new, never half.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.writelines([text] if isinstance(text, str) else text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:  # a full disk, an interrupt: nothing half-written stays
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Force a folder's names to the disk, where the file system can; raises OSError."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
    finally:
        os.close(folder)


class RunDir:
    """An open run folder, locked by this process; made by `create` or `resume`."""

    def __init__(self, path: Path, manifest: Manifest, plan: Plan, *, descriptor: int) -> None:
        """Begin before the journal's first line; `plan` is what the run asks from now on."""
        self.path = path
        self.manifest = manifest
        self.progress = RunProgress(plan, self._record)
        self.earlier = Tallies.of(plan)  # of earlier sessions; their faults are tried again
        self._chain = Chain()
        self._descriptor = descriptor
        self._next_sync: Task[None] | None = None  # that has not begun
        self._last_sync: Task[None] | None = None

    @property
    def mark(self) -> JournalMark:
        """What a report that is made from the journal as it is now says of it."""
        return self._chain.mark

    def read(self) -> Iterator[Event]:
        """Yield the events of the journal, from its beginning."""
        with (self.path / JOURNAL).open("rb") as file:
            for line in read_lines(file, Chain(), file=file.name):
                yield line.event

    def catch_up(self) -> None:
        """Read what earlier sessions wrote, and cut a torn last line; RunDirError for damage."""
        samples, end = SampleKeys(self.progress.plan), 0
        with (self.path / JOURNAL).open("rb") as file:
            for line in read_lines(file, self._chain, file=file.name, samples=samples):
                self.progress.add(line.event, line.start)
                self.earlier.resume(line.event)
                end = line.end
        os.ftruncate(self._descriptor, end)

    def _record(self, lines: Sequence[int]) -> SampleRecord:
        """Return the record that some lines make, which begin at these places."""
        return record_of(read_line(self._descriptor, start) for start in lines)

    async def append_together(self, event: Event) -> None:
        """Add one line and return when it is on disk; lines that wait together share one sync.

        Raises RunDirError when the disk refuses.
        """
        import asyncio

        self.append(event, sync=False)
        if self._next_sync is None:
            self._next_sync = asyncio.create_task(self._sync_after(self._last_sync))
            self._last_sync = self._next_sync
        try:
            await asyncio.shield(self._next_sync)
        except OSError as error:
            raise self._refusal(self.path / JOURNAL, error) from None

    async def _sync_after(self, earlier: "Task[None] | None") -> None:
        import asyncio

        if earlier is not None:
            await asyncio.wait([earlier])
        self._next_sync = None  # a line that comes now may miss this sync
        await asyncio.to_thread(os.fsync, self._descriptor)

    def append(self, event: Event, *, sync: bool = True) -> None:
        """Add one line and force it to the disk before returning; RunDirError when it refuses.

        What was written of a refused line is cut again.
        """
        chain = self._chain.copy()
        line = chain.seal(event.model_dump_json())
        before = os.fstat(self._descriptor).st_size
        try:
            _write_all(self._descriptor, line)
            if sync:
                os.fsync(self._descriptor)
        except OSError as error:
            with suppress(OSError):  # half a line must not precede a whole one
                os.ftruncate(self._descriptor, before)
            raise self._refusal(self.path / JOURNAL, error) from None
        self._chain = chain
        self.progress.add(event, before)

    def sync(self) -> None:
        """Return when all lines are on the disk; RunDirError when it refuses."""
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            raise self._refusal(self.path / JOURNAL, error) from None

    def _refusal(self, file: Path, error: OSError) -> RunDirError:
        return RunDirError(
            f"{file}: {error.strerror}; fix that, then continue with"
            f" forgetest run --resume {self.path}"
        )

    def write(self, name: str, text: str | Iterable[str]) -> Path:
        """Place a derived file in the folder and return its path; RunDirError when it refuses."""
        path = self.path / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, text)
        except OSError as error:
            raise self._refusal(path, error) from None
        return path

    def discard(self, name: str) -> None:
        """Remove a derived file that is no longer true, if it is there."""
        (self.path / name).unlink(missing_ok=True)
        sync_folder(self.path)

    def log(self, text: str) -> None:
        """Add lines to the run's own log; on a full disk they are lost, and the run goes on."""
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
    """Make a new run folder below `root`, named by time (UTC) and plan, and hold its lock."""
    path = _free_name(root, manifest)
    try:
        _make_folder(path)
        write_atomically(path / MANIFEST, sealed(manifest.model_dump_json(indent=2), indent=2))
    except OSError as error:
        with suppress(OSError):
            path.rmdir()
        raise RunDirError(f"{path}: cannot be written: {error.strerror}") from None
    with _locked(path) as descriptor:
        yield RunDir(path, manifest, manifest.plan, descriptor=descriptor)


def _make_folder(path: Path) -> None:
    """Make a folder and those that lead to it, and force their names to the disk."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    path.mkdir(parents=True)
    for folder in missing:
        sync_folder(folder.parent)


@contextmanager
def resume(path: Path) -> Iterator[RunDir]:
    """Open an existing run folder for more events: lock it, read it, cut a torn tail.

    Lines of an older forgetest, which have no sum, are covered by the sum of the next one.
    """
    manifest = read_manifest(path)
    with _locked(path) as descriptor:
        yield _caught_up(path, manifest, manifest.plan, descriptor)


@contextmanager
def extend(path: Path, manifest: Manifest) -> Iterator[RunDir]:
    """Open an existing run folder for a larger plan, which `manifest` holds.

    The report so far is kept under the name that the manifest's history has for it. Raises
    RunDirError when the run was extended by another since the manifest was made.
    """
    before = manifest.history[-1]
    with _locked(path) as descriptor:
        known = read_manifest(path)
        if known.plan_digest != before.plan_digest:
            raise RunDirError(f"{path}: extended by another forgetest just now; try again")
        rundir = _caught_up(path, known, manifest.plan, descriptor)
        if before.report:
            with (path / REPORT).open(encoding="utf-8", newline="") as lines:
                rundir.write(before.report, lines)
        rundir.write(MANIFEST, sealed(manifest.model_dump_json(indent=2), indent=2))
        rundir.manifest = manifest
        yield rundir


def _caught_up(path: Path, manifest: Manifest, plan: Plan, descriptor: int) -> RunDir:
    _clear_halves(path)
    rundir = RunDir(path, manifest, plan, descriptor=descriptor)
    rundir.catch_up()
    return rundir


def read_manifest(path: Path) -> Manifest:
    """Return a run's manifest; RunDirError when the folder is not a run, damaged or newer."""
    file = path / MANIFEST
    try:
        raw = file.read_bytes()
    except OSError:
        raise RunDirError(f"{path}: {without_manifest(path)}") from None
    try:
        data: Any = json.loads(raw)
    except ValueError:
        raise RunDirError(f"{file}: not JSON; the run folder is damaged") from None
    return Manifest.read(data, raw, file=str(file))


def without_manifest(path: Path) -> str:
    """Return what a folder without a readable manifest is, and what to do about it."""
    if (path / MANIFEST).exists():
        return f"{MANIFEST} cannot be read; restore its permissions, or start the run again"
    if (path / JOURNAL).exists():
        return f"{MANIFEST} is missing; restore it, or start the run again"
    if path.is_dir() and all(_is_half(file) for file in path.iterdir()):
        return "the run was stopped before it began; remove this folder and start the run again"
    return f"not a run folder ({MANIFEST} is missing)"


def _is_half(file: Path) -> bool:
    """Tell whether a file was left half-written by a process that was killed."""
    return file.name.startswith(".") and file.name.endswith(".tmp")


def _clear_halves(path: Path) -> None:
    for file in path.iterdir():
        if _is_half(file):
            with suppress(OSError):
                file.unlink()


def _free_name(root: Path, manifest: Manifest) -> Path:
    began = datetime.fromisoformat(manifest.created).astimezone(UTC).strftime("%Y-%m-%d-%H%M%S")
    base = root / f"{began}-{manifest.plan.digest[:6]}"
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
        sync_folder(path)
    except OSError as error:
        raise RunDirError(f"{path / JOURNAL}: {error.strerror}") from None
    try:
        if not _is_alone(journal):
            raise RunDirError(
                f"{path}: in use by another forgetest; wait until it ends, or stop it"
            )
        yield journal
    finally:
        os.close(journal)


def _is_alone(journal: int) -> bool:
    """Take the lock, with a few tries: reading a run's state holds it for a moment."""
    for _ in range(_TRIES):
        try:
            fcntl.flock(journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_PAUSE_SECS)
        else:
            return True
    return False
