"""The graders around the grader: all of them turn a case and code into a verdict.

They are stacked in this order, each calling the one below it:

    VerdictCache          identical code is graded once, and not again in a later run
      ConcurrencyLimit    no more samples are graded at once than the limit
        RepeatedGrading   each sample is graded several times, if the user asks for it
          SampleGrader    compiles, lints and tests the sample (`grading.grader`)

The cache is outside the limit: a sample that waits for identical code takes no place from others.
It shares a verdict only if grading again could not end otherwise. It never shares a fault: that
says something about the machine at that moment, and nothing about the code.
"""

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from forgetest.evalset.types import Case, NoEffect, fields_without
from forgetest.grading.limits import Limits, Order
from forgetest.grading.probe import Probe
from forgetest.grading.verdict import CACHED, CLIPPY_FAILED, DUPLICATE, UNSTEADY, Outcome, Verdict
from forgetest.grading.verdict_store import VerdictStore

HELD = 4096  # verdicts in memory, of a few KB each


class CodeGrader(Protocol):
    """A case and code in, a verdict out."""

    async def grade(self, case: Case, code: str) -> Verdict:
        """Return the verdict; raise `Fault` when the machinery fails."""
        ...


class Identified(CodeGrader, Protocol):
    """A grader whose verdicts can be told from those of another grader."""

    @property
    def identity(self) -> str:
        """Everything outside case and code that a verdict depends on."""
        ...


class Examiner(Identified, Protocol):
    """A grader that also runs tests in another order, and tells what they make of code."""

    @property
    def limits(self) -> Limits:
        """What a sample may use."""
        ...

    async def grade(self, case: Case, code: str, *, order: Order = Order.WRITTEN) -> Verdict:
        """Return the verdict; raise `Fault` when the machinery fails."""
        ...

    async def probe(self, case: Case, code: str) -> Probe:
        """Return whether the case's tests notice `code`; raise `Fault` as `grade` does."""
        ...


def no_lock(case: Case) -> str | None:
    """Return the lock of a case without dependencies, and none for any other."""
    return None if case.dependencies else ""


class VerdictCache:
    """Grades identical code once: a run waits for the first, a store on disk serves later runs.

    Without a `store` verdicts are shared as long as this object lives. `lock_of` returns what the
    dependencies of a case were resolved to, None if that is not known; such a case is graded every
    time.
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
        self._known: OrderedDict[str, Verdict] = OrderedDict()  # the latest
        self._graded: set[bytes] = set()  # keys of all that this object knew
        self._under_way: dict[str, asyncio.Event] = {}
        self._unshared: set[str] = set()

    async def grade(self, case: Case, code: str) -> Verdict:
        """Return the verdict, flagged if it was cached; raise `Fault` as the grader does."""
        key = self._key(case, code)
        if key is None:
            return await self._grader.grade(case, code)
        # All that waited are woken when the first is done, however it ended.
        while (first := self._under_way.get(key)) is not None:
            await first.wait()
        started = time.perf_counter()
        cached = self._lookup(key)
        if cached is not None:
            return _from_cache(*cached, secs=time.perf_counter() - started)
        if key in self._unshared:
            return await self._grader.grade(case, code)
        return await self._grade_first(key, case, code)

    def _key(self, case: Case, code: str) -> str | None:
        lock = self._lock_of(case)
        if lock is None or not is_repeatable(case):
            return None
        return verdict_key(case, code, identity=self._grader.identity, lock=lock)

    def _lookup(self, key: str) -> tuple[Verdict, str] | None:
        flag = DUPLICATE if bytes.fromhex(key) in self._graded else CACHED
        known = self._known.get(key)
        if known is None and self._store is not None and key not in self._unshared:
            known = self._store.get(key)
        if known is None:
            return None
        self._know(key, known)
        return known, flag

    def _know(self, key: str, verdict: Verdict) -> None:
        """Hold a verdict until so many others have come; the store, if any, holds it on."""
        self._graded.add(bytes.fromhex(key))
        self._known[key] = verdict
        self._known.move_to_end(key)
        if len(self._known) > HELD:
            self._known.popitem(last=False)

    async def _grade_first(self, key: str, case: Case, code: str) -> Verdict:
        done = self._under_way[key] = asyncio.Event()
        try:
            verdict = await self._grader.grade(case, code)
            self._keep(key, verdict)
        finally:
            del self._under_way[key]
            done.set()
        return verdict

    def _keep(self, key: str, verdict: Verdict) -> None:
        if not is_shareable(verdict):
            # Those that wait must grade for themselves: at once, not one after the other.
            self._unshared.add(key)
            return
        self._know(key, verdict)
        if self._store is not None:
            self._store.put(key, verdict)


def _from_cache(verdict: Verdict, flag: str, *, secs: float) -> Verdict:
    """Return a cached verdict; its timings are those of this run, not of the first grading."""
    timings = {"recall": secs, "total": secs}
    return verdict.model_copy(update={"flags": (*verdict.flags, flag), "timings": timings})


_TIMED_OUT = frozenset({"test_timeout", "compile_timeout"})
# A test that met a limit might not meet it on another day, or on a less busy machine.
_LIMITED = frozenset({"timeout", "memory_limit", "output_limit"})
_UNSTEADY = frozenset({UNSTEADY, CLIPPY_FAILED})
_NOT_GRADED = fields_without(NoEffect.ON_VERDICT)


def verdict_key(case: Case, code: str, *, identity: str, lock: str) -> str:
    """Return 64 hex digits for code, case, grader and lock file of the dependencies."""
    digest = hashlib.sha256()
    graded = case.model_dump_json(exclude=_NOT_GRADED)
    for part in (identity, lock, graded, code):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def is_repeatable(case: Case) -> bool:
    """Return whether grading the case depends on nothing outside the key."""
    return case.expectations.custom_check is None


def is_shareable(verdict: Verdict) -> bool:
    """Return whether a verdict may stand for the next grading of the same code.

    No limit was met, no two gradings disagreed, and an error in the source explains a failed build.
    """
    return (
        verdict.outcome not in _TIMED_OUT
        and not any(test.outcome in _LIMITED for test in verdict.tests)
        and not _UNSTEADY.intersection(verdict.flags)
        and _is_explained(verdict)
    )


def _is_explained(verdict: Verdict) -> bool:
    """Return whether an error in the source explains a failed build.

    A compiler that crashed or ran out of memory may have met the limits of that moment.
    """
    match verdict.outcome:
        case Outcome.COMPILE_FAILED:
            return any(error.span for error in verdict.errors)
        case Outcome.TEST_BUILD_FAILED:
            return any(error.span for error in verdict.test_errors)
        case _:
            return True


@dataclass(frozen=True, slots=True)
class ConcurrencyLimit:
    """Grades no more samples at once than the semaphore lets in."""

    grader: Identified
    running: asyncio.Semaphore

    @property
    def identity(self) -> str:
        """The grader's own: the limit changes no verdict."""
        return self.grader.identity

    async def grade(self, case: Case, code: str) -> Verdict:
        """Wait for a free place and return the verdict; raise `Fault` as the grader does."""
        async with self.running:
            return await self.grader.grade(case, code)


@dataclass(frozen=True, slots=True)
class RepeatedGrading:
    """Grades each sample several times, to find verdicts that depend on chance: map order, time."""

    grader: Identified
    times: int

    @property
    def identity(self) -> str:
        """The grader's own, and the number of gradings."""
        return f"{self.grader.identity}\nrepeated {self.times}"

    async def grade(self, case: Case, code: str) -> Verdict:
        """Return the worst verdict, flagged if another differs; raise `Fault` as the grader."""
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
