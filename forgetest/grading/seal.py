"""The list of files in a finished folder, by which a later process sees that none has changed."""

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field, ValidationError

from forgetest.folders import sync
from forgetest.value import Value

NAME = ".forgetest-seal.json"


class Seal(Value):
    """What a folder holds: its files by relative path, with their sizes and contents."""

    label: str  # for people
    files: dict[str, int]
    # SHA-256 of each; older seals have none, and vouch for nothing.
    digests: dict[str, str] = Field(default_factory=dict)

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(self.files.values())


def seal(folder: Path, label: str) -> None:
    """Write the list of a folder's files into it, all safely on the disk; raises `OSError`."""
    paths = {str(path.relative_to(folder)): path for path in files_below(folder)}
    found = Seal(
        label=label,
        files={name: path.lstat().st_size for name, path in paths.items()},
        digests={name: _digest(path) for name, path in paths.items()},
    )
    (folder / NAME).write_text(found.model_dump_json(), encoding="utf-8")
    for path in (*paths.values(), folder / NAME, *_folders(folder)):
        if not path.is_symlink():
            sync(path)


def read_seal(folder: Path) -> Seal | None:
    """Return the list in a folder, None when there is none to be read."""
    try:
        return Seal.model_validate_json((folder / NAME).read_bytes())
    except (OSError, ValidationError):
        return None


def is_intact(folder: Path) -> bool:
    """Return whether every listed file is there with what it held; reads all of them."""
    found = read_seal(folder)
    if found is None or found.files.keys() != found.digests.keys():
        return False
    if any(_size(folder / name) != size for name, size in found.files.items()):
        return False
    try:
        return all(_digest(folder / name) == digest for name, digest in found.digests.items())
    except OSError:
        return False


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


def _digest(path: Path) -> str:
    """Return the digest of a file's bytes, or of where a link points; raises `OSError`."""
    if path.is_symlink():
        return hashlib.sha256(os.fsencode(path.readlink())).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _folders(folder: Path) -> Iterator[Path]:
    return (Path(root) for root, _, _ in os.walk(folder))


def _size(path: Path) -> int | None:
    try:
        return path.lstat().st_size
    except OSError:
        return None
