"""Verdicts and other values on disk, by content: one small file each, which may be gone or broken.

A broken file counts as missing, and a disk that refuses a write only costs the next run time: the
store never fails.
"""

import contextlib
import hashlib
import os
import secrets
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from forgetest.grading.verdict import Verdict
from forgetest.system.process import MIB
from forgetest.value import Value

FOLDER = "verdicts"  # below the cache folder
BUDGET = 512 * MIB
ENTRIES = 100_000
_LARGEST = MIB  # of one value; longer ones are rare and graded again
_SHARDS = 256
_TOUCH_SECS = 3600.0  # the precision of the time of last use
_STALE_SECS = 3600.0  # a temporary file of that age has lost its writer
_HEAD, _MIDDLE, _TAIL = b'{"sha256":"', b'","verdict":', b"}"
_BODY = len(_HEAD) + 64 + len(_MIDDLE)  # where the value begins

V = TypeVar("V", bound=Value)


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of the store."""

    path: Path
    size: int
    used: float  # seconds since the epoch
    temporary: bool


class Store(Generic[V]):
    """Values of `kind` in `folder`; several processes may share it.

    The least recently used go when there are more than `entries`, or more bytes than `budget`.
    """

    def __init__(
        self, folder: Path, kind: type[V], *, budget: int = BUDGET, entries: int = ENTRIES
    ) -> None:
        self.folder = folder
        self.budget = budget
        self.entries = entries
        self._kind = kind

    def get(self, key: str) -> V | None:
        """Return what was stored under a key, None when there is nothing to be read."""
        try:
            return self._unpacked(key, _read(self._path(key)))
        except (OSError, ValueError):
            return None

    def put(self, key: str, value: V) -> None:
        """Keep a value, if the disk allows."""
        with contextlib.suppress(OSError, ValueError):
            self._write(self._path(key), _packed(key, value))
        # Keys are evenly spread: it is enough that one write in sixteen prunes its own shard.
        if key[2] == "0":
            self._prune(self._path(key).parent)

    def files(self) -> Iterator[StoredFile]:
        """Yield every file of the store."""
        for number in range(_SHARDS):
            yield from _files(self.folder / f"{number:02x}")

    def clear(self) -> list[StoredFile]:
        """Remove every file of the store and return those that are gone."""
        gone = [file for file in self.files() if _removed(file)]
        for number in range(_SHARDS):
            _remove_empty(self.folder / f"{number:02x}")
        _remove_empty(self.folder)
        return gone

    def _unpacked(self, key: str, data: bytes) -> V | None:
        body = data[_BODY : -len(_TAIL)]
        if data != b"".join((_HEAD, _checksum(key, body), _MIDDLE, body, _TAIL)):
            return None
        return self._kind.model_validate_json(body)

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def _write(self, path: Path, data: bytes) -> None:
        """Place a file whole; without sync, because its checksum shows what a power cut tore."""
        if len(data) > _LARGEST:
            return
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.stem}-{secrets.token_hex(4)}.tmp")
        try:
            with temporary.open("xb") as file:
                file.write(data)
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise

    def _prune(self, shard: Path) -> None:
        """Remove the least recently used files of a shard until it fits its share."""
        left = 0
        size = 0
        now = time.time()
        for file in sorted(_files(shard), key=lambda file: file.used, reverse=True):
            if file.temporary:
                if now - file.used > _STALE_SECS:
                    _removed(file)
                continue
            left += 1
            size += file.size
            if left > self.entries / _SHARDS or size > self.budget / _SHARDS:
                _removed(file)


class VerdictStore(Store[Verdict]):
    """The verdicts below `cache`."""

    def __init__(self, cache: Path, *, budget: int = BUDGET, entries: int = ENTRIES) -> None:
        super().__init__(cache / FOLDER, Verdict, budget=budget, entries=entries)


def _packed(key: str, value: Value) -> bytes:
    body = value.model_dump_json().encode()
    return b"".join((_HEAD, _checksum(key, body), _MIDDLE, body, _TAIL))


def _checksum(key: str, body: bytes) -> bytes:
    """Return the checksum of a value under its key, so that a renamed file does not count."""
    return hashlib.sha256(key.encode() + b"\0" + body).hexdigest().encode()


def _read(path: Path) -> bytes:
    # Nothing in that place, such as a link or a pipe, may block the reader.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            return b""
        if time.time() - status.st_mtime > _TOUCH_SECS:
            with contextlib.suppress(OSError):
                os.utime(path)
        return file.read()


def _files(shard: Path) -> Iterator[StoredFile]:
    with contextlib.suppress(OSError), os.scandir(shard) as entries:
        for entry in entries:
            if entry.name.endswith((".json", ".tmp")) and entry.is_file(follow_symlinks=False):
                with contextlib.suppress(FileNotFoundError):
                    status = entry.stat(follow_symlinks=False)
                    temporary = entry.name.endswith(".tmp")
                    yield StoredFile(Path(entry), status.st_size, status.st_mtime, temporary)


def _removed(file: StoredFile) -> bool:
    try:
        file.path.unlink()
    except OSError:
        return False
    return True


def _remove_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()
