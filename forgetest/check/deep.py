"""Check every case of eval sets in both halves, with what earlier checks already know."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from forgetest.check.anchors import Missing
from forgetest.check.lab import Lab
from forgetest.check.soundness import soundness
from forgetest.check.store import CheckStore, Keys, is_lasting
from forgetest.check.strength import confirmed, fates_of, has_strength, strength
from forgetest.check.types import CaseCheck, Fates, Finding, Kind, Severity, Soundness, Strength
from forgetest.check.weigh import checked
from forgetest.errors import CratesError, Fault
from forgetest.evalset.types import Case, EvalSet
from forgetest.grading.grader import Grader

Listen = Callable[[CaseCheck], None]


@dataclass(frozen=True, slots=True)
class Checks:
    """How cases are checked: with what, how thoroughly, and what is known from before.

    `min_strength` is a share; None: any strength will do.
    """

    grader: Grader
    parallelism: int
    times: int = 3
    mutants: bool = True  # False: soundness alone
    min_strength: float | None = None
    store: CheckStore | None = None
    listen: Listen = lambda _: None

    async def all(self, sets: Sequence[EvalSet]) -> dict[str, CaseCheck]:
        """Return the check of every case by `set/case`.

        Crates that nobody can have break their own cases, those that only this machine can not
        have leave theirs unchecked. Raises what `Grader.prepare` raises of the machine itself.
        """
        cases = [(case, item.source is not None) for item in sets for case in item.cases]
        missing = await self.grader.prepare_available(case for case, _ in cases)
        bench = _Bench(self, missing)
        limit = asyncio.Semaphore(self.parallelism)

        async def one(case: Case, borrowed: bool) -> CaseCheck:
            async with limit:
                found = await bench.check(case, borrowed=borrowed)
            self.listen(found)
            return found

        async with asyncio.TaskGroup() as group:
            tasks = {case.key: group.create_task(one(case, borrowed)) for case, borrowed in cases}
        return {key: task.result() for key, task in tasks.items()}


@dataclass(slots=True)
class _Bench:
    """The checks of one session."""

    checks: Checks
    missing: Missing
    lab: Lab = field(init=False)
    keys: Keys = field(init=False)

    def __post_init__(self) -> None:
        grader = self.checks.grader
        self.lab = Lab(grader, asyncio.Semaphore(self.checks.parallelism), self.checks.times)
        self.keys = Keys(grader.identity, self.checks.times)

    async def check(self, case: Case, *, borrowed: bool) -> CaseCheck:
        """Return everything about one case; what the machine fails at is a finding."""
        complaint = self.missing.get(case.dependencies)
        if complaint is not None:
            blamed = isinstance(complaint, CratesError)
            severity = Severity.BROKEN if blamed else Severity.UNCHECKED
            return self._only(case, Kind.DEPENDENCIES, severity, str(complaint))
        try:
            sound, known = await self._soundness(case, borrowed=borrowed)
            strong, known_too = await self._strength(case, sound)
        except Fault as fault:
            return self._only(case, Kind.FAULT, Severity.UNCHECKED, str(fault))
        return checked(
            case, sound, strong, cached=known and known_too, least=self.checks.min_strength
        )

    def _only(self, case: Case, kind: Kind, severity: Severity, message: str) -> CaseCheck:
        finding = Finding(kind=kind, severity=severity, message=message)
        return checked(case, Soundness(findings=(finding,)), None, cached=False, least=None)

    async def _soundness(self, case: Case, *, borrowed: bool) -> tuple[Soundness, bool]:
        store = self.checks.store.sound if self.checks.store else None
        key = self.keys.soundness(case, self._lock(case), borrowed=borrowed)
        found = store.get(key) if store and key else None
        if found is not None:
            return found, True
        found = await soundness(case, self.lab, borrowed=borrowed)
        if store and key and is_lasting(found):
            store.put(key, found)
        return found, False

    async def _strength(self, case: Case, sound: Soundness) -> tuple[Strength | None, bool]:
        if not self.checks.mutants or sound.timing is None or not has_strength(case, sound):
            return None, True
        started = time.monotonic()
        fates, known = await self._fates(case, sound.timing.slowest_secs)
        fates = await confirmed(case, self.lab, fates)
        secs = 0.0 if known else time.monotonic() - started
        return strength(case, fates, secs=secs), known

    async def _fates(self, case: Case, slowest_secs: float) -> tuple[Fates, bool]:
        store = self.checks.store.fates if self.checks.store else None
        key = self.keys.mutants(case, self._lock(case))
        found = store.get(key) if store and key else None
        if found is not None:
            return found, True
        found = await fates_of(case, self.lab, slowest_secs)
        if store and key:
            store.put(key, found)
        return found, False

    def _lock(self, case: Case) -> str | None:
        return self.checks.grader.lock_of(case)
