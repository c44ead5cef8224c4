"""What ends the program from outside: Ctrl-C, SIGTERM, a terminal that hangs up.

All three mean the same: stop, clean up, say how to go on. The first counts. Those that follow are
ignored, so that whoever is impatient does not break the cleaning up, which is bounded.
"""

import atexit
import signal
from collections.abc import Callable, Coroutine
from functools import partial
from types import FrameType
from typing import Any, TypeVar

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
T = TypeVar("T")


class Interrupts:
    """Hears the signals of this process."""

    def __init__(self) -> None:
        self.heard = False
        self._stop: Callable[[], object] | None = None  # of the event loop that runs

    def listen(self) -> None:
        """Hear from now on; what the caller had ignored, as nohup does, stays ignored."""
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._hear)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end and return what it does; KeyboardInterrupt when stopped.

        A signal cancels it, and waits until it has cleaned up behind itself.
        """
        import asyncio

        async def stoppable() -> T:
            task, loop = asyncio.current_task(), asyncio.get_running_loop()
            if task is not None:
                self._stop = partial(loop.call_soon_threadsafe, task.cancel)
            if self.heard:
                work.close()
                raise asyncio.CancelledError
            try:
                return await work
            finally:
                self._stop = _wait

        self._stop = _wait  # from here to its beginning, and after its end
        try:
            done = asyncio.run(stoppable())
        except BaseException:
            if self.heard:  # whatever came of stopping in the middle
                raise KeyboardInterrupt from None
            raise
        finally:
            self._stop = None
        if self.heard:
            raise KeyboardInterrupt
        return done

    def _hear(self, _number: int, _frame: FrameType | None) -> None:
        if self.heard:
            return
        self.heard = True
        # Python gives signals their default back while it ends, but not those that it ignores.
        atexit.register(self._ignore)
        if self._stop is None:
            raise KeyboardInterrupt
        self._stop()

    def _ignore(self) -> None:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)


def _wait() -> None:
    """Do nothing: the loop begins or ends just now, and looks itself."""


INTERRUPTS = Interrupts()
