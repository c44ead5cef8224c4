"""What lies around a sample while it is graded, and must be as it was when it is done.

Keys in the environment and in the home folder, a process to be killed, listeners to be told, files
to be harmed. All of it is made up, and a sample that reaches any of it does no harm.
"""

import contextlib
import os
import secrets
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OLLAMA_API_KEY")
_OUTSIDE_FILES = (Path("/var/tmp/forgetest-e01"), Path("/dev/shm/forgetest-e01"))  # noqa: S108


@dataclass(frozen=True)
class Surroundings:
    """Where everything is; `canary` is in each key, file and variable that nobody may see."""

    folder: Path
    canary: str
    sysroot: Path
    victim: subprocess.Popen[bytes]
    listeners: tuple[socket.socket, ...]  # TCP, UDP, a path

    @property
    def temp(self) -> Path:
        """The folder of the samples' workspaces."""
        return self.folder / "temp"

    @property
    def cache(self) -> Path:
        """The folder of what is kept from one sample to the next."""
        return self.folder / "cache"

    @property
    def places(self) -> dict[str, object]:
        """What a sample is told about its surroundings."""
        tcp, udp, path = self.listeners
        return {
            "HOME": self.folder / "home",
            "OUTSIDE": self.folder / "outside",
            "TEMP": self.temp,
            "CACHE": self.cache,
            "SYSROOT": self.sysroot,
            "VICTIM_PID": self.victim.pid,
            "TCP_PORT": tcp.getsockname()[1],
            "UDP_PORT": udp.getsockname()[1],
            "UNIX_PATH": path.getsockname(),
        }

    def state(self) -> dict[str, object]:
        """Return everything that a sample must leave as it is."""
        return {
            "files": {str(path): _content(path) for path in self._watched()},
            "victim": self.victim.poll(),
            "told": [_told(listener) for listener in self.listeners],
            "children": sorted(children()),
            "mounts": [line for line in _mounts() if str(self.folder) in line],
        }

    def _watched(self) -> Iterator[Path]:
        for name in ("home", "outside", "temp", "cache"):
            yield from sorted((self.folder / name).rglob("*"))
        yield from (path for path in _OUTSIDE_FILES if path.exists())
        yield from self.sysroot.glob("lib/forgetest-*")


def _content(path: Path) -> tuple[int, bytes]:
    mode = path.lstat().st_mode
    return mode, path.read_bytes() if path.is_file() else b""


def _told(listener: socket.socket) -> bytes:
    """Return all that a listener was told since it was asked last."""
    told = b""
    with contextlib.suppress(BlockingIOError):
        while True:
            told += _next(listener)
    return told


def _next(listener: socket.socket) -> bytes:
    if listener.type == socket.SOCK_DGRAM:
        return listener.recv(100)
    listener.accept()[0].close()
    return b"connected"


def children() -> frozenset[str]:
    """Return the processes below this one, the dead that nobody waited for included."""
    found: list[str] = []
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(FileNotFoundError):  # a thread that has ended
            found += (task / "children").read_text().split()
    return frozenset(found)


def _mounts() -> list[str]:
    return Path("/proc/self/mountinfo").read_text().splitlines()


@contextlib.contextmanager
def surroundings(folder: Path, sysroot: Path) -> Iterator[Surroundings]:
    """Make the surroundings below `folder`, with keys in this process's environment, too."""
    canary = f"canary-{secrets.token_hex(8)}"
    for name in ("home", "outside", "temp", "cache"):
        (folder / name).mkdir(parents=True)
    for path in ("home/key.txt", "home/.bashrc", "outside/victim.txt"):
        (folder / path).write_text(canary)
    with contextlib.ExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        for key in KEYS:
            patch.setenv(key, canary)
        victim = stack.enter_context(_victim(canary))
        listeners = tuple(stack.enter_context(one) for one in _listeners(folder))
        yield Surroundings(folder, canary, sysroot, victim, listeners)


@contextlib.contextmanager
def _victim(canary: str) -> Iterator[subprocess.Popen[bytes]]:
    environ = {**os.environ, KEYS[0]: canary}
    victim = subprocess.Popen(["sleep", "3600"], env=environ)
    try:
        yield victim
    finally:
        victim.kill()
        victim.wait()


def _listeners(folder: Path) -> Iterator[socket.socket]:
    kinds = ((socket.AF_INET, socket.SOCK_STREAM), (socket.AF_INET, socket.SOCK_DGRAM))
    for family, kind in (*kinds, (socket.AF_UNIX, socket.SOCK_STREAM)):
        listener = socket.socket(family, kind)
        listener.bind(("127.0.0.1", 0) if family == socket.AF_INET else _path(folder))
        if kind == socket.SOCK_STREAM:
            listener.listen()
        listener.setblocking(False)  # noqa: FBT003 - the standard library's own signature
        yield listener


def _path(folder: Path) -> str:
    return str(folder / "told")
