"""One bounded command: its limits, its output, and that nothing of it stays."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from forgetest.errors import Fault, FaultKind
from forgetest.system.process import MIB, CommandLimits, Exit, run

ENV = {"PATH": os.defpath}
LIMITS = CommandLimits(wall_secs=20)
HANG_SECS = 60  # far beyond every limit here: whoever waits for it hangs the test
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def run_now(
    *argv: str, limits: CommandLimits = LIMITS, stdin: bytes = b"", cwd: Path | None = None
) -> Exit:
    return asyncio.run(run(argv, cwd=cwd or Path("/"), env=ENV, limits=limits, stdin=stdin))


def python(code: str, *, limits: CommandLimits = LIMITS, stdin: bytes = b"") -> Exit:
    return run_now(sys.executable, "-I", "-c", code, limits=limits, stdin=stdin)


def is_running(pid: int) -> bool:
    """Tell whether a process exists, as a zombie too."""
    return Path(f"/proc/{pid}").exists()


def test_exit_code_and_both_streams_are_reported() -> None:
    ended = run_now("/bin/sh", "-c", "echo out; echo err >&2; exit 7")
    assert (ended.code, ended.signal, ended.stdout, ended.stderr) == (7, None, b"out\n", b"err\n")
    assert [ended.timed_out, ended.output_limited, ended.killed_by_others] == [False] * 3


def test_stdin_reaches_the_command_whole_and_then_ends() -> None:
    text = b"0123456789" * 50_000
    assert run_now("/bin/cat", stdin=text).stdout == text


def test_a_command_that_ignores_its_stdin_is_no_fault() -> None:
    assert run_now("/bin/true", stdin=b"x" * MIB).code == 0


def test_environment_and_working_folder_are_exactly_those_given(tmp_path: Path) -> None:
    ended = run_now("/usr/bin/env", cwd=tmp_path)
    names = {line.split(b"=")[0] for line in ended.stdout.splitlines()}
    assert names <= {b"PATH", b"PWD", b"OLDPWD", b"SHLVL", b"_", b"FORGETEST_RUN"}
    assert run_now("/bin/pwd", cwd=tmp_path).stdout.strip() == bytes(tmp_path)


def test_wall_limit_kills_the_command() -> None:
    ended = run_now("/bin/sleep", str(HANG_SECS), limits=CommandLimits(wall_secs=0.2))
    assert (ended.timed_out, ended.signal, ended.killed_by_others) == (True, signal.SIGKILL, False)
    assert ended.secs < HANG_SECS / 2


@pytest.mark.parametrize(
    "code",
    ["while True: pass", "import signal; signal.signal(24, signal.SIG_IGN)\nwhile True: pass"],
    ids=["plain", "ignores-the-signal"],
)
def test_cpu_limit_counts_as_our_time_limit(code: str) -> None:
    ended = python(code, limits=CommandLimits(wall_secs=HANG_SECS, cpu_secs=1))
    assert (ended.timed_out, ended.killed_by_others) == (True, False)
    assert ended.cpu_secs > 0.5  # the kernel counts the limit by ticks, and the sum exactly


def test_a_kill_that_was_not_ours_is_told_apart() -> None:
    ended = run_now("/bin/sh", "-c", "kill -9 $$")
    assert (ended.killed_by_others, ended.timed_out, ended.code) == (True, False, None)


def test_limits_inside_are_those_asked_for() -> None:
    names = ("CORE", "CPU", "AS", "FSIZE")
    code = f"import resource as r; print([r.getrlimit(getattr(r,'RLIMIT_'+n))[0] for n in {names}])"
    limits = CommandLimits(20, cpu_secs=9, address_space=1 << 30, file_size=3 * MIB)
    assert python(code, limits=limits).stdout.strip() == f"[0, 9, {1 << 30}, {3 * MIB}]".encode()


def test_output_is_cut_at_what_is_kept() -> None:
    limits = CommandLimits(20, output_kept=10)
    ended = python("print('a' * 1000)", limits=limits)
    assert (ended.stdout, ended.output_limited, ended.code) == (b"a" * 10, False, 0)


def test_endless_output_ends_the_command() -> None:
    ended = run_now("/bin/sh", "-c", "while :; do echo flood; done")
    assert (ended.output_limited, ended.killed_by_others) == (True, False)
    assert len(ended.stdout) == MIB


def test_a_grandchild_that_holds_the_pipe_does_not_hold_us() -> None:
    ended = run_now("/bin/sh", "-c", f"sleep {HANG_SECS} & echo done")
    assert (ended.stdout, ended.code) == (b"done\n", 0)
    assert ended.secs < HANG_SECS / 2


DAEMON = """
import os, sys, time
report, hold = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    os.fork()  # a daemon with a child of its own
    os.write(hold, b"%d " % os.getpid())
    time.sleep(SECS)
