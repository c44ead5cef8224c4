"""The guard as a program: built once by the local compiler, kept in the cache under its own hash.

The sources are in `guard/`. Changed sources, or another compiler, give another name, so that an old
program is never mistaken for the new one. Next to a program is the digest of its bytes: if it does
not match, the program is built again. Each user of a program holds its lock, so that it is not
removed meanwhile.
"""

import contextlib
import hashlib
import os
import re
import secrets
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from forgetest.errors import ToolchainError
from forgetest.system.files import file_lock, sync, temporary_folder, try_lock, wait_for_lock
from forgetest.system.process import CommandLimits, Exit, run
from forgetest.system.toolchain import Toolchain

FOLDER = "guard"  # below the cache folder
_LIMITS = CommandLimits(wall_secs=180)
_FLAGS = ("--edition=2021", "-O", "-C", "panic=abort", "-C", "strip=symbols")
_STATIC = ("-C", "target-feature=+crt-static")
_STDERR_SHOWN = 300  # characters
_DIGEST, _MAKING, _USING = ".sha256", ".lock", ".used"  # what is next to a program
_SUFFIXED = re.compile(r"^\.|(?!^)[-.].*$")
_in_use: dict[Path, int] = {}  # programs and the locks that this process holds as long as it lives


@dataclass(frozen=True, slots=True)
class Removed:
    """What `remove_programs` freed, and how many programs it had to leave."""

    files: int
    size: int  # bytes
    kept: int


async def guard_program(toolchain: Toolchain, cache: Path) -> Path:
    """Return the guard, built now if this compiler has not built it yet or it is damaged.

    It is not removed as long as this process lives. Raises `ToolchainError` when it cannot be
    built or kept.
    """
    sources = _sources()
    program = cache / FOLDER / _name(sources, toolchain)
    try:
        program.parent.mkdir(parents=True, exist_ok=True)
        await _use(program)
        if not _is_sound(program):
            async with file_lock(_beside(program, _MAKING)):
                _sweep(program)
                if not _is_sound(program):
                    await _build(sources, toolchain, program)
    except OSError as error:
        if not _is_sound(program):  # a cache that cannot be written may hold one
            places = f"{cache} or {tempfile.gettempdir()}"
            raise ToolchainError(
                f"the sandbox's launcher cannot be written to {places}: {error.strerror or error}"
            ) from None
    return program


def remove_programs(cache: Path) -> Removed:
    """Remove the launchers below `cache` that no process uses, and what was left half-built."""
    files = size = kept = 0
    for program in sorted(_programs(cache / FOLDER)):
        with contextlib.suppress(OSError):
            held = try_lock(_beside(program, _USING), shared=False)
            if held is None:
                kept += 1
                continue
            try:
                for path in (program, *_parts(program)):
                    if path.exists():
                        size += path.lstat().st_size
                        files += 1
                        path.unlink()
            finally:
                os.close(held)
    with contextlib.suppress(OSError):
        (cache / FOLDER).rmdir()
    return Removed(files, size, kept)


async def _use(program: Path) -> None:
    if program not in _in_use:
        _in_use[program] = await wait_for_lock(_beside(program, _USING), shared=True)


def _is_sound(program: Path) -> bool:
    """Tell whether a program is there, byte for byte as it was built, and can be started."""
    try:
        wanted = _beside(program, _DIGEST).read_text(encoding="ascii").strip()
        return _digest(program) == wanted and os.access(program, os.X_OK)
    except (OSError, ValueError):
        return False


def _digest(program: Path) -> str:
    return hashlib.sha256(program.read_bytes()).hexdigest()


def _programs(folder: Path) -> set[Path]:
    """Return the programs that files in a folder belong to."""
    with contextlib.suppress(OSError):
        return {folder / _SUFFIXED.sub("", path.name) for path in folder.iterdir()}
    return set()


def _parts(program: Path) -> Iterator[Path]:
    """Yield what may be next to a program; its locks last."""
    yield from program.parent.glob(f".{program.name}-*")
    yield from (_beside(program, suffix) for suffix in (_DIGEST, _MAKING, _USING))


def _sweep(program: Path) -> None:
    """Remove what makers left half-built; the caller holds the lock of making."""
    for path in program.parent.glob(f".{program.name}-*"):
        path.unlink(missing_ok=True)


def _beside(program: Path, suffix: str) -> Path:
    return program.with_name(f"{program.name}{suffix}")


def _sources() -> dict[str, bytes]:
    folder = resources.files("forgetest.sandbox") / "guard"
    files = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    return {name: files[name] for name in sorted(files) if name.endswith(".rs")}


def _name(sources: dict[str, bytes], toolchain: Toolchain) -> str:
    parts = [toolchain.rustc_version.encode(), repr(_FLAGS).encode()]
    parts += [part for name, text in sources.items() for part in (name.encode(), text)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:32]


async def _build(sources: dict[str, bytes], toolchain: Toolchain, program: Path) -> None:
    """Build next to the final place, and move there whole, the digest last.

    The caller holds the lock of making.
    """
    with temporary_folder() as folder:
        for name, text in sources.items():
            (folder / name).write_bytes(text)
        new = program.with_name(f".{program.name}-{secrets.token_hex(4)}")
        summary = new.with_name(f"{new.name}{_DIGEST}")
        try:
            await _compile(toolchain, folder, new)
            new.chmod(0o755)
            summary.write_text(f"{_digest(new)}\n", encoding="ascii")
            for built, place in ((new, program), (summary, _beside(program, _DIGEST))):
                sync(built)
                built.rename(place)
            sync(program.parent)
        finally:
            _sweep(program)  # a compiler that found the disk full leaves more than `new`


async def _compile(toolchain: Toolchain, folder: Path, program: Path) -> None:
    """Link it statically where the system has what that needs: its box can then be empty."""
    ended = await _rustc(toolchain, folder, program, _STATIC)
    if ended.code != 0:
        ended = await _rustc(toolchain, folder, program, ())
    if ended.code != 0:
        stderr = " ".join(ended.stderr.decode(errors="replace").split())[:_STDERR_SHOWN]
        raise ToolchainError(f"the sandbox's launcher does not build: {stderr}")


async def _rustc(toolchain: Toolchain, folder: Path, program: Path, flags: tuple[str, ...]) -> Exit:
    argv = [str(toolchain.rustc), *_FLAGS, *flags, "--crate-name", "guard", "main.rs"]
    env = {"PATH": toolchain.search_path, "TMPDIR": str(folder)}
    return await run([*argv, "-o", str(program)], cwd=folder, env=env, limits=_LIMITS)
