"""Signals that end the program: Ctrl-C, SIGTERM, and the hang-up of a terminal.

All three mean the same: stop, clean up, say how to continue. Only the first counts; later ones are
ignored, so that impatience does not interrupt the cleanup, which takes limited time.
"""

from __future__ import annotations

import atexit
import signal
from collections.abc import Callable, Coroutine
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
T = TypeVar("T")

_HEARING_SECS = 0.5


class Interrupted(KeyboardInterrupt):
    """A signal ended the program.

    Python notes that a plain KeyboardInterrupt left an `exec`, as that of a dataclass while modules
    are loaded, and at its exit ends itself by SIGINT, even if the exception was caught.
    """


class Interrupts:
    """Handles the signals of this process."""

    def __init__(self) -> None:
        self.heard = False
        self._stop: Callable[[], object] | None = None  # of the event loop that runs

    def listen(self) -> None:
        """Handle signals from now on, except those that the caller ignores, as nohup does."""
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._hear)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine and return its result; `Interrupted` when a signal stopped it.

        A signal cancels the coroutine, also while it awaits nothing, and waits until it has cleaned
        up.
        """
        import asyncio  # noqa: PLC0415 - `forgetest --help` has no use for it

        async def stoppable() -> T:
            task, loop = asyncio.current_task(), asyncio.get_running_loop()
            if task is not None:
                self._stop = partial(_cancel, task, loop)
            if self.heard:
                work.close()
                raise asyncio.CancelledError
            _beat(loop)
            try:
                return await work
            finally:
                self._stop = _wait

        self._stop = _wait  # while the loop starts and ends
        try:
            result = asyncio.run(stoppable())
        except BaseException:
            if self.heard:  # any error of a stopped coroutine
                raise Interrupted from None
            raise
        finally:
            self._stop = None
        if self.heard:
            raise Interrupted
        return result

    def _hear(self, _number: int, _frame: FrameType | None) -> None:
        if self.heard:
            return
        self.heard = True
        # Python resets handled signals while it exits, but not ignored ones.
        atexit.register(self._ignore)
        if self._stop is None:
            raise Interrupted
        self._stop()

    def _ignore(self) -> None:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)


def _cancel(task: Task[Any], loop: AbstractEventLoop) -> None:
    """Cancel a task at once, so that long work can see it, and wake its loop."""
    task.cancel()
    loop.call_soon_threadsafe(int)  # any call wakes it


def _beat(loop: AbstractEventLoop) -> None:
    """Wake a loop often: a signal that another thread receives does not wake it."""
    loop.call_later(_HEARING_SECS, _beat, loop)


def _wait() -> None:
    """Do nothing: the loop is starting or ending, and checks `heard` itself."""


INTERRUPTS = Interrupts()
