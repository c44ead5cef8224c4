"""What a test of generated code cannot reach, in every box that this machine can build."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sandbox_lab import Lab, lab, probe_program, require

from forgetest.sandbox.backends import AUTO, backends_for

pytestmark = [
    pytest.mark.cargo,
    pytest.mark.skipif(sys.platform != "linux", reason="the guard is at home on Linux"),
]
REFUSED = {"PermissionDenied", "NotFound", "ReadOnlyFilesystem", "CrossesDevices"}
EPERM = "errno 1"


@pytest.fixture(params=list(map(str, backends_for(AUTO))))
def box(request: pytest.FixtureRequest, store: Path, tmp_path: Path) -> Lab:
    sandbox = require(request.param, store)
    return lab(sandbox, probe_program(tmp_path.parent), tmp_path)


@pytest.fixture
def victim() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["/bin/sleep", "60"]) as process:
        yield process
        assert process.poll() is None, "it was killed"
        process.kill()


def outside(box: Lab) -> list[Path]:
    return [
        box.folder / "outside" / "secret",
        Path("/etc/passwd"),
        Path(f"/proc/{os.getpid()}/environ"),
        Path(f"/proc/{os.getpid()}/mem"),
        Path("/proc/self/mem"),
        Path("/proc/1/environ"),
        Path.home() / ".cargo" / "config.toml",
        Path("/usr/bin/env"),
    ]


def test_its_own_files_can_be_read(box: Lab) -> None:
    assert box.says("read", box.cwd / "fixture") == "done"


def test_files_outside_can_not_be_read(box: Lab) -> None:
    found = {str(path): box.says("read", path) for path in outside(box)}
    assert set(found.values()) <= REFUSED, found


@pytest.mark.parametrize("folder", ["/proc", "/sys", "/etc", "/home", "/var"])
def test_folders_outside_can_not_be_listed(box: Lab, folder: str) -> None:
    assert box.says("list", folder) in REFUSED


def test_nothing_outside_can_be_written(box: Lab) -> None:
    secret = box.folder / "outside" / "secret"
    new = box.folder / "outside" / "new"
    places = [new, box.cwd / "new", box.program.parent / "new", Path("/new"), Path("/usr/new")]
    places += [Path("/dev/shm/new"), Path("/var/tmp/new"), Path.home() / "new"]  # noqa: S108
    found = {str(path): box.says("write", path) for path in places}
    tries = ("append", "truncate", "delete", "chmod")
    found |= {name: box.says(name, secret) for name in tries}
    assert set(found.values()) <= REFUSED, found
    assert [path for path in places if path.exists()] == []
    assert secret.read_text() == "canary"


@pytest.mark.parametrize("name", ["append", "truncate", "delete", "chmod", "chmod_by_descriptor"])
def test_what_it_reads_it_can_not_change(box: Lab, name: str) -> None:
    for path in (box.cwd / "fixture", box.program):
        before = path.stat()
        assert box.says(name, path) in {*REFUSED, "ExecutableFileBusy"}
        after = path.stat()
        assert (after.st_mode, after.st_size) == (before.st_mode, before.st_size)


def test_rights_are_changed_only_where_mounts_stand_before_the_files(box: Lab) -> None:
    """Landlock does not ask who changes rights and times, so there the calls are refused."""
    allowed = "PermissionDenied" if box.sandbox.backend == "landlock" else "done"
    assert box.says("chmod_own") == allowed


def test_the_folder_of_what_it_reads_can_not_be_swapped(box: Lab) -> None:
    assert box.says("rename_own_parent", box.folder) in {*REFUSED, "ResourceBusy"}
    assert box.says("rename_own_parent", Path("/tmp") / box.folder.parts[2]) in {  # noqa: S108
        *REFUSED,
        "ResourceBusy",
    }


def test_no_socket_leads_out(box: Lab) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(type=socket.SOCK_DGRAM) as udp,
    ):
        udp.bind(("127.0.0.1", 0))
        for name, listener in (("tcp", tcp), ("udp", udp)):
            host, port = listener.getsockname()
            assert box.says(name, f"{host}:{port}") == "PermissionDenied"
            listener.settimeout(0.1)
        with pytest.raises(TimeoutError):
            tcp.accept()
        with pytest.raises(TimeoutError):
            udp.recv(1)
    assert box.says("tcp_listen") == "PermissionDenied"


def test_no_unix_socket_leads_out(box: Lab) -> None:
    path = box.cwd / "socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        assert box.says("unix", path) == "PermissionDenied"
    assert box.says("unix_listen") == "PermissionDenied"
    assert box.says("datagram_pair") == EPERM


def test_a_pair_of_connected_sockets_is_allowed(box: Lab) -> None:
    assert box.says("pair") == "done"


@pytest.mark.parametrize("name", ["fork", "clone", "execveat", "setsid", "unshare", "memfd"])
def test_calls_that_make_processes_are_refused(box: Lab, name: str) -> None:
    assert box.says(name) == EPERM


@pytest.mark.parametrize(
    "name", ["ptrace", "parents_memory", "parents_limit", "pidfd", "rings", "shared_memory"]
)
def test_calls_that_reach_others_are_refused(box: Lab, name: str) -> None:
    assert box.says(name) == EPERM


def test_no_child_by_any_name(box: Lab) -> None:
    assert set(box.says("raw_fork").split("errno ")) <= {"", "1 "}
    assert box.says("clone3") == "errno 38"  # "not implemented": the C library then takes clone
    assert box.says("spawn") == "PermissionDenied"
    assert box.says("exec") in REFUSED
    assert box.has_no_children()


def test_only_the_variables_given_are_seen(box: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    assert set(box.says("environment").split()) == {"LD_LIBRARY_PATH", "PROBE", "TMPDIR"}


def test_signals_reach_nobody(box: Lab, victim: subprocess.Popen[bytes]) -> None:
    assert box.says("kill_named", victim.pid) in {EPERM, "errno 3"}
    for name in ("kill_all", "kill_parent", "kill_group"):
        assert box.says(name) == EPERM


def test_no_sigkill_but_ours_or_the_machines(box: Lab) -> None:
    assert [box.says(name) for name in ("kill_itself", "lower_cpu", "timer")] == [EPERM] * 3


def test_a_test_after_an_attack_still_counts(box: Lab) -> None:
    ran = box.run("kill_all", "echo", "abort", "echo2")
    assert [one.first.code for one in ran if one.first] == [0, 0, None, 0]
    assert ran[3].trap is not None
    assert (ran[3].first or ran[3].trap).stdout == b"nonce3 report\n"


def test_a_daemon_is_none(box: Lab) -> None:
    before = threading.active_count()
    box.ended("daemon")
    assert box.has_no_children()
    assert threading.active_count() <= before + 1


def test_tests_of_root_run_as_somebody_else(box: Lab) -> None:
    user, pid = box.says("identity").split()
    if os.geteuid() == 0:
        assert user != "0"
    assert int(pid) != os.getpid()
