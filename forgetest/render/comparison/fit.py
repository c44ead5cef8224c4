"""Fits a text of sections into a number of bytes: what is left out is named, never cut."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from forgetest.words import count

ROOM = 400  # bytes kept for the line that names what was left out


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a text that is left out whole."""

    name: str
    body: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A table that is shortened by rows; its head stands as long as it has any."""

    name: str
    head: str
    rows: list[str]
    hidden: int = 0  # rows that are not there from the start

    def text(self) -> str:
        """Return the table, and how many more rows there are."""
        lines = [self.head, *self.rows]
        if self.hidden:
            lines.extend(["", f"… and {count(self.hidden, 'row')} more; `--format json` has all"])
        return "\n".join(lines)

    def shortened(self, size: int) -> "Listing":
        """Return as many of the first rows as fit into so many bytes."""
        left, kept = size - _size(self.head), 0
        for row in self.rows:
            left -= _size(row) + 1
            if left < 0:
                break
            kept += 1
        return replace(self, rows=self.rows[:kept], hidden=self.hidden + len(self.rows) - kept)


def fitted(head: str, tables: Sequence[Listing], sections: Sequence[Section], *, limit: int) -> str:
    """Return head, tables and as many of the first sections as fit; then shortened tables."""
    listings = [listing for listing in tables if listing.head]
    kept = [section for section in sections if section.body]
    left: list[str] = []
    while True:
        text = _joined(head, listings, kept, left)
        if _size(text) <= limit or not kept:
            break
        left.insert(0, kept.pop().name)
    if _size(text) > limit:
        text = _joined(head, _shorter(head, listings, limit), kept, left)
    return text


def _shorter(head: str, listings: list[Listing], limit: int) -> list[Listing]:
    size = limit - _size(head) - ROOM
    short = []
    for index, listing in enumerate(listings):
        heads = sum(_size(other.head) + ROOM // 4 for other in listings[index + 1 :])
        short.append(listing.shortened(max(0, size - heads)))
        size -= _size(short[-1].text()) + 2
    return short


def _joined(head: str, tables: list[Listing], kept: list[Section], left: list[str]) -> str:
    parts = [head, *(listing.text() for listing in tables), *(section.body for section in kept)]
    if left:
        parts.append(f"Left out for its length: {', '.join(left)}. `--format json` has all.")
    return "\n\n".join(parts) + "\n"


def _size(text: str) -> int:
    return len(text.encode())
