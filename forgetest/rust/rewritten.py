"""A file made from another by replacing pieces, and where a place in it comes from."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A piece of a source and what replaces it; offsets in characters of the source."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A source and its changes, in order and apart from one another."""

    source: str
    changes: tuple[Rewrite, ...] = ()

    @property
    def text(self) -> str:
        """The rewritten file."""
        pieces, done = [], 0
        for change in self.changes:
            pieces += [self.source[done : change.start], change.text]
            done = change.end
        return "".join((*pieces, self.source[done:]))

    def with_insertion(self, offset: int, text: str) -> "Rewritten":
        """Return the file with more text at an offset of the rewritten file, before what is there.

        The offset lies outside of what was put in.
        """
        place = self.origin(offset)
        before = tuple(
            change
            for change, (_, end) in zip(self.changes, self.built(), strict=True)
            if end <= offset
        )
        return Rewritten(
            self.source, (*before, Rewrite(place, place, text), *self.changes[len(before) :])
        )

    def built(self) -> tuple[tuple[int, int], ...]:
        """Return where each change stands in the rewritten file."""
        spans, shift = [], 0
        for change in self.changes:
            start = change.start + shift
            spans.append((start, start + len(change.text)))
            shift += len(change.text) - (change.end - change.start)
        return tuple(spans)

    def origin(self, offset: int) -> int:
        """Return the offset in the source of a place in the rewritten file.

        What was put in comes from where the piece began that it replaces.
        """
        shift = 0
        for change, (start, end) in zip(self.changes, self.built(), strict=True):
            if offset < start:
                break
            if offset < end:
                return change.start
            shift = end - change.end
        return offset - shift
