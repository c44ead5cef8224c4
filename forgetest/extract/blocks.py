"""The fenced blocks of a reply: where they begin and end, in which language, and what they hold.

Markdown as models write it: fences in lists, glued to the code, never closed, one inside the
other. Which block holds the code is decided elsewhere.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from forgetest.extract.keywords import starts_item
from forgetest.rust.lexer import Ending, lex

_FENCE = re.compile(
    r"(?P<indent>[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(?P<mark>`{3,}+|~{3,}+)(?P<info>.*)",
    re.DOTALL,
)
_LATE_FENCE = re.compile(r"[^`]*[^`\s](?P<mark>[ \t]*`{3,}+)(?P<info>rust|rs)\s*", re.IGNORECASE)
_GLUED_FENCE = re.compile(r"(?P<code>[^`~]*[^`~\s])[ \t]*(?P<mark>`{3,}+|~{3,}+)\s*")
_ONE_LINE = re.compile(r"[ \t]*```(?P<info>(?:rust|rs)?)(?P<code>[^`]+)```\s*", re.IGNORECASE)
_TAG = re.compile(r"[ \t]*[\w+#.,-]+\s*")
_RUST_TAGS = frozenset({"rs", "ignore", "no_run", "should_panic", "compile_fail"})
_NO_TAGS = frozenset({"", "code"})
_MARKDOWN_TAGS = frozenset({"markdown", "md"})
_MAX_TRIES = 8  # fences that are looked at as the end of one block
_MAX_TRIED = 1000  # blocks that are looked at so closely; no honest reply has more


class Language(StrEnum):
    """What a block's tag says that it holds."""

    RUST = "rust"
    UNSAID = "unsaid"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its content without the fences, and whether its end was written."""

    language: Language
    code: str
    closed: bool = True
    lead: str = ""  # the text between the block before and this one


@dataclass(frozen=True, slots=True)
class Layout:
    """A reply taken apart: its blocks that hold anything, and the text around them."""

    blocks: tuple[Block, ...]
    outside: str
    head: str  # what stands before the first fence


@dataclass(frozen=True, slots=True)
class _Fence:
    """An opening fence."""

    mark: str
    tag: str
    width: int = 0  # how far its lines are indented
    code: str | None = None  # code that stands on the fence's own line
    before: str = ""  # prose that stands there

    @property
    def language(self) -> Language:
        if _is_rust(self.tag):
            return Language.RUST
        return Language.UNSAID if self.tag in _NO_TAGS else Language.OTHER


def layout(text: str, *, nested: bool = True) -> Layout:
    """Take a reply apart at its fences; a block that shows markdown gives the blocks it shows."""
    lines = text.split("\n")
    found: list[Block] = []
    outside: list[str] = []
    head: int | None = None
    at = led = 0
    while at < len(lines):
        line, fence = lines[at], _opening(lines[at])
        if fence is None:
            outside.append(line)
            at += 1
            continue
        head = at if head is None else head
        outside.append(fence.before)
        block, at = _read(lines, at, fence, tries=_MAX_TRIES if len(found) < _MAX_TRIED else 1)
        shown = _shown(block, fence) if nested else (block,)
        if any(inner.code.strip() for inner in shown):
            found.extend(_led(shown, "\n".join(outside[led:])))
            led = len(outside)
    return Layout(
        blocks=tuple(block for block in found if block.code.strip()),
        outside="\n".join(outside),
        head="\n".join(lines if head is None else lines[:head]),
    )


def _led(blocks: tuple[Block, ...], lead: str) -> Iterator[Block]:
    """Yield blocks with the text that stands before the first of them."""
    for number, block in enumerate(blocks):
        yield replace(block, lead=f"{lead}\n{block.lead}" if number == 0 else block.lead)


def _is_rust(tag: str) -> bool:
    """Tell whether a tag means Rust: its names, rustdoc's words for examples, a file's name."""
    return tag in _RUST_TAGS or tag.startswith(("rust", "edition20")) or tag.endswith(".rs")


def _opening(line: str) -> _Fence | None:
    """Return the fence that a line opens, which may come late in it."""
    if "```" not in line and "~~~" not in line:
        return None
    if match := _FENCE.fullmatch(line):
        if "`" not in match["info"] or match["mark"][0] == "~":
            return _fence(match["mark"], match["info"], len(match["indent"]))
        return _one_line(line)
    if late := _LATE_FENCE.fullmatch(line):
        return _Fence(late["mark"].strip(), "rust", before=line[: late.start("mark")])
    return None


def _one_line(line: str) -> _Fence | None:
    """Return a block that opens and closes on one line, when it is more than inline code."""
    match = _ONE_LINE.fullmatch(line)
    if match is None or not starts_item(match["code"]):
        return None
    return _Fence("", match["info"].lower(), code=match["code"].strip())


def _fence(mark: str, info: str, width: int) -> _Fence:
    """Return the fence with its language; code right behind the mark belongs to the block."""
    info = info.strip()
    word = re.split(r"[\s,;:{}]", info.lstrip("{. \t"), maxsplit=1)[0].lower()
    rest = info[len(word) :].strip() if _is_rust(word) else info
    if starts_item(rest):
        return _Fence(mark, word if rest != info else "", width, code=rest)
    return _Fence(mark, word, width)


def _read(lines: list[str], at: int, fence: _Fence, *, tries: int) -> tuple[Block, int]:
    """Return the block that a fence opens, and the line to go on with."""
    if not fence.mark:
        return Block(fence.language, fence.code or ""), at + 1
    end, last, following = _end(lines, at + 1, fence, tries)
    content = [_dedent(line, fence.width) for line in lines[at + 1 : end]]
    content += [] if last is None else [last]
    content = content if fence.code is None else [fence.code, *content]
    code = "\n".join(content)
    # With CRLF, the line break before the closing fence is the fence's, all of it.
    code = code[:-1] if lines[at].endswith("\r") and code.endswith("\r") else code
    return Block(fence.language, code, closed=end < len(lines)), following


def _shown(block: Block, fence: _Fence) -> tuple[Block, ...]:
    """Return the blocks within a block of markdown, or the block itself when it is none."""
    if block.language is Language.RUST:
        return (block,)
    inner = layout(block.code, nested=False).blocks
    shows = fence.tag in _MARKDOWN_TAGS or any(b.language is Language.RUST for b in inner)
    return inner if shows and inner else (block,)


def _dedent(line: str, width: int) -> str:
    """Remove the fence's own indentation from a line, as far as it is there."""
    return line[:width].lstrip(" \t") + line[width:]


