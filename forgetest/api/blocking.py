"""Grading without asyncio: in a thread with an event loop of its own.

So it works inside a running loop, too, as notebooks have one, and in threads.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import Future, wait
from functools import partial
from typing import Any, Generic, TypeVar

from forgetest.api.grader import Grader, Pair
from forgetest.api.result import Result

T = TypeVar("T")

_HEARING_SECS = 0.5


def grade_many(pairs: Iterable[Pair], **options: Any) -> list[Result]:
    """Return the result of each pair of a case and a reply, in order.

    `options` are those of `Grader`. Ctrl-C stops the grading and leaves nothing behind. Raises what
    `Grader` raises. For more pairs than memory holds results of, use `Grader.grade_many`.
    """

    async def all_results() -> list[Result]:
        async with Grader(**options) as grader:
            return [result async for result in grader.grade_many(pairs)]

    return finished(all_results())


def finished(work: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine returns, or raise what it raises, from any thread or loop.

    Ctrl-C cancels it and waits until it has cleaned up.
    """
    return _Work(work).result()


class _Work(Generic[T]):
    """A coroutine that runs in a thread of its own."""

    def __init__(self, work: Coroutine[Any, Any, T]) -> None:
        self._work = work
        self._outcome: Future[T] = Future()
        self._cancel: Callable[[], object] = _nothing
        self._interrupted = False
        self._thread = threading.Thread(target=self._run, name="forgetest")

    def result(self) -> T:
        """Run it to its end; an interrupt of the caller cancels it, and waits until it is clean."""
        try:
            self._thread.start()  # an interrupt may come while it starts
            # Not `join`: in Python 3.11, one that is interrupted takes the thread for ended.
            return result_of(self._outcome)
        except BaseException:
            self._interrupted = True
            self._cancel()
            wait([self._outcome])
            raise
        finally:
            self._thread.join()

    def _run(self) -> None:
        try:
            self._outcome.set_result(asyncio.run(self._cancellable()))
        except BaseException as error:  # noqa: BLE001 - handed to the caller's thread
            self._outcome.set_exception(error)

    async def _cancellable(self) -> T:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        if task is not None:
            self._cancel = partial(loop.call_soon_threadsafe, task.cancel)
        if self._interrupted:  # before there was anything to cancel
            self._work.close()
            raise asyncio.CancelledError
        try:
            return await self._work
        finally:
            self._cancel = _nothing


def result_of(future: "Future[T]") -> T:
    """Return the result of a future, as `result` does, and hear signals meanwhile.

    A signal that another thread of the process receives does not wake the one that waits.
    """
    while not wait([future], _HEARING_SECS).done:
        pass
    return future.result()


def _nothing() -> None:
    """Do nothing: what was to be cancelled has ended."""
