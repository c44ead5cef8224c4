"""Replies that change given code instead of repeating it: diffs, patches, SEARCH and REPLACE.

An edit counts only if each of its parts fits exactly one place of one given text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_MAX_HUNKS = 256
_SEARCH = re.compile(r"^[ \t]*<{5,9} ?(?:SEARCH|ORIGINAL|OLD|HEAD)\b[^\n]*\n", re.MULTILINE)
_DIVIDER = re.compile(r"^[ \t]*={5,9}[ \t]*\n", re.MULTILINE)
_REPLACE = re.compile(r"^[ \t]*>{5,9} ?\w+\b", re.MULTILINE)
_HUNK = re.compile(r"@@+(?:[ \t]*-(?P<line>\d+)(?:,\d+)?[ \t]+\+\d+(?:,\d+)?[ \t]*@@+)?")
_HEADER = re.compile(
    r"(?:diff |index |--- |\+\+\+ |new file mode|deleted file mode|old mode|new mode|similarity"
    r"|rename |Index: |=+$|\*\*\* (?:Begin Patch|End Patch|Update File|Add File|End of File))"
)
_BEGINS = re.compile(r"^(?:diff --git |--- \S|\*\*\* Begin Patch|@@)")
_NEW_FILE = re.compile(r"^(?:--- /dev/null|\*\*\* Add File|@@ -0,0 )", re.MULTILINE)
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})")
_GAP = "\0"  # where a fenced block was
_NO_NEWLINE = "\\ No newline"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines of a text, and the lines that replace them."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    line: int | None = None  # where the old lines begin, from 1, if the edit says so


@dataclass(frozen=True, slots=True)
class SearchEdit:
    """A SEARCH/REPLACE block: its two texts, where it starts and ends, and its first line."""

    old: str
    new: str
    start: int
    end: int
    mark: str


def replaced_once(edit: SearchEdit, source: str) -> str:
    """Return a text with the lines of an edit replaced; ValueError unless they are there once."""
    lines, old = source.split("\n"), edit.old.split("\n")[:-1]
    if not any(line.strip() for line in old):
        raise ValueError("its SEARCH is empty")
    places = [at for at in range(len(lines)) if lines[at : at + len(old)] == old]
    if len(places) != 1:
        found = f"{len(places)} times" if places else "nowhere"
        raise ValueError(f"its SEARCH lines are in the file {found}, and must be there once")
    at = places[0]
    return "\n".join([*lines[:at], *edit.new.split("\n")[:-1], *lines[at + len(old) :]])


def patched(text: str, edits: Sequence[tuple[str, str]], sources: Sequence[str]) -> str | None:
    """Return the given code as a reply changes it, None if it does not, or not for certain.

    `edits` are those that the reply names in other ways, each an old and a new text.
    """
    hunks = _searches(text) or ([] if edits else _diffs(text))
    if len(hunks) == 1 and not hunks[0].old:
        return "\n".join(hunks[0].new) if _NEW_FILE.search(text) else None
    if not (hunks or edits) or len(hunks) + len(edits) > _MAX_HUNKS:
        return None
    changed = (_replaced(edits, _applied(hunks, source)) for source in sources)
    results = {result for result in changed if result is not None}
    return results.pop() if len(results) == 1 else None


def _replaced(edits: Sequence[tuple[str, str]], source: str | None) -> str | None:
    """Return a text with each old part replaced, None when one occurs nowhere or twice."""
    for old, new in edits:
        if source is None or source.count(old) != 1:
            return None
        source = source.replace(old, new)
    return source


def _searches(text: str) -> list[Hunk]:
    edits = searches(text.replace("\r\n", "\n"))
    return [Hunk(_lines(edit.old), _lines(edit.new)) for edit in edits]


def searches(text: str) -> list[SearchEdit]:
    """Return the SEARCH/REPLACE blocks of a text with LF line ends, as far as they are whole."""
    edits: list[SearchEdit] = []
    at = 0
    while len(edits) <= _MAX_HUNKS:
        start = _SEARCH.search(text, at)
        middle = None if start is None else _DIVIDER.search(text, start.end())
        end = None if middle is None else _REPLACE.search(text, middle.end())
        if start is None or middle is None or end is None:
            break
        old, new = text[start.end() : middle.start()], text[middle.end() : end.start()]
        edits.append(SearchEdit(old, new, start.start(), end.end(), start.group().strip()))
        at = end.end()
    return edits


def _lines(text: str) -> tuple[str, ...]:
    lines = text.replace("\r\n", "\n").strip("\n").split("\n")
    return () if lines == [""] else tuple(lines)


def _diffs(text: str) -> list[Hunk]:
    """Return the hunks of the diffs in a reply: in its fences, else in the text around them."""
    lines = text.replace("\r\n", "\n").split("\n")
    inside: list[list[str]] = []
    outside: list[str] = []
    fenced = False
    for line in lines:
        if _FENCE.match(line):
            fenced = not fenced
            inside += [[]] if fenced else []
            outside += [_GAP]
        else:
            (inside[-1] if fenced else outside).append(line)
    hunks = [hunk for part in inside for hunk in _hunks(part)]
    return hunks or [hunk for part in _bare(outside) for hunk in _hunks(part)]


def _bare(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield each run of lines that begins as a diff does, up to a line that is none of it."""
    run: list[str] = []
    for line in lines:
        if run and not (line[:1] in {"", " ", "+", "-", "\\"} or _is_mark(line)):
            yield run
            run = []
        if run or _BEGINS.match(line):
            run.append(line)
    if run:
        yield run


