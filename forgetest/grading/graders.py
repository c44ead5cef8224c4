"""The seam around the grader: whoever wants code judged sees no more of it than this.

How many samples are graded at once.

Grade each sample several times, to find verdicts that hang on chance: map order, time.

What a verdict depends on, as a key; and which verdicts may stand for another grading.

Grade identical code once: in a run by waiting for the first, across runs by a store on disk.

A verdict is shared only if grading again could not come out otherwise. A fault is never shared: it
says something about the machine at that moment, and nothing about the code.
"""

import asyncio
import hashlib
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from forgetest.evalset.types import Case, NoEffect, fields_without
from forgetest.grading.stages import CLIPPY_FAILED
from forgetest.grading.verdict import CACHED, DUPLICATE, Outcome, Verdict
from forgetest.grading.verdict_store import VerdictStore


class CodeGrader(Protocol):
    """A case and code in, a verdict out."""

    async def grade(self, case: Case, code: str) -> Verdict:
        """Return the verdict; raise `Fault` when the machinery fails."""
        ...


class Identified(CodeGrader, Protocol):
    """A grader that tells which grader it is."""

    @property
    def identity(self) -> str:
        """Everything outside case and code that a verdict depends on."""
        ...


@dataclass(frozen=True, slots=True)
class ConcurrencyLimit:
    """A grader that grades no more samples at once than there are seats.

    It stands below the memory: a sample that waits for its twin takes no seat from others.
    """

    grader: Identified
    seats: asyncio.Semaphore

    @property
    def identity(self) -> str:
        """The identity of the grader itself: seats change no verdict."""
        return self.grader.identity

    async def grade(self, case: Case, code: str) -> Verdict:
        """Return the verdict as soon as a seat was free; raise `Fault` as the grader does."""
        async with self.seats:
            return await self.grader.grade(case, code)


UNSTEADY = "unsteady"  # two gradings of the same code disagreed


@dataclass(frozen=True, slots=True)
class RepeatedGrading:
    """A grader that asks `grader` `times` times and keeps the verdict that says least good."""

    grader: Identified
    times: int

    @property
    def identity(self) -> str:
        """The grader's own, and how often it is asked."""
        return f"{self.grader.identity}\nrepeated {self.times}"

    async def grade(self, case: Case, code: str) -> Verdict:
        """Return the worst verdict, flagged when another differs; raise `Fault` as `grader`."""
        verdicts = [await self.grader.grade(case, code) for _ in range(self.times)]
        worst = min(verdicts, key=_rank)
        if len({_essence(verdict) for verdict in verdicts}) == 1:
            return worst
        return worst.model_copy(update={"flags": (*worst.flags, UNSTEADY)})


def _rank(verdict: Verdict) -> tuple[bool, bool, int]:
    return verdict.passed, verdict.compiled, verdict.tests_passed


def _essence(verdict: Verdict) -> tuple[Iterable[object], ...]:
    """Return what two gradings of the same code must agree on."""
    tests = tuple((test.name, test.outcome) for test in verdict.tests)
    lints = tuple((lint.code, lint.span) for lint in verdict.lints)
    return (verdict.outcome,), tests, lints


_TIMED_OUT = frozenset({"test_timeout", "compile_timeout"})
# How a test ends that met a limit: on another day, or with fewer neighbours, it might not have.
_LIMITED = frozenset({"timeout", "memory_limit", "output_limit"})
_UNSTEADY = frozenset({UNSTEADY, CLIPPY_FAILED})


def verdict_key(case: Case, code: str, *, identity: str, lock: str) -> str:
    """Return 64 hex digits for code, case, grader and lock file of the dependencies."""
    digest = hashlib.sha256()
    graded = case.model_dump_json(exclude=fields_without(NoEffect.ON_VERDICT))
    for part in (identity, lock, graded, code):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def is_repeatable(case: Case) -> bool:
    """Return whether a grading of the case depends on nothing but what the key holds."""
    return case.expectations.custom_check is None


def is_shareable(verdict: Verdict) -> bool:
    """Return whether a verdict may stand for the next grading of the same code.

    No limit was met, nothing wavered, and a failed build is explained by an error in the source.
    """
    return (
        verdict.outcome not in _TIMED_OUT
        and not any(test.outcome in _LIMITED for test in verdict.tests)
        and not _UNSTEADY.intersection(verdict.flags)
        and _is_explained(verdict)
    )


def _is_explained(verdict: Verdict) -> bool:
    """Return whether a failed build has an error in the source to show for itself.

    A compiler that crashed or was out of memory may have met the limits of that moment.
    """
    match verdict.outcome:
        case Outcome.COMPILE_FAILED:
            return any(error.span for error in verdict.errors)
        case Outcome.TEST_BUILD_FAILED:
            return any(error.span for error in verdict.test_errors)
        case _:
            return True


def no_lock(case: Case) -> str | None:
    """Return the lock of a case without dependencies, and none for any other."""
    return None if case.dependencies else ""


class VerdictCache:
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
