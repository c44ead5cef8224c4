"""Find and end the processes that a finished command left behind.

On Linux the calling process becomes the reaper of orphans (`PR_SET_CHILD_SUBREAPER`), so that a
daemon that left its session comes back to us. Each run marks its processes by an environment
variable and ends only those that carry its own mark, so that other children of this process, and
orphans of other runs, are left alone. A process that also rewrites its environment escapes; only a
sandbox holds it.
"""

import contextlib
import ctypes
import os
import signal
import sys
import time
from pathlib import Path

MARK = "FORGETEST_RUN"  # the environment variable that tells whose process it is

_PR_SET_CHILD_SUBREAPER = 36
_TASKS = "/proc/self/task"
_SWEEP_SECS = 5.0


def adopt_orphans() -> None:
    """Make this process the parent of every descendant whose own parent dies."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def sweep(session: int, mark: str) -> None:
    """Kill and reap the orphans of one run: each one's own children come back as orphans."""
    deadline = time.monotonic() + _SWEEP_SECS
    sessions = {session}
    while (orphans := _orphans(sessions, mark)) and time.monotonic() < deadline:
        for pid in orphans:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def _orphans(sessions: set[int], mark: str) -> list[int]:
    """Return our children that belong to the run; `sessions` learns those that they opened.

    A zombie has no environment any more: it is known by its session alone.
    """
    orphans = []
    for pid in _children():
        with contextlib.suppress(ProcessLookupError):
            session = os.getsid(pid)
            if _carries(pid, mark):
                sessions.add(session)
            if session in sessions:
                orphans.append(pid)
    return orphans


def _carries(pid: int, mark: str) -> bool:
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False
    return f"{MARK}={mark}".encode() in environment.split(b"\0")


def _children() -> list[int]:
    """Return the pids of all our children; none where the system does not list them."""
    pids: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(_TASKS):  # noqa: PTH208 - asked after every command
            with contextlib.suppress(OSError), open(f"{_TASKS}/{task}/children", "rb") as listing:  # noqa: PTH123
                pids += [int(pid) for pid in listing.read().split()]
    return pids
