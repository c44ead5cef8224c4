#!/usr/bin/env python3
"""What becomes of damaged run folders: flipped bits, cut ends, lost bytes; see docs/reports.md."""

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from random import Random

from pace.reports import run_of
from pace.samples import AT

from forgetest.compare.read import read_side
from forgetest.compare.side import Side
from forgetest.errors import FaultKind, ForgetestError
from forgetest.report.build import build_report
from forgetest.report.files import open_run
from forgetest.report.types import Report
from forgetest.run.events import Completed, Event, Faulted, Graded, SampleRecord, fold
from forgetest.run.folder import create, resume
from forgetest.run.manifest import MANIFEST, REPORT
from forgetest.runner.session import write_results

JOURNAL = "journal.jsonl"
CASES, SAMPLES = 3, 4
FAULTY = 5  # one of so many samples is asked for twice
LAST_LINES = 3  # whose every byte is cut
NONE_SILENT, SOME_SILENT = 0, 1  # exit codes


class Fate(StrEnum):
    """What damage led to."""

    REFUSED = "refused"  # one line, exit code 2
    HEALED = "healed"  # resuming the run leads to the report that it had
    WITHOUT_EFFECT = "without effect"  # the same report
    WARNED = "warned"  # another report, which says so
    SILENT = "silent"  # another report, which does not say so


@dataclass(frozen=True, slots=True)
class Damaged:
    """What one damaged file led to."""

    fate: Fate
    headline: bool = False  # the pass rate is another one, and nobody says so


