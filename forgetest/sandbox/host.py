"""What boxes must show of this system: where the C library lies, and what linking reads."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from forgetest.errors import ToolchainError
from forgetest.process import run
from forgetest.sandbox.guardprogram import guard_program
from forgetest.sandbox.limits import ASK
from forgetest.toolchain import Toolchain

_LISTED = re.compile(r"(?:=> )?(/\S+) \(0x")
# Parts of the C library that a program may want and std does not.
_MORE = ("libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1")
_TOP = ("bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "nix/store")
_FILES = ("/etc/alternatives", "/etc/ld.so.cache")


@dataclass(frozen=True, slots=True)
class Host:
    """What boxes need of this system."""

    guard: Path
    sysroot: Path
    libraries: tuple[Path, ...]  # the loader and the C library, as programs name them


async def host_for(toolchain: Toolchain, cache: Path) -> Host:
    """Return what boxes need here; `ToolchainError` when it can not be built or found."""
    guard = await guard_program(toolchain, cache)
    return Host(guard, toolchain.sysroot, await _c_library(toolchain))


async def _c_library(toolchain: Toolchain) -> tuple[Path, ...]:
    """Return the loader and the shared libraries that every test program needs of the system.

    Raises `ToolchainError` when they can not be listed.
    """
    std = next(iter(sorted(toolchain.library_folder.glob("libstd-*.so"))), toolchain.rustc)
    env = {"PATH": os.defpath}
    ended = await run(["ldd", str(std)], cwd=Path("/"), env=env, limits=ASK)
    found = [Path(path) for path in _LISTED.findall(ended.stdout.decode())]
    if ended.code != 0 or not found:
        raise ToolchainError(f"ldd can not list the libraries of {std}")
    listed = [path for path in found if not path.is_relative_to(toolchain.sysroot)]
    return tuple(dict.fromkeys((*listed, *_beside(listed))))


@cache
def system_folders() -> tuple[Path, ...]:
    """Return the folders and files of this system that compilers and linkers read."""
    places = (*(f"/{name}" for name in _TOP), *_FILES)
    return tuple(path for path in map(Path, places) if path.exists())


def is_top_link(path: Path) -> bool:
    """Tell whether a path is a link at the top of the system, such as /bin to usr/bin."""
    return str(path).count("/") == 1 and path.is_symlink()


def outermost(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Return `paths` without those that lie in another one, parents before children."""
    kept: list[Path] = []
    for path in sorted(set(paths), key=lambda one: len(one.parts)):
        if not any(lies_in(path, parent) for parent in kept):
            kept.append(path)
    return tuple(kept)


def lies_in(path: Path, parent: Path) -> bool:
    """Tell whether `path` is `parent` or below it; many times faster than pathlib's own."""
    inner, outer = str(path), str(parent)
    return inner == outer or inner.startswith(f"{outer.rstrip('/')}/")


def _beside(libraries: Sequence[Path]) -> Iterator[Path]:
    folders = {path.parent for path in libraries if path.name.startswith("libc.")}
    for folder in sorted(folders):
        yield from (folder / name for name in _MORE if (folder / name).exists())
