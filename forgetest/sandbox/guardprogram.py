"""The guard as a program: built once by the local compiler, kept in the cache under its own hash.

The sources lie in `guard/`. Whoever changes them, or the compiler, gets another name, so that an
old program is never taken for the new one.
"""

import hashlib
import secrets
from importlib import resources
from pathlib import Path

from forgetest.errors import ToolchainError
from forgetest.filelock import locked
from forgetest.folders import temporary_folder
from forgetest.process import Exit, run
from forgetest.sandbox.limits import BUILD
from forgetest.toolchain import Toolchain

_FLAGS = ("--edition=2021", "-O", "-C", "panic=abort", "-C", "strip=symbols")
_STATIC = ("-C", "target-feature=+crt-static")
_KEPT = 300  # characters of a complaint


async def guard_program(toolchain: Toolchain, cache: Path) -> Path:
    """Return the guard, built now if this compiler has not built it yet.

    Raises `ToolchainError` when it can not be built or kept.
    """
    sources = _sources()
    program = cache / "guard" / _name(sources, toolchain)
    if program.exists():
        return program
    try:
        program.parent.mkdir(parents=True, exist_ok=True)
        async with locked(program.with_suffix(".lock")):
            if not program.exists():
                await _build(sources, toolchain, program)
    except OSError as error:
        raise ToolchainError(f"the sandbox's launcher can not be kept: {error}") from None
    return program


def _sources() -> dict[str, bytes]:
    folder = resources.files("forgetest.sandbox") / "guard"
    files = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    return {name: files[name] for name in sorted(files) if name.endswith(".rs")}


def _name(sources: dict[str, bytes], toolchain: Toolchain) -> str:
    parts = [toolchain.rustc_version.encode(), repr(_FLAGS).encode()]
    parts += [part for name, text in sources.items() for part in (name.encode(), text)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:32]


async def _build(sources: dict[str, bytes], toolchain: Toolchain, program: Path) -> None:
    """Build beside the final place, and move there whole."""
    with temporary_folder() as folder:
        for name, text in sources.items():
            (folder / name).write_bytes(text)
        new = program.with_name(f".{program.name}-{secrets.token_hex(4)}")
        try:
            await _compile(toolchain, folder, new)
            new.chmod(0o755)
            new.rename(program)
        finally:
            new.unlink(missing_ok=True)


async def _compile(toolchain: Toolchain, folder: Path, program: Path) -> None:
    """Link it statically where the system has what that needs: its box can then be empty."""
    ended = await _rustc(toolchain, folder, program, _STATIC)
    if ended.code != 0:
        ended = await _rustc(toolchain, folder, program, ())
    if ended.code != 0:
        words = " ".join(ended.stderr.decode(errors="replace").split())[:_KEPT]
        raise ToolchainError(f"the sandbox's launcher does not build: {words}")


async def _rustc(toolchain: Toolchain, folder: Path, program: Path, flags: tuple[str, ...]) -> Exit:
    argv = [str(toolchain.rustc), *_FLAGS, *flags, "--crate-name", "guard", "main.rs"]
    env = {"PATH": toolchain.search_path, "TMPDIR": str(folder)}
    return await run([*argv, "-o", str(program)], cwd=folder, env=env, limits=BUILD)
