"""Folders that cost much to make, shared by processes: locks, damage, and a budget.

A process that uses a folder holds its lock shared; one that makes or removes it holds it alone. So
a folder in use is never removed, and a killed process holds nothing. Each finished folder contains
a list of its files (`FolderSeal`), by which a later process sees that none has changed.
"""

import asyncio
import contextlib
import hashlib
import os
import secrets
import shutil
import weakref
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field, ValidationError

from forgetest.errors import ToolchainError
from forgetest.system.files import downgrade, sync, try_lock, wait_for_lock
from forgetest.system.process import GIB
from forgetest.value import Value

NAME = ".forgetest-seal.json"


class FolderSeal(Value):
    """What a folder holds: its files by relative path, with their sizes and contents."""

    label: str  # for people
    files: dict[str, int]
    # SHA-256 of each; a seal of an older version has none and counts as damaged.
    digests: dict[str, str] = Field(default_factory=dict)

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(self.files.values())


def seal(folder: Path, label: str) -> None:
    """Write the list of a folder's files into it, all safely on the disk; raises `OSError`."""
    paths = {str(path.relative_to(folder)): path for path in files_below(folder)}
    content = FolderSeal(
        label=label,
        files={name: path.lstat().st_size for name, path in paths.items()},
        digests={name: _digest(path) for name, path in paths.items()},
    )
    (folder / NAME).write_text(content.model_dump_json(), encoding="utf-8")
    for path in (*paths.values(), folder / NAME, *_folders(folder)):
        if not path.is_symlink():
            sync(path)


def read_seal(folder: Path) -> FolderSeal | None:
    """Return the list in a folder, None when there is none to be read."""
    try:
        return FolderSeal.model_validate_json((folder / NAME).read_bytes())
    except (OSError, ValidationError):
        return None


def is_intact(folder: Path) -> bool:
    """Return whether every listed file is there with what it held; reads all of them."""
    content = read_seal(folder)
    if content is None or content.files.keys() != content.digests.keys():
        return False
    if any(_size(folder / name) != size for name, size in content.files.items()):
        return False
    try:
        return all(_digest(folder / name) == digest for name, digest in content.digests.items())
    except OSError:
        return False


def last_use(folder: Path) -> float:
    """Return when a folder was used last, in seconds since the epoch; 0 if unknown."""
    for path in (folder / NAME, folder):
        with contextlib.suppress(OSError):
            return path.stat().st_mtime
    return 0.0


def mark_used(folder: Path) -> None:
    """Note that a folder is used now, if the disk allows."""
    with contextlib.suppress(OSError):
        os.utime(folder / NAME)


def files_below(folder: Path) -> Iterator[Path]:
    """Yield everything below a folder but folders; links are not followed."""
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


BUDGET = 5 * GIB
_POLL_SECS = 0.1
_PATIENCE_SECS = 10.0  # with others that use a folder which has to be made again
_MAKES = 2

Make = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Stored:
    """A folder of the depository, whole or not."""

    name: str
    label: str
    size: int
    used: float  # seconds since the epoch


