"""Grade identical code once: in a run by waiting for the first, across runs by a store on disk.

A verdict is shared only if grading again could not come out otherwise. A fault is never shared: it
says something about the machine at that moment, and nothing about the code.
"""

import asyncio
import time
from collections.abc import Callable

from forgetest.evalset.types import Case
from forgetest.grading.codegrader import Identified
from forgetest.grading.verdict import CACHED, DUPLICATE, Verdict
from forgetest.grading.verdictkey import is_repeatable, is_shareable, verdict_key
from forgetest.grading.verdictstore import VerdictStore


def no_lock(case: Case) -> str | None:
    """Return the lock of a case without dependencies, and none for any other."""
    return None if case.dependencies else ""


class Memory:
    """A grader that remembers.

    `store` None: only within this object's life. `lock_of` returns what the dependencies of a case
    were resolved to, None if that is not known; such a case is graded every time.
    """

    def __init__(
        self,
        grader: Identified,
        store: VerdictStore | None = None,
        *,
        lock_of: Callable[[Case], str | None] = no_lock,
    ) -> None:
        self._grader = grader
        self._store = store
        self._lock_of = lock_of
        self._known: dict[str, Verdict] = {}
        self._under_way: dict[str, asyncio.Event] = {}
        self._unshared: set[str] = set()

    async def grade(self, case: Case, code: str) -> Verdict:
        """Return the verdict, flagged when it is remembered; raise `Fault` as the grader does."""
        key = self._key(case, code)
        if key is None:
            return await self._grader.grade(case, code)
        # Whoever waited is woken when the first one is done, however that ended.
        while (first := self._under_way.get(key)) is not None:
            await first.wait()
        started = time.perf_counter()
        found = self._recall(key)
        if found is not None:
            return _recalled(*found, secs=time.perf_counter() - started)
        if key in self._unshared:
            return await self._grader.grade(case, code)
        return await self._first(key, case, code)

    def _key(self, case: Case, code: str) -> str | None:
        lock = self._lock_of(case)
        if lock is None or not is_repeatable(case):
            return None
        return verdict_key(case, code, identity=self._grader.identity, lock=lock)

    def _recall(self, key: str) -> tuple[Verdict, str] | None:
        known = self._known.get(key)
        if known is not None:
            return known, DUPLICATE
        if self._store is None or key in self._unshared:
            return None
        stored = self._store.get(key)
        if stored is None:
            return None
        self._known[key] = stored
        return stored, CACHED

    async def _first(self, key: str, case: Case, code: str) -> Verdict:
        done = self._under_way[key] = asyncio.Event()
        try:
            verdict = await self._grader.grade(case, code)
            self._remember(key, verdict)
        finally:
            del self._under_way[key]
            done.set()
        return verdict

    def _remember(self, key: str, verdict: Verdict) -> None:
        if not is_shareable(verdict):
            # Those that wait have to grade for themselves: at once, not one behind the other.
            self._unshared.add(key)
            return
        self._known[key] = verdict
        if self._store is not None:
            self._store.put(key, verdict)


def _recalled(verdict: Verdict, flag: str, *, secs: float) -> Verdict:
    """Return a remembered verdict; its timings are those of this run, not of the first grading."""
    timings = {"recall": secs, "total": secs}
    return verdict.model_copy(update={"flags": (*verdict.flags, flag), "timings": timings})
