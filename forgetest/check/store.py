"""What earlier checks found, by content: soundness and mutants apart, each under its own key."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from forgetest.check.types import Fates, Kind, Severity, Soundness
from forgetest.evalset.types import Case
from forgetest.grading.graders import is_repeatable, verdict_key
from forgetest.grading.identity import grader_version
from forgetest.grading.verdict_store import Store, StoredFile
from forgetest.process import MIB

FOLDER = "checks"  # below the cache folder
BUDGET = 64 * MIB
_ENTRIES = 20_000
SOURCES = ("check", "mutants", "score.py", "extract/wants.py")  # what they import counts, too
# What another day, or a machine with less to do, may not find.
_CHANCE = frozenset({Kind.FLAKY, Kind.ORDER, Kind.TIME, Kind.FAULT, Kind.DEPENDENCIES})
_TIMED_OUT = frozenset({"test_timeout", "compile_timeout"})


@dataclass(frozen=True, slots=True)
class Keys:
    """What, beside the case, decides what a check finds."""

    identity: str  # the grader's
    times: int

    def soundness(self, case: Case, lock: str | None, *, borrowed: bool) -> str | None:
        """Return the key of a case's soundness, None when it can not be told."""
        return self._key(case, lock, f"soundness {self.times} {borrowed}")

    def mutants(self, case: Case, lock: str | None) -> str | None:
        """Return the key of what became of a case's mutants, None when it can not be told."""
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
    """Tell whether checking again would find the same, whatever else the machine does."""
    chance = any(
        one.kind in _CHANCE and one.severity is not Severity.NOTE for one in found.findings
    )
    return not chance and found.reference not in _TIMED_OUT and found.stub not in _TIMED_OUT
