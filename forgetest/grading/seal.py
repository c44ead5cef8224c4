"""The list of files in a finished folder, by which a later process sees that none is missing."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from forgetest.value import Value

NAME = ".forgetest-seal.json"


class Seal(Value):
    """What a folder holds: its files by relative path, with their sizes."""

    label: str  # for people
    files: dict[str, int]

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(self.files.values())


def seal(folder: Path, label: str) -> None:
    """Write the list of a folder's files into it; raises `OSError`."""
    files = {str(path.relative_to(folder)): path.lstat().st_size for path in files_below(folder)}
    (folder / NAME).write_text(Seal(label=label, files=files).model_dump_json(), encoding="utf-8")


def read_seal(folder: Path) -> Seal | None:
    """Return the list in a folder, None when there is none to be read."""
    try:
        return Seal.model_validate_json((folder / NAME).read_bytes())
    except (OSError, ValidationError):
        return None


def is_intact(folder: Path) -> bool:
    """Return whether every listed file is there with its size; contents are not read again."""
    found = read_seal(folder)
    return found is not None and all(
        _size(folder / name) == size for name, size in found.files.items()
    )


def last_use(folder: Path) -> float:
    """Return when a folder was used last, in seconds since the epoch; 0 when nobody can tell."""
    for path in (folder / NAME, folder):
        with contextlib.suppress(OSError):
            return path.stat().st_mtime
    return 0.0


def mark_used(folder: Path) -> None:
    """Note that a folder is used now, if the disk allows."""
    with contextlib.suppress(OSError):
        os.utime(folder / NAME)


def files_below(folder: Path) -> Iterator[Path]:
    """Yield what lies below a folder and is no folder itself, links unfollowed."""
    for root, _, names in os.walk(folder):
        yield from (Path(root, name) for name in names)


def size_below(folder: Path) -> int:
    """Return the bytes of all files below a folder, as far as they can be seen."""
    return sum(_size(path) or 0 for path in files_below(folder))


def _size(path: Path) -> int | None:
    try:
        return path.lstat().st_size
    except OSError:
        return None
