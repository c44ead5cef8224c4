"""A grader for callers that bring their own threads, event loops and processes.

It has a thread with a loop of its own, opens when the first answer comes, and ends with the
process. After a fork, the child opens its own.
"""

import asyncio
import atexit
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from functools import cache
from typing import Any
from weakref import WeakSet

from forgetest.api.blocking import result_of
from forgetest.api.cases import Cases, load
from forgetest.api.flow import ended
from forgetest.api.grader import Answer, Grader, Pair
from forgetest.api.result import Result
from forgetest.errors import ConfigError
from forgetest.evalset.forms import quoted
from forgetest.evalset.types import Case
from forgetest.sampling.prompt import render


class BackgroundGrader:
    """Grades for any thread, event loop and forked process.

    `options` are those of `Grader`. Raises what `Grader` raises, each time that it cannot be
    opened.
    """

    def __init__(self, **options: Any) -> None:
        self._options = options
        self._lock = threading.Lock()
        self._grading: _GradingThread | None = None
        _ALL.add(self)

    def submit(self, case: Case, reply: Answer) -> "Future[Result]":
        """Return the result to come of one reply; cancelling it stops the grading."""
        return self._thread().submit_reply(case, reply)

    async def grade(self, case: Case, reply: Answer) -> Result:
        """Return the result of one reply, in any loop of asyncio."""
        return await asyncio.wrap_future(self.submit(case, reply))

    def grade_many(self, pairs: Sequence[Pair]) -> list[Result]:
        """Return the result of each pair of a case and a reply, in order.

        An interrupt of the caller stops what is under way.
        """
        results = self._thread().submit_batch(pairs)
        try:
            return result_of(results)
        except BaseException:
            results.cancel()
            raise

    async def grade_all(self, pairs: Sequence[Pair]) -> list[Result]:
        """Return the same as `grade_many`, in any loop of asyncio."""
        return await asyncio.wrap_future(self._thread().submit_batch(pairs))

    def close(self) -> None:
        """Stop what is under way; the next answer opens it again."""
        with self._lock:
            grading, self._grading = self._grading, None
        if grading is not None:
            grading.close()

    def _thread(self) -> "_GradingThread":
        with self._lock:
            if self._grading is not None and self._grading.failed:
                self._grading.close()
                self._grading = None
            if self._grading is None:
                self._grading = _GradingThread(self._options)
            return self._grading

    def _forget(self) -> None:
        """Leave the thread to the process that has it."""
        self._lock = threading.Lock()
        self._grading = None


_ALL: WeakSet[BackgroundGrader] = WeakSet()


def _forget_all() -> None:
    for grader in _ALL:
        grader._forget()  # noqa: SLF001 - of this file


os.register_at_fork(after_in_child=_forget_all)


class _GradingThread:
    """A thread that opens a grader and keeps it open."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._open: asyncio.Future[Grader] = self._loop.create_future()
        self._process = os.getpid()
        # A daemon, because Python waits for others before it calls what ends this one.
        self._thread = threading.Thread(target=self._run, name="forgetest-grading", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    @property
    def failed(self) -> bool:
        """Whether no grader could be opened."""
        return self._open.done() and self._open.exception() is not None

    def submit_reply(self, case: Case, reply: Answer) -> Future[Result]:
        async def graded() -> Result:
            grader = await asyncio.shield(self._open)
            return await grader.grade(case, reply)

        return asyncio.run_coroutine_threadsafe(graded(), self._loop)

    def submit_batch(self, pairs: Iterable[Pair]) -> Future[list[Result]]:
        async def graded() -> list[Result]:
            grader = await asyncio.shield(self._open)
            return [result async for result in grader.grade_many(pairs)]

        return asyncio.run_coroutine_threadsafe(graded(), self._loop)

    def close(self) -> None:
        """Stop what is under way, and wait until it is clean."""
        atexit.unregister(self.close)
        if self._process == os.getpid() and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        try:
            async with Grader(**self._options) as grader:
                self._open.set_result(grader)
                await self._stop.wait()
                await ended(asyncio.all_tasks() - {asyncio.current_task()})
        except Exception as error:  # noqa: BLE001 - raised again where an answer waits
            self._open.set_exception(error)
            self._open.exception()  # seen, also where nobody waits
            await self._stop.wait()


@cache
def shared_grader(**options: Any) -> BackgroundGrader:
    """Return the grader of this process with these options, so that its tasks share the cores."""
    return BackgroundGrader(**options)


@cache
def cases_of(*sources: str) -> Cases:
    """Return the cases of eval sets, read once in this process."""
    return load(*sources)


def case_of(cases: Cases, key: object) -> Case:
    """Return the case that a row of a data set names; ConfigError for another's row."""
    if not isinstance(key, str) or key not in cases:
        raise ConfigError(f"{quoted(str(key))} is no case of {cases!r}: which set is the row from?")
    return cases[key]


def messages(case: Case) -> list[dict[str, str]]:
    """Return what `forgetest run` tells a model about a case, as chat messages."""
    prompt = render(case)
    turns = [(turn.role, turn.text) for turn in prompt.turns]
    return [
        {"role": role, "content": text}
        for role, text in (("system", prompt.system), *turns)
        if text
    ]
