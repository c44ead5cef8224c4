"""Rust source as tokens, split as rustc splits every text that it takes.

Comments vanish, literals and lifetimes become marks, `r#name` is `name`. One pass, linear on every
input. On text that rustc refuses anyway the tokens are arbitrary.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice

LITERAL = '"'  # stands for any string, character or byte literal
LIFETIME = "'"

_BOM = "\ufeff"
# The edition from which `c"` and `cr"` open literals and `'r#a` is a lifetime.
_PREFIXES = "2021"
_SPACE = r"[ \t\n\v\f\r\x85\u200e\u200f\u2028\u2029]"
# Whatever else is not ASCII is part of a word: elsewhere in code rustc takes none of it.
_WORD = r"[A-Za-z0-9_\x80-\x84\x86-\u200d\u2010-\u2027\u202a-\U0010ffff]"
# A literal takes the word glued to it as its suffix, so `"a"r"b"` holds no raw string. One that is
# never closed ends with the text.
_SYNTAX = r"""
      {space}++
    | //[^\n]*+
    | (?P<block> /\*)
    | (?P<literal>
        (?: (?:{raw})(?P<hashes>\#*+)" (?: .*? "(?P=hashes) | .*+ )
          | {quoted}?" (?: [^"\\]++ | \\. )*+ "?
          | b?' (?: \\. [^'\n]*+ | [^\\'\n] ) '
        ) (?: (?![0-9]) {word}++ )? )
    | (?P<lifetime> ' {raw_lifetime} {word}*+ )
    | (?:r\#)?(?P<word> {word}++)
    | (?P<mark> :: | => | -> | != | == | . )
"""
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_STANDS_FOR = {"literal": LITERAL, "lifetime": LIFETIME}
_MARKS = frozenset(_STANDS_FOR.values())


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens in their order, each with the place in characters where it starts."""

    texts: list[str]
    starts: list[int]


def tokenize(source: str, *, edition: str = "2021") -> Tokens:
    """Return the tokens of a source file, without its byte order mark and shebang."""
    pattern = _pattern(edition >= _PREFIXES)
    texts, starts = [], []
    for text, start in _tokens(source, _start(source, pattern), pattern):
        texts.append(text)
        starts.append(start)
    return Tokens(texts, starts)


def spelled(source: str) -> list[str]:
    """Return the tokens of a source file with their literals and lifetimes as they are written.

    Equal for two texts that differ in comments and white space alone.
    """
    source = source.replace("\r\n", "\n")
    pattern = _pattern(True)  # noqa: FBT003 - cached: one way of calling it
    found = _tokens(source, _start(source, pattern), pattern)
    return [_spelling(source, start, pattern) if text in _MARKS else text for text, start in found]


def _spelling(source: str, start: int, pattern: re.Pattern[str]) -> str:
    literal = pattern.match(source, start)
    return "" if literal is None else literal[0]


@cache
def _pattern(prefixes: bool) -> re.Pattern[str]:
    syntax = _SYNTAX.format(
        space=_SPACE,
        word=_WORD,
        raw="br|cr|r" if prefixes else "br|r",
        quoted="[bc]" if prefixes else "b",
        raw_lifetime=rf"(?: r\#(?={_WORD}) )?" if prefixes else "",
    )
    return re.compile(syntax, re.VERBOSE | re.DOTALL)


def _start(source: str, pattern: re.Pattern[str]) -> int:
    """Return where the code begins; `#!` opens a shebang unless a `[` is the next token."""
    begin = len(_BOM) if source.startswith(_BOM) else 0
    if not source.startswith("#!", begin):
        return begin
    first = [text for text, _ in islice(_tokens(source, begin, pattern), 3)]
    if first[2:] == ["["]:
        return begin
    end = source.find("\n", begin)
    return len(source) if end < 0 else end


def _tokens(source: str, at: int, pattern: re.Pattern[str]) -> Iterator[tuple[str, int]]:
    while at < len(source):
        for match in pattern.finditer(source, at):
            at = match.end()
            kind = match.lastgroup
            if kind == "block":
                at = _comment_end(source, at)
                break
            if kind is not None:
                yield _STANDS_FOR.get(kind) or match[kind], match.start()


def _comment_end(source: str, at: int) -> int:
    """Return the end of the comment opened before `at`; comments nest in Rust."""
    depth = 1
    for edge in _COMMENT_EDGE.finditer(source, at):
        depth += 1 if edge[0] == "/*" else -1
        if depth == 0:
            return edge.end()
    return len(source)
