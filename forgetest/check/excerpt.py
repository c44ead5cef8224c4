"""What rustc and the tests say about a case, in the lines that its author wrote.

The compiler sees other text than the author: tests become functions that can be called, macros get
whole paths. Lines stay, columns move. A block of rustc is put back into the author's text row by
row. What cannot be put back exactly is left out: a wrong column is worse than none.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, takewhile

from forgetest.check.types import Excerpt, Row
from forgetest.evalset.types import Case
from forgetest.grading.compile_fail import TWIN_REJECTED
from forgetest.grading.crate import AuthoredFile
from forgetest.grading.verdict import Diagnostic, TestResult
from forgetest.rust.splice import Rewritten

_TAB = "    "  # as rustc shows it
_PLACE = re.compile(r"\s*(?:-->|:::) (.+):\d+:\d+")
_NUMBERED = re.compile(r"\s*(\d+) ([|+~-]) ?(.*)")
_GUTTER = re.compile(r"\s*\|(?: (.*))?")
_FOOTER = re.compile(r"\s+= (.*)")
_ADVICE = re.compile(r"(?:note|help|warning): .*")
_MARKER = re.compile(r"\^+|~+|_+|-+|\++|[|/]")
_OURS = re.compile(r"`--force-warn [^`]*` implied by|\bon by default$")
_PANIC = re.compile(r"^thread '.*' panicked at (\S+):(\d+):(\d+):$", re.MULTILINE)
_ONE_COLUMN = frozenset({"Na", "N", "H", "A"})
_API_PATH = re.compile(r"\bcrate::api::")  # what the tests see as their crate
_API = re.compile(r"(?:module )?`crate::api`")

Files = Mapping[str, AuthoredFile]  # by their paths in a verdict


class _UnclearError(Exception):
    """A row cannot be put back into the author's text."""


def excerpt_of(diagnostic: Diagnostic, files: Files) -> Excerpt | None:
    """Return where in the author's text a diagnostic points, with its block; None if nowhere."""
    span = diagnostic.span
    if span is None or span.file not in files:
        return None
    file = files[span.file]
    line, column = _place(file.built, span.line, span.column)
    try:
        rows = tuple(_block(diagnostic.rendered, files, file))
    except _UnclearError:
        label = in_authors_words(span.label)
        rows = (_own_row(file, line), *([Row(sign="=", text=label)] if label else []))
    return Excerpt(key=file.key, line=line, column=column, rows=rows)


def failure_excerpt(test: TestResult, files: Files) -> Excerpt | None:
    """Return where a test that did not pass panicked, or else where it is, and what it said."""
    panic = _PANIC.search(test.message)
    words = test.message[panic.end() :] if panic else test.message
    said = tuple(_spoken(test.name, [text for text in words.splitlines() if text]))
    if panic and panic[1] in files:
        file = files[panic[1]]
        line, column = _place(file.built, int(panic[2]), int(panic[3]))
        return Excerpt(key=file.key, line=line, column=column, rows=(_own_row(file, line), *said))
    for file in files.values():
        if (declared := _declaration(test.name, file.built.source)) is not None:
            return Excerpt(key=file.key, line=declared, rows=(_own_row(file, declared), *said))
    return None


def use_excerpt(test: TestResult, case: Case) -> Excerpt | None:
    """Return where in a use that must not compile, or in its twin, a test of the case fails."""
    for index, use in enumerate(case.expectations.compile_fail):
        if use.test == test.name:
            is_twin = test.message.startswith(TWIN_REJECTED)
            key = f"expectations.compile_fail.{index}.{'compiles' if is_twin else 'source'}"
            source = use.compiles if is_twin else use.source
            place = re.search(rf"^ *--> {use.name}\.rs:(\d+):(\d+)$", test.message, re.MULTILINE)
            lines = source.split("\n")
            function = next((n for n, text in enumerate(lines, start=1) if "fn " in text), 1)
            line, column = (int(place[1]), int(place[2])) if place else (function, None)
            own = Row(number=line, text=_shown(lines[line - 1]))
            said = _spoken(test.name, test.message.split("\n")[:1])
            return Excerpt(key=key, line=line, column=column, rows=(own, *said))
    return None


