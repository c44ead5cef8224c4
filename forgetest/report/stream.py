"""report.json as a stream: written a sample at a time, and read where each sample stands.

A report that fits its own digest is byte for byte what forgetest wrote: one sample after the other,
at a known depth, and no string holds a line break. Its samples are then found without parsing, and
each is parsed when it is looked at. Any other report is read whole.
"""

import os
import weakref
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forgetest.report.samples import LazySamples, SampleReport
from forgetest.report.types import CaseReport, ModelReport, Report
from forgetest.run.seal import DIGEST, SealCheck, SealState, sealed_pieces

_CASES, _SAMPLES = '\n   "cases": []', '\n     "samples": []'
_CASE_DEPTH, _SAMPLE_DEPTH = 4, 6  # spaces in front of the braces of a case and of a sample
_OPEN, _END = b'\n     "samples": [', b"\n      }"
_FIRST, _NEXT, _CLOSE = b"\n      {\n", b",\n      {\n", b"\n     ]"
_BLOCK = 1 << 20  # bytes that are read at once
_SMALL = 1 << 20  # bytes of a file that is held in memory


def report_pieces(report: Report) -> Iterator[str]:
    """Yield the report as JSON text with its digest; deterministic for equal reports."""
    return sealed_pieces(_pieces(report), indent=1)


def _pieces(report: Report) -> Iterator[str]:
    """Yield the report without what closes it."""
    bare = tuple(model.model_copy(update={"cases": ()}) for model in report.models)
    frame = report.model_copy(update={"models": bare})
    text = frame.model_dump_json(indent=1, exclude=_not_asked(report)).removesuffix("\n}")
    first, *rest = text.rsplit(_CASES, len(bare))  # eval sets, which come first, have cases too
    yield first
    for model, after in zip(report.models, rest, strict=True):
        yield _CASES[:-1]
        for place, case in enumerate(model.cases):
            yield "," if place else ""
            yield from _case(case)
        yield "\n   ]" if model.cases else "]"
        yield after


def _not_asked(report: Report) -> dict[str, Any]:
    """Return the keys that only a report with options of `[report]` has, and its old digest."""
    if report.report_options is not None:
        return {DIGEST: True}
    return {DIGEST: True, "report_options": True, "models": {"__all__": {"extensions": True}}}


def _case(case: CaseReport) -> Iterator[str]:
    bare = case.model_copy(update={"samples": ()}).model_dump_json(indent=1)
    start, _, end = _indented(bare, _CASE_DEPTH).rpartition(_SAMPLES)
    yield start + _SAMPLES[:-1]
    for place, sample in enumerate(case.samples):
        text = _indented(sample.model_dump_json(indent=1), _SAMPLE_DEPTH)
        yield f",{text}" if place else text
    yield "\n     ]" if len(case.samples) else "]"
    yield end


def _indented(text: str, depth: int) -> str:
    """Return the lines of a value as they stand deeper in a document, each after its newline."""
    margin = "\n" + " " * depth
    return margin + text.replace("\n", margin)


def head_of(report: Report) -> bytes:
    """Return the report as JSON without its samples."""
    models = (
        model.model_copy(
            update={"cases": tuple(case.model_copy(update={"samples": ()}) for case in model.cases)}
        )
        for model in report.models
    )
    return report.model_copy(update={"models": tuple(models)}).model_dump_json().encode()


def sample_documents(case: CaseReport) -> Iterator[bytes]:
    """Yield the JSON of each sample of a case."""
    if isinstance(case.samples, LazySamples):
        return case.samples.documents()
    return (sample.model_dump_json().encode() for sample in case.samples)


class Source:
    """The bytes of a report, in memory or in a file that stays open while somebody reads it.

    The file is what it was when it was opened, also when another takes its place.
    """

    def __init__(self, raw: bytes | None = None, *, descriptor: int = -1) -> None:
        self._raw, self._descriptor = raw, descriptor
        if raw is None:
            weakref.finalize(self, os.close, descriptor)

    @classmethod
    def opened(cls, path: Path) -> "Source":
        """Return a file's bytes; raises OSError."""
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        source = cls(descriptor=descriptor)
        return source if os.fstat(descriptor).st_size > _SMALL else cls(source.whole())

    def read(self, start: int, end: int) -> bytes:
        """Return the bytes from one place to another; fewer at the end. Raises OSError."""
        if self._raw is not None:
            return self._raw[start:end]
        return os.pread(self._descriptor, end - start, start)

    def whole(self) -> bytes:
        """Return all bytes; raises OSError."""
        return self._raw if self._raw is not None else b"".join(self.blocks())

    def blocks(self) -> Iterator[bytes]:
        """Yield all bytes in order, a block at a time; raises OSError."""
        start = 0
        while block := self.read(start, start + _BLOCK):
            yield block
            start += len(block)


