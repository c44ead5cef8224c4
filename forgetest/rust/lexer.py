"""Brackets of Rust source, told from those inside strings, characters and comments.

Where a syntax tree is of no use, because the text is a fragment or half prose, the nesting of
brackets still says where a function ends. One pass, linear on every input; no macros, no errors.

Rust source as tokens, split as rustc splits every text that it takes.

Comments vanish, literals and lifetimes become marks, `r#name` is `name`. One pass, linear on every
input. On text that rustc refuses anyway the tokens are arbitrary.

What a group of brackets in a token list is for, told from what stands before it.

Only what a scan asks for: whether names in it are names of attributes, whether it is the condition
of a `cfg`, whether a macro of the file's own is given it.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import islice
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
                at = _end_of_comment(source, at)
                break
            if kind is not None:
                yield _STANDS_FOR.get(kind) or match[kind], match.start()


def _end_of_comment(source: str, at: int) -> int:
    """Return the end of the comment opened before `at`; comments nest in Rust."""
    depth = 1
    for edge in _COMMENT_EDGE.finditer(source, at):
        depth += 1 if edge[0] == "/*" else -1
        if depth == 0:
            return edge.end()
    return len(source)


OPENING = frozenset("([{")
CLOSING = frozenset(")]}")

_HOLDS_ATTRIBUTES = frozenset({"unsafe", "cfg_attr"})
_SILENCES = frozenset({"allow", "expect"})
_CONDITIONS = frozenset({"cfg", "cfg_attr"})
_CONDITIONAL_MACROS = frozenset({"cfg", "cfg_select"})


class TokenGroup(NamedTuple):
    """The use of the tokens directly in a group of brackets."""

    names_attributes: bool = False  # `#[..]`, `#[unsafe(..)]`, `#[cfg_attr(..)]`
    condition: bool = False  # of `cfg`, at any depth
    silencing: bool = False  # the lints of `allow` or `expect`
    own_macro: bool = False  # goes to a macro of the file's own, or defines one; at any depth


FILE = TokenGroup()
# By `own_macro`. Hostile text opens hundreds of thousands of groups.
_PLAIN = (FILE, TokenGroup(own_macro=True))
_ATTRIBUTE = (TokenGroup(names_attributes=True), TokenGroup(names_attributes=True, own_macro=True))


def opened(
    tokens: list[str], at: int, outer: TokenGroup, own_macros: Collection[str]
) -> TokenGroup:
    """Return what the group is that the bracket at `at` opens inside of `outer`."""
    last = tokens[at - 1]
    own_macro = outer.own_macro or _is_of_own_macro(tokens, at, own_macros)
    if tokens[at] == "[":
        return _ATTRIBUTE[own_macro] if _is_attribute(tokens, at) else _PLAIN[own_macro]
    if tokens[at] == "(" and outer.names_attributes:
        return TokenGroup(
            names_attributes=last in _HOLDS_ATTRIBUTES,
            condition=outer.condition or last in _CONDITIONS,
            silencing=last in _SILENCES,
            own_macro=own_macro,
        )
    inherited = outer.condition and tokens[at] == "("
    if inherited or (last == "!" and tokens[at - 2] in _CONDITIONAL_MACROS):
        return TokenGroup(condition=True, own_macro=own_macro)
    return _PLAIN[own_macro]


def _is_attribute(tokens: list[str], at: int) -> bool:
    last = tokens[at - 1]
    return last == "#" or (last == "!" and tokens[at - 2] == "#")


def _is_of_own_macro(tokens: list[str], at: int, own_macros: Collection[str]) -> bool:
    """Tell whether `name!`, `$name!` or `macro_rules! name` stands before a group."""
    if tokens[at - 1] == "!":
        name = tokens[at - 2]
        return name in own_macros or (tokens[at - 3] == "$")
    return tokens[at - 2] == "!" and tokens[at - 3] == "macro_rules"