seen = b""
while seen.count(b" ") < 2:
    seen += os.read(report, 100)
print(seen.decode(), flush=True)
THEN
""".replace("SECS", str(HANG_SECS))


@linux_only
@pytest.mark.parametrize("then", ["", f"time.sleep({HANG_SECS})"], ids=["exits", "hangs"])
def test_daemons_that_left_the_session_are_killed_and_reaped(then: str) -> None:
    ended = python(DAEMON.replace("THEN", then), limits=CommandLimits(wall_secs=3))
    pids = {int(word) for word in ended.stdout.split()}
    assert len(pids) == 2
    assert [pid for pid in pids if is_running(pid)] == []
    assert ended.timed_out == bool(then)


@linux_only
def test_orphans_of_another_run_are_left_alone() -> None:
    async def both() -> tuple[Exit, Exit]:
        waits = f"(sleep 0.5; echo survived) & exec sleep {HANG_SECS}"
        slow = asyncio.create_task(
            run(["/bin/sh", "-c", waits], cwd=Path("/"), env=ENV, limits=CommandLimits(3))
        )
        quick = await run(["/bin/true"], cwd=Path("/"), env=ENV, limits=LIMITS)
        return quick, await slow

    quick, slow = asyncio.run(both())
    assert (quick.code, slow.stdout) == (0, b"survived\n")


@linux_only
def test_cancelling_ends_the_whole_tree_before_it_returns(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    os.mkfifo(pids)
    script = f"sleep {HANG_SECS} & echo $$ $! > {pids}; wait"

    async def cancelled() -> list[int]:
        work = asyncio.create_task(
            run(["/bin/sh", "-c", script], cwd=tmp_path, env=ENV, limits=CommandLimits(HANG_SECS))
        )
        started = [int(word) for word in (await asyncio.to_thread(pids.read_text)).split()]
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        return [pid for pid in started if is_running(pid)]

    began = time.monotonic()
    assert asyncio.run(cancelled()) == []
    assert time.monotonic() - began < HANG_SECS / 2


A_HUNDRED_RUNS = """
import asyncio, gc, os
from pathlib import Path
from forgetest.system.process import CommandLimits, run

def echo():
    return run(["/bin/echo"], cwd=Path("/"), env={"PATH": os.defpath}, limits=CommandLimits(20))

async def many():
    await asyncio.gather(*(echo() for _ in range(100)))

def descriptors():
    return len(list(Path("/proc/self/fd").iterdir()))

asyncio.run(echo())
gc.collect()
before = descriptors()
asyncio.run(many())
print(before, descriptors(), repr(Path(f"/proc/self/task/{os.getpid()}/children").read_text()))
"""


@linux_only
def test_a_hundred_runs_leave_no_child_and_no_descriptor() -> None:
    """In a process of its own, whose descriptors and children are nobody else's."""
    argv = [sys.executable, "-c", A_HUNDRED_RUNS]
    counted = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=120)
    before, after, children = counted.stdout.split()

    assert after == before
    assert children == "''"


def test_other_tasks_go_on_while_a_command_runs(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    async def answered() -> Exit:
        reading = run(["/bin/cat", str(pipe)], cwd=tmp_path, env=ENV, limits=LIMITS)
        work = asyncio.create_task(reading)
        await asyncio.to_thread(pipe.write_text, "from another task")
        return await work

    assert asyncio.run(answered()).stdout == b"from another task"


@pytest.mark.parametrize(
    ("argv", "cwd", "kind"),
    [
        (["/nowhere/tool"], Path("/"), FaultKind.TOOLCHAIN),
        (["/etc/passwd"], Path("/"), FaultKind.TOOLCHAIN),
        (["/bin/true"], Path("/nowhere"), FaultKind.SANDBOX),
    ],
    ids=["missing", "not-executable", "no-working-folder"],
)
def test_what_can_not_be_started_is_a_fault(argv: list[str], cwd: Path, kind: FaultKind) -> None:
    with pytest.raises(Fault) as raised:
        run_now(*argv, cwd=cwd)
    assert raised.value.kind == kind
