"""Checksums that files carry of themselves, so that damage is noticed.

A sealed JSON document ends in a key `digest`: SHA-256, in hex, of every byte before the comma in
front of that key. A sealed line of a journal ends in a key `sum`: the first 16 hex digits of
SHA-256 of every byte of the journal before the comma in front of it, which chains each line to all
lines above. Both are found by their form and not by parsing, so that a single changed bit, be it of
a space, is noticed. They reveal damage, not forgery.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path

from pydantic import Field

from forgetest.value import Value

DIGEST = "digest"  # the last key of a sealed document

_LINE_SUM = re.compile(rb',"sum":"([0-9a-f]{16})"\}')
_LINE_END = len(b',"sum":"0123456789abcdef"}')
_DOCUMENT_END = re.compile(rb',\n +"digest": "([0-9a-f]{64})"\n\}\n\Z')
_LONGEST_END = 128  # bytes in which the end of a sealed document fits, with room
_CHUNK = 1 << 20  # characters encoded at once: a report may have hundreds of millions


class SealState(StrEnum):
    """What a file's digest of itself says."""

    FITS = "fits"
    BROKEN = "broken"
    ABSENT = "absent"  # of a forgetest that wrote none


class JournalMark(Value):
    """Which journal a report was made from."""

    lines: int = Field(description="Lines of the journal.")
    unsealed: int = Field(0, description="Lines without a checksum, of an older version.")
    digest: str = Field(description="SHA-256 of all its lines, in hex.")


def sealed(text: str, *, indent: int) -> str:
    """Return the text of an indented, non-empty JSON object with its digest as the last key."""
    body = text.rstrip("\n").removesuffix("\n}")
    digest = hashlib.sha256()
    for at in range(0, len(body), _CHUNK):
        digest.update(body[at : at + _CHUNK].encode())
    return body + document_end(digest.hexdigest(), indent=indent)


def sealed_pieces(pieces: Iterable[str], *, indent: int) -> Iterator[str]:
    """Yield an indented, non-empty JSON object with its digest as the last key.

    The pieces are the object up to what closes it.
    """
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece.encode())
        yield piece
    yield document_end(digest.hexdigest(), indent=indent)


def document_end(digest: str, *, indent: int) -> str:
    """Return what closes a sealed document, from the comma in front of its digest on."""
    return f',\n{" " * indent}"{DIGEST}": "{digest}"\n}}\n'


def unsealed(text: str) -> str:
    """Return a sealed document up to the comma in front of its digest."""
    return text[: text.rindex(f'"{DIGEST}"')].rstrip(" \n").removesuffix(",")


def check_document(raw: bytes, digest: object) -> SealState:
    """Tell whether a document fits its digest; `digest` is what was parsed under that key.

    A document that was indented anew, or in which anything else was changed, does not fit.
    """
    end = _DOCUMENT_END.search(raw, max(0, len(raw) - _LONGEST_END))
    if end is None:
        return SealState.ABSENT if digest is None else SealState.BROKEN
    actual = hashlib.sha256(memoryview(raw)[: end.start()]).hexdigest()
    return SealState.FITS if actual.encode() == end[1] else SealState.BROKEN


class SealCheck:
    """Tells whether a document fits the digest at its end, from its bytes in their order."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._tail = b""  # which may hold the end

    def update(self, block: bytes) -> None:
        """Read on."""
        held = self._tail + block
        ended = max(0, len(held) - _LONGEST_END)
        self._hash.update(memoryview(held)[:ended])
        self._tail = held[ended:]

    @property
    def state(self) -> SealState:
        """What the digest says of all that was read."""
        end = _DOCUMENT_END.search(self._tail)
        if end is None:
            return SealState.ABSENT
        whole = self._hash.copy()
        whole.update(self._tail[: end.start()])
        return SealState.FITS if whole.hexdigest().encode() == end[1] else SealState.BROKEN


def file_digest(path: Path) -> str:
    """Return SHA-256 of a file, in hex; raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_torn(tail: bytes) -> bool:
    """Tell whether what follows a journal's last newline may be the beginning of a line.

    Behind a whole sealed line nothing but its newline can come: then that newline was damaged.
    """
    end = _LINE_SUM.search(tail)  # in a JSON string the quotes would follow backslashes
    return end is None or end.end() == len(tail)


class Chain:
    """The sums of a journal's lines, from its first byte on."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self.lines = 0
        self.unsealed = 0

    @property
    def mark(self) -> JournalMark:
        """What identifies the journal up to here."""
        digest = self._hash.hexdigest()
        return JournalMark(lines=self.lines, unsealed=self.unsealed, digest=digest)

    def copy(self) -> "Chain":
        """Return an independent copy of this chain."""
        twin = Chain()
        twin._hash, twin.lines, twin.unsealed = self._hash.copy(), self.lines, self.unsealed
        return twin

    def seal(self, event: str) -> bytes:
        """Return an event's JSON as a sealed line with its newline; the next is chained to it."""
        body = event.encode().removesuffix(b"}")
        self._hash.update(body)
        end = b',"sum":"' + self._sum() + b'"}\n'
        self._hash.update(end)
        self.lines += 1
        return body + end

    @staticmethod
    def body(line: bytes) -> bytes:
        """Return the event's JSON of a line that was checked before, given without its newline."""
        end = _LINE_SUM.fullmatch(line, max(0, len(line) - _LINE_END))
        return line if end is None else line[: end.start()] + b"}"

    def check(self, line: bytes) -> tuple[bytes, SealState]:
        """Return the event's JSON of a line, given without its newline, and what its sum says.

        A line without a sum below one that has a sum is `BROKEN`.
        """
        end = _LINE_SUM.fullmatch(line, max(0, len(line) - _LINE_END))
        self.lines += 1
        if end is None:
            state = SealState.ABSENT if self.lines - 1 == self.unsealed else SealState.BROKEN
            self.unsealed += 1
            self._hash.update(line + b"\n")
            return line, state
        body = line[: end.start()]
        self._hash.update(body)
        fits = self._sum() == end[1]
        self._hash.update(line[end.start() :] + b"\n")
        return body + b"}", SealState.FITS if fits else SealState.BROKEN

    def _sum(self) -> bytes:
        return self._hash.hexdigest()[:16].encode()
