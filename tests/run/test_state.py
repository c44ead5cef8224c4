"""What a run's folder says of the run, read while it goes and after every end that it can have."""

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest
from disks import mounted
from fake_llm import Ask, Fail, FakeLLM
from hypothesis import given
from hypothesis import strategies as st
from program import Program
from records import case, manifest
from resuming import configure, journal, server, wait_for_events
from tiny import SET

from forgetest.errors import OutputLostError, RunDirError
from forgetest.run.folder import JOURNAL, create, resume
from forgetest.run.state import STATE, State, read_state, stated


def written(folder: Path) -> str:
    return str(json.loads((folder / STATE).read_text(encoding="utf-8"))["state"])


@pytest.mark.parametrize(
    ("ending", "state", "reason"),
    [
        (KeyboardInterrupt(), State.INTERRUPTED, "stopped"),
        (OutputLostError("standard error: Broken pipe"), State.INTERRUPTED, "Broken pipe"),
        (RunDirError("no\nspace"), State.FAILED, "no space"),
        (ZeroDivisionError(), State.FAILED, "ZeroDivisionError"),
        (None, State.FAILED, "3 samples unscored"),
    ],
)
def test_a_session_leaves_the_state_that_it_ended_in(
    tmp_path: Path, ending: BaseException | None, state: State, reason: str
) -> None:
    with create(tmp_path, manifest([case("one")], n=3)) as rundir:
        kind = () if ending is None else type(ending)
        with contextlib.suppress(kind), stated(rundir):
            assert read_state(rundir.path).state is State.RUNNING
            assert read_state(rundir.path).process == os.getpid()
            if ending is not None:
                raise ending

    found = read_state(rundir.path)
    assert (found.state, found.graded, found.planned) == (state, 0, 3)
    assert written(rundir.path) == state
    assert reason in found.reason


