"""Find the Rust toolchain once, and check the machine for what grading needs.

Decides which rustc, cargo and clippy are used, by their paths inside the sysroot and never through
rustup's proxies, and what a user is told to install. Grading decides how they are called.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

from forgetest.errors import ToolchainError

_QUERY_SECS = 60
_WANTED_FREE_BYTES = 2 << 30
# What rustup's proxies need to find the toolchain; nothing else reaches a query.
_RUSTUP_NAMES = ("PATH", "HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN")
# What fetching crates may need: proxies, certificates, mirrors and the keys of private registries.
_NETWORK_NAMES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "ssh_auth_sock", "home")
_NETWORK_PREFIXES = ("ssl_cert_", "git_", "cargo_http_", "cargo_net_", "cargo_registr")

_INSTALL_RUST = "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh"
_INSTALL_CLIPPY = "rustup component add clippy"
_INSTALL_LINKER = "sudo apt-get install gcc (Debian, Ubuntu) or xcode-select --install (macOS)"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that grading needs: whether it is there, and the command that fixes it."""

    name: str
    ok: bool
    found: str
    fix: str = ""  # empty when `ok`
    needed: bool = True  # false: only some runs need it


@dataclass(frozen=True, slots=True)
class Toolchain:
    """The compilers that grade, and what their processes need to run."""

    sysroot: Path
    rustc: Path
    cargo: Path
    cargo_clippy: Path
    clippy_driver: Path
    rustc_version: str  # all of `rustc -vV`
    cargo_version: str
    clippy_version: str
    cargo_home: Path
    search_path: str  # PATH of a compiler's process: the toolchain first, then the user's
    network_env: Mapping[str, str]  # given to cargo only while it fetches crates

    @property
    def library_folder(self) -> Path:
        """Where the standard library lies as a shared library."""
        return self.sysroot / "lib" / "rustlib" / self.host / "lib"

    @property
    def runtime_libraries(self) -> tuple[Path, ...]:
        """The shared libraries of this toolchain that a test program loads."""
        return _shared_std(self.library_folder)

    @property
    def host(self) -> str:
        """The target that the compiler runs on, such as `x86_64-unknown-linux-gnu`."""
        return self.rustc_version.partition("host: ")[2].split()[0]

    @classmethod
    def resolve(cls, environ: Mapping[str, str]) -> Self:
        """Return the toolchain that `rustc` on the given PATH belongs to.

        Raises `ToolchainError` with one line that says what is missing and what installs it.
        """
        sysroot = _sysroot(environ)
        rustc, cargo, clippy = (_find(tool, sysroot, environ) for tool in (_RUSTC, _CARGO, _CLIPPY))
        default_home = Path(environ.get("HOME", "/"), ".cargo")
        return cls(
            sysroot=sysroot,
            rustc=rustc.path,
            cargo=cargo.path,
            cargo_clippy=clippy.path.with_name("cargo-clippy"),
            clippy_driver=clippy.path,
            rustc_version=rustc.version,
            cargo_version=cargo.version,
            clippy_version=clippy.version,
            cargo_home=Path(environ.get("CARGO_HOME") or default_home),
            search_path=os.pathsep.join((str(sysroot / "bin"), environ.get("PATH", os.defpath))),
            network_env={name: environ[name] for name in environ if _is_for_network(name.lower())},
        )


@cache
def _shared_std(folder: Path) -> tuple[Path, ...]:
    return tuple(sorted(folder.glob("libstd-*.*")))


def checks(environ: Mapping[str, str], *, wanted_free: int = _WANTED_FREE_BYTES) -> list[Check]:
    """Check for what grading needs, each with its fix; `wanted_free` is in bytes."""
    temp = Path(environ.get("TMPDIR") or "/tmp")  # noqa: S108 - the system's own default
    return [
        *(_check_tool(tool, environ) for tool in (_RUSTC, _CARGO, _CLIPPY)),
        _check_temp(temp),
        _check_linker(temp, environ),
        _check_disk(temp, wanted_free),
    ]


@dataclass(frozen=True, slots=True)
class _Tool:
    name: str
    program: str
    version_args: tuple[str, ...]
    install: str


