"""Verdicts on disk, by content: one small file each, that may be missing or broken at any time.

A broken file is as good as none, and a disk that refuses a write only costs the next run time: the
store never fails and never blames anybody.
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

from forgetest.grading.verdict import Verdict
from forgetest.process import MIB

FOLDER = "verdicts"  # below the cache folder
BUDGET = 512 * MIB
ENTRIES = 100_000
_LARGEST = MIB  # of one verdict; what is longer is rare and is graded again
_SHARDS = 256
_TOUCH_SECS = 3600.0  # how exactly the last use is known
_STALE_SECS = 3600.0  # a temporary file of that age has lost its writer
_HEAD, _MIDDLE, _TAIL = b'{"sha256":"', b'","verdict":', b"}"
_BODY = len(_HEAD) + 64 + len(_MIDDLE)  # where the verdict begins


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of the store."""

    path: Path
    size: int
    used: float  # seconds since the epoch
    temporary: bool


class VerdictStore:
    """The verdicts below `cache`; several processes may share the folder.

    The least recently used go when there are more than `entries`, or more bytes than `budget`.
    """

    def __init__(self, cache: Path, *, budget: int = BUDGET, entries: int = ENTRIES) -> None:
        self.folder = cache / FOLDER
        self.budget = budget
        self.entries = entries

    def get(self, key: str) -> Verdict | None:
        """Return the verdict that was stored under a key, None when there is none to be read."""
        try:
            return _unpacked(key, _read(self._path(key)))
        except (OSError, ValueError):
            return None

    def put(self, key: str, verdict: Verdict) -> None:
        """Keep a verdict, if the disk allows."""
        with contextlib.suppress(OSError, ValueError):
            self._write(self._path(key), _packed(key, verdict))
        # Keys are evenly spread: one write in sixteen looks after its own shard, and that is all.
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

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    def _write(self, path: Path, data: bytes) -> None:
        """Place a file whole; no sync: what a power cut tears, its checksum gives away."""
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
        """Remove from a shard what is beyond its share, the least recently used first."""
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


def _packed(key: str, verdict: Verdict) -> bytes:
    body = verdict.model_dump_json().encode()
    return b"".join((_HEAD, _checksum(key, body), _MIDDLE, body, _TAIL))


def _unpacked(key: str, data: bytes) -> Verdict | None:
    body = data[_BODY : -len(_TAIL)]
    if data[:_BODY] != _HEAD + _checksum(key, body) + _MIDDLE:
        return None
    return Verdict.model_validate_json(body)


def _checksum(key: str, body: bytes) -> bytes:
    """Return the checksum of a verdict under its key: a file under another name is none of ours."""
    return hashlib.sha256(key.encode() + b"\0" + body).hexdigest().encode()


def _read(path: Path) -> bytes:
    # Whatever lies there, a link or a pipe of somebody else's included, must not stop the reader.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST:
            return b""
        if time.time() - found.st_mtime > _TOUCH_SECS:
            with contextlib.suppress(OSError):
                os.utime(path)
        return file.read()


def _files(shard: Path) -> Iterator[StoredFile]:
    with contextlib.suppress(OSError), os.scandir(shard) as found:
        for entry in found:
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