def _is_mark(line: str) -> bool:
    return _HUNK.match(line) is not None or _HEADER.match(line) is not None


def _hunks(lines: Sequence[str]) -> Iterator[Hunk]:
    """Yield the hunks of a diff; lines that belong to none make the text no diff."""
    bodies: list[list[str]] = [[]]
    numbers: list[int | None] = [None]
    for line in lines:
        mark = _HUNK.match(line)
        if mark or (_HEADER.match(line) and (not bodies[-1] or line[0] not in "+-")):
            bodies.append([])
            numbers.append(int(mark["line"]) if mark and mark["line"] else None)
        elif line[:1] in {"", " ", "+", "-"}:
            bodies[-1].append(line)
        elif not line.startswith(_NO_NEWLINE):
            return
    for body, number in zip(bodies, numbers, strict=True):
        if any(line[:1] in {"+", "-"} for line in body):
            yield _changed(body, number)


def _changed(body: list[str], number: int | None) -> Hunk:
    while body and not body[-1].strip():
        body.pop()
    while body and not body[0].strip():
        body.pop(0)
        number = None if number is None else number + 1
    return Hunk(
        old=tuple(line[1:] for line in body if line[:1] != "+"),
        new=tuple(line[1:] for line in body if line[:1] != "-"),
        line=number,
    )


def _applied(hunks: Sequence[Hunk], source: str) -> str | None:
    """Return a text with all hunks applied, None when one of them fits nowhere or twice."""
    lines = source.replace("\r\n", "\n").split("\n")
    shift = 0
    for hunk in hunks:
        at = _place(hunk, lines, shift)
        if at is None:
            return None
        lines[at : at + len(hunk.old)] = hunk.new
        shift += len(hunk.new) - len(hunk.old)
    return "\n".join(lines)


def _place(hunk: Hunk, lines: Sequence[str], shift: int) -> int | None:
    """Return where a hunk's old lines are, None if that is nowhere or uncertain."""
    old = [line.rstrip() for line in hunk.old]
    if not any(old):
        return None
    bare = [line.rstrip() for line in lines]
    matches = [
        at for at, line in enumerate(bare) if line == old[0] and bare[at : at + len(old)] == old
    ]
    if len(matches) > 1 and hunk.line is not None:
        matches = [at for at in matches if at == hunk.line - 1 + shift]
    return matches[0] if len(matches) == 1 else None