@dataclass(frozen=True, slots=True)
class ReportLayout:
    """Where the samples of a report stand; `head` is the report without any."""

    source: Source
    head: bytes
    counts: "array[int]"  # samples of each case, in the order of the file
    starts: "array[int]"  # bytes, of each sample
    ends: "array[int]"

    def sample(self, place: int) -> bytes:
        """Return the JSON of a sample, by its place among those of all cases; raises OSError."""
        return self.source.read(self.starts[place], self.ends[place])

    def documents(self, places: range) -> Iterator[bytes]:
        """Yield the JSON of some samples; raises OSError."""
        return map(self.sample, places)

    def cases(self) -> Iterator[range]:
        """Yield the places of each case's samples."""
        first = 0
        for count in self.counts:
            yield range(first, first + count)
            first += count


def find_samples(source: Source) -> ReportLayout | None:
    """Return where samples stand in a report that fits its digest; None for any other.

    Raises OSError.
    """
    scan = _Scan(source.blocks())
    layout = _scanned(scan, source)
    scan.rest()
    return layout if layout is not None and scan.seal.state is SealState.FITS else None


def _scanned(scan: "_Scan", source: Source) -> ReportLayout | None:
    head = bytearray()
    layout = ReportLayout(source, b"", array("Q"), array("Q"), array("Q"))
    while scan.past(_OPEN, head):
        before = len(layout.starts)
        if scan.peek(len(_FIRST)) == _FIRST and not _case_samples(scan, layout):
            return None
        layout.counts.append(len(layout.starts) - before)
    return ReportLayout(source, bytes(head), layout.counts, layout.starts, layout.ends)


def _case_samples(scan: "_Scan", layout: ReportLayout) -> bool:
    """Note where each sample of a case stands; return whether the list is as we write it."""
    layout.starts.append(scan.place + len(_FIRST) - 2)
    while scan.past(_END):
        layout.ends.append(scan.place)
        behind = scan.peek(len(_NEXT))
        if behind != _NEXT:
            return behind.startswith(_CLOSE)
        layout.starts.append(scan.place + len(_NEXT) - 2)
    return False


@dataclass(slots=True)
class _Scan:
    """Goes through bytes once, and knows at the end whether they fit their digest."""

    blocks: Iterator[bytes]
    place: int = 0  # where the scan stands, in bytes from the beginning
    seal: SealCheck = field(default_factory=SealCheck)
    _held: bytes = b""  # read, and not wholly passed
    _at: int = 0  # of the place in it

    def past(self, needle: bytes, head: bytearray | None = None) -> bool:
        """Go on behind the next needle, and add what was passed to a head; False at the end."""
        while (found := self._held.find(needle, self._at)) < 0:
            kept = min(len(needle) - 1, len(self._held) - self._at)
            self._pass(len(self._held) - kept, head)
            if not self._more():
                self._pass(len(self._held), head)
                return False
        self._pass(found + len(needle), head)
        return True

    def peek(self, size: int) -> bytes:
        """Return the next bytes without passing them."""
        while len(self._held) - self._at < size and self._more():
            pass
        return self._held[self._at : self._at + size]

    def rest(self) -> None:
        """Read what is left, for the digest."""
        while self._more():
            self._pass(len(self._held), None)

    def _pass(self, end: int, head: bytearray | None) -> None:
        if head is not None:
            head += memoryview(self._held)[self._at : end]
        self.place += end - self._at
        self._at = end

    def _more(self) -> bool:
        block = next(self.blocks, b"")
        self.seal.update(block)
        self._held, self._at = self._held[self._at :] + block, 0
        return bool(block)


def with_samples(
    report: Report, layout: ReportLayout, parse: Callable[[bytes], SampleReport]
) -> Report | None:
    """Return the report of a head with its samples, parsed when they are looked at.

    Returns None where its cases are not those of the layout.
    """
    if sum(len(model.cases) for model in report.models) != len(layout.counts):
        return None
    places = layout.cases()

    def lazy(places: range) -> LazySamples:
        def document(index: int) -> bytes:
            return layout.sample(places[index])

        return LazySamples(len(places), lambda index: parse(document(index)), document)

    def filled(model: ModelReport) -> ModelReport:
        cases = (case.model_copy(update={"samples": lazy(next(places))}) for case in model.cases)
        return model.model_copy(update={"cases": tuple(cases)})

    return report.model_copy(update={"models": tuple(map(filled, report.models))})
