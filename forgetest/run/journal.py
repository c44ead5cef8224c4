"""The lines of a journal, read one by one.

A line counts when its newline is there. Each carries a checksum that is chained to the lines above,
and any damage other than a torn end is an error.
"""

import os
import sys
from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import IO

from pydantic import ValidationError

from forgetest.errors import RunDirError
from forgetest.run.events import EVENT, Event
from forgetest.run.seal import Chain, SealState, is_torn

_CHUNK = 1 << 14  # bytes read at once of a line whose length is not known


@dataclass(frozen=True, slots=True)
class JournalLine:
    """A whole line of a journal: what it says, and the bytes that it takes."""

    event: Event
    start: int
    end: int


def read_lines(
    lines: IO[bytes], chain: Chain, *, file: str, samples: Container[str] | None = None
) -> Iterator[JournalLine]:
    """Yield every newline-terminated line; `samples` are the keys that the run has, if known.

    The chain goes along. Raises RunDirError, which names the line, for a wrong checksum, for a line
    that is not an event, and for a sample that the run does not have; CancelledError in a task that
    was cancelled meanwhile.
    """
    start = 0
    for number, line in enumerate(lines, start=1):
        _demand_going_on()
        if not line.endswith(b"\n"):
            if not is_torn(line):
                raise _damaged(file, number, "its newline is missing")
            return
        try:
            event = _event(line[:-1], chain, samples)
        except ValueError as error:
            raise _damaged(file, number, str(error)) from None
        yield JournalLine(event, start, start + len(line))
        start += len(line)


def _event(line: bytes, chain: Chain, samples: Container[str] | None) -> Event:
    """Return the event of a line; ValueError says what is wrong with it."""
    body, seal = chain.check(line)
    if seal is SealState.BROKEN:
        raise ValueError("its checksum does not match it and the lines above")
    try:
        event = EVENT.validate_json(body)
    except ValidationError as error:
        raise ValueError(error.errors()[0]["msg"]) from None
    if samples is not None and event.sample not in samples:
        raise ValueError(f"the run has no sample {event.sample!r}")
    return event


def _damaged(file: str, number: int, why: str) -> RunDirError:
    return RunDirError(
        f"{file}:{number}: damaged journal line ({why}); restore the file, or start a new run"
    )


def read_line(descriptor: int, start: int) -> Event:
    """Return the event of the line that begins there; its sum was checked when it was written.

    Raises CancelledError in a task that was cancelled meanwhile.
    """
    _demand_going_on()
    line = b""
    while b"\n" not in line:
        part = os.pread(descriptor, max(_CHUNK, len(line)), start + len(line))
        if not part:
            raise EOFError(start)
        line += part
    return EVENT.validate_json(Chain.body(line[: line.index(b"\n")]))


def _demand_going_on() -> None:
    """Raise CancelledError in a cancelled task: while a long journal is read, it awaits nothing."""
    asyncio = sys.modules.get("asyncio")  # commands that run no task do not load it
    if asyncio is None:
        return
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no loop runs in this thread
        return
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
