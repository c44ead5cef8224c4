"""The folder beside an eval set that holds context files of a case: its key `context_dir`.

What is read here becomes plain `context`, so that nothing behind the reader of eval sets knows of
folders: plans, digests and crates are those of a set that holds the files itself.

Hidden files and cargo's `target` are left out. Links are refused wherever they lead, because an
eval set must be the same on every machine.
"""

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forgetest.errors import Problem
from forgetest.evalset.findings import KeyProblem
from forgetest.evalset.forms import clashes, context_path, folder_path, given_path, quoted
from forgetest.evalset.positions import KeyPath
from forgetest.evalset.types import ContextFile
from forgetest.rust.joined import LIBRARY
from forgetest.value import readable

CONTEXT_DIR = "context_dir"
MAX_FILES = 1_000
MAX_BYTES = 1 << 20  # of all files of a folder: models are shown every one of them
_TARGET = Path("target")  # what cargo builds there


class _UnusableError(Exception):
    """A folder as a whole cannot be used; the text says why, after the name of the key."""


@dataclass(frozen=True, slots=True)
class _WrongFile:
    """What is wrong with one file of a folder."""

    name: str
    rest: str  # of a message that begins with the key
    line: int | None = None


@dataclass(frozen=True, slots=True)
class ContextFolders:
    """The files of all folders that an eval set names, by the index of the case."""

    files: dict[int, tuple[ContextFile, ...]] = field(default_factory=dict)
    findings: list[KeyProblem] = field(default_factory=list)  # in the eval set
    problems: list[Problem] = field(default_factory=list)  # in the files themselves

    def files_of(self, index: int) -> tuple[ContextFile, ...]:
        """Return the files of one case's folder, sorted by path; none where it names no folder."""
        return self.files.get(index, ())


def read_context_dirs(
    document: Mapping[str, Any], eval_set: Path | None, shown: str
) -> ContextFolders:
    """Return the folders that the cases of a document name, or what is wrong with them.

    They lie beside the file `eval_set`, which messages call `shown`; None for a text without a
    file. A value that is no folder's path is left to the schema.
    """
    read = ContextFolders()
    cases = document.get("cases")
    for index, case in enumerate(cases if isinstance(cases, list) else ()):
        name = case.get(CONTEXT_DIR) if isinstance(case, dict) else None
        if isinstance(name, str) and _is_path(name):
            _read_case(read, document, index, eval_set, (Path(shown).parent / name).as_posix())
    return read


def asks_for_library(case: Mapping[str, Any]) -> bool:
    """Tell whether an answer to a case changes the crate's root, which context may then give."""
    asked = case.get("answer_files")
    return isinstance(asked, list) and LIBRARY in asked


def _is_path(name: str) -> bool:
    try:
        folder_path(name)
    except ValueError:
        return False
    return True


def _read_case(
    read: ContextFolders,
    document: Mapping[str, Any],
    index: int,
    eval_set: Path | None,
    shown: str,
) -> None:
    case, key = document["cases"][index], ("cases", index, CONTEXT_DIR)
    try:
        check = given_path if asks_for_library(case) else context_path
        files, wrong = _read(_beside(eval_set, case[CONTEXT_DIR]), check)
    except _UnusableError as error:
        read.findings.append(KeyProblem(key, str(error)))
        return
    read.files[index] = files
    for file in wrong:
        message = KeyProblem(key, file.rest).message(document)
        read.problems.append(Problem(readable(f"{shown}/{file.name}"), file.line, message))
    read.findings.extend(_taken(("cases", index), case, files, shown))


def _taken(
    path: KeyPath, case: Mapping[str, Any], files: Sequence[ContextFile], shown: str
) -> Iterator[KeyProblem]:
    """Yield the `[[cases.context]]` entries whose path a file of the folder has."""
    entries = case.get("context")
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        name = entry.get("path") if isinstance(entry, dict) else None
        if isinstance(name, str):
            other = next((file.path for file in files if clashes(name, file.path)), None)
            if other is not None:
                rest = f"{quoted(name)} is already used by {shown}/{other}; remove one of them"
                yield KeyProblem((*path, "context", index, "path"), rest)


def _beside(eval_set: Path | None, name: str) -> Path:
    """Return the folder of that name beside an eval set."""
    if eval_set is None:
        raise _UnusableError("names a folder beside a file, and this eval set is a text; load it")
    folder = eval_set.parent / name
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "does not exist"
        raise _UnusableError(f"is {quoted(name)}, which {what} beside the eval set; name a folder")
    if not folder.resolve().is_relative_to(eval_set.parent.resolve()):
        raise _UnusableError(
            f"is {quoted(name)}, a link out of the folder of the eval set; put a copy there"
        )
    return folder


def _read(
    folder: Path, check: Callable[[str], str]
) -> tuple[tuple[ContextFile, ...], list[_WrongFile]]:
    """Return the files of a folder in the order of their paths, and what is wrong with others."""
    names = sorted(visible_files(folder))
    if not names:
        raise _UnusableError("names a folder without files; put context files there")
    if len(names) > MAX_FILES:
        raise _UnusableError(_too_large(len(names), MAX_FILES, "files"))
    status = {name: (folder / name).lstat() for name in names}
    wrong = list(_no_files({name: found.st_mode for name, found in status.items()}))
    if wrong:
        return (), wrong
    size = sum(found.st_size for found in status.values())
    if size > MAX_BYTES:
        raise _UnusableError(_too_large(size, MAX_BYTES, "bytes"))
    read = [_file(folder, name, check) for name in names]
    return (
        tuple(file for file in read if isinstance(file, ContextFile)),
        [file for file in read if isinstance(file, _WrongFile)],
    )


def _too_large(count: int, limit: int, what: str) -> str:
    return (
        f"names a folder of {count:,} {what}, and {limit:,} are the limit; leave out what the"
        " model need not see"
    )


def _no_files(modes: Mapping[str, int]) -> Iterator[_WrongFile]:
    for name, mode in modes.items():
        if stat.S_ISLNK(mode):
            yield _WrongFile(name, "must hold no links; put a copy of the file there")
        elif not stat.S_ISREG(mode):
            yield _WrongFile(name, "must hold nothing but files of text; remove this")


def _file(folder: Path, name: str, check: Callable[[str], str]) -> ContextFile | _WrongFile:
    try:
        check(name)
        data = (folder / name).read_bytes()
        return ContextFile(path=name, content=data.decode())
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return _WrongFile(name, "must hold UTF-8; save this file so, or remove it", line)
    except ValueError as error:
        return _WrongFile(name, f"holds a file whose path {error}")
    except OSError as error:
        return _WrongFile(name, f"holds a file that cannot be read: {error.strerror}")


def visible_files(folder: Path) -> Iterator[str]:
    """Yield the paths of all files below a folder, with `/`, but of hidden ones and `target`.

    A link is a file here, whatever it leads to.
    """
    for parent, folders, files in os.walk(folder, onerror=_refuse):
        inner = Path(parent).relative_to(folder)
        links = {name for name in folders if (Path(parent) / name).is_symlink()}
        folders[:] = [name for name in folders if not (name in links or _is_left_out(inner / name))]
        names = [inner / name for name in (*files, *links)]
        yield from (name.as_posix() for name in names if not name.name.startswith("."))


def _is_left_out(folder: Path) -> bool:
    return folder == _TARGET or folder.name.startswith(".")


def _refuse(error: OSError) -> None:
    raise _UnusableError(f"cannot be read: {error.strerror}: {error.filename}") from error
