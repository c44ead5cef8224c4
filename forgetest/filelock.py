"""Advisory locks of files between processes: held by a descriptor, given back by the system."""

import asyncio
import contextlib
import fcntl
import os
from collections.abc import AsyncIterator
from pathlib import Path

_POLL_SECS = 0.1


@contextlib.asynccontextmanager
async def locked(path: Path) -> AsyncIterator[None]:
    """Hold the lock of `path` alone, waiting for whoever holds it while other tasks go on."""
    held = await wait_for_lock(path, shared=False)
    try:
        yield
    finally:
        os.close(held)


async def wait_for_lock(path: Path, *, shared: bool) -> int:
    """Return the descriptor that holds the lock, as soon as nobody is in the way."""
    # Another process's lock is no event that could be awaited.
    while (held := try_lock(path, shared=shared)) is None:  # noqa: ASYNC110
        await asyncio.sleep(_POLL_SECS)
    return held


def try_lock(path: Path, *, shared: bool) -> int | None:
    """Return the descriptor that holds the lock, None while another one keeps it.

    The lock ends when the descriptor is closed, at the latest with the process. Raises `OSError`
    when the file can not be made.
    """
    wanted = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB
    while True:
        held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        if not _locked(held, wanted):
            os.close(held)
            return None
        if _is_at(held, path):
            return held
        # Whoever had the lock removed the file: what we hold is not what others will look at.
        os.close(held)


def downgrade(held: int) -> bool:
    """Make an exclusive lock a shared one; False when somebody else was faster: it is lost."""
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
