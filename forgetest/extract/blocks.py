"""The fenced blocks of a reply, and the Rust in its prose without fences.

`layout` takes a reply apart at its fences. Markdown is read as models write it: fences in lists,
glued to the code, never closed, one inside another. `runs` finds stretches of items in prose, item
by item: a line that begins like an item (`item_lines`), the brackets that show where the item ends,
and the parser that confirms it. Which block holds the code is decided elsewhere.
"""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice

from tree_sitter import Node, Tree

from forgetest.rust.lexer import Ending, lex, marks
from forgetest.rust.parse import parse_within

_ABI = r"extern(?:[ \t]*\"[^\"\n]*\")?"
_QUALIFIERS = rf"(?:pub(?:\([^()\n]*\))?[ \t]+)?(?:(?:default|const|async|unsafe|{_ABI})[ \t]+)*"
_FUNCTION = rf"{_QUALIFIERS}fn[ \t]+(?:r\#)?\w+\s*[<(]"
_ITEM = (
    rf"{_QUALIFIERS}(?:(?:fn|struct|enum|union|trait|mod|type|static|use)[ \t]+[\w:{{]|impl[ \t<])"
    rf"|(?:pub(?:\([^()\n]*\))?[ \t]+)?const[ \t]+\w+[ \t]*:"
    rf"|extern[ \t]+(?:crate[ \t]|\"|\{{)"
    r"|macro_rules![ \t]*\w|\#!?\["
)
# Macros that expand to expressions; a call of any other may expand to items.
_EXPRESSIONS = (
    "(?:debug_)?assert(?:_eq|_ne)?|e?print(?:ln)?|dbg|panic|todo|unimplemented|unreachable|vec|format"
    "|format_args|write(?:ln)?|matches|concat|stringify|env|option_env|line|column|file|module_path"
)
_CALL = rf"(?!(?:{_EXPRESSIONS})!)[a-z_]\w*(?:::\w+)*!(?:[ \t]*(?:(?!for\b)\w+[ \t]*)?\{{|[(\[])"
_STARTS_ITEM = re.compile(rf"\s*(?:{_ITEM})")
_STARTS_CODE = re.compile(rf"\s*(?:{_ITEM}|{_CALL}|//|/\*)")
_IS_EXPRESSION = re.compile(_EXPRESSIONS)
_ITEM_LINE = re.compile(rf"^[ \t]*(?:{_ITEM}|{_CALL}|//|/\*)", re.MULTILINE)
_BEFORE = r"(?:\s*+(?://[^\n]*+\n|\#!?\[[^\n]*+\n))*+\s*+"
_BRACED = rf"{_QUALIFIERS}(?:(?:struct|enum|trait|mod)[ \t]+\w|impl[ \t<])[^;{{}}]*{{"
_HEADER = re.compile(rf"{_BEFORE}(?:{_FUNCTION}|{_BRACED})")


def starts_item(text: str) -> bool:
    """Tell whether `text` begins the way an item or an attribute does."""
    return _STARTS_ITEM.match(text) is not None


def starts_code(text: str) -> bool:
    """Tell whether `text` begins the way a file does: by an item, a macro call or a comment."""
    return _STARTS_CODE.match(text) is not None


def is_expression_macro(name: str) -> bool:
    """Tell whether a macro of the standard library gives a value, and never an item."""
    return _IS_EXPRESSION.fullmatch(name) is not None


def has_item_header(text: str, at: int = 0) -> bool:
    """Tell whether a function or a braced item begins at `at`, behind comments and attributes."""
    return _HEADER.match(text, at) is not None


def item_lines(text: str) -> Iterator[int]:
    """Yield the offsets of the lines that begin the way an item, attribute or comment does."""
    return (match.start() for match in _ITEM_LINE.finditer(text))


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
_MAX_TRIED = 1000  # blocks that get that many tries; no honest reply has more


class Language(StrEnum):
    """The language of a block by its tag."""

    RUST = "rust"
    UNSAID = "unsaid"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class FencedBlock:
    """A fenced block: its content without the fences, and whether its end was written."""

    language: Language
    code: str
    closed: bool = True
    lead: str = ""  # the text between the block before and this one
    info: str = ""  # what its opening fence says


@dataclass(frozen=True, slots=True)
class ReplyLayout:
    """A reply taken apart: its blocks that are not empty, and the text around them."""

    blocks: tuple[FencedBlock, ...]
    outside: str
    head: str  # what comes before the first fence


@dataclass(frozen=True, slots=True)
class _Fence:
    """An opening fence."""

    mark: str
    tag: str
    width: int = 0  # how far its lines are indented
    code: str | None = None  # code on the fence's own line
    before: str = ""  # prose on that line
    info: str = ""

    @property
    def language(self) -> Language:
        if _is_rust(self.tag):
            return Language.RUST
        return Language.UNSAID if self.tag in _NO_TAGS else Language.OTHER


