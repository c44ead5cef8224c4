"""Several files of Rust as one text, and back.

The code of an answer is one string wherever it goes: journal, report, cache, diffs. That of an
answer of several files is `joined`: each file below a line that names it. The line is a comment, so
that what reads Rust reads all files at once; what needs the files takes them apart again with
`split`, by the paths that the case asks for.
"""

import re
from collections.abc import Mapping, Sequence

LIBRARY = "src/lib.rs"
_MARK = "//==== file: "
_HEADER = re.compile(rf"^{_MARK}(?P<path>\S+)\n", re.MULTILINE)


def joined(files: Mapping[str, str]) -> str:
    """Return files by path as one text; `src/lib.rs` alone is its own text.

    ValueError names a file that holds such a line itself, because it could not be told apart.
    """
    if files.keys() == {LIBRARY}:
        return files[LIBRARY]
    ended = {path: _ended(text) for path, text in files.items()}
    for path, text in ended.items():
        if _HEADER.search(text):
            raise ValueError(f"{path} holds a line that begins with `{_MARK.strip()}`; remove it")
    return "".join(f"{_MARK}{path}\n{text}" for path, text in ended.items())


def _ended(text: str) -> str:
    return text if text[-1:] in ("", "\n") else f"{text}\n"


def split(code: str, paths: Sequence[str]) -> dict[str, str]:
    """Return the files of a joined text that are among `paths`.

    A text without paths, or without their lines, is `src/lib.rs`. Of a path that is named twice the
    first line counts.
    """
    starts = {match["path"]: match for match in reversed(list(_HEADER.finditer(code)))}
    marks = sorted((starts[path] for path in paths if path in starts), key=re.Match.start)
    if len(paths) <= 1 or not marks:
        return {LIBRARY: code}
    ends = [*(mark.start() for mark in marks[1:]), len(code)]
    return {mark["path"]: code[mark.end() : end] for mark, end in zip(marks, ends, strict=True)}


def sections(code: str) -> dict[str, str]:
    """Return the files of a text whose paths are not known, for people to look at."""
    if not _HEADER.match(code):
        return {LIBRARY: code}
    return split(code, [match["path"] for match in _HEADER.finditer(code)])


def lines_before(code: str) -> dict[str, int]:
    """Return how many lines of a joined text come before the first of each file."""
    before: dict[str, int] = {}
    lines = 0
    for path, text in sections(code).items():
        lines += code.startswith(_MARK)
        before[path] = lines
        lines += text.count("\n")
    return before