def lines_excerpt(key: str, source: str, lines: Sequence[int]) -> Excerpt:
    """Return some lines of a string of the case; the first is where the finding is."""
    texts = source.split("\n")
    rows = tuple(Row(number=line, text=_shown(texts[line - 1])) for line in lines)
    return Excerpt(key=key, line=lines[0], rows=rows)


def _spoken(name: str, lines: Sequence[str]) -> Iterator[Row]:
    for number, line in enumerate(lines):
        yield Row(sign="", text=line) if number else Row(sign="=", text=f"test {name}: {line}")


def in_authors_words(text: str) -> str:
    """Return a message of rustc's without the module that the tests see as their crate."""
    return _API.sub("the crate root", _API_PATH.sub("crate::", text))


def _declaration(test: str, source: str) -> int | None:
    """Return the line of the one function that has the test's name."""
    places = list(re.finditer(rf"\bfn\s+{re.escape(test.rpartition('::')[2])}\b", source))
    return source.count("\n", 0, places[0].start()) + 1 if len(places) == 1 else None


def _place(file: Rewritten, line: int, column: int) -> tuple[int, int]:
    """Return line and column in the source of a place in the rewritten file."""
    above = file.text.split("\n")[: line - 1]
    origin = file.origin(sum(len(text) + 1 for text in above) + column - 1)
    start = file.source.rfind("\n", 0, origin) + 1
    return file.source.count("\n", 0, origin) + 1, origin - start + 1


def _own_row(file: AuthoredFile, line: int) -> Row:
    text = file.built.source.split("\n")[line - 1]
    return Row(number=line, text=_shown(text))


def _shown(text: str) -> str:
    return text.replace("\t", _TAB)


def _block(rendered: str, files: Files, primary: AuthoredFile) -> Iterator[Row]:
    """Yield the rows of a block that are in the author's files, without its headline."""
    lines = rendered.rstrip("\n").split("\n")[1:]
    own, *advice = (list(part) for _, part in groupby(lines, _NumberOfPart()))
    yield from _Fragment(files, primary).rows(own)
    for head, *shown in advice:
        try:
            rows = list(_Fragment(files, primary).rows(shown))
        except _UnclearError:
            rows = []
        if rows or not any(map(_PLACE.fullmatch, shown)):  # else it is about code of ours
            yield Row(sign="=", text=in_authors_words(head))
        yield from rows


@dataclass(slots=True)
class _NumberOfPart:
    """Says to which part of a block each line belongs: its own, or one of the advices below."""

    number: int = 0

    def __call__(self, line: str) -> int:
        self.number += bool(_ADVICE.fullmatch(line))
        return self.number


@dataclass(slots=True)
class _Fragment:
    """One part of a block, read line by line."""

    files: Files
    file: AuthoredFile | None
    columns: "_Columns" = field(default_factory=lambda: _UNMOVED)

    def rows(self, lines: Sequence[str]) -> list[Row]:
        """Return the author's rows, without empty ones at either end."""
        rows = [row for line in lines for row in self._row(line)]
        full = [index for index, row in enumerate(rows) if row.text]
        return rows[full[0] : full[-1] + 1] if full else []

    def _row(self, line: str) -> Iterator[Row]:
        if place := _PLACE.fullmatch(line):
            self.file = self.files.get(place[1])
        elif self.file is None:
            return
        elif numbered := _NUMBERED.fullmatch(line):
            number, sign, text = numbered.groups()
            self.columns, text = _in_source(self.file, int(number), text)
            yield Row(number=int(number), sign=sign, text=text)
        elif gutter := _GUTTER.fullmatch(line):
            yield Row(text=in_authors_words(self.columns.moved(gutter[1] or "")))
        elif footer := _FOOTER.fullmatch(line):
            if not _OURS.search(line):
                yield Row(sign="=", text=in_authors_words(footer[1]))
        elif line.strip():
            yield Row(sign="", text=in_authors_words(line.strip()))