def layout(text: str, *, nested: bool = True) -> ReplyLayout:
    """Take a reply apart at its fences; a block of markdown is replaced by the blocks in it."""
    lines = text.split("\n")
    blocks: list[FencedBlock] = []
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
        block, at = _read(lines, at, fence, tries=_MAX_TRIES if len(blocks) < _MAX_TRIED else 1)
        shown = _shown(block, fence) if nested else (block,)
        if any(inner.code.strip() for inner in shown):
            blocks.extend(_led(shown, "\n".join(outside[led:])))
            led = len(outside)
    return ReplyLayout(
        blocks=tuple(block for block in blocks if block.code.strip()),
        outside="\n".join(outside),
        head="\n".join(lines if head is None else lines[:head]),
    )


def _led(blocks: tuple[FencedBlock, ...], lead: str) -> Iterator[FencedBlock]:
    """Yield blocks with the text before the first of them."""
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
    """Return a block that opens and closes on one line, if it is more than inline code."""
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
    return _Fence(mark, word, width, info=info)


def _read(lines: list[str], at: int, fence: _Fence, *, tries: int) -> tuple[FencedBlock, int]:
    """Return the block that a fence opens, and the line to go on with."""
    if not fence.mark:
        return FencedBlock(fence.language, fence.code or ""), at + 1
    end, last, following = _end(lines, at + 1, fence, tries)
    content = [_dedent(line, fence.width) for line in lines[at + 1 : end]]
    content += [] if last is None else [last]
    content = content if fence.code is None else [fence.code, *content]
    code = "\n".join(content)
    # With CRLF, the line break before the closing fence is the fence's, all of it.
    code = code[:-1] if lines[at].endswith("\r") and code.endswith("\r") else code
    closed = end < len(lines)
    return FencedBlock(fence.language, code, closed, info=fence.info), following


def _shown(block: FencedBlock, fence: _Fence) -> tuple[FencedBlock, ...]:
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
    """Return where the block ends if this line ends it: by a bare, a glued or an opening fence."""
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


_MAX_MISSES = 32  # lines that only look like items, before a text is taken for prose
_MAX_ENDS = 4  # places that may end an item: `A<{ N }>` and `= B { c };` close a brace earlier
_BESIDE_ITEMS = frozenset(
    {"use_declaration", "extern_crate_declaration", "attribute_item", "inner_attribute_item"}
    | {"line_comment", "block_comment", "empty_statement"}
)


def is_program(tree: Tree) -> bool:
    """Tell whether a text is Rust items from end to end, at least one of them more than a `use`."""
    return is_declarations(tree) and any(map(_is_item, tree.root_node.named_children))


def runs(text: str, deadline: float) -> tuple[str, ...]:
    """Return each stretch of items in a text, byte for byte, without the prose around them."""
    return tuple(text[start:end] for start, end in run_spans(text, deadline))


def run_spans(text: str, deadline: float) -> tuple[tuple[int, int], ...]:
    """Return where each stretch of items in a text starts and ends, in characters."""
    spans: list[tuple[int, int]] = []
    end = misses = 0
    for start in item_lines(text):
        if misses == _MAX_MISSES or time.thread_time() > deadline:
            break
        if start >= end:
            stop = _run_end(text, start, deadline)
            misses += stop is None
            end = end if stop is None else stop
            spans += [] if stop is None else [(start, stop)]
    return tuple(spans)


def is_declarations(tree: Tree) -> bool:
    """Tell whether all of a text may be at the top of a file."""
    root = tree.root_node
    return not root.has_error and all(map(_is_declared, root.named_children))


def _is_item(node: Node) -> bool:
    return node.type == "macro_definition" or (
        node.type.endswith("_item") and node.type not in _BESIDE_ITEMS
    )


def _is_declared(node: Node) -> bool:
    """Tell whether a node may be at the top of a file: not a statement, not an expression."""
    if node.type == "expression_statement":
        return [child.type for child in node.named_children] == ["macro_invocation"]
    return node.type == "macro_invocation" or node.type in _BESIDE_ITEMS or _is_item(node)


def _run_end(text: str, start: int, deadline: float) -> int | None:
    """Return the end of the items that begin at `start`, None when these are only imports."""
    end = start
    worth = False
    while (item := _item_end(text, end, deadline)) is not None:
        end = item[0]
        worth = worth or item[1]
    return end if worth else None


def _item_end(text: str, start: int, deadline: float) -> tuple[int, bool] | None:
    """Return where the declaration at `start` ends, and whether it is more than a `use`."""
    ends = list(islice(_ends(text, start), _MAX_ENDS))
    for end in ends:
        tree = parse_within(text[start:end].encode(), deadline)
        if tree is not None and is_declarations(tree):
            return end, any(map(_is_item, tree.root_node.named_children))
    if has_item_header(text, start):
        return (ends[0] if ends else len(text)), True  # broken or cut off, yet code
    return None


def _ends(text: str, start: int) -> Iterator[int]:
    """Yield the places where a declaration that begins at `start` may end."""
    for mark in marks(text, start):
        if mark.depth < 0 or mark.inner < 0:
            return
        if mark.char in "};" and mark.depth == 0 and mark.inner == 0:
            yield mark.at + 1