class Depository:
    """Folders by name below `folder`; the least recently used go when they exceed `budget` bytes.

    What one object has claimed it keeps as long as it lives.
    """

    def __init__(self, folder: Path, *, budget: int = BUDGET) -> None:
        self.folder = folder
        self._budget = budget
        self._held: dict[str, int] = {}
        weakref.finalize(self, _close_all, self._held)

    async def claim(self, name: str, make: Make) -> Path:
        """Return a folder that is whole and stays as long as this object, made now if need be.

        `make` must end in `adopt`. Raises `ToolchainError` when the folder cannot be kept.
        """
        ready = self.folder / name
        if name in self._held:
            if ready.exists():
                return ready
            os.close(self._held.pop(name))  # it was removed in spite of the lock
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for _ in range(_MAKES):
                if await self._take(name) or await self._renew(name, make):
                    mark_used(ready)
                    self.prune()
                    return ready
        except OSError as error:
            raise ToolchainError(f"{error.filename or ready}: {error.strerror}") from error
        raise ToolchainError(f"{ready}: its files disappear right after they are written")

    def adopt(self, built: Path, name: str, *, label: str) -> None:
        """Move a finished folder to its place, whole; the caller holds its lock alone."""
        seal(built, label)
        built.rename(self.folder / name)
        sync(self.folder)

    def stored(self) -> list[Stored]:
        """Return all folders, each with the left-overs of killed processes."""
        return [self._look(name) for name in sorted(self._names())]

    def is_in_use(self, name: str) -> bool:
        """Return whether a process makes or uses a folder."""
        held = try_lock(self._lock(name), shared=False)
        if held is None:
            return True
        os.close(held)
        return False

    def remove(self, name: str) -> bool:
        """Remove a folder and return True; False when it is in use, or the disk refuses."""
        with contextlib.suppress(OSError):
            held = try_lock(self._lock(name), shared=False)
            if held is None:
                return False
            try:
                self._destroy(name)
                self._lock(name).unlink(missing_ok=True)
            finally:
                os.close(held)
        return not any(self._parts(name))

    def prune(self) -> None:
        """Remove the least recently used folders until the rest fits, but none that is in use."""
        folders = self.stored()
        total = sum(folder.size for folder in folders)
        for folder in sorted(folders, key=lambda folder: folder.used):
            if total <= self._budget:
                return
            if folder.name not in self._held and self.remove(folder.name):
                total -= folder.size

    async def _take(self, name: str) -> bool:
        """Hold the folder's lock shared and return True; False, without it, if it is not whole."""
        return await self._keep(name, await wait_for_lock(self._lock(name), shared=True))

    async def _renew(self, name: str, make: Make) -> bool:
        """Make the folder unless another process does so meanwhile; return whether it is held."""
        held = await self._alone(name)
        if held is None:
            return await self._take(name)
        try:
            if not await self._is_intact(name):
                self._destroy(name)
                await make()
            kept = downgrade(held)
        except BaseException:
            os.close(held)
            raise
        if not kept:
            os.close(held)
            return False
        return await self._keep(name, held)

    async def _alone(self, name: str) -> int | None:
        """Hold the lock alone; None as soon as another process has made the folder."""
        waited = 0.0
        while (held := try_lock(self._lock(name), shared=False)) is None:
            # A lock that can be shared belongs to users, and one that cannot to a maker.
            shared = try_lock(self._lock(name), shared=True)
            if shared is not None:
                os.close(shared)
                if await self._is_intact(name):
                    return None
                waited += _POLL_SECS
            if waited > _PATIENCE_SECS:
                ready = self.folder / name
                raise ToolchainError(
                    f"{ready} is damaged and in use; try again when the other run has ended"
                )
            await asyncio.sleep(_POLL_SECS)
        return held

    async def _keep(self, name: str, held: int) -> bool:
        try:
            intact = await self._is_intact(name)
        except BaseException:
            os.close(held)
            raise
        if not intact:
            os.close(held)
            return False
        before = self._held.pop(name, None)
        self._held[name] = held
        if before is not None:
            os.close(before)
        return True

    async def _is_intact(self, name: str) -> bool:
        return await asyncio.to_thread(is_intact, self.folder / name)

    def _look(self, name: str) -> Stored:
        folder = self.folder / name
        content = read_seal(folder)
        rest = (part for part in self._parts(name) if content is None or part != folder)
        size = (content.size if content else 0) + sum(size_below(part) for part in rest)
        label = content.label if content else "(unfinished)"
        return Stored(name, label, size, last_use(folder))

    def _names(self) -> set[str]:
        with contextlib.suppress(OSError):
            return {_owner(path.name) for path in self.folder.iterdir() if path.is_dir()}
        return set()

    def _parts(self, name: str) -> Iterator[Path]:
        """Yield the folder and what killed processes left of it."""
        if (self.folder / name).exists():
            yield self.folder / name
        yield from self.folder.glob(f".{name}-*")

    def _destroy(self, name: str) -> None:
        """Remove what there is of a folder; under its name it is there whole, or not at all."""
        with contextlib.suppress(FileNotFoundError):
            (self.folder / name).rename(self.folder / unfinished(name))
        for part in self._parts(name):
            shutil.rmtree(part, ignore_errors=True)

    def _lock(self, name: str) -> Path:
        return self.folder / f"{name}.lock"


def unfinished(name: str) -> str:
    """Return a fresh name for what is still being made, or already being removed."""
    return f".{name}-{secrets.token_hex(4)}"


def _owner(name: str) -> str:
    return name[1:].rpartition("-")[0] if name.startswith(".") else name


def _close_all(held: dict[str, int]) -> None:
    while held:
        os.close(held.popitem()[1])
