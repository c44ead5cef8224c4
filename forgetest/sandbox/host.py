"""What boxes need of this system: the C library, what linking reads, and a user for the tests.

Tests run as a user of their own where forgetest is root and may choose one.
"""

import os
import re
import secrets
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from forgetest.errors import ToolchainError
from forgetest.sandbox.guardprogram import guard_program
from forgetest.system.process import CommandLimits, run
from forgetest.system.toolchain import Toolchain

ASK = CommandLimits(wall_secs=30)  # of what a sandbox asks the system
_LISTED = re.compile(r"(?:=> )?(/\S+) \(0x")
# Parts of the C library that a program may want and std does not.
_MORE = ("libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1")
_TOP = ("bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "nix/store")
_HIGH_USER = 1 << 30  # above every account that tools create
_READ_AND_RUN = 0o555
_CAP_SETUID, _CAP_SETGID = 7, 6
_FILES = ("/etc/alternatives", "/etc/ld.so.cache")


@dataclass(frozen=True, slots=True)
class Host:
    """What boxes need of this system."""

    guard: Path
    sysroot: Path
    libraries: tuple[Path, ...]  # the loader and the C library, as programs name them


async def host_for(toolchain: Toolchain, cache: Path) -> Host:
    """Return what boxes need here; `ToolchainError` when it cannot be built or found."""
    guard = await guard_program(toolchain, cache)
    return Host(guard, toolchain.sysroot, await _c_library(toolchain))


async def _c_library(toolchain: Toolchain) -> tuple[Path, ...]:
    """Return the loader and the shared libraries that every test program needs of the system.

    Raises `ToolchainError` when they cannot be listed.
    """
    std = next(iter(sorted(toolchain.library_folder.glob("libstd-*.so"))), toolchain.rustc)
    env = {"PATH": os.defpath}
    ended = await run(["ldd", str(std)], cwd=Path("/"), env=env, limits=ASK)
    paths = [Path(path) for path in _LISTED.findall(ended.stdout.decode())]
    if ended.code != 0 or not paths:
        raise ToolchainError(f"ldd cannot list the libraries of {std}")
    listed = [path for path in paths if not path.is_relative_to(toolchain.sysroot)]
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
    for path in sorted(set(paths), key=lambda path: len(path.parts)):
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


def spare_user() -> int | None:
    """Return the number of an unused user; None where we may not change the user.

    Each box has its own, so that a limit on a user's processes counts those of one box, and no box
    can send signals to another.
    """
    if sys.platform != "linux" or os.geteuid() != 0 or not _may_change_user():
        return None
    return min(_draw(Path(f"/proc/self/{kind}_map")) for kind in ("uid", "gid")) or None


def counts_processes() -> bool:
    """Tell whether the system will count the processes of a box with namespaces of its own."""
    return os.geteuid() != 0 or spare_user() is not None


def let_run(program: Path) -> None:
    """Let other users run a program, even if the umask forbade it when it was built."""
    mode = program.stat().st_mode
    if mode & _READ_AND_RUN != _READ_AND_RUN:
        program.chmod(mode | _READ_AND_RUN)


def _may_change_user() -> bool:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    capabilities = int(status.partition("CapEff:")[2].split()[0], 16)
    return all(capabilities >> bit & 1 for bit in (_CAP_SETUID, _CAP_SETGID))


def _draw(mapping: Path) -> int:
    """Return a number from the upper half of the largest range that is mapped here; 0 if none."""
    ranges = [[int(word) for word in line.split()] for line in mapping.read_text().splitlines()]
    first, _, count = max(ranges, key=lambda mapped: mapped[2], default=[0, 0, 0])
    if count < 1 << 10:
        return 0
    half = min(count, 2 * _HIGH_USER) // 2
    return first + half + secrets.randbelow(half - 1)