@given(st.binary(max_size=60) | st.sampled_from([b"", b"{}", b'{"state": "running"}', b"[1"]))
def test_whatever_stands_in_the_file_only_a_held_lock_is_a_running_run(text: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with create(Path(folder), manifest([case("one")], n=1)) as rundir:
            (rundir.path / STATE).write_bytes(text)
            assert read_state(rundir.path).state is State.RUNNING
        assert read_state(rundir.path).state is State.INTERRUPTED


@pytest.mark.parametrize(
    ("report", "state"),
    [
        ('{"complete": true}', State.COMPLETE),
        ('{"complete": false}', State.FAILED),
        ("{", State.INTERRUPTED),
        (None, State.INTERRUPTED),
    ],
)
def test_a_folder_of_a_version_that_wrote_no_state_is_read_by_its_report(
    tmp_path: Path, report: str | None, state: State
) -> None:
    with create(tmp_path, manifest([case("one")], n=1)) as rundir:
        if report is not None:
            rundir.write("report.json", report)

    assert read_state(rundir.path).state is state


def test_whoever_asks_for_the_state_is_not_in_the_way_of_a_session(tmp_path: Path) -> None:
    with create(tmp_path, manifest([case("one")], n=1)) as rundir:
        path = rundir.path
    asking = os.open(path / JOURNAL, os.O_RDONLY)
    fcntl.flock(asking, fcntl.LOCK_SH)
    threading.Timer(0.05, os.close, [asking]).start()

    with resume(path):
        assert read_state(path).state is State.RUNNING


@pytest.mark.cargo
def test_the_state_is_true_while_a_run_goes_after_a_kill_and_when_it_is_done(
    forgetest: Program, tmp_path: Path
) -> None:
    with server(tmp_path, delay=0.2) as (url, _):
        process = forgetest.start(*configure(forgetest, url), "--quiet")
        folder = wait_for_events(forgetest, 2)
        process.send_signal(signal.SIGSTOP)  # however long it takes to look
        going, seen = read_state(folder), forgetest("show", folder)
        compared = forgetest("compare", "--baseline", folder, "--current", folder)
        process.kill()
        process.communicate()
        killed, after = read_state(folder), forgetest("report", folder)
        stopped = forgetest.start("run", "--resume", folder, "--quiet")
        wait_for_events(forgetest, len(journal(folder)) + 4)
        stopped.send_signal(signal.SIGHUP)
        _, err = stopped.communicate(timeout=60)
        interrupted = read_state(folder)
        done = forgetest("run", "--resume", folder, "--quiet")

    assert (going.state, going.process) == (State.RUNNING, process.pid)
    assert f"still running (process {process.pid})" in seen.err
    assert (compared.code, "wait for it" in compared.err) == (3, True)
    assert killed.state is State.INTERRUPTED
    assert f"interrupted (killed); continue with forgetest run --resume {folder}" in after.err
    assert (stopped.returncode, interrupted.state) == (130, State.INTERRUPTED)
    assert f"forgetest run --resume {folder}" in err
    assert done.code == 0, done.err
    assert read_state(folder).state is State.COMPLETE
    assert written(folder) == "complete"


@pytest.mark.cargo
def test_a_run_whose_samples_stay_unscored_has_failed_until_they_are_scored(
    forgetest: Program,
) -> None:
    def at_first(ask: Ask) -> str | Fail:
        return Fail(401, "no")

    with FakeLLM(at_first) as fake:
        configure(forgetest, fake.url)
        first = forgetest("run", "-e", "tiny.toml", "-m", "chat/a", "-q")
        folder = forgetest.run_folder()
        failed = read_state(folder)
        fake.reply = "no code here"
        again = forgetest("run", "--resume", folder, "-q")

    assert (first.code, failed.state) == (3, State.FAILED)
    assert failed.reason == "2 samples unscored"
    assert (again.code, read_state(folder).state) == (0, State.COMPLETE)


@pytest.mark.parametrize("left", [(), (".manifest.json.17.tmp",)])
@pytest.mark.parametrize(
    "command",
    [
        "run --resume X",
        "grade X",
        "show X",
        "report X",
        "rank X",
        "compare --baseline X --current X",
    ],
)
def test_a_folder_whose_run_never_began_says_what_to_do(
    forgetest: Program, command: str, left: tuple[str, ...]
) -> None:
    (forgetest.folder / "X").mkdir()
    for name in left:
        (forgetest.folder / "X" / name).touch()

    done = forgetest(*command.split())

    assert (done.code, done.err.count("\n")) == (2, 1)
    assert (
        "X: the run was stopped before it began; remove this folder and start the run" in done.err
    )


@pytest.mark.cargo
def test_a_disk_that_is_full_at_the_beginning_leaves_no_folder(
    forgetest: Program, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = SET.replace("Write `pub fn triple", "x" * 200_000 + " Write `pub fn triple")
    (forgetest.folder / "tiny.toml").write_text(text, encoding="utf-8")
    with mounted(tmp_path_factory.mktemp("disk"), "size=64k") as disk, FakeLLM("no") as fake:
        config = f'[providers.chat]\npreset = "vllm"\nbase_url = "{fake.url}/v1"\n'
        (forgetest.folder / "forgetest.toml").write_text(config, encoding="utf-8")
        done = forgetest("run", "-e", "tiny.toml", "-m", "chat/a", "-q", "-o", disk)
        left = list(disk.iterdir())
        asked = fake.answered()

    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "No space left on device" in done.err
    assert (left, asked) == ([], {})


@pytest.mark.cargo
@pytest.mark.parametrize("room", ["96k", "200k"])
def test_a_disk_that_fills_up_leaves_a_journal_in_order_and_nothing_half_written(
    forgetest: Program, tmp_path_factory: pytest.TempPathFactory, room: str
) -> None:
    with (
        mounted(tmp_path_factory.mktemp("disk"), f"size={room}") as disk,
        FakeLLM("no code here " * 300) as fake,
    ):
        configure(forgetest, fake.url)
        run = ("run", "-e", "tiny.toml", "-m", "chat/a", "-q", "-n", "12", "-o", disk)
        done = forgetest(*run)
        (folder,) = disk.iterdir()
        halves = list(folder.rglob(".*"))
        state = read_state(folder).state
        subprocess.run(["mount", "-o", "remount,size=32m", disk], check=True)
        resumed = forgetest("run", "--resume", folder, "-q")
        graded = read_state(folder).graded

    assert (done.code, done.err.count("\n")) == (2, 1), done.err
    assert "No space left on device; fix that, then continue with" in done.err
    assert halves == []
    assert state in {State.FAILED, State.INTERRUPTED}
    assert resumed.code == 0, resumed.err
    assert graded == 24