@dataclass(frozen=True, slots=True)
class _FoundTool:
    path: Path
    version: str


_RUSTC = _Tool("rustc", "rustc", ("-vV",), _INSTALL_RUST)
_CARGO = _Tool("cargo", "cargo", ("-V",), _INSTALL_RUST)
_CLIPPY = _Tool("clippy", "clippy-driver", ("-V",), _INSTALL_CLIPPY)


def _sysroot(environ: Mapping[str, str]) -> Path:
    rustc = shutil.which("rustc", path=environ.get("PATH", os.defpath))
    if rustc is None:
        raise ToolchainError(f"rustc is not on PATH; install Rust with: {_INSTALL_RUST}")
    return Path(_query([rustc, "--print", "sysroot"], environ))


def _find(tool: _Tool, sysroot: Path, environ: Mapping[str, str]) -> _FoundTool:
    """Return a tool of this sysroot, or of PATH, where some systems keep a part of it."""
    places = os.pathsep.join((str(sysroot / "bin"), environ.get("PATH", os.defpath)))
    path = shutil.which(tool.program, path=places)
    if path is None:
        raise ToolchainError(f"{tool.name} is not installed; install it with: {tool.install}")
    return _FoundTool(Path(path), _query([path, *tool.version_args], environ))


def _query(argv: Sequence[str], environ: Mapping[str, str]) -> str:
    env = {name: environ[name] for name in _RUSTUP_NAMES if name in environ}
    try:
        ended = subprocess.run(
            argv, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=_QUERY_SECS,
            check=True, text=True, errors="replace",
        )  # fmt: skip
    except subprocess.CalledProcessError as error:
        raise ToolchainError(f"{argv[0]} does not run: {_first_paragraph(error.stderr)}") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolchainError(f"{argv[0]} does not run: {error}") from None
    return ended.stdout.strip()


def _first_paragraph(stderr: str) -> str:
    """Return the first paragraph of what rustup or rustc say, as one line."""
    return " ".join(stderr.split("\n\n", maxsplit=1)[0].split()) or "it gave no reason"


def _is_for_network(name: str) -> bool:
    return name in _NETWORK_NAMES or name.startswith(_NETWORK_PREFIXES)


def _check_tool(tool: _Tool, environ: Mapping[str, str]) -> Check:
    try:
        located = _find(tool, _sysroot(environ), environ)
    except ToolchainError as error:
        return Check(tool.name, ok=False, found=str(error), fix=tool.install)
    return Check(tool.name, ok=True, found=f"{located.version.splitlines()[0]} ({located.path})")


def _check_temp(temp: Path) -> Check:
    try:
        with tempfile.NamedTemporaryFile(dir=temp) as file:
            file.write(b"writable")
    except OSError as error:
        return Check(
            "temp folder",
            ok=False,
            found=str(error),
            fix="set TMPDIR to a writable folder",
        )
    return Check("temp folder", ok=True, found=f"{temp} is writable")


def _check_linker(temp: Path, environ: Mapping[str, str]) -> Check:
    """Build a program that does nothing: rustc needs the C compiler's linker for that."""
    try:
        rustc = _find(_RUSTC, _sysroot(environ), environ).path
        with tempfile.TemporaryDirectory(dir=temp, prefix="forgetest-") as folder:
            source = Path(folder, "canary.rs")
            source.write_text("fn main() {}\n")
            _query([str(rustc), str(source), "-o", str(Path(folder, "canary"))], environ)
    except (ToolchainError, OSError) as error:
        return Check("C linker", ok=False, found=str(error), fix=_INSTALL_LINKER)
    return Check("C linker", ok=True, found="works")


def _check_disk(temp: Path, wanted: int) -> Check:
    try:
        free = shutil.disk_usage(temp).free
    except OSError as error:
        return Check(
            "disk space", ok=False, found=str(error), fix="set TMPDIR to an existing folder"
        )
    room = f"{free >> 20} MiB free in {temp}"
    if free >= wanted:
        return Check("disk space", ok=True, found=room)
    return Check("disk space", ok=False, found=room, fix=f"free {wanted >> 20} MiB in {temp}")
