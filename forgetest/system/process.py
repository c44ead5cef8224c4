"""Run one command within limits, and leave nothing of it behind.

This is the only module that starts processes for grading: in a session of its own, with limits set
before the first instruction, output capped while it is read, and the whole tree killed however the
run ends. Callers decide what an exit means.
"""

import asyncio
import contextlib
import errno
import os
import re
import secrets
import selectors
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self

from forgetest.errors import Fault, FaultKind
from forgetest.system.orphans import MARK, adopt_orphans, sweep

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30

# What a process does to itself; any other signal comes from outside.
_OWN = frozenset(
    {signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV, signal.SIGSYS}
    | {signal.SIGTRAP}
)
# What the kernel sends when a limit of ours is reached.
_OF_LIMITS = frozenset({signal.SIGXCPU, signal.SIGXFSZ})
_OOM_KILLS = re.compile(r"^oom_kill (\d+)$", re.MULTILINE)
_CHUNK = 64 * KIB
_HELD_PIPE_SECS = 0.2  # a grandchild may keep a pipe open after its parent has gone
_POLL_SECS = 0.01  # where the system has no pidfd


@dataclass(frozen=True, slots=True)
class CommandLimits:
    """What one command may use; None means not limited."""

    wall_secs: float
    cpu_secs: int | None = None
    address_space: int | None = None  # bytes, of each process
    file_size: int | None = None  # bytes, of each file written
    output_kept: int = MIB  # bytes of each stream
    output_killed: int = 8 * MIB  # bytes of both streams: more ends the command


@dataclass(frozen=True, slots=True)
class Exit:
    """How a command ended, and what it printed."""

    code: int | None  # None when a signal ended it
    signal: int | None
    timed_out: bool  # by our wall or CPU limit
    output_limited: bool
    stdout: bytes
    stderr: bytes
    secs: float
    cpu_secs: float  # of the command and the descendants that it waited for

    @property
    def cut_by(self) -> int | None:
        """The signal that ended it, unless it was ours or that of a limit of ours."""
        ours = self.timed_out or self.output_limited or self.signal in _OF_LIMITS
        return None if ours else self.signal

    @property
    def killed_by_others(self) -> bool:
        """Whether a SIGKILL ended it that was not ours."""
        return self.cut_by == signal.SIGKILL


@dataclass(frozen=True, slots=True)
class _Command:
    argv: Sequence[str]
    cwd: Path
    env: Mapping[str, str]
    limits: CommandLimits
    stdin: bytes


async def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    limits: CommandLimits,
    stdin: bytes = b"",
    executor: Executor | None = None,
) -> Exit:
    """Run `argv` in its own session with exactly `env` and return how it ended.

    A thread of `executor`, of the loop's own when None, waits for it. Cancelling waits until every
    process is gone. Raises `Fault` when the command cannot be started.
    """
    command = _Command((_program(argv[0], env), *argv[1:]), cwd, env, limits, stdin)
    stop, stopper = os.pipe()
    work = asyncio.get_running_loop().run_in_executor(executor, _supervise, command, stop)
    try:
        return await asyncio.shield(work)
    finally:
        os.close(stopper)  # the supervisor reads the end of this pipe as the wish to stop
        if not work.done():
            await asyncio.wait({work})


def signal_name(number: int) -> str:
    """Return a signal's name and what it means, such as `SIGSEGV (Segmentation fault)`."""
    try:
        return f"{signal.Signals(number).name} ({signal.strsignal(number)})"
    except ValueError:
        return f"signal {number}"


def is_sent(number: int) -> bool:
    """Tell whether a signal comes from other processes, and not from what the process did."""
    return number not in _OWN | _OF_LIMITS


def out_of_memory_kills() -> int | None:
    """Return how many processes the kernel killed when out of memory; None if it does not say."""
    try:
        kills = _OOM_KILLS.search(Path("/proc/vmstat").read_text(encoding="ascii"))
    except OSError:
        return None
    return int(kills[1]) if kills else None


