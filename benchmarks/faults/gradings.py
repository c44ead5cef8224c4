"""Grade samples undisturbed, then again on a machine that fails, and compare the verdicts."""

import asyncio
import contextlib
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from faults.killer import Killer, Shot
from forgetest.errors import Fault
from forgetest.evalset.types import Case
from forgetest.grading.grader import SampleGrader
from forgetest.grading.verdict import Verdict

_SMALLEST, _LARGEST = 32, 1 << 14  # KiB of a disk that is too small, or just large enough
_FILLED = 0.25  # of the trials; in the others something is killed

MakeGrader = Callable[[Path | None], SampleGrader]


@dataclass(frozen=True)
class Graded:
    """A sample and what an undisturbed machine finds of it."""

    name: str
    case: Case
    code: str
    essence: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Trial:
    """What came of one grading on a failing machine."""

    sample: str
    trouble: str
    hit: bool  # whether anything was killed, or the disk was small
    fault: str = ""
    difference: str = ""  # empty where the verdict is the undisturbed one


@dataclass
class Tally:
    """The trials, counted."""

    trials: list[Trial] = field(default_factory=list)

    def __str__(self) -> str:
        hits = Counter(trial.trouble for trial in self.trials if trial.hit)
        faults = sum(bool(trial.fault) for trial in self.trials)
        told = ", ".join(f"{name} {count}" for name, count in sorted(hits.items()))
        return (
            f"{len(self.trials)} gradings, {sum(trial.hit for trial in self.trials)} disturbed "
            f"({told}); {faults} faults, {len(self.different)} verdicts differ"
        )

    @property
    def different(self) -> list[Trial]:
        """Those whose verdict is another one than that of the undisturbed machine."""
        return [trial for trial in self.trials if trial.difference]


def essence(verdict: Verdict) -> dict[str, Any]:
    """Return what a verdict says, without times, what tests printed, and names of folders."""
    found = verdict.model_dump(mode="json", exclude={"timings"})
    found["tests"] = [(test.name, str(test.outcome)) for test in verdict.tests]
    for key in ("errors", "test_errors", "lints"):
        found[key] = [one if one["span"] else one["code"] for one in found[key]]
    return found


def undisturbed(grader: SampleGrader, samples: Sequence[Graded], *, times: int = 2) -> list[Graded]:
    """Return the samples with their verdicts, those left out that waver by themselves."""
    kept = []
    for sample in samples:
        first, *more = (
            essence(asyncio.run(grader.grade(sample.case, sample.code))) for _ in range(times)
        )
        if all(other == first for other in more):
            kept.append(Graded(sample.name, sample.case, sample.code, first))
    return kept


def can_mount() -> bool:
    """Tell whether this user may make a small disk."""
    try:
        with small_disk(64):
            return True
    except subprocess.CalledProcessError:
        return False


def trials(
    make: MakeGrader, samples: Sequence[Graded], count: int, *, seed: int, fill: bool = True
) -> Iterator[Trial]:
    """Yield `count` gradings of random samples, each with a trouble of its own.

    `make` returns a grader whose temporary folder is the one given, prepared already.
    """
    random = Random(seed)  # noqa: S311 - no secret
    sound = make(None)
    for _ in range(count):
        sample = random.choice(samples)
        if fill and random.random() < _FILLED:
            yield _on_a_full_disk(make, sample, random)
        else:
            yield _with_a_killer(sound, sample, random)


def _with_a_killer(grader: SampleGrader, sample: Graded, random: Random) -> Trial:
    shot = Shot.draw(random)
    with Killer(shot, Random(random.random())) as killer:  # noqa: S311 - no secret
        fault, difference = _outcome(grader, sample)
    hits = " ".join(killer.hits)
    difference = difference and f"{difference} (after {hits})"
    return Trial(sample.name, shot.kind, bool(killer.hits), fault, difference)


def _on_a_full_disk(make: MakeGrader, sample: Graded, random: Random) -> Trial:
    size = int(_SMALLEST * (_LARGEST / _SMALLEST) ** random.random())
    with small_disk(size) as folder:
        fault, difference = _outcome(make(folder), sample)
    difference = difference and f"{difference} (on {size} KiB)"
    return Trial(sample.name, "disk", hit=True, fault=fault, difference=difference)


@contextlib.contextmanager
def small_disk(size: int) -> Iterator[Path]:
    """Give a file system of `size` KiB that is also the system's temporary folder meanwhile."""
    before = tempfile.gettempdir()
    with tempfile.TemporaryDirectory(prefix="small-disk-") as name:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size}k,mode=1777", "tmpfs", name]
        subprocess.run(mount, check=True, capture_output=True)
        tempfile.tempdir = name
        try:
            yield Path(name)
        finally:
            tempfile.tempdir = before
            subprocess.run(["umount", "--lazy", name], check=True)


def _outcome(grader: SampleGrader, sample: Graded) -> tuple[str, str]:
    """Return a fault's message, or what differs of the verdict; twice nothing where all is well."""
    try:
        verdict = asyncio.run(grader.grade(sample.case, sample.code))
    except Fault as fault:
        return str(fault), ""
    found = essence(verdict)
    parts = [
        f"{key}: {sample.essence[key]} -> {value}"
        for key, value in found.items()
        if sample.essence[key] != value
    ]
    return "", "; ".join(parts)
