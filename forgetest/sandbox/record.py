"""Read what the guard wrote, strictly: a record that is not exactly right is a fault."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from forgetest.errors import Fault, FaultKind
from forgetest.process import Exit

_RAN = re.compile(
    rb"ran (\d+) (only|first|trap) (-1|\d+) (-1|\d+) ([01]) ([01]) (\d+) (\d+) (\d+) (\d+)"
)
_MICROS = 1_000_000
_QUOTED = 300  # characters of a complaint


@dataclass(frozen=True, slots=True)
class Record:
    """One run of one command of a plan."""

    index: int
    mode: str  # only, first, trap
    ended: Exit


def parse(data: bytes) -> tuple[Record, ...]:
    """Return all runs that the guard tells of; `Fault` when it failed or is cut off."""
    return tuple(_records(data))


def _records(data: bytes) -> Iterator[Record]:
    at = 0
    while True:
        line, newline, _ = data[at : at + 4096].partition(b"\n")
        at += len(line) + 1
        if line == b"done" and newline and at == len(data):
            return
        found = _RAN.fullmatch(line)
        if not newline or found is None:
            _refuse(line)
        sizes = int(found[9]), int(found[10])
        end = at + sum(sizes)
        if end > len(data):
            _refuse(b"the launcher's records are cut off")
        yield _record(found, data[at : at + sizes[0]], data[at + sizes[0] : end])
        at = end


def _record(found: re.Match[bytes], report: bytes, output: bytes) -> Record:
    code, signal = int(found[3]), int(found[4])
    ended = Exit(
        code=None if code < 0 else code,
        signal=None if signal < 0 else signal,
        timed_out=found[5] == b"1",
        output_limited=found[6] == b"1",
        stdout=report,
        stderr=output,
        secs=int(found[7]) / _MICROS,
        cpu_secs=int(found[8]) / _MICROS,
    )
    return Record(int(found[1]), found[2].decode(), ended)


def _refuse(line: bytes) -> NoReturn:
    text = line.decode(errors="replace").removeprefix("fault ")[:_QUOTED]
    raise Fault(FaultKind.SANDBOX, text or "the launcher ended without a record")