def _program(name: str, env: Mapping[str, str]) -> str:
    program = shutil.which(name, path=env.get("PATH", os.defpath))
    if program is None:
        raise Fault(FaultKind.TOOLCHAIN, f"{name} cannot be executed")
    return program


def _supervise(command: _Command, stop: int) -> Exit:
    try:
        adopt_orphans()
        with _Child(command) as child:
            return _Watch(child, stop).outcome()
    except OSError as error:
        kind = FaultKind.DISK if error.errno == errno.ENOSPC else FaultKind.SANDBOX
        raise Fault(kind, f"{command.argv[0]} could not be run: {error}") from error
    finally:
        os.close(stop)


class _Child:
    """The started command; leaving the context leaves no process of it."""

    def __init__(self, command: _Command) -> None:
        self.command = command
        self.started = time.monotonic()
        self.cpu_secs = 0.0
        self._mark = secrets.token_hex(16)
        self.process = subprocess.Popen(
            _limited(command),
            cwd=command.cwd,
            env={**command.env, MARK: self._mark},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        for pipe in self.pipes:
            pipe.close()

    @property
    def pipes(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        """Its stdin, stdout and stderr."""
        stdin, stdout, stderr = self.process.stdin, self.process.stdout, self.process.stderr
        if stdin is None or stdout is None or stderr is None:
            raise AssertionError("all three are pipes")
        return stdin, stdout, stderr

    def has_ended(self, options: int = os.WNOHANG) -> bool:
        """Tell whether the command has ended, and reap it then."""
        if self.process.returncode is None:
            pid, status, usage = os.wait4(self.process.pid, options)
            if pid:
                self.process.returncode = os.waitstatus_to_exitcode(status)
                self.cpu_secs = usage.ru_utime + usage.ru_stime
        return self.process.returncode is not None

    def end(self) -> None:
        """Kill what is left of the command: its group, then the processes that left the group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.has_ended(options=0)
        sweep(self.process.pid, self._mark)


def _limited(command: _Command) -> list[str]:
    """Return the command behind what sets its limits; itself where nothing is to be limited."""
    limits = command.limits
    if limits.cpu_secs is limits.address_space is limits.file_size is None:
        return list(command.argv)
    return ["/bin/sh", "-c", _limiter(limits), "sh", *command.argv]


def _limiter(limits: CommandLimits) -> str:
    """Return the shell script that sets the limits and becomes the command.

    The hard CPU limit is a second above the soft one, so that the signal says which limit it was. A
    limit that the system refuses is left as it is.
    """
    lines = ["ulimit -c 0", "ulimit -S -s 8192"]
    if limits.cpu_secs is not None:
        lines += [f"ulimit -S -t {limits.cpu_secs}", f"ulimit -H -t {limits.cpu_secs + 1}"]
    if limits.address_space is not None:
        lines.append(f"ulimit -v {limits.address_space // KIB}")
    if limits.file_size is not None:
        lines.append(f"ulimit -f {limits.file_size // 512}")
    return "{ " + "; ".join(lines) + '; } 2>/dev/null; exec "$@"'


class _Stream:
    """The head of one output stream, and how long the whole was."""

    def __init__(self, pipe: IO[bytes], keep: int) -> None:
        self.pipe = pipe
        self.size = 0
        self.head = bytearray()
        self.open = True
        self._keep = keep

    def read(self) -> None:
        """Take what is there; an empty read is the end of the stream."""
        data = os.read(self.pipe.fileno(), _CHUNK)
        self.open = bool(data)
        self.size += len(data)
        self.head += data[: max(0, self._keep - len(self.head))]

    def drain(self, deadline: float) -> None:
        """Read to the end of the stream, or until `deadline` when somebody keeps it open."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.pipe, selectors.EVENT_READ)
            while self.open and (left := deadline - time.monotonic()) > 0:
                if selector.select(left):
                    self.read()


class _Watch:
    """One wait for a command: feeds it, reads it, and ends it when a limit is reached."""

    def __init__(self, child: _Child, stop: int) -> None:
        self._child = child
        self._limits = child.command.limits
        self._stdin = memoryview(child.command.stdin)
        self._stop = stop
        self._stopped = False
        self._streams = [_Stream(pipe, self._limits.output_kept) for pipe in child.pipes[1:]]

    def outcome(self) -> Exit:
        """Wait, clean up, and say how the command ended."""
        with selectors.DefaultSelector() as selector, _end_event(self._child, selector):
            self._register(selector)
            late = self._wait(selector)
        ended = time.monotonic()
        self._child.end()
        for stream in self._streams:
            stream.drain(ended + _HELD_PIPE_SECS)
        return self._exit(late=late, secs=ended - self._child.started)

    def _register(self, selector: selectors.BaseSelector) -> None:
        stdin = self._child.pipes[0]
        os.set_blocking(stdin.fileno(), False)
        selector.register(self._stop, selectors.EVENT_READ, self._note_stop)
        selector.register(stdin, selectors.EVENT_WRITE, self._feed)
        for stream in self._streams:
            selector.register(stream.pipe, selectors.EVENT_READ, stream.read)

    def _wait(self, selector: selectors.BaseSelector) -> bool:
        """Return whether the time was up before anything else ended the wait."""
        deadline = self._child.started + self._limits.wall_secs
        poll_secs = self._limits.wall_secs if sys.platform == "linux" else _POLL_SECS
        while not (self._stopped or self._flooded or self._child.has_ended()):
            if (left := deadline - time.monotonic()) <= 0:
                return True
            for key, _ in selector.select(min(left, poll_secs)):
                key.data()
            self._drop_finished(selector)
        return False

    def _drop_finished(self, selector: selectors.BaseSelector) -> None:
        for stream in self._streams:
            if not stream.open and stream.pipe in selector.get_map():
                selector.unregister(stream.pipe)
        stdin = self._child.pipes[0]
        if not self._stdin and not stdin.closed:
            selector.unregister(stdin)
            stdin.close()

    def _note_stop(self) -> None:
        self._stopped = True

    def _feed(self) -> None:
        try:
            written = os.write(self._child.pipes[0].fileno(), self._stdin[:_CHUNK])
        except BrokenPipeError:
            written = len(self._stdin)
        self._stdin = self._stdin[written:]

    @property
    def _flooded(self) -> bool:
        return sum(stream.size for stream in self._streams) > self._limits.output_killed

    def _exit(self, *, late: bool, secs: float) -> Exit:
        status = self._child.process.returncode
        ended_by = -status if status < 0 else None
        stdout, stderr = (bytes(stream.head) for stream in self._streams)
        return Exit(
            code=status if ended_by is None else None,
            signal=ended_by,
            timed_out=late or self._cpu_spent(ended_by),
            output_limited=self._flooded,
            stdout=stdout,
            stderr=stderr,
            secs=secs,
            cpu_secs=self._child.cpu_secs,
        )

    def _cpu_spent(self, ended_by: int | None) -> bool:
        """Tell whether the CPU limit ended it: by its signal, or at the hard limit by SIGKILL."""
        if self._limits.cpu_secs is None:
            return False
        hard = ended_by == signal.SIGKILL and self._child.cpu_secs >= self._limits.cpu_secs
        return ended_by == signal.SIGXCPU or hard


@contextlib.contextmanager
def _end_event(child: _Child, selector: selectors.BaseSelector) -> Iterator[None]:
    """Wake `selector` when the command ends; without pidfd its wait is cut into slices."""
    if sys.platform != "linux":
        yield
        return
    descriptor = os.pidfd_open(child.process.pid)
    selector.register(descriptor, selectors.EVENT_READ, lambda: None)
    try:
        yield
    finally:
        os.close(descriptor)
