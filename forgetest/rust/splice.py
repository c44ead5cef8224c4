"""Splice a module into a sample: text in front of its first item, or a module behind its last.

The first place, after the inner attributes, is found by the lexer, which reads no further than the
head of the file. No grammar is needed, so syntax newer than the parser's does no harm. A wrong
guess gives a sample that does not build, never one that passes. A rewritten file knows where each
place in it comes from.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

from forgetest.rust.lexer import CLOSING, OPENING, SPACE, comment_end, lexemes, token


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
        """Return where each change is in the rewritten file."""
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


_OUTER_DOC = re.compile(r"///(?!/)|/\*\*(?![*/])")
_GAP = re.compile(rf"{SPACE}++|//[^\n]*+|/\*")
_EXTERN = re.compile(r"\bextern\b")
_NAME = re.compile(r"(?:r#)?\w+")
_EXTERN_CRATE = (re.compile("crate"), _NAME, re.compile("as"), _NAME)
_STRICT_LEVEL = re.compile(r"\b(?:deny|forbid)(?=\s*\()")
_NO_STD = re.compile(r"\bno_std\b")


@dataclass(frozen=True, slots=True)
class Head:
    """What comes before a file's first item; offsets in characters."""

    end: int  # where the first item begins, with its own attributes and docs
    attributes: tuple[tuple[int, int], ...]  # each inner attribute, from `#` to past its `]`


def head(source: str) -> Head:
    """Return where the first item of `source` begins and which inner attributes precede it."""
    attributes: list[tuple[int, int]] = []
    rest = (
        lexeme
        for lexeme in lexemes(source)
        if token(lexeme) or _OUTER_DOC.match(source, lexeme.start())
    )
    for first in rest:
        end = _attribute_end(first, rest)
        if end is None:
            return Head(first.start(), tuple(attributes))
        attributes.append((first.start(), end))
    return Head(len(source), tuple(attributes))


def _attribute_end(first: re.Match[str], rest: Iterator[re.Match[str]]) -> int | None:
    """Return the offset past the inner attribute that begins with `first`; None if none does."""
    if first[0] != "#" or [lexeme[0] for lexeme in islice(rest, 2)] != ["!", "["]:
        return None
    depth = 1
    for lexeme in rest:
        depth += (lexeme[0] in OPENING) - (lexeme[0] in CLOSING)
        if depth == 0:
            return lexeme.end()
    return None


def splice(source: str, text: str) -> Rewritten:
    """Return `source` with `text` before its first item, on that item's own line."""
    place = head(source).end
    gap = "\n" if place == len(source) and source and not source.endswith("\n") else ""
    return Rewritten(source, (Rewrite(place, place, f"{gap}{text} "),))


def splice_module(source: str, name: str) -> str:
    """Return `source` with the public module `name` of the file `name.rs` as its last item.

    There, all macros of the source are in scope, as they are in a child module written below it.
    The sample's own rules must not apply to the module: lints that the whole file denies or forbids
    become warnings, and `no_std` is dropped.
    """
    gap = "" if source.endswith("\n") else "\n"
    module = f'#[allow(warnings)] #[path = "{name}.rs"] pub mod {name};'
    return f"{_lenient(source)}{gap}{module}\n"


def renames_a_crate(source: str, names: Collection[str]) -> bool:
    """Tell whether source may call a crate by one of `names`, for all modules of its own crate.

    `extern crate self as std` makes `::std` mean the sample. Text that only looks like it, in a
    string or a comment, counts too.
    """
    return any(_renamed(source, match.end()) in names for match in _EXTERN.finditer(source))


def _renamed(source: str, position: int) -> str:
    """Return the name given by what follows an `extern`, empty when it gives none."""
    name = ""
    for word in _EXTERN_CRATE:
        match = word.match(source, _after_gap(source, position))
        if match is None:
            return ""
        position, name = match.end(), match[0].removeprefix("r#")
    return name


def _lenient(source: str) -> str:
    """Return `source` with its inner `deny`, `forbid` and `no_std` undone, every column kept."""
    pieces, done = [], 0
    for start, end in head(source).attributes:
        lenient = _STRICT_LEVEL.sub(_padded_warn, source[start:end])
        pieces += [source[done:start], _NO_STD.sub("warn()", lenient)]
        done = end
    return "".join((*pieces, source[done:]))


def _padded_warn(level: re.Match[str]) -> str:
    return "warn".ljust(len(level[0]))


def _after_gap(source: str, position: int) -> int:
    """Return the offset past spaces and comments."""
    while gap := _GAP.match(source, position):
        position = gap.end()
        if gap[0] == "/*":
            position = comment_end(source, position) or len(source)
    return position