def _end(lines: list[str], start: int, fence: _Fence, tries: int) -> tuple[int, str | None, int]:
    """Return where a block ends: its line, code that shares that line, the line to go on with.

    A fence inside a comment or a string of the block's own Rust code does not end it, provided
    that the code comes to an end later on.
    """
    first: tuple[int, str | None, int] | None = None
    for index in range(start, len(lines)):
        end = _ending(lines[index], index, fence)
        if end is None:
            continue
        first = first or end
        tries -= 1
        inside = _ends_inside("\n".join(lines[start:index]), fence)
        if inside is None:
            return end
        if tries == 0 or (inside is Ending.STRING and end[2] == index):
            return first
    return first or (len(lines), None, len(lines))


def _ends_inside(code: str, fence: _Fence) -> Ending | None:
    """Return what the code so far ends in the middle of, if it is Rust at all."""
    if fence.language is not Language.RUST:
        return None
    ending = lex(code).ending
    return ending if ending in {Ending.STRING, Ending.BLOCK_COMMENT} else None


def _ending(line: str, index: int, fence: _Fence) -> tuple[int, str | None, int] | None:
    """Return where the block ends if this line ends it: by a bare fence, a glued one, the next."""
    if fence.mark not in line:
        return None
    match = _FENCE.fullmatch(line)
    if match and match["mark"].startswith(fence.mark):
        if not match["info"].strip():
            return index, None, index + 1
        # A tag shows that the block's own end was forgotten, unless it shows markdown.
        anew = fence.language is not Language.OTHER and _TAG.fullmatch(match["info"])
        return (index, None, index) if anew else None
    glued = _GLUED_FENCE.fullmatch(line)
    if glued and "//" not in line and glued["mark"].startswith(fence.mark):
        is_end = glued["code"][-1] in "};"
        return (index, glued["code"], index + 1) if is_end else None
    return None