@dataclass(frozen=True, slots=True)
class _Columns:
    """How columns of a shown line move back to the author's.

    Each move is where a piece begins and ends that was put in, and how wide the author's is.
    """

    moves: tuple[tuple[int, int, int], ...] = ()

    def moved(self, text: str) -> str:
        """Return a row of marks and a label with each mark below what it marks."""
        if not self.moves:
            return text
        row, position = "", 0
        while position < len(text):
            mark = _MARKER.match(text, position)
            if text[position] == " ":
                position += 1
            elif mark is None:
                return f"{row.ljust(self.start(position))}{text[position:]}"
            else:
                start, end = self.start(mark.start()), self.end(mark.end())
                row = row.ljust(start) + mark[0][0] * max(end - start, 1)
                position = mark.end()
        return row

    def start(self, column: int) -> int:
        """Return where something begins that is shown to begin at a column."""
        shift = 0
        for start, end, width in self.moves:
            if column < start:
                break
            if column < end:
                return start - shift
            shift += end - start - width
        return column - shift

    def end(self, column: int) -> int:
        """Return where something ends that is shown to end before a column."""
        for start, end, width in self.moves:
            if start < column <= end:
                return self.start(start) + width
        return self.start(column - 1) + 1


_UNMOVED: _Columns = _Columns()


def _in_source(file: AuthoredFile, number: int, shown: str) -> tuple[_Columns, str]:
    """Return how columns move in a line, and the line as the author wrote it.

    rustc may have drawn something before the line, or show it with a change that it suggests. What
    it changed must lie apart from what was put in.
    """
    quoted = _LineChanges.of(file.quoted, number)
    built = _LineChanges.of(file.built, number)
    if not quoted.changes:
        return _UNMOVED, shown
    line = quoted.line
    drawn = len(shown) - len(line) if shown.endswith(line) else 0
    text = shown[drawn:]
    same = _alike(text, line)
    below = _alike(text[same:][::-1], line[same:][::-1])
    moves, pieces, done = [], [shown[:drawn]], 0
    for (start, end, source), (seen, seen_end, _) in zip(
        quoted.changes, built.changes, strict=True
    ):
        if end > same and start < len(line) - below:
            raise _UnclearError
        shift = 0 if end <= same else len(text) - len(line)
        pieces += [text[done : start + shift], source]
        done = end + shift
        moves.append((drawn + seen + shift, drawn + seen_end + shift, len(source)))
    return _Columns(tuple(moves)), "".join((*pieces, text[done:]))


def _alike(text: str, other: str) -> int:
    """Return how many characters two texts have in common at their start."""
    pairs = zip(text, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


@dataclass(frozen=True, slots=True)
class _LineChanges:
    """One line of a rewritten file as rustc shows it, and what was put in where."""

    line: str
    changes: tuple[tuple[int, int, str], ...]  # columns, and the text of the source

    @classmethod
    def of(cls, file: Rewritten, number: int) -> "_LineChanges":
        """Return a line; `_UnclearError` where its columns are not those of its characters."""
        lines = file.text.split("\n")
        line = lines[number - 1]
        first = sum(len(text) + 1 for text in lines[: number - 1])
        changes = [
            (start - first, end - first, file.source[change.start : change.end])
            for change, (start, end) in zip(file.changes, file.built(), strict=True)
            if start <= first + len(line) and end >= first
        ]
        if changes and not all(map(_takes_one_column, line.replace("\t", ""))):
            raise _UnclearError
        if any(start < 0 or end > len(line) or "\n" in text for start, end, text in changes):
            raise _UnclearError
        return cls(
            _shown(line),
            tuple(
                (len(_shown(line[:start])), len(_shown(line[:end])), _shown(text))
                for start, end, text in changes
            ),
        )


def _takes_one_column(char: str) -> bool:
    narrow = unicodedata.east_asian_width(char) in _ONE_COLUMN
    return char.isprintable() and narrow and not unicodedata.combining(char)
