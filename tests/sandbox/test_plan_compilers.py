"""What a compiler cannot reach: hostile source makes it read, and some of it is code that runs."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sandbox_lab import (
    LIMITS,
    Lab,
    lab,
    probe_program,
    require,
    toolchain,
)

from forgetest.errors import Fault, FaultKind
from forgetest.sandbox.backends import AUTO, backends_for
from forgetest.system.process import CommandLimits, Exit

pytestmark = [
    pytest.mark.cargo,
    pytest.mark.skipif(sys.platform != "linux", reason="the guard is at home on Linux"),
]
REFUSED = {"PermissionDenied", "NotFound", "ReadOnlyFilesystem"}
EPERM = "errno 1"
WALLED = list(map(str, backends_for(AUTO)))


@pytest.fixture
def box(request: pytest.FixtureRequest, store: Path, tmp_path: Path) -> Lab:
    sandbox = require(request.param, store)
    return lab(sandbox, probe_program(tmp_path.parent), tmp_path)


walled = pytest.mark.parametrize("box", WALLED, indirect=True)
everywhere = pytest.mark.parametrize("box", [*WALLED, "none"], indirect=True)


@pytest.fixture
def victim() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["/bin/sleep", "60"]) as process:
        yield process
        assert process.poll() is None, "it was killed"
        process.kill()


def rustc(box: Lab, source: str, *args: str) -> Exit:
    (box.cwd / "lib.rs").write_text(source)
    return asyncio.run(
        box.sandbox.compile(
            [str(toolchain().rustc), "--edition=2021", "lib.rs", *args],
            cwd=box.cwd,
            env={"PATH": "/usr/bin:/bin", "TMPDIR": str(box.folder / "out")},
            limits=LIMITS,
            reads=[box.cwd],
            writes=[box.folder / "out"],
        )
    )


def command(box: Lab, *argv: str, limits: CommandLimits = LIMITS) -> Exit:
    env = {"PATH": "/usr/bin:/bin"}
    work = box.sandbox.compile(
        argv, cwd=box.cwd, env=env, limits=limits, reads=[box.cwd], writes=[]
    )
    return asyncio.run(work)


@everywhere
def test_a_program_is_compiled_and_linked(box: Lab) -> None:
    program = box.folder / "out" / "program"
    ended = rustc(box, 'fn main() { println!("hello") }', "-o", str(program))
    assert (ended.code, ended.stderr) == (0, b"")
    assert subprocess.run([program], capture_output=True, check=True).stdout == b"hello\n"
    assert ended.cpu_secs > 0


@everywhere
def test_diagnostics_come_back_with_the_exit_code(box: Lab) -> None:
    ended = rustc(box, 'fn main() { let x: u8 = ""; }', "--error-format=json")
    assert ended.code == 1
    assert b"E0308" in ended.stderr


@walled
def test_source_can_not_include_what_lies_outside(box: Lab) -> None:
    secret = box.folder / "outside" / "secret"
    home = Path.home() / ".bashrc"
    for path in (secret, home, Path("/etc/passwd"), Path(f"/proc/{os.getpid()}/environ")):
        ended = rustc(box, f'pub const X: &[u8] = include_bytes!("{path}");', "--crate-type=lib")
        assert ended.code == 1, path
        assert b"canary" not in ended.stdout + ended.stderr


@walled
def test_compilers_see_only_the_variables_given(box: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    names = set(box.compiler_says("environment").split())
    assert names <= {"LD_LIBRARY_PATH", "PROBE", "TMPDIR", "FORGETEST_RUN"}


@walled
def test_compilers_write_where_they_may_and_nowhere_else(box: Lab) -> None:
    new = box.folder / "out" / "new"
    assert box.compiler_says("write", new) == "done"
    assert new.exists()
    places = [box.cwd / "new", box.folder / "outside" / "new", Path.home() / "new", Path("/new")]
    assert {box.compiler_says("write", path) for path in places} <= REFUSED
    assert [path for path in places if path.exists()] == []


@walled
def test_compilers_have_no_network(box: Lab) -> None:
    for name in ("tcp", "udp"):
        assert box.compiler_says(name, "127.0.0.1:9") == "PermissionDenied"
    assert box.compiler_says("unix", "/run/systemd/journal/stdout") == "PermissionDenied"


@walled
@pytest.mark.parametrize("name", ["ptrace", "parents_memory", "pidfd", "rings", "unshare"])
def test_calls_that_reach_others_are_refused(box: Lab, name: str) -> None:
    assert box.compiler_says(name) == EPERM


@walled
def test_signals_reach_neither_the_launcher_nor_others(
    box: Lab, victim: subprocess.Popen[bytes]
) -> None:
    assert box.compiler_says("kill_named", victim.pid) in {EPERM, "errno 3"}
    assert [box.compiler_says(name) for name in ("kill_all", "kill_parent")] == [EPERM] * 2


@everywhere
def test_what_a_compiler_leaves_running_is_ended(box: Lab) -> None:
    assert box.compiler_says("daemon") == "left"
    assert box.has_no_children()


@everywhere
def test_a_signal_is_told_as_a_signal(box: Lab) -> None:
    ended = command(box, "/bin/sh", "-c", "kill -SEGV $$")
    assert (ended.code, ended.signal) == (None, 11)


@everywhere
def test_limits_of_a_compiler(box: Lab) -> None:
    late = command(box, "/bin/sleep", "60", limits=CommandLimits(wall_secs=0.3))
    assert (late.timed_out, late.killed_by_others) == (True, False)
    busy = CommandLimits(wall_secs=30, cpu_secs=1)
    assert command(box, "/bin/sh", "-c", "while :; do :; done", limits=busy).timed_out
    flood = command(box, "/bin/sh", "-c", "while :; do echo flood; done")
    assert (flood.output_limited, len(flood.stdout)) == (True, LIMITS.output_kept)
    assert box.has_no_children()


@everywhere
def test_what_can_not_be_started_is_a_fault(box: Lab) -> None:
    with pytest.raises(Fault) as raised:
        command(box, "/nowhere/rustc")
    assert raised.value.kind is FaultKind.TOOLCHAIN
    with pytest.raises(Fault) as raised:
        asyncio.run(
            box.sandbox.compile(
                ["/bin/true"], cwd=box.folder / "absent", env={}, limits=LIMITS, reads=[], writes=[]
            )
        )
    assert raised.value.kind is FaultKind.SANDBOX
