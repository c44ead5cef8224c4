"""The files of one exercise, in a folder or in JSON Lines, read so that none leads outside."""

import codecs
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from forgetest.evalset.forms import quoted
from forgetest.importers.reading import ItemError

MAX_BYTES = 1 << 20  # of one file
_MARKS = ("src/lib.rs", ".meta/config.json")  # either makes a folder an exercise
_DRIVE = re.compile(r"[A-Za-z]:")
_TEST = re.compile(r"tests/[^/]+\.rs")


class Tree(Protocol):
    """The files of an exercise by their paths, written with `/`."""

    @property
    def name(self) -> str:
        """The exercise's own name, the last of its folder's path."""

    def text(self, path: str) -> str | None:
        """Return a file, None when there is none; ItemError when it may or cannot be read."""

    def tests(self) -> tuple[str, ...]:
        """Return the paths of the files right below `tests`, sorted."""


def inside(path: str) -> str:
    """Return a path without `./`; ItemError when it is absolute or climbs out of its folder."""
    parts = [part for part in path.split("/") if part != "."]
    outside = path.startswith("/") or _DRIVE.match(path) or "\\" in path or ".." in parts
    if outside or "" in parts or not parts or "\0" in path:
        raise ItemError(f"the path {quoted(path)} must stay inside the folder")
    return "/".join(parts)


@dataclass(frozen=True, slots=True)
class Folder:
    """An exercise in a folder; `root` is what a link may not leave."""

    folder: Path
    root: Path

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self.folder.resolve().name

    def text(self, path: str) -> str | None:
        """Return a file's text, None when there is none.

        ItemError for a link out of the exercise or to another name in it, for what is not text in
        UTF-8, and for what is too large.
        """
        file = self.folder / inside(path)
        try:
            if not file.is_file():
                return None
            self._demand_plain(file, path)
            return _decoded(_bytes(file, path), path)
        except OSError as error:
            raise ItemError(f"{path} cannot be read: {error.strerror}") from None

    def tests(self) -> tuple[str, ...]:
        """Return the paths of its test files."""
        found = self.folder.glob("tests/*.rs")
        return tuple(sorted(f"tests/{file.name}" for file in found))

    def _demand_plain(self, file: Path, path: str) -> None:
        """Raise ItemError unless a path is the file's own: a link could show what is hidden."""
        own = self.folder.resolve()
        if not own.is_relative_to(self.root.resolve()):
            raise ItemError("its folder is a link that leaves the source")
        if file.resolve() != own / inside(path):
            raise ItemError(f"{path} is a link or lies behind one; put the file itself there")


@dataclass(frozen=True, slots=True)
class ExerciseFiles:
    """An exercise whose files are at hand, paths relative to its folder."""

    name: str
    files: Mapping[str, str]

    def text(self, path: str) -> str | None:
        """Return a file's text, None when there is none; ItemError when it is too large."""
        found = self.files.get(inside(path))
        if found is not None and len(found) > MAX_BYTES:
            raise _too_large(path)
        return found

    def tests(self) -> tuple[str, ...]:
        """Return the paths of its test files."""
        return tuple(sorted(filter(_TEST.fullmatch, self.files)))


def listings(files: Mapping[str, str]) -> dict[str, ExerciseFiles]:
    """Return the exercises among some files by their folders; one inside another is part of it."""
    folders = _outermost(path.removesuffix(f"/{mark}") for path, mark in _marked(files))
    found: dict[str, dict[str, str]] = {folder: {} for folder in folders}
    for path, text in files.items():
        folder = next((folder for folder in _parents(path) if folder in found), None)
        if folder is not None:
            found[folder][path.removeprefix(folder).removeprefix("/")] = text
    names = {folder: folder.rpartition("/")[2] for folder in found}
    return {folder: ExerciseFiles(names[folder], held) for folder, held in found.items()}


def folders_of(path: Path) -> list[Path]:
    """Return the folders of exercises below a track, a polyglot folder, or one exercise's own."""
    if _is_exercise(path):
        return [path]
    found = (folder for pattern in _PLACES for folder in sorted(path.glob(pattern)))
    return list(dict.fromkeys(folder for folder in found if _is_exercise(folder)))


_KINDS = ("practice", "concept")
_PLACES = (
    "*",
    *(f"{kind}/*" for kind in _KINDS),
    *(f"exercises/{kind}/*" for kind in _KINDS),
    *(f"rust/exercises/{kind}/*" for kind in _KINDS),
)


def _is_exercise(folder: Path) -> bool:
    return any((folder / mark).is_file() for mark in _MARKS)


def _marked(files: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the files that make their folder an exercise, and which they are."""
    for path in files:
        for mark in _MARKS:
            if f"/{path}".endswith(f"/{mark}"):
                yield f"/{path}", mark


def _outermost(folders: Iterable[str]) -> list[str]:
    found = list(dict.fromkeys(folder.removeprefix("/") for folder in folders))
    return [folder for folder in found if not any(up in found for up in _parents(folder))]


def _parents(path: str) -> list[str]:
    """Return the folders that hold a path, innermost first, the top folder as nothing."""
    parts = path.split("/")[:-1] if path else []
    held = ["/".join(parts[:end]) for end in range(len(parts), 0, -1)]
    return [*held, ""] if path else []


def _bytes(file: Path, path: str) -> bytes:
    with file.open("rb") as opened:
        data = opened.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise _too_large(path)
    return data


def _decoded(data: bytes, path: str) -> str:
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError:
        raise ItemError(f"{path} is not UTF-8") from None


def _too_large(path: str) -> ItemError:
    return ItemError(f"{path} is larger than {MAX_BYTES >> 20} MiB")
