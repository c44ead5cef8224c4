"""Where keys, tables, array items and strings are in TOML text, since tomli does not say.

This is a scanner, not a parser: it takes text that tomli has accepted, reads every character once
and notes lines. On other text it stops early and keeps what it has; it never raises.

A line of a string's value is found again in the file by `Positions.in_string`, for every form of
the string: literal or basic, on one line or on many, with escapes.
"""

import contextlib
import re
from collections.abc import Iterator, Mapping
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
_NEWLINE = re.compile(r"\r?\n")
# What one character of a string's value is written as, by the quotes around it.
_PIECE = {
    "'": re.compile(r"\r\n|(?s:.)"),
    '"': re.compile(rf"\r\n|\\[ \t]*\r?\n\s*|{_ESCAPE.pattern}|(?s:.)"),
}
_RUNS_ON = re.compile(r"\n[ \t]*[\w.-]+[ \t]*=[ \t]*(?:'''|\"\"\")$")
_CONTINUED = re.compile(r"\\[ \t]*\r?\n\s*")
_SHORT_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b"}


class _LostError(Exception):
    """The text is not the TOML that the scanner expects."""


@dataclass(frozen=True, slots=True)
class StringToken:
    """A string as it is in the text, quotes included."""

    path: KeyPath
    start: int
    end: int  # the start, where the text does not close it
    line: int


@dataclass(frozen=True, slots=True)
class Positions:
    """The 1-based line of every key, table and array item of one document, and every string."""

    text: str
    lines: Mapping[KeyPath, int]
    strings: Mapping[KeyPath, StringToken]

    def line(self, path: KeyPath) -> int | None:
        """Return the line of `path`, or of its nearest ancestor that has one."""
        for length in range(len(path), 0, -1):
            if (line := self.lines.get(path[:length])) is not None:
                return line
        return None

    def in_string(
        self, path: KeyPath, value: str, line: int, column: int = 1
    ) -> tuple[int, int] | None:
        """Return line and column in the text of a place in the string at `path`.

        None where there is no such string, or one other than `value`.
        """
        token = self.strings.get(path)
        if token is None:
            return None
        characters = list(_characters(self.text, token))
        if "".join(char for char, _ in characters) != value:
            return None
        above = sum(len(text) + 1 for text in value.split("\n")[: line - 1])
        places = [offset for _, offset in characters]
        offset = [*places, token.end][min(above + column - 1, len(places))]
        start = self.text.rfind("\n", 0, offset) + 1
        return self.text.count("\n", 0, offset) + 1, offset - start + 1


def unclosed_string(text: str) -> StringToken | None:
    """Return the string that makes text invalid TOML because its end is missing; None if none.

    It is not closed at all, or by the quotes that open the next string: it ends in `key = `.
    """
    last = max(locate(text).strings.values(), key=lambda token: token.start, default=None)
    if last is None:
        return None
    runs_on = _RUNS_ON.search(text[last.start : last.end])
    return last if last.start == last.end or runs_on else None


def locate(text: str) -> Positions:
    """Return the positions in TOML text; every path that the parsed document has, gets a line."""
    scanner = _Scanner(text)
    with contextlib.suppress(_LostError, RecursionError):
        scanner.document()
    return Positions(text, scanner.lines, scanner.strings)


@dataclass(slots=True)
class _Scanner:
    text: str
    pos: int = 0
    lines: dict[KeyPath, int] = field(default_factory=dict)
    strings: dict[KeyPath, StringToken] = field(default_factory=dict)
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
            self._string(path)
        elif start == "[":
            self._array(path)
        elif start == "{":
            self._inline_table(path)
        else:
            self._take(_SCALAR)

    def _string(self, path: KeyPath) -> None:
        start, line = self.pos, self._line()
        quotes = self.text[start : start + 3]
        self.strings[path] = StringToken(path, start, start, line)
        token = self._take(_STRING)
        if len(token) == len("''") and quotes == 3 * quotes[0]:  # it opens a string of many lines
            raise _LostError
        self.strings[path] = StringToken(path, start, self.pos, line)

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


def _characters(text: str, token: StringToken) -> Iterator[tuple[str, int]]:
    """Yield each character of a string's value with the offset at which it is written."""
    quote = text[token.start]
    several = text.startswith(3 * quote, token.start)
    position, end = (
        (token.start + 3, token.end - 3) if several else (token.start + 1, token.end - 1)
    )
    if several and (newline := _NEWLINE.match(text, position)):
        position = newline.end()
    while position < end:
        piece = _PIECE[quote].match(text, position)
        if piece is None:
            return
        if not (quote == '"' and several and _CONTINUED.fullmatch(piece[0])):
            yield _character(piece[0], quote), position
        position = piece.end()


def _character(written: str, quote: str) -> str:
    if written == "\r\n":
        return "\n"
    return _ESCAPE.sub(_unescape, written) if quote == '"' else written


def _unescape(match: re.Match[str]) -> str:
    escape = match.group(1)
    if len(escape) == 1:
        return _SHORT_ESCAPES.get(escape, escape)
    code = int(escape[1:], 16)
    return chr(code) if code <= 0x10FFFF else ""  # noqa: PLR2004 - the last code point of Unicode
