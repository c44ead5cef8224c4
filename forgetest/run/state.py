"""What state a run is in, in a file of its folder that stays true however the run ends.

A process that is killed cannot say so. `running` therefore counts only while a process holds the
lock of the journal, which the system releases when that process dies: without a holder, it means
interrupted. Every other state is written by the session it describes, before it releases the lock.
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from pydantic import ValidationError

from forgetest.errors import OutputLostError
from forgetest.run.folder import RunDir
from forgetest.run.manifest import JOURNAL, REPORT
from forgetest.value import Value, count

STATE = "state.json"


class State(StrEnum):
    """What a run can be."""

    RUNNING = "running"  # a process holds the folder
    INTERRUPTED = "interrupted"  # stopped from outside, or killed
    COMPLETE = "complete"  # every planned sample is scored, and the report is written
    FAILED = "failed"  # ended by itself without that


class RunState(Value):
    """What a run is, since when, and why."""

    state: State
    since: str = ""  # UTC, ISO 8601; empty: of a version that did not write it
    process: int | None = None  # of the last session
    graded: int | None = None  # samples: when a session began, or ended
    planned: int | None = None
    reason: str = ""  # why it was interrupted or failed, in one line


@contextlib.contextmanager
def stated(rundir: RunDir) -> Iterator[None]:
    """Write the state of a run when its session begins, and again when it ends.

    Raises RunDirError when it cannot be written at the beginning.
    """
    from asyncio import CancelledError

    _write_state(rundir, State.RUNNING)
    try:
        yield
    except (CancelledError, KeyboardInterrupt):
        _write_last_state(rundir, State.INTERRUPTED, "stopped")
        raise
    except OutputLostError as error:
        _write_last_state(rundir, State.INTERRUPTED, str(error))
        raise
    except BaseException as error:
        _write_last_state(rundir, State.FAILED, str(error) or type(error).__name__)
        raise
    unscored = rundir.manifest.plan.size - len(rundir.progress.settled)
    if unscored:
        _write_state(rundir, State.FAILED, f"{count(unscored, 'sample')} unscored")
    else:
        _write_state(rundir, State.COMPLETE)


def read_state(path: Path) -> RunState:
    """Return what the run in a folder is now, also of a version that wrote no state."""
    while True:
        written = _written(path)
        held = _is_held(path)
        if written == _written(path):  # no session began or ended in between
            break
    if held:
        known = written or RunState(state=State.RUNNING)
        return known.model_copy(update={"state": State.RUNNING, "reason": ""})
    if written is None:
        return _state_of_report(path)
    if written.state is State.RUNNING:
        return written.model_copy(update={"state": State.INTERRUPTED, "reason": "killed"})
    return written


def _write_state(rundir: RunDir, state: State, reason: str = "") -> None:
    known = RunState(
        state=state,
        since=datetime.now(UTC).isoformat(timespec="seconds"),
        process=os.getpid(),
        graded=len(rundir.progress.settled),
        planned=rundir.manifest.plan.size,
        reason=" ".join(reason.split()),
    )
    rundir.write(STATE, known.model_dump_json(indent=1) + "\n")


def _write_last_state(rundir: RunDir, state: State, reason: str) -> None:
    """Write the state if possible; otherwise `running` stays, without a process that holds it."""
    with contextlib.suppress(Exception):
        _write_state(rundir, state, reason)


def _written(path: Path) -> RunState | None:
    try:
        return RunState.model_validate_json((path / STATE).read_bytes())
    except (OSError, ValidationError):
        return None


def _state_of_report(path: Path) -> RunState:
    try:
        report = json.loads((path / REPORT).read_bytes())
    except (OSError, ValueError, RecursionError):
        return RunState(state=State.INTERRUPTED)
    complete = isinstance(report, dict) and report.get("complete") is True
    return RunState(state=State.COMPLETE if complete else State.FAILED)


def _is_held(path: Path) -> bool:
    """Tell whether a process has the run folder open for more."""
    try:
        journal = os.open(path / JOURNAL, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(journal, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(journal)
    return False
