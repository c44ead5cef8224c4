"""Where keys, tables and array items stand in TOML text, since tomli does not say.

This is a scanner, not a parser: it takes text that tomli has accepted, reads every character once
and notes lines. On other text it stops early and keeps what it has; it never raises.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

KeyPath = tuple[str | int, ...]  # ("cases", 2, "context", 0, "path"), as in the parsed document

_GAP = re.compile(r"(?:[ \t\n\r]++|#[^\n]*+)*+")
_BLANK = re.compile(r"[ \t]*+")
_BARE_KEY = re.compile(r"[^\s\"'.=\[\]{},#]++")
_STRING = re.compile(
    r'"""(?s:[^"\\]|\\.|"(?!""))*+"{3,5}'
    r"|'''(?s:.*?)'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*+"'
    r"|'[^'\n]*+'"
)
_SCALAR = re.compile(r"[^,\]}#\n]++")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|.)")
_SHORT_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b"}


class _LostError(Exception):
    """The text is not the TOML that the scanner expects."""


@dataclass(frozen=True, slots=True)
class Positions:
    """The 1-based line of every key, table and array item of one document."""

    lines: Mapping[KeyPath, int]

    def line(self, path: KeyPath) -> int | None:
        """Return the line of `path`, or of its nearest ancestor that stands somewhere."""
        for length in range(len(path), 0, -1):
            if (line := self.lines.get(path[:length])) is not None:
                return line
        return None


def locate(text: str) -> Positions:
    """Return the positions in TOML text; every path that the parsed document has, gets a line."""
    scanner = _Scanner(text)
    try:
        scanner.document()
    except (_LostError, RecursionError):
        return Positions(scanner.lines)
    return Positions(scanner.lines)


@dataclass(slots=True)
class _Scanner:
    text: str
    pos: int = 0
    lines: dict[KeyPath, int] = field(default_factory=dict)
    _row: int = 1
    _counted: int = 0  # newlines before this offset are in `_row`
    _tables: dict[KeyPath, int] = field(default_factory=dict)  # array of tables -> its length

    def document(self) -> None:
        table: KeyPath = ()
        self._take(_GAP)
        while self.pos < len(self.text):
            if self.text[self.pos] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._take(_GAP)

    def _header(self) -> KeyPath:
        line = self._line()
        is_array = self.text.startswith("[[", self.pos)
        self.pos += 2 if is_array else 1
        key = self._key()
        self._expect("]]" if is_array else "]")
        path: KeyPath = ()
        for part in key[:-1]:
            path = self._latest((*path, part))
            self.lines.setdefault(path, line)
        path = (*path, key[-1])
        if is_array:
            self.lines.setdefault(path, line)
            self._tables[path] = self._tables.get(path, 0) + 1
            path = self._latest(path)
        self.lines.setdefault(path, line)
        return path

    def _latest(self, path: KeyPath) -> KeyPath:
        """Step into the last table, where the path names an array of tables."""
        return (*path, self._tables[path] - 1) if path in self._tables else path

    def _pair(self, table: KeyPath) -> None:
        line = self._line()
        path = table
        for part in self._key():
            path = (*path, part)
            self.lines.setdefault(path, line)
        self._expect("=")
        self._value(path)

    def _key(self) -> list[str]:
        parts = [self._key_part()]
        while self._peek() == ".":
            self.pos += 1
            parts.append(self._key_part())
        return parts

    def _key_part(self) -> str:
        if self._peek() in ("'", '"'):
            quoted = self._take(_STRING)
            return quoted[1:-1] if quoted[0] == "'" else _ESCAPE.sub(_unescape, quoted[1:-1])
        return self._take(_BARE_KEY)

    def _value(self, path: KeyPath) -> None:
        start = self._peek()
        if start in ("'", '"'):
            self._take(_STRING)
        elif start == "[":
            self._array(path)
        elif start == "{":
            self._inline_table(path)
        else:
            self._take(_SCALAR)

    def _array(self, path: KeyPath) -> None:
        self._expect("[")
        self._take(_GAP)
        index = 0
        while self._peek() != "]":
            item = (*path, index)
            self.lines[item] = self._line()
            self._value(item)
            self._separator()
            index += 1
        self.pos += 1

    def _inline_table(self, path: KeyPath) -> None:
        self._expect("{")
        self._take(_GAP)
        while self._peek() != "}":
            self._pair(path)
            self._separator()
        self.pos += 1

    def _separator(self) -> None:
        self._take(_GAP)
        if self._peek() == ",":
            self.pos += 1
            self._take(_GAP)

    def _peek(self) -> str:
        """Skip blanks and return the next character; the end of the text is never expected."""
        self._take(_BLANK)
        if self.pos >= len(self.text):
            raise _LostError
        return self.text[self.pos]

    def _expect(self, mark: str) -> None:
        self._take(_BLANK)
        if not self.text.startswith(mark, self.pos):
            raise _LostError
        self.pos += len(mark)

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.pos)
        if match is None:
            raise _LostError
        self.pos = match.end()
        return match.group()

    def _line(self) -> int:
        self._row += self.text.count("\n", self._counted, self.pos)
        self._counted = self.pos
        return self._row


def _unescape(match: re.Match[str]) -> str:
    escape = match.group(1)
    if len(escape) == 1:
        return _SHORT_ESCAPES.get(escape, escape)
    code = int(escape[1:], 16)
    return chr(code) if code <= 0x10FFFF else ""  # noqa: PLR2004 - the last code point of Unicode
