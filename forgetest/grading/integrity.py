"""How far a verdict can be trusted: what the sample does that may bend it.

Flags are found in the code alone and change no score; only the tests tell that a sample cheated.
"""

from enum import StrEnum

from pydantic import Field

from forgetest.evalset.types import Case
from forgetest.rust.scan import Scan, scan
from forgetest.value import Value


class Level(StrEnum):
    """How much a reader should make of a verdict."""

    CLEAN = "clean"
    FLAGGED = "flagged"  # the sample does something worth a look
    CHEATED = "cheated"  # the sample was caught forging a result


class Integrity(Value):
    """What is known of a sample's honesty; `reason` says why it is not clean."""

    level: Level = Level.CLEAN
    flags: tuple[str, ...] = ()
    unsafe_count: int = Field(default=0, ge=0)  # how often the code says `unsafe`
    reason: str = ""


def scan_of(case: Case, code: str) -> Scan:
    """Return what the tokens of a sample say, in the edition and among the crates of its case."""
    crates = {dependency.name.replace("-", "_") for dependency in case.dependencies}
    return scan(code, edition=case.edition, crates=crates)


def integrity_of(found: Scan, *, caught: str = "", refused: str = "") -> Integrity:
    """Return the integrity of scanned code.

    `caught` says how it cheated, `refused` why it was not compiled. Refused code is only flagged:
    honest bindings to C look no different.
    """
    flags = tuple(str(flag) for flag in found.flags)
    level = Level.FLAGGED if flags or refused else Level.CLEAN
    said = f"the code has {', '.join(flags)}" if flags else ""
    return Integrity(
        level=Level.CHEATED if caught else level,
        flags=flags,
        unsafe_count=found.unsafe,
        reason=caught or refused or said,
    )
