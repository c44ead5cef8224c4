"""Splice a module into a sample: text in front of its first item, or a module behind its last.

The first place, after the inner attributes, is found by a small lexer of its own that reads the
head of the file only. It is linear in the head's length and needs no grammar of the items that
follow, so syntax newer than the parser's does no harm. A wrong guess gives a sample that does not
build, never one that passes.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass

_BOM = "\ufeff"
_SPACE = re.compile("[\t\n\v\f\r \x85\u200e\u200f\u2028\u2029]*")
_OUTER_DOC = re.compile(r"///(?!/)|/\*\*(?![*/])")
_COMMENT_EDGE = re.compile(r"/\*|\*/")
# A literal that is never closed ends with the file: trying again behind each quote would take time
# that grows with the square of the length.
_ATTRIBUTE_TOKEN = re.compile(
    r"""
    (?P<comment> //[^\n]* | /\* )
    | (?P<literal>
        (?<!\w) [bc]? r (?P<hashes>\#*) " (?: .*? " (?P=hashes) | .*+ )
        | "(?: [^"\\] | \\. )*+ "?
        | '(?: [^'\\] | \\(?: u\{[^}]{0,8}\} | x.. | . ) )'
    )
    | (?P<open> [\[({] )
    | (?P<close> [\])}] )
    """,
    re.VERBOSE | re.DOTALL,
)
_EXTERN = re.compile(r"\bextern\b")
_NAME = re.compile(r"(?:r#)?\w+")
_EXTERN_CRATE = (re.compile("crate"), _NAME, re.compile("as"), _NAME)
_STRICT_LEVEL = re.compile(r"\b(?:deny|forbid)(?=\s*\()")
_NO_STD = re.compile(r"\bno_std\b")


@dataclass(frozen=True, slots=True)
class Head:
    """What stands before a file's first item; offsets in characters."""

    end: int  # where the first item begins, with its own attributes and docs
    attributes: tuple[tuple[int, int], ...]  # each inner attribute, from `#` to past its `]`


def head(source: str) -> Head:
    """Return where the first item of `source` begins and which inner attributes precede it."""
    position = _after_shebang(source)
    attributes: list[tuple[int, int]] = []
    position = _after_gap(source, position)
    while (after := _after_attribute(source, position)) is not None:
        attributes.append((position, after))
        position = _after_gap(source, after)
    return Head(position, tuple(attributes))


def splice(source: str, text: str) -> str:
    """Return `source` with `text` before its first item, on that item's own line."""
    place = head(source).end
    gap = "\n" if place == len(source) and source and not source.endswith("\n") else ""
    return f"{source[:place]}{gap}{text} {source[place:]}"


def splice_module(source: str, name: str) -> str:
    """Return `source` with the public module `name` of the file `name.rs` as its last item.

    There, all macros of the source are in scope, as they are in a child module that somebody writes
    below it. What was judged on the sample itself must not be judged on the module: lints that the
    whole file denies or forbids become warnings, and the standard library is there without asking.
    """
    gap = "" if source.endswith("\n") else "\n"
    module = f'#[allow(warnings)] #[path = "{name}.rs"] pub mod {name};'
    return f"{_lenient(source)}{gap}{module}\n"


def renames_a_crate(source: str, names: Collection[str]) -> bool:
    """Tell whether source may call a crate by one of `names`, for all modules of its own crate.

    `extern crate self as std` makes `::std` mean the sample. What only looks like it, in a string
    or a comment, counts too.
    """
    return any(_renamed(source, found.end()) in names for found in _EXTERN.finditer(source))


def _renamed(source: str, position: int) -> str:
    """Return the name given by what follows an `extern`, empty when it gives none."""
    name = ""
    for word in _EXTERN_CRATE:
        found = word.match(source, _after_gap(source, position))
        if found is None:
            return ""
        position, name = found.end(), found[0].removeprefix("r#")
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


def _after_shebang(source: str) -> int:
    """Return the offset past a byte-order mark and a `#!` line that is no inner attribute."""
    start = len(_BOM) if source.startswith(_BOM) else 0
    if not source.startswith("#!", start):
        return start
    if source.startswith("[", _after_gap(source, start + 2)):
        return start
    return _line_end(source, start)


def _after_gap(source: str, position: int) -> int:
    """Return the offset past spaces, comments and inner docs."""
    position = _after_space(source, position)
    while (after := _after_comment(source, position)) is not None:
        position = _after_space(source, after)
    return position


def _after_space(source: str, position: int) -> int:
    found = _SPACE.match(source, position)
    return found.end() if found else position


def _line_end(source: str, position: int) -> int:
    end = source.find("\n", position)
    return len(source) if end < 0 else end


def _after_comment(source: str, position: int) -> int | None:
    """Return the offset past the comment at `position`; None when an outer doc or no comment."""
    if _OUTER_DOC.match(source, position):
        return None
    if source.startswith("//", position):
        return _line_end(source, position)
    if source.startswith("/*", position):
        return _after_block(source, position)
    return None


def _after_block(source: str, position: int) -> int:
    """Return the offset past a block comment, which may hold others."""
    depth = 0
    for edge in _COMMENT_EDGE.finditer(source, position):
        depth += 1 if edge[0] == "/*" else -1
        if depth == 0:
            return edge.end()
    return len(source)


def _after_attribute(source: str, position: int) -> int | None:
    """Return the offset past the inner attribute at `position`; None when there is none."""
    for sign in "#!":
        if not source.startswith(sign, position):
            return None
        position = _after_gap(source, position + 1)
    if not source.startswith("[", position):
        return None
    depth = 0
    while token := _ATTRIBUTE_TOKEN.search(source, position):
        position = token.end() if token[0] != "/*" else _after_block(source, token.start())
        depth += bool(token["open"]) - bool(token["close"])
        if depth == 0:
            return position
    return None