class Lab:
    """A finished run folder whose files are damaged one at a time, and put back."""

    def __init__(self, root: Path) -> None:
        manifest, records = run_of(cases=CASES, samples=SAMPLES)
        with create(root, manifest) as rundir:
            for event in _events(records):
                rundir.append(event)
            write_results(rundir)
            self.folder = rundir.path
            self.events = list(rundir.read())
        self.files = {name: self._raw(name) for name in (JOURNAL, MANIFEST, REPORT)}
        self.report = open_run(self.folder).report
        self.side = read_side(self.files[REPORT], file="report")

    def journal(self, raw: bytes) -> Damaged:
        """Return what becomes of an unfinished run with this journal when it is resumed."""
        return self._judged(JOURNAL, raw, self._resumed)

    def manifest(self, raw: bytes) -> Damaged:
        """Return what becomes of an unfinished run with this manifest."""
        return self._judged(MANIFEST, raw, self._unfinished)

    def finished(self, raw: bytes) -> Damaged:
        """Return what becomes of a finished run with this journal."""
        return self._judged(JOURNAL, raw, self._opened)

    def shown(self, raw: bytes) -> Damaged:
        """Return what `report` and `show` make of this report."""
        return self._judged(REPORT, raw, self._opened)

    def compared(self, raw: bytes) -> Damaged:
        """Return what `compare` makes of this report."""
        try:
            side = read_side(raw, file="report")
        except ForgetestError as error:
            return _refused(error)
        if doubts(side):
            return Damaged(Fate.WARNED)
        same = side == self.side
        return Damaged(Fate.WITHOUT_EFFECT if same else Fate.SILENT, headline=_moved(side, self))

    def _raw(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()

    def _judged(self, name: str, raw: bytes, judge: Callable[[], Damaged]) -> Damaged:
        try:
            (self.folder / name).write_bytes(raw)
            return judge()
        except ForgetestError as error:
            return _refused(error)
        finally:
            for file, intact in self.files.items():
                (self.folder / file).write_bytes(intact)

    def _resumed(self) -> Damaged:
        """Resume the run; let what its journal lost happen again."""
        with resume(self.folder) as rundir:
            found = list(rundir.read())
            kept = len(found)
            if found != self.events[:kept]:
                return self._told(build_report(rundir.manifest, fold(found)))
            for event in self.events[kept:]:
                rundir.append(event)
        if self._raw(JOURNAL) != self.files[JOURNAL]:
            return Damaged(Fate.SILENT)
        return Damaged(Fate.HEALED if kept < len(self.events) else Fate.WITHOUT_EFFECT)

    def _unfinished(self) -> Damaged:
        (self.folder / REPORT).unlink()
        return self._opened()

    def _opened(self) -> Damaged:
        return self._told(open_run(self.folder).report)

    def _told(self, found: Report) -> Damaged:
        if found == self.report:
            return Damaged(Fate.WITHOUT_EFFECT)
        if len(found.warnings) > len(self.report.warnings):
            return Damaged(Fate.WARNED)
        rates = [[one.overall.pass_rate for one in made.models] for made in (found, self.report)]
        return Damaged(Fate.SILENT, headline=rates[0] != rates[1])


def flips(raw: bytes, count: int, rng: Random) -> Iterator[bytes]:
    """Yield the bytes with one bit flipped, each time another one."""
    for place in rng.sample(range(len(raw) * 8), count):
        at, bit = divmod(place, 8)
        yield raw[:at] + bytes([raw[at] ^ (1 << bit)]) + raw[at + 1 :]


def cuts(raw: bytes) -> Iterator[bytes]:
    """Yield the bytes without their end, cut before each byte of the last lines."""
    for at in range(_last_lines(raw), len(raw)):
        yield raw[:at]


def losses(raw: bytes) -> Iterator[bytes]:
    """Yield the bytes without one of them, each of the last lines in turn."""
    for at in range(_last_lines(raw), len(raw)):
        yield raw[:at] + raw[at + 1 :]


def _last_lines(raw: bytes) -> int:
    return sum(map(len, raw.splitlines(keepends=True)[:-LAST_LINES]))


def doubts(side: Side) -> Sequence[str]:
    """Return what a side says against itself."""
    return getattr(side, "doubts", ())  # older versions had none


def tried(fate: Callable[[bytes], Damaged], damaged: Iterator[bytes]) -> Counter[Damaged]:
    """Return how often each came of some damaged files."""
    return Counter(map(fate, damaged))


def rounds(
    lab: Lab, *, journal: int, manifest: int, report: int, rng: Random
) -> Iterator[tuple[str, Counter[Damaged]]]:
    """Yield what came of each kind of damage, under its name."""
    whole = lab.files
    yield "bits of journals", tried(lab.journal, flips(whole[JOURNAL], journal, rng))
    yield (
        "bits of journals beside a report",
        tried(lab.finished, flips(whole[JOURNAL], journal // 4, rng)),
    )
    yield "bits of manifests", tried(lab.manifest, flips(whole[MANIFEST], manifest, rng))
    yield "bits of reports, shown", tried(lab.shown, flips(whole[REPORT], report, rng))
    yield "bits of reports, compared", tried(lab.compared, flips(whole[REPORT], report, rng))
    yield "journals cut", tried(lab.journal, cuts(whole[JOURNAL]))
    yield "bytes of journals lost", tried(lab.journal, losses(whole[JOURNAL]))
    yield "journals cut beside a report", tried(lab.finished, cuts(whole[JOURNAL]))


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0, or 1 when any damage changed a report in silence."""
    options = _options().parse_args(arguments)
    rng = Random(options.seed)  # noqa: S311 - to be repeated
    silent = 0
    _row(["damage", "tried", *Fate, "headline"])
    with tempfile.TemporaryDirectory(prefix="forgetest-benchmark-") as folder:
        lab = Lab(Path(folder))
        counts = {name: getattr(options, name) for name in ("journal", "manifest", "report")}
        for name, found in rounds(lab, **counts, rng=rng):
            fates = _by_fate(found)
            headline = sum(count for one, count in found.items() if one.headline)
            _row([name, found.total(), *(fates[fate] for fate in Fate), headline])
            silent += fates[Fate.SILENT]
    return SOME_SILENT if silent else NONE_SILENT


def _by_fate(found: Counter[Damaged]) -> Counter[Fate]:
    fates: Counter[Fate] = Counter()
    for one, count in found.items():
        fates[one.fate] += count
    return fates


def _row(cells: Sequence[object]) -> None:
    first, *rest = map(str, cells)
    sys.stdout.write(f"{first:34}{''.join(f'{cell:>16}' for cell in rest)}\n")
    sys.stdout.flush()


def _refused(error: ForgetestError) -> Damaged:
    """Return a refusal, which is one line; anything longer is a bug."""
    if "\n" in str(error):
        raise AssertionError(f"more than one line: {error}")
    return Damaged(Fate.REFUSED)


def _moved(side: Side, lab: Lab) -> bool:
    found, before = (
        {
            (name, case.key): (case.n, case.c)
            for name, m in one.models.items()
            for case in m.cases.values()
        }
        for one in (side, lab.side)
    )
    return found != before


def _events(records: Mapping[str, SampleRecord]) -> Iterator[Event]:
    """Yield a run of which the machine failed some samples, each once, before they were done."""
    for number, (key, record) in enumerate(records.items()):
        if number % FAULTY == 0:
            kind = FaultKind.PROVIDER
            yield Faulted(sample=key, at=AT, stage="asking", kind=kind, message="503 from server")
        if record.completion is not None:
            yield Completed(sample=key, at=AT, completion=record.completion)
        if record.verdict is not None and record.extraction is not None:
            yield Graded(sample=key, at=AT, extraction=record.extraction, verdict=record.verdict)


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--journal", type=int, default=4000, help="bits flipped in journals (default: 4000)")
    add("--manifest", type=int, default=1500, help="bits flipped in manifests (default: 1500)")
    add("--report", type=int, default=500, help="bits flipped in reports (default: 500)")
    add("--seed", type=int, default=1, help="of all draws (default: 1)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
