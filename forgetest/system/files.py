"""Locks between processes, and temporary folders that are removed even when their owner was killed.

A lock is an advisory one on a file, held by a descriptor, so the system releases it with the
process. The owner of a temporary folder holds the lock of a file next to it; process numbers would
not do, because containers that share a disk do not share those.
"""

import asyncio
import contextlib
import errno
import fcntl
import os
import re
import secrets
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

_POLL_SECS = 0.1
PREFIX = "forgetest-w"  # of temporary folders
LOCK_SUFFIX = ".lock"  # of the file next to a folder
_NAME = re.compile(rf"{PREFIX}[0-9a-f]{{16}}")
# What versions before locks made: a process number, and a random part.
_UNLOCKED_NAME = re.compile(r"forgetest-\d+-\w{8}")
_ABANDONED_SECS = 86400.0  # no sample takes so long
_LOCKING_UNSUPPORTED = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP})
_DRAWS = 100


@contextlib.asynccontextmanager
async def file_lock(path: Path) -> AsyncIterator[None]:
    """Hold the lock of `path` alone, waiting for it while other tasks go on."""
    held = await wait_for_lock(path, shared=False)
    try:
        yield
    finally:
        os.close(held)


async def wait_for_lock(path: Path, *, shared: bool) -> int:
    """Return the descriptor that holds the lock, as soon as it is free."""
    # The lock of another process is not an event that could be awaited.
    while (held := try_lock(path, shared=shared)) is None:  # noqa: ASYNC110
        await asyncio.sleep(_POLL_SECS)
    return held


def try_lock(path: Path, *, shared: bool) -> int | None:
    """Return the descriptor that holds the lock, None while another process holds it.

    The lock ends when the descriptor is closed, at the latest with the process. Raises `OSError`
    when the file cannot be made.
    """
    wanted = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB
    while True:
        held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        if not _locked(held, wanted):
            os.close(held)
            return None
        if _is_at(held, path):
            return held
        # The last owner removed the file: others will look at a new one, not at what we hold.
        os.close(held)


def downgrade(held: int) -> bool:
    """Make an exclusive lock a shared one; False when it was lost to another process."""
    return _locked(held, fcntl.LOCK_SH | fcntl.LOCK_NB)


def _locked(held: int, wanted: int) -> bool:
    try:
        fcntl.flock(held, wanted)
    except BlockingIOError:
        return False
    return True


def _is_at(held: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(held), path.stat())
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def temporary_folder(place: Path | None = None) -> Iterator[Path]:
    """Give a folder in `place`, the system's own when None, and remove it afterwards.

    No `clear_leftovers` removes it meanwhile. Raises OSError when it cannot be made.
    """
    folder, held = _locked_folder(place or Path(tempfile.gettempdir()))
    try:
        yield folder
    finally:
        remove(folder)
        _release(folder, held)


def clear_leftovers(place: Path | None = None) -> None:
    """Remove the temporary folders in `place` that killed processes left, on any machine."""
    place = place or Path(tempfile.gettempdir())
    with contextlib.suppress(OSError):
        names = {name.removesuffix(LOCK_SUFFIX) for name in os.listdir(place)}  # noqa: PTH208
        for name in filter(_NAME.fullmatch, names):
            _clear(place / name)
        for name in filter(_UNLOCKED_NAME.fullmatch, names):
            _clear_unlocked(place / name)


def read_regular(path: Path, most: int) -> bytes | None:
    """Return at most so many bytes of a file; None for what is missing, a link or no plain file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        is_plain = stat.S_ISREG(os.fstat(descriptor).st_mode)
        return file.read(most) if is_plain else None


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk; raises `OSError`."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove(folder: Path) -> None:
    """Remove a folder, however deep it is; what cannot be removed stays."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except RecursionError:
        argv = ["rm", "-rf", "--", str(folder)]
        subprocess.run(argv, env={"PATH": os.defpath}, check=False, stderr=subprocess.DEVNULL)


def _locked_folder(place: Path) -> tuple[Path, int | None]:
    """Return a new folder and the descriptor of its lock, which is there before the folder is."""
    for _ in range(_DRAWS):
        folder = place / f"{PREFIX}{secrets.token_hex(8)}"
        try:
            held = try_lock(_lock(folder), shared=False)
        except OSError as error:
            if error.errno not in _LOCKING_UNSUPPORTED:
                raise
            held = None  # then no other process can clear it, either
        else:
            if held is None:
                continue  # a process that clears was faster, and removes what has this name
        try:
            folder.mkdir(mode=0o700)
        except OSError:
            _release(folder, held)
            raise
        return folder, held
    raise FileExistsError(errno.EEXIST, "no temporary folder can be locked", str(place))


def _release(folder: Path, held: int | None) -> None:
    with contextlib.suppress(OSError):
        _lock(folder).unlink(missing_ok=True)
    if held is not None:
        os.close(held)


def _clear(folder: Path) -> None:
    """Remove a folder whose lock is free; without a lock file, one that is old."""
    if not _lock(folder).exists():
        _clear_unlocked(folder)
        return
    with contextlib.suppress(OSError):
        held = try_lock(_lock(folder), shared=False)
        if held is not None:
            remove(folder)
            _release(folder, held)


def _clear_unlocked(folder: Path) -> None:
    with contextlib.suppress(OSError):
        if time.time() - folder.lstat().st_mtime > _ABANDONED_SECS:
            remove(folder)


def _lock(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}{LOCK_SUFFIX}")
