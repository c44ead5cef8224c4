"""An answer of several files: whole files under their paths, and edits of files that were given.

A file may be a fenced block, whose path is on its fence, in a comment on its first line, or on the
line before it; or an element `<file path="...">`. An edit is a SEARCH/REPLACE block with a path.
What cannot be taken exactly as it is written is refused, and the reason says what: a guess between
files would grade code that nobody wrote.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from forgetest.evalset.forms import is_own, listed, quoted
from forgetest.evalset.types import Case
from forgetest.extract.blocks import FencedBlock, Language, layout
from forgetest.extract.edits import SearchEdit, replaced_once, searches
from forgetest.rust.joined import LIBRARY, joined

_CUT = "\0"  # where an edit was
_PATH = r"(?:[A-Za-z]:)?[\w.@/\\-]*[\w-]\.(?:rs|toml|lock|md|txt|json|ya?ml|sh)\b"
_PATHS = re.compile(rf"(?<![\w.@/\\-]){_PATH}")
_ATTRIBUTE = re.compile(r"\b(?:title|path|file|filename|name)\s*=\s*[\"']([^\"']+)[\"']")
_COMMENT = re.compile(
    rf"\s*+/[/*]++!?\s*+(?:(?:file(?:name)?|path)\s*:\s*)?`?(?P<path>{_PATH})`?\s*(?:\*/\s*)?",
    re.IGNORECASE,
)
_TITLE = re.compile(r"\s*(?:#{1,6}\s|\*\*|__|`|[-*+]\s|\d+[.)]\s)")
_TITLE_WORDS = 3
_TAG = re.compile(
    r"^[ \t]*<(?P<tag>file|document|artifact)\b(?P<attributes>[^<>\n]{1,400})>[ \t]*\n?",
    re.MULTILINE,
)
_MOST_TAGS = 256
_CDATA = re.compile(r"\s*<!\[CDATA\[\n?(?P<text>.*)\]\]>\s*", re.DOTALL)
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})(?P<info>[^`]*)")
_FENCES = re.compile(r"^[ \t]*(?:`{3,}|~{3,})", re.MULTILINE)
_DIFFS = ("diff", "patch", "udiff")


@dataclass(frozen=True, slots=True)
class FilesAnswer:
    """The files of an answer as one text, or what is wrong with them."""

    code: str | None
    wrong: str = ""


class _RefusedError(Exception):
    """An answer that cannot be taken as it is; the text says why."""


@dataclass(frozen=True, slots=True)
class _Element:
    """An element that holds a file, and where it starts and ends in the reply."""

    path: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _NamedText:
    """A whole file, and whether it is named by more than a sentence that mentions its path."""

    path: str
    text: str
    firm: bool = True


def files_in(text: str, case: Case) -> FilesAnswer | None:
    """Return the files that a reply hands in for a case with `answer_files`.

    A file that the case's context gives, and the reply leaves alone, is part of them. None for a
    reply that names no file, where `src/lib.rs` is all that is asked for.
    """
    text = text.replace("\r\n", "\n")
    elements = list(_elements(text))
    text = _without(text, elements, "\n")
    edits = searches(text)
    try:
        named = [_in_element(element) for element in elements]
        named += _of_blocks(_without(text, edits, _CUT), case.answer_files)
        if not (named or edits):
            return _without_names(case.answer_files)
        files = _whole_files(_settled(named), case.answer_files)
        files |= _edited(edits, text, files, case)
        return FilesAnswer(joined(_complete(files, case)))
    except (_RefusedError, ValueError) as error:
        return FilesAnswer(None, str(error))


def _without_names(asked: Sequence[str]) -> FilesAnswer | None:
    if tuple(asked) == (LIBRARY,):
        return None
    return FilesAnswer(None, f"no block names its file; wanted: {listed(asked)}")


def _elements(text: str) -> Iterator[_Element]:
    """Yield the elements outside of fences that name a file."""
    end = 0
    for tag in islice(_TAG.finditer(text), _MOST_TAGS):
        close = text.find(f"</{tag['tag']}>", tag.end())
        path = _ATTRIBUTE.search(tag["attributes"])
        if close < 0:
            return
        if path and tag.start() >= end and not _is_fenced(text, tag.start()):
            end = close + len(f"</{tag['tag']}>")
            yield _Element(path[1], text[tag.end() : close], tag.start(), end)


def _is_fenced(text: str, at: int) -> bool:
    return len(_FENCES.findall(text, 0, at)) % 2 == 1


def _in_element(element: _Element) -> _NamedText:
    """Return the file of an element, which may hold it in a fence or as CDATA."""
    blocks = layout(element.text).blocks
    data = _CDATA.fullmatch(element.text)
    plain = data["text"] if data else element.text
    is_block = len(blocks) == 1 and _FENCE.match(element.text.lstrip("\n"))
    return _NamedText(element.path, blocks[0].code if is_block else plain)


def _without(text: str, parts: Sequence[SearchEdit | _Element], mark: str) -> str:
    """Return a text with a mark in place of each part."""
    ends = [0, *(part.end for part in parts)]
    starts = [*(part.start for part in parts), len(text)]
    return mark.join(text[end:start] for end, start in zip(ends, starts, strict=True))


def _of_blocks(text: str, asked: Sequence[str]) -> Iterator[_NamedText]:
    """Yield the blocks that name a file."""
    for block in layout(text).blocks:
        if _CUT in block.code:
            continue
        path, firm = _path_of(block, asked)
        if path and _is_diff(block):
            raise _RefusedError(
                f"{quoted(path)} is given as a diff; wanted: the whole file or SEARCH/REPLACE"
            )
        if path:
            yield _NamedText(path, block.code, firm)


def _is_diff(block: FencedBlock) -> bool:
    return block.info.lower().startswith(_DIFFS)


def _path_of(block: FencedBlock, asked: Sequence[str]) -> tuple[str, bool]:
    """Return the path that a block is given under, and whether that is certain; empty if none."""
    if path := _in_info(block.info):
        return path, True
    if block.language is Language.OTHER and not _is_diff(block):
        return "", False
    if comment := _COMMENT.fullmatch(block.code.lstrip("\n").split("\n", 1)[0]):
        return comment["path"], True
    lines = [line for line in block.lead.split("\n") if line.strip()]
    return _in_line(lines[-1], asked) if lines else ("", False)


def _in_info(info: str) -> str:
    """Return the path on a fence: `rust src/a.rs`, `rust:src/a.rs`, `rust title="src/a.rs"`."""
    if attribute := _ATTRIBUTE.search(info):
        return attribute[1]
    words = re.split(r"[\s,;:{}()=\"'`]+", info)
    return next((word for word in words if _PATHS.fullmatch(word)), "")


def _in_line(line: str, asked: Sequence[str]) -> tuple[str, bool]:
    """Return the one path on a line, and whether the line is a title.

    In a sentence only a path that is asked for counts.
    """
    paths = set(_PATHS.findall(line))
    if len(paths) != 1:
        return "", False
    path = paths.pop()
    is_title = bool(_TITLE.match(line)) or len(line.split()) <= _TITLE_WORDS
    return (path, is_title) if is_title or path in asked else ("", False)


def _settled(named: Sequence[_NamedText]) -> list[_NamedText]:
    """Return the texts without those that a sentence mentions a path before that others have."""
    firm = {_plain(item.path) for item in named if item.firm}
    return [item for item in named if item.firm or _plain(item.path) not in firm]


def _plain(path: str) -> str:
    return path.removeprefix("./")


def _whole_files(named: Sequence[_NamedText], asked: Sequence[str]) -> dict[str, str]:
    files: dict[str, str] = {}
    for item in named:
        path = _demanded(item.path, asked)
        if path in files:
            raise _RefusedError(f"{quoted(path)} is given twice")
        files[path] = item.text
    return files


def _demanded(path: str, asked: Sequence[str]) -> str:
    """Return the path of a file that is asked for; refuse any other."""
    plain = _plain(path)
    if plain in asked:
        return plain
    if plain.startswith(("/", "\\", "~")) or plain[1:2] == ":":
        why = "is an absolute path"
    elif ".." in re.split(r"[/\\]", plain):
        why = "leaves the crate"
    elif is_own(plain) or plain.startswith(("case/", "harness/")):
        why = "belongs to cargo or to the tests"
    else:
        why = "is not asked for"
    raise _RefusedError(f"{quoted(path)} {why}; wanted: {listed(asked)}")


def _edited(
    edits: Sequence[SearchEdit], text: str, whole: Mapping[str, str], case: Case
) -> dict[str, str]:
    """Return the given files that edits change, each edit applied to what those before it left."""
    given = {file.path: file.content.replace("\r\n", "\n") for file in case.context}
    files: dict[str, str] = {}
    path, end = "", 0
    for number, edit in enumerate(edits, start=1):
        path = _path_before(edit, text[end : edit.start], case.answer_files) or path
        if not path:
            raise _RefusedError(f"edit {number} names no file; wanted: {listed(case.answer_files)}")
        path, end = _demanded(path, case.answer_files), edit.end
        if path in whole:
            raise _RefusedError(f"{quoted(path)} is given twice: whole, and by edit {number}")
        source = files.get(path, given.get(path))
        if source is None:
            files[path] = _created(edit, number, path)
            continue
        try:
            files[path] = replaced_once(edit, source)
        except ValueError as error:
            raise _RefusedError(f"edit {number}, of {quoted(path)}: {error}") from None
    return files


def _created(edit: SearchEdit, number: int, path: str) -> str:
    if edit.old.strip():
        raise _RefusedError(f"edit {number}, of {quoted(path)}: there is no such file to search in")
    return edit.new


def _path_before(edit: SearchEdit, before: str, asked: Sequence[str]) -> str:
    """Return the path on an edit's mark, or before it; empty if none stands there."""
    if marked := _PATHS.search(edit.mark):
        return marked.group()
    for line in reversed(before.split("\n")):
        fence = _FENCE.fullmatch(line)
        found = _in_info(fence["info"]) if fence else _in_line(line, asked)[0]
        if found:
            return found
        if line.strip() and not fence:
            break
    return asked[0] if len(asked) == 1 else ""


def _complete(files: Mapping[str, str], case: Case) -> dict[str, str]:
    """Return every file that is asked for, in that order; refuse an answer that lacks one."""
    every = {**{file.path: file.content for file in case.context}, **files}
    if missing := [path for path in case.answer_files if path not in every]:
        raise _RefusedError(f"the answer lacks {listed(missing)}")
    return {path: every[path] for path in case.answer_files}
