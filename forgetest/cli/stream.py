"""`forgetest grade - --stream`: completions on standard input, verdicts on standard output.

Both ends may stall, and neither stops the grading of what is under way: each read and each write
waits in a thread of its own. The threads are daemons, so that Ctrl-C need not wait for them, and
use the descriptors themselves, because a daemon that holds the lock of `sys.stdin` at the exit of
Python ends it with a crash.
"""

import asyncio
import os
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import TypeVar

from forgetest.api.cases import Cases
from forgetest.api.grader import Grader
from forgetest.api.stream import LineGrader, split_lines
from forgetest.errors import ConfigError, ExitCode, OutputLostError

T = TypeVar("T")

_CHUNK = 1 << 16
STDIN, STDOUT = 0, 1


def refuse_with_stream(source: Path, **others: object) -> None:
    """Raise ConfigError for another source than standard input, and for options without effect."""
    if str(source) != "-":
        raise ConfigError("--stream reads standard input: forgetest grade - --stream")
    given = ", ".join(f"--{name.replace('_', '-')}" for name, value in others.items() if value)
    if given:
        raise ConfigError(f"--stream prints verdicts alone: leave out {given}")


async def grade_stream(cases: Cases, grader: Grader, *, ordered: bool) -> ExitCode:
    """Grade the lines of standard input until it ends, and return the exit code.

    USAGE when a line could not be used, UNSCORED when the machine failed on one. Raises
    `OutputLostError` when the verdicts are no longer read.
    """
    code = ExitCode.DONE
    lines, graded = split_lines(_chunks(STDIN)), LineGrader(cases, grader)
    async with grader, aclosing(graded.grade_lines(lines, ordered=ordered)) as answers:
        async for answer in answers:
            await _in_thread(partial(_write, STDOUT, answer.line.encode() + b"\n"))
            if answer.wrong:
                code = ExitCode.USAGE
            elif answer.unscored and code is ExitCode.DONE:
                code = ExitCode.UNSCORED
    return code


async def _chunks(descriptor: int) -> AsyncGenerator[bytes, None]:
    while chunk := await _in_thread(partial(os.read, descriptor, _CHUNK)):
        yield chunk


def _write(descriptor: int, data: bytes) -> None:
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError as error:
        raise OutputLostError(f"standard output: {error.strerror}") from None


async def _in_thread(work: Callable[[], T]) -> T:
    """Return what blocking work returns; when this is cancelled, the work is not waited for."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(finish: Callable[[], None]) -> None:
        if not done.cancelled():
            finish()

    def run() -> None:
        try:
            finish = partial(done.set_result, work())
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits
            finish = partial(done.set_exception, error)
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, finish)

    threading.Thread(target=run, daemon=True).start()
    return await done
