"""Rust source as tokens, split as rustc splits every text that it accepts.

`tokenize` returns all tokens: comments vanish, literals and lifetimes become marks, `r#name` is
`name`. `lex` and `marks` return only brackets and semicolons, for text that is a fragment or half
prose: there the nesting of brackets still says where a function ends.

One pass, linear on every input; no macros, no errors. On text that rustc rejects the tokens are
arbitrary.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import islice
from typing import NamedTuple

LITERAL = '"'  # stands for any string, character or byte literal
LIFETIME = "'"
OPENING = frozenset("([{")
CLOSING = frozenset(")]}")

_BOM = "\ufeff"
# The edition from which `c"` and `cr"` open literals and `'r#a` is a lifetime.
_PREFIXES = "2021"
SPACE = r"[ \t\n\v\f\r\x85\u200e\u200f\u2028\u2029]"
# All other characters beyond ASCII are part of a word: elsewhere in code rustc accepts none.
_WORD = r"[A-Za-z0-9_\x80-\x84\x86-\u200d\u2010-\u2027\u202a-\U0010ffff]"
# A literal takes the word glued to it as its suffix, so `"a"r"b"` holds no raw string. One that is
# never closed ends with the text.
_COMMENTS_AND_LITERALS = r"""
      {space}++
    | (?P<line> //[^\n]*+ )
    | (?P<block> /\*)
    | (?P<literal>
        (?: (?:{raw})(?P<hashes>\#*+)" (?: .*? "(?P=hashes) | (?P<unclosed_raw> .*+) )
          | {quoted}?" (?: [^"\\]++ | \\. )*+ (?: " | (?P<unclosed>) )
          | b?' (?: \\. [^'\n]*+ | [^\\'\n] ) '
        ) (?: (?![0-9]) {word}++ )? )
"""
_OTHER_TOKENS = r"""
    | (?P<lifetime> ' {raw_lifetime} {word}*+ )
    | (?:r\#)?(?P<word> {word}++)
    | (?P<mark> :: | => | -> | != | == | . )
"""
# Matches less, so that text with few brackets is read in fewer steps. In prose a word ends before a
# typographic quote.
_BRACKETS = r"""
    | ' {raw_lifetime} {word}*+
    | \w++
    | (?P<mark> [{{}}()\[\];] )
"""
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_COMMENTS = frozenset({"line", "block"})
_STANDS_FOR = {"literal": LITERAL, "lifetime": LIFETIME}


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens in their order, each with the place in characters where it starts."""

    texts: list[str]
    starts: list[int]


def tokenize(source: str, *, edition: str = _PREFIXES) -> Tokens:
    """Return the tokens of a source file, without its byte order mark and shebang."""
    texts, starts = [], []
    for match in lexemes(source, edition=edition):
        if text := token(match):
            texts.append(text)
            starts.append(match.start())
    return Tokens(texts, starts)


def spelled(source: str) -> list[str]:
    """Return the tokens of a source file with its literals and lifetimes as they are written.

    Equal for two texts that differ only in comments and white space.
    """
    source = source.replace("\r\n", "\n")
    return [
        match[0] if match.lastgroup in _STANDS_FOR else text
        for match in lexemes(source)
        if (text := token(match))
    ]


def lexemes(source: str, *, edition: str = _PREFIXES) -> Iterator[re.Match[str]]:
    """Yield the tokens and comments of a source file, without byte order mark and shebang.

    The match of a block comment is its first two characters.
    """
    pattern = _pattern(_OTHER_TOKENS, edition >= _PREFIXES)
    return _matches(source, _code_start(source, pattern), pattern)


def token(lexeme: re.Match[str]) -> str:
    """Return the text of a token, nothing for a comment."""
    kind = lexeme.lastgroup or ""
    return "" if kind in _COMMENTS else _STANDS_FOR.get(kind) or lexeme[kind]


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
    matches = list(_matches(text, 0, _pattern(_BRACKETS, True)))  # noqa: FBT003 - cached
    ending = _ending(text, matches[-1]) if matches else Ending.CODE
    return Lexed(tuple(_marks(matches)), ending)


def marks(text: str, start: int = 0) -> Iterator[Mark]:
    """Yield the marks from `start` on, reading no further than the marks that are asked for."""
    return _marks(_matches(text, start, _pattern(_BRACKETS, True)))  # noqa: FBT003 - cached


def _marks(matches: Iterable[re.Match[str]]) -> Iterator[Mark]:
    depth = inner = 0
    for match in matches:
        if match.lastgroup == "mark":
            char = match[0]
            depth += (char == "{") - (char == "}")
            inner += (char in "([") - (char in ")]")
            yield Mark(char, match.start(), depth, inner)


def _ending(text: str, last: re.Match[str]) -> Ending:
    """Return what a text ends in, given its last comment, literal or bracket."""
    if last.lastgroup == "line" and last.end() == len(text):
        return Ending.LINE_COMMENT
    if last.lastgroup == "block" and comment_end(text, last.end()) is None:
        return Ending.BLOCK_COMMENT
    is_closed = last["unclosed"] is last["unclosed_raw"] is None
    return Ending.CODE if is_closed else Ending.STRING


def comment_end(text: str, at: int) -> int | None:
    """Return the end of the block comment opened before `at`; comments nest in Rust."""
    depth = 1
    for edge in _COMMENT_EDGE.finditer(text, at):
        depth += 1 if edge[0] == "/*" else -1
        if depth == 0:
            return edge.end()
    return None


@cache
def _pattern(syntax: str, prefixes: bool) -> re.Pattern[str]:
    filled = (_COMMENTS_AND_LITERALS + syntax).format(
        space=SPACE,
        word=_WORD,
        raw="br|cr|r" if prefixes else "br|r",
        quoted="[bc]" if prefixes else "b",
        raw_lifetime=rf"(?: r\#(?={_WORD}) )?" if prefixes else "",
    )
    return re.compile(filled, re.VERBOSE | re.DOTALL)


def _code_start(source: str, pattern: re.Pattern[str]) -> int:
    """Return where the code begins; `#!` opens a shebang unless a `[` is the next token."""
    begin = len(_BOM) if source.startswith(_BOM) else 0
    if not source.startswith("#!", begin):
        return begin
    tokens = filter(None, map(token, _matches(source, begin, pattern)))
    if list(islice(tokens, 3))[2:] == ["["]:
        return begin
    end = source.find("\n", begin)
    return len(source) if end < 0 else end


def _matches(source: str, at: int, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Yield what is in a text from `at` on, but for white space."""
    while at < len(source):
        for match in pattern.finditer(source, at):
            at = match.end()
            if match.lastgroup is not None:
                yield match
            if match.lastgroup == "block":
                at = comment_end(source, at) or len(source)
                break
        else:
            return
