"""The records of a journal's samples, each made from its lines when it is asked for.

Of each line only its place is kept, so that a journal of any size can be folded.
"""

import os
import weakref
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path

from forgetest.errors import RunDirError
from forgetest.run.events import Event, SampleRecord, record_of
from forgetest.run.journal import JournalLine, read_line, read_lines
from forgetest.run.manifest import JOURNAL
from forgetest.run.seal import Chain, JournalMark
from forgetest.sampling.plan import Plan

_NONE = -1


class JournalRecords(Mapping[str, SampleRecord]):
    """What is known of each sample that a journal speaks of, in the order of the plan.

    The journal stays open, and may grow meanwhile; what came later is not in here.
    """

    def __init__(self, path: Path, plan: Plan) -> None:
        """Read and check all lines; RunDirError as `read_lines` raises it."""
        self._file = path / JOURNAL
        try:
            self._descriptor = os.open(self._file, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise RunDirError(f"{self._file}: {error.strerror}") from None
        weakref.finalize(self, os.close, self._descriptor)
        # The newest line of each sample, where each line begins, and the sample's line before it.
        self._last = {sample.key: _NONE for sample in plan.samples()}
        self._starts, self._before = array("Q"), array("q")
        self._chain = Chain()
        with self._file.open("rb") as file:
            for line in read_lines(file, self._chain, file=file.name, samples=self._last):
                self._note(line)

    @property
    def mark(self) -> JournalMark:
        """What a report that is made from the journal says of it."""
        return self._chain.mark

    def __getitem__(self, key: str) -> SampleRecord:
        if self._last[key] == _NONE:
            raise KeyError(key)
        return record_of(self._events(key))

    def __iter__(self) -> Iterator[str]:
        return (key for key, last in self._last.items() if last != _NONE)

    def __len__(self) -> int:
        return sum(last != _NONE for last in self._last.values())

    def events(self) -> Iterator[Event]:
        """Yield what all lines say, in their order."""
        return (read_line(self._descriptor, start) for start in self._starts)

    def _note(self, line: JournalLine) -> None:
        key = line.event.sample
        self._starts.append(line.start)
        self._before.append(self._last[key])
        self._last[key] = len(self._before) - 1

    def _events(self, key: str) -> list[Event]:
        """Return a sample's events in their order."""
        number, events = self._last[key], []
        while number != _NONE:
            events.append(read_line(self._descriptor, self._starts[number]))
            number = self._before[number]
        return events[::-1]
