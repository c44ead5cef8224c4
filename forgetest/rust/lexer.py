"""Brackets of Rust source, told from those inside strings, characters and comments.

Where a syntax tree is of no use, because the text is a fragment or half prose, the nesting of
brackets still says where a function ends. One pass, linear on every input; no macros, no errors.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

_TOKEN = re.compile(
    r"""
      (?P<line>   //[^\n]*+)
    | (?P<block>  /\*)
    | (?P<raw>    (?:br|cr|r)(?P<hashes>\#*+)")
    | (?P<string> [bc]?")
    | (?P<char>   b?'(?:\\(?:u\{[^}'\n]{0,12}\}|x[0-9a-fA-F]{0,2}|[^\n])|[^\\'\n])')
    | (?P<word>   \w++)
    | (?P<mark>   [{}()\[\];])
    """,
    re.VERBOSE,
)
_STRING_REST = re.compile(r'(?:[^"\\]++|\\.)*+"', re.DOTALL)
_COMMENT_MARK = re.compile(r"/\*|\*/")


class Ending(StrEnum):
    """What a text ends in the middle of; more text would first continue that."""

    CODE = "code"
    LINE_COMMENT = "line_comment"
    BLOCK_COMMENT = "block_comment"
    STRING = "string"


class Mark(NamedTuple):
    """A bracket or semicolon of code, at its place in characters."""

    char: str
    at: int
    depth: int  # how many `{` are open behind it
    inner: int  # how many `(` and `[` are open behind it


@dataclass(frozen=True, slots=True)
class Lexed:
    """All marks of a text, and what it ends in the middle of."""

    marks: tuple[Mark, ...]
    ending: Ending

    @property
    def depth(self) -> int:
        """How many braces are open at the end; negative when more were closed than opened."""
        return self.marks[-1].depth if self.marks else 0


def lex(text: str) -> Lexed:
    """Return the marks of `text` outside of strings, characters and comments."""
    found = list(_marks(text, 0))
    last = found.pop()
    return Lexed(tuple(found), Ending(last.char))


def marks(text: str, start: int = 0) -> Iterator[Mark]:
    """Yield the marks from `start` on, reading no further than the marks that are asked for."""
    return (mark for mark in _marks(text, start) if len(mark.char) == 1)


def _marks(text: str, start: int) -> Iterator[Mark]:
    """Yield every mark, and at last one whose `char` is the ending."""
    depth = inner = 0
    ending, at = Ending.CODE, start
    while ending is Ending.CODE and (match := _TOKEN.search(text, at)):
        at = match.end()
        if match.lastgroup == "mark":
            char = match.group()
            depth += (char == "{") - (char == "}")
            inner += (char in "([") - (char in ")]")
            yield Mark(char, at - 1, depth, inner)
        elif match.lastgroup == "line" and at == len(text):
            ending = Ending.LINE_COMMENT
        elif match.lastgroup in _OPENED:
            at, ending = _rest(text, match)
    yield Mark(ending, at, depth, inner)


_OPENED = frozenset({"block", "raw", "string"})


def _rest(text: str, match: re.Match[str]) -> tuple[int, Ending]:
    """Return where the opened string or comment ends, and what the text ends in if nowhere."""
    at = match.end()
    if match.lastgroup == "block":
        end, ending = _comment_end(text, at), Ending.BLOCK_COMMENT
    elif match.lastgroup == "raw":
        close = '"' + match["hashes"]
        found = text.find(close, at)
        end, ending = (found + len(close) if found >= 0 else None), Ending.STRING
    else:
        string = _STRING_REST.match(text, at)
        end, ending = (string.end() if string else None), Ending.STRING
    return (len(text), ending) if end is None else (end, Ending.CODE)


def _comment_end(text: str, at: int) -> int | None:
    """Return the end of the block comment opened before `at`; comments nest in Rust."""
    depth = 1
    for match in _COMMENT_MARK.finditer(text, at):
        depth += 1 if match.group() == "/*" else -1
        if depth == 0:
            return match.end()
    return None
