"""The records of a journal's samples, each made from its lines when it is asked for.

Of each line only its place is kept, so that a journal of any size can be folded.
"""

import os
import weakref
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path

from forgetest.errors import RunDirError
from forgetest.run.events import EVENT, Event, SampleRecord, fold
from forgetest.run.folder import checked_event, damaged_line
from forgetest.run.manifest import JOURNAL
from forgetest.run.seal import Chain, JournalMark, is_torn
from forgetest.sampling.plan import Plan

_NONE = -1


class JournalRecords(Mapping[str, SampleRecord]):
    """What is known of each sample that a journal speaks of, in the order of the plan.

    The journal stays open, and may grow meanwhile; what came later is not in here.
    """

    def __init__(self, path: Path, plan: Plan) -> None:
        """Read and check all lines; RunDirError for a damaged journal, as `read_journal` has it."""
        self._file = path / JOURNAL
        try:
            self._descriptor = os.open(self._file, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise RunDirError(f"{self._file}: {error.strerror}") from None
        weakref.finalize(self, os.close, self._descriptor)
        self._last = {
            sample.key: _NONE for sample in plan.each_sample()
        }  # the newest line of each sample
        self._starts = array("Q", [0])  # of each line, and where the next one would begin
        self._before = array("q")  # the line before of the same sample
        self._chain = Chain()
        self._read()

    @property
    def mark(self) -> JournalMark:
        """What a report that is made from the journal says of it."""
        return self._chain.mark

    def __getitem__(self, key: str) -> SampleRecord:
        if self._last[key] == _NONE:
            raise KeyError(key)
        return fold(self._events(key))[key]

    def __iter__(self) -> Iterator[str]:
        return (key for key, last in self._last.items() if last != _NONE)

    def __len__(self) -> int:
        return sum(last != _NONE for last in self._last.values())

    def _read(self) -> None:
        """Check every line that has its newline, and note where it stands."""
        with self._file.open("rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    self._refuse_lost_newline(line)
                    return
                self._note(line)

    def _note(self, line: bytes) -> None:
        number = len(self._before)
        try:
            event = checked_event(line[:-1], self._chain, self._last)
        except ValueError as error:
            raise damaged_line(str(self._file), number + 1, str(error)) from None
        self._starts.append(self._starts[-1] + len(line))
        self._before.append(self._last[event.sample])
        self._last[event.sample] = number

    def _refuse_lost_newline(self, tail: bytes) -> None:
        if not is_torn(tail):
            number = len(self._before) + 1
            raise damaged_line(str(self._file), number, "its newline is missing")

    def _events(self, key: str) -> list[Event]:
        """Return a sample's events in their order."""
        number, events = self._last[key], []
        while number != _NONE:
            start, end = self._starts[number], self._starts[number + 1]
            line = os.pread(self._descriptor, end - start, start)
            events.append(EVENT.validate_json(Chain.body(line[:-1])))
            number = self._before[number]
        return events[::-1]
