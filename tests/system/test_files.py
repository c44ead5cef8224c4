"""A temporary folder is its owner's as long as that lives, in whatever container it does."""

import asyncio
import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from graders import CASES, make_grader
from program import ROOT

from forgetest.system.files import LOCK_SUFFIX, PREFIX, clear_leftovers, temporary_folder, try_lock

OWNER = """
import sys, time
from pathlib import Path
from forgetest.system.files import temporary_folder
with temporary_folder(Path(sys.argv[1])) as folder:
    (folder / "crate").mkdir()
    print(folder, flush=True)
    time.sleep(600)
"""
CLEARER = """
import sys
from pathlib import Path
from forgetest.system.files import clear_leftovers
clear_leftovers(Path(sys.argv[1]))
"""
# A process number of its own namespace, that nobody outside has at that moment.
IN_A_CONTAINER = ("unshare", "--pid", "--fork", "--kill-child=KILL", "--mount-proc")
UNLOCKED = "forgetest-{}-abcd_123"


def containers() -> tuple[str, ...]:
    """Return the command that starts a container of processes, or skip the test by name."""
    tried = subprocess.run([*IN_A_CONTAINER, "true"], capture_output=True, check=False)
    if tried.returncode:
        pytest.skip("PID namespaces: this user may not make any")
    return IN_A_CONTAINER


@contextmanager
def owner(temp: Path, *before: str) -> Iterator[tuple[Path, "subprocess.Popen[str]"]]:
    """Run a process that has a temporary folder, and give the folder."""
    argv = [*before, sys.executable, "-c", OWNER, str(temp)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield Path(process.stdout.readline().strip()), process
        finally:
            process.kill()


def clear(temp: Path, before: Sequence[str] = ()) -> None:
    subprocess.run([*before, sys.executable, "-c", CLEARER, str(temp)], check=True)


@pytest.mark.parametrize("contained", [False, True], ids=["processes", "containers"])
def test_who_clears_takes_a_folder_only_when_its_owner_is_dead(
    tmp_path: Path, *, contained: bool
) -> None:
    before = containers() if contained else ()
    with owner(tmp_path, *before) as (folder, process):
        for clearer in ((), before):
            clear(tmp_path, clearer)
            assert (folder / "crate").is_dir()
        process.send_signal(signal.SIGKILL)
        process.wait()
        wait_until_free(folder)
        clear(tmp_path, before)
    assert list(tmp_path.iterdir()) == []


def wait_until_free(folder: Path) -> None:
    """Wait for the end of a killed owner: in a container it comes a little after its parent's."""
    deadline = time.monotonic() + 10
    lock = folder.with_name(folder.name + LOCK_SUFFIX)
    while (held := try_lock(lock, shared=False)) is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.close(held)


GRADE = """
import asyncio, pathlib, sys
sys.path.insert(0, sys.argv[1])
from graders import AUTO, CASES, Limits, SampleGrader, Toolchain, choose, os
async def main(cache, temp):
    toolchain = Toolchain.resolve(os.environ)
    sandbox = await choose(AUTO, toolchain=toolchain, cache=cache)
    grader = SampleGrader(toolchain, cache=cache, temp=temp, sandbox=sandbox)
    case = CASES["add"]
    for _ in range(4):
        print((await grader.grade(case, case.reference_solution)).outcome, flush=True)
asyncio.run(main(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])))
"""


@pytest.mark.cargo
def test_containers_that_share_a_temporary_folder_leave_each_other_s_samples_alone(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    before = containers()
    cache = pytestconfig.cache.mkdir("forgetest-crates")
    asyncio.run(make_grader(pytestconfig).prepare([CASES["add"]]))
    tests = str(ROOT / "tests" / "support")
    argv = [*before, sys.executable, "-c", GRADE, tests, str(cache), str(tmp_path)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as graders:
        while graders.poll() is None:
            clear_leftovers(tmp_path)
            time.sleep(0.005)
        out = graders.communicate()[0]

    assert out.split() == ["passed"] * 4


def test_folders_that_are_made_while_others_clear_are_all_there(tmp_path: Path) -> None:
    stop = threading.Event()

    def clear_all_the_time() -> None:
        while not stop.is_set():
            clear_leftovers(tmp_path)

    def make(_: int) -> bool:
        with temporary_folder(tmp_path) as folder:
            (folder / "file").touch()
            time.sleep(0.001)
            return (folder / "file").exists()

    with ThreadPoolExecutor(6) as pool:
        clearing = [pool.submit(clear_all_the_time) for _ in range(2)]
        try:
            found = list(pool.map(make, range(300)))
        finally:
            stop.set()
        for one in clearing:
            one.result()

    assert all(found)
    clear_leftovers(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_older_versions_left_goes_after_a_day(tmp_path: Path) -> None:
    old, new = (tmp_path / UNLOCKED.format(number) for number in (1, 2))
    lockless = tmp_path / f"{PREFIX}{7:016x}"
    for folder in (old, new, lockless):
        folder.mkdir()
    day_ago = time.time() - 90_000
    for folder in (old, lockless):
        os.utime(folder, (day_ago, day_ago))

    clear_leftovers(tmp_path)

    assert list(tmp_path.iterdir()) == [new]


@pytest.mark.parametrize("name", ["forgetest-out", "forgetest-benchmark-ab", f"{PREFIX}orld"])
def test_a_folder_of_somebody_else_s_is_never_touched(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / f"{name}.lock").touch()
    os.utime(tmp_path / name, (0, 0))

    clear_leftovers(tmp_path)

    assert len(list(tmp_path.iterdir())) == 2


def test_a_disk_that_knows_no_locks_keeps_its_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    with temporary_folder(tmp_path) as folder:
        clear_leftovers(tmp_path)
        assert folder.is_dir()
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_is_gone_is_an_error_for_who_makes_and_none_for_who_clears(
    tmp_path: Path,
) -> None:
    gone = tmp_path / "gone"
    clear_leftovers(gone)
    with pytest.raises(FileNotFoundError), temporary_folder(gone):
        pass
    shutil.rmtree(tmp_path)
    clear_leftovers(tmp_path)
