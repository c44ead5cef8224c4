"""One process at a time: an advisory lock on a file, waited for without holding up other tasks."""

import asyncio
import contextlib
import fcntl
from collections.abc import AsyncIterator
from pathlib import Path

_POLL_SECS = 0.1


@contextlib.asynccontextmanager
async def locked(path: Path) -> AsyncIterator[None]:
    """Hold the lock of `path`, which is made and stays; waits for whoever holds it."""
    with path.open("w") as file:
        while not _try_lock(file.fileno()):  # noqa: ASYNC110 - another process's lock is no event
            await asyncio.sleep(_POLL_SECS)
        yield


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
