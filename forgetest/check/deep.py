"""Check every case of eval sets deeply, with what earlier checks remember.

Soundness and mutants are remembered apart, each by the content of the case, the toolchain and the
limits. At the end come the findings on strength and the sums over cases, which are pure.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from forgetest.check.anchors import Missing, crates_finding, fault_finding
from forgetest.check.soundness import CheckTools, soundness
from forgetest.check.strength import confirmed, fates_of, has_strength, strength
from forgetest.check.summary import checked
from forgetest.check.types import (
    CaseCheck,
    Fates,
    Finding,
    FindingKind,
    Severity,
    Soundness,
    Strength,
)
from forgetest.errors import Fault
from forgetest.evalset.types import Case, EvalSet
from forgetest.grading.grader import SampleGrader
from forgetest.grading.graders import Examiner, is_repeatable, verdict_key
from forgetest.grading.identity import grader_version
from forgetest.grading.verdict_store import Store, StoredFile
from forgetest.system.process import MIB

FOLDER = "checks"  # below the cache folder
BUDGET = 64 * MIB
_ENTRIES = 20_000
SOURCES = (
    "check",
    "mutants",
    "report/score.py",
    "extract/wants.py",
)  # what they import counts, too
# What another day, or a machine with less to do, may not find.
_CHANCE = frozenset(
    {
        FindingKind.UNSTEADY,
        FindingKind.ORDER,
        FindingKind.TIME,
        FindingKind.FAULT,
        FindingKind.DEPENDENCIES,
    }
)
_TIMED_OUT = frozenset({"test_timeout", "compile_timeout"})


@dataclass(frozen=True, slots=True)
class Keys:
    """What decides, besides the case, what a check finds."""

    identity: str  # the grader's
    times: int

    def soundness(self, case: Case, lock: str | None, *, borrowed: bool) -> str | None:
        """Return the key of a case's soundness, None when it cannot be told."""
        return self._key(case, lock, f"soundness {self.times} {borrowed}")

    def mutants(self, case: Case, lock: str | None) -> str | None:
        """Return the key of what became of a case's mutants, None when it cannot be told."""
        return self._key(case.model_copy(update={"prompt": ""}), lock, "mutants")

    def _key(self, case: Case, lock: str | None, half: str) -> str | None:
        if lock is None or not is_repeatable(case):
            return None
        identity = f"{self.identity}\n{grader_version(sources=SOURCES)}"
        return verdict_key(case, half, identity=identity, lock=lock)


class CheckStore:
    """The findings of earlier checks below `cache`."""

    def __init__(self, cache: Path) -> None:
        folder, budget = cache / FOLDER, BUDGET // 2
        self.sound = Store(folder / "soundness", Soundness, budget=budget, entries=_ENTRIES)
        self.fates = Store(folder / "mutants", Fates, budget=budget, entries=_ENTRIES)

    def files(self) -> Iterator[StoredFile]:
        """Yield every file of both halves."""
        yield from self.sound.files()
        yield from self.fates.files()

    def clear(self) -> list[StoredFile]:
        """Remove every file of both halves and return those that are gone."""
        gone = [*self.sound.clear(), *self.fates.clear()]
        with contextlib.suppress(OSError):
            self.sound.folder.parent.rmdir()
        return gone


def is_lasting(found: Soundness) -> bool:
    """Tell whether checking again would find the same, even on a busy machine."""
    chance = any(
        finding.kind in _CHANCE and finding.severity is not Severity.NOTE
        for finding in found.findings
    )
    return not chance and found.reference not in _TIMED_OUT and found.stub not in _TIMED_OUT


Listen = Callable[[CaseCheck], None]


@dataclass(frozen=True, slots=True)
class Checks:
    """How cases are checked: with what, how thoroughly, and what is known from before.

    `min_strength` is a share; None: any strength will do.
    """

    grader: SampleGrader  # prepares
    parallelism: int
    remote: Examiner | None = None  # grades, in place of `grader`
    times: int = 3
    mutants: bool = True  # False: soundness alone
    min_strength: float | None = None
    store: CheckStore | None = None
    listen: Listen = lambda _: None

    async def all(self, sets: Sequence[EvalSet]) -> dict[str, CaseCheck]:
        """Return the check of every case by `set/case`.

        Crates that nobody can have break their own cases, those that only this machine cannot
        have leave theirs unchecked. Raises what `SampleGrader.prepare` raises of the machine.
        """
        cases = [(case, item.source is not None) for item in sets for case in item.cases]
        missing = await self.grader.prepare_available(case for case, _ in cases)
        session = _CheckSession(self, missing)
        limit = asyncio.Semaphore(self.parallelism)

        async def check_one(case: Case, borrowed: bool) -> CaseCheck:
            async with limit:
                found = await session.check(case, borrowed=borrowed)
            self.listen(found)
            return found

        async with asyncio.TaskGroup() as group:
            tasks = {
                case.key: group.create_task(check_one(case, borrowed)) for case, borrowed in cases
            }
        return {key: task.result() for key, task in tasks.items()}


@dataclass(slots=True)
class _CheckSession:
    """The checks of one session."""

    checks: Checks
    missing: Missing
    tools: CheckTools = field(init=False)
    keys: Keys = field(init=False)

    def __post_init__(self) -> None:
        grader = self.checks.grader
        self.tools = CheckTools(
            self.checks.remote or grader,
            asyncio.Semaphore(self.checks.parallelism),
            self.checks.times,
        )
        self.keys = Keys(grader.identity, self.checks.times)

    async def check(self, case: Case, *, borrowed: bool) -> CaseCheck:
        """Return everything about one case; what the machine fails at is a finding."""
        missing_crates = self.missing.get(case.dependencies)
        if missing_crates is not None:
            return self._only(case, crates_finding(missing_crates))
        try:
            sound, known = await self._soundness(case, borrowed=borrowed)
            strong, known_too = await self._strength(case, sound)
        except Fault as fault:
            return self._only(case, fault_finding(fault))
        return checked(
            case, sound, strong, cached=known and known_too, least=self.checks.min_strength
        )

    def _only(self, case: Case, finding: Finding) -> CaseCheck:
        return checked(case, Soundness(findings=(finding,)), None, cached=False, least=None)

    async def _soundness(self, case: Case, *, borrowed: bool) -> tuple[Soundness, bool]:
        store = self.checks.store.sound if self.checks.store else None
        key = self.keys.soundness(case, self._lock(case), borrowed=borrowed)
        found = store.get(key) if store and key else None
        if found is not None:
            return found, True
        found = await soundness(case, self.tools, borrowed=borrowed)
        if store and key and is_lasting(found):
            store.put(key, found)
        return found, False

    async def _strength(self, case: Case, sound: Soundness) -> tuple[Strength | None, bool]:
        if not self.checks.mutants or sound.timing is None or not has_strength(case, sound):
            return None, True
        started = time.monotonic()
        fates, known = await self._fates(case, sound.timing.slowest_secs)
        fates = await confirmed(case, self.tools, fates)
        secs = 0.0 if known else time.monotonic() - started
        return strength(case, fates, secs=secs), known

    async def _fates(self, case: Case, slowest_secs: float) -> tuple[Fates, bool]:
        store = self.checks.store.fates if self.checks.store else None
        key = self.keys.mutants(case, self._lock(case))
        found = store.get(key) if store and key else None
        if found is not None:
            return found, True
        found = await fates_of(case, self.tools, slowest_secs)
        if store and key:
            store.put(key, found)
        return found, False

    def _lock(self, case: Case) -> str | None:
        return self.checks.grader.lock_of(case)
