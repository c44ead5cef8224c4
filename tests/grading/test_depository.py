"""Folders shared by processes: made once, never removed under a user, made again when damaged."""

import asyncio
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from program import ROOT

from forgetest.errors import ToolchainError
from forgetest.grading import depository as module
from forgetest.grading.depository import NAME, Depository, unfinished
from forgetest.system.files import try_lock

SIZE = 1000


def make_in(store: Depository, name: str, *, made: list[str] | None = None) -> module.Make:
    """Return the making of a folder with two files of 500 bytes."""

    async def make() -> None:
        root = store.folder / unfinished(name)
        try:
            (root / "set" / "target").mkdir(parents=True)
            (root / "set" / "target" / "lib").write_bytes(b"x" * (SIZE // 2))
            (root / "set" / "lock").write_bytes(b"y" * (SIZE // 2))
            await asyncio.sleep(0.05)
            store.adopt(root / "set", name, label=f"crate {name}")
            if made is not None:
                made.append(name)
        finally:
            shutil.rmtree(root, ignore_errors=True)

    return make


def claim(store: Depository, name: str, made: list[str] | None = None) -> Path:
    return asyncio.run(store.claim(name, make_in(store, name, made=made)))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith(".lock"))


def test_those_that_come_at_once_get_the_folder_that_one_of_them_makes(tmp_path: Path) -> None:
    made: list[str] = []
    stores = [Depository(tmp_path) for _ in range(4)]

    async def all_of_them() -> list[Path]:
        claims = (store.claim("a", make_in(store, "a", made=made)) for store in stores)
        return await asyncio.gather(*claims)

    assert asyncio.run(all_of_them()) == [tmp_path / "a"] * 4
    assert made == ["a"]
    assert names(tmp_path) == ["a"]


def lose(folder: Path) -> None:
    (folder / "target" / "lib").unlink()


def cut(folder: Path) -> None:
    (folder / "target" / "lib").write_bytes(b"x")


def unseal(folder: Path) -> None:
    (folder / NAME).unlink()


def vanish(folder: Path) -> None:
    shutil.rmtree(folder)


@pytest.mark.parametrize("damage", [lose, cut, unseal, vanish])
def test_a_damaged_folder_is_made_again_once(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    made: list[str] = []
    ready = claim(Depository(tmp_path), "a", made)
    damage(ready)

    for _ in range(2):
        claim(Depository(tmp_path), "a", made)

    assert made == ["a", "a"]
    assert (ready / "target" / "lib").stat().st_size == SIZE // 2
    assert names(tmp_path) == ["a"]


def test_a_folder_that_somebody_removed_under_its_user_is_made_again(tmp_path: Path) -> None:
    made: list[str] = []
    store = Depository(tmp_path)
    claim(store, "a", made)
    shutil.rmtree(tmp_path)

    assert claim(store, "a", made).is_dir()
    assert made == ["a", "a"]


def test_a_maker_that_fails_leaves_nothing_and_the_next_one_tries(tmp_path: Path) -> None:
    store = Depository(tmp_path)

    async def fail() -> None:
        raise ToolchainError("no such crate")

    with pytest.raises(ToolchainError, match="no such crate"):
        asyncio.run(store.claim("a", fail))
    assert names(tmp_path) == []
    assert claim(store, "a").is_dir()


@pytest.mark.cargo
def test_a_maker_that_makes_nothing_is_told_so(tmp_path: Path) -> None:
    async def idle() -> None:
        pass

    with pytest.raises(ToolchainError, match="disappear right after they are written"):
        asyncio.run(Depository(tmp_path).claim("a", idle))


def test_a_cache_that_can_not_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(ToolchainError, match="file/sets: Not a directory"):
        claim(Depository(tmp_path / "file" / "sets"), "a")


def age(store: Depository, name: str, days: int) -> None:
    used = time.time() - days * 86400
    os.utime(store.folder / name / NAME, (used, used))


def filled(folder: Path, count: int) -> Depository:
    """Return a depository with folders 0, 1, ..., of which 0 was not used for longest."""
    for number in range(count):
        store = Depository(folder)
        claim(store, str(number))
        age(store, str(number), count - number)
    return Depository(folder)


def test_the_least_recently_used_go_until_the_rest_fits(tmp_path: Path) -> None:
    filled(tmp_path, 4)
    claim(Depository(tmp_path), "1")  # used now, and within the large budget

    claim(Depository(tmp_path, budget=3 * SIZE), "new")

    assert names(tmp_path) == ["1", "3", "new"]
    assert not (tmp_path / "0.lock").exists()


def test_what_is_in_use_stays_even_beyond_the_budget(tmp_path: Path) -> None:
    filled(tmp_path, 2)
    user = Depository(tmp_path)
    claim(user, "0")
    age(user, "0", 9)

    claim(Depository(tmp_path, budget=0), "new")

    assert names(tmp_path) == ["0", "new"]
    assert user.is_in_use("0")
    assert not user.is_in_use("1")


HOLDER = """
import asyncio, sys, time
from pathlib import Path
sys.path[:0] = {tests!r}
from test_depository import *
store = Depository(Path({folder!r}))
claim(store, "a")
print("ready", flush=True)
time.sleep(600)
"""
MAKER = """
import asyncio, sys, time
from pathlib import Path
sys.path[:0] = {tests!r}
from test_depository import *
store = Depository(Path({folder!r}))
async def make():
    (store.folder / unfinished("a") / "set").mkdir(parents=True)
    print("ready", flush=True)
    time.sleep(600)
asyncio.run(store.claim("a", make))
"""


@contextmanager
def process(script: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a script until it is ready, and kill it in the end."""
    code = script.format(
        tests=[str(Path(__file__).parent), str(ROOT / "tests" / "support")], folder=str(folder)
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as found:
        try:
            assert found.stdout is not None
            assert found.stdout.readline() == "ready\n"
            yield found
        finally:
            found.kill()


def test_another_process_that_uses_a_folder_keeps_it_until_it_is_killed(tmp_path: Path) -> None:
    store = Depository(tmp_path)
    with process(HOLDER, tmp_path) as user:
        assert store.is_in_use("a")
        assert not store.remove("a")
        assert names(tmp_path) == ["a"]
        user.send_signal(signal.SIGKILL)
        user.wait()
        assert store.remove("a")
    assert list(tmp_path.iterdir()) == []


def test_a_maker_that_was_killed_is_followed_by_the_next_who_tidies_up(tmp_path: Path) -> None:
    made: list[str] = []
    with process(MAKER, tmp_path) as maker:
        assert not Depository(tmp_path).remove("a")
        maker.send_signal(signal.SIGKILL)
        maker.wait()
    (left,) = names(tmp_path)
    assert left.startswith(".a-")
    (stored,) = Depository(tmp_path).stored()
    assert (stored.name, stored.label) == ("a", "(unfinished)")

    claim(Depository(tmp_path), "a", made)

    assert made == ["a"]
    assert names(tmp_path) == ["a"]


def test_what_a_killed_maker_left_goes_when_the_budget_asks_for_it(tmp_path: Path) -> None:
    with process(MAKER, tmp_path):
        pass
    (left,) = tmp_path.glob(".a-*")
    (left / "big").write_bytes(b"x" * 10 * SIZE)

    claim(Depository(tmp_path, budget=2 * SIZE), "b")

    assert names(tmp_path) == ["b"]


def test_a_damaged_folder_in_use_is_an_error_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_PATIENCE_SECS", 0.3)
    with process(HOLDER, tmp_path):
        lose(tmp_path / "a")
        with pytest.raises(ToolchainError, match="damaged and in use"):
            claim(Depository(tmp_path), "a")


def claim_and_remove(folder: Path, seconds: float, fails: "multiprocessing.Queue[str]") -> None:
    """Use and remove the same folders as others; report a claim that was not whole."""
    deadline = time.monotonic() + seconds
    count = 0
    while time.monotonic() < deadline:
        store = Depository(folder, budget=SIZE)
        name = "ab"[count % 2]
        ready = claim(store, name)
        if not (ready / "target" / "lib").exists():
            fails.put(name)
        store.remove("ba"[count % 2])
        count += 1
    fails.put("done" if count > 1 else "idle")


def test_processes_that_make_use_and_remove_at_once_never_lose_what_they_hold(
    tmp_path: Path,
) -> None:
    spawn = multiprocessing.get_context("spawn")
    fails = spawn.Queue()
    racers = [spawn.Process(target=claim_and_remove, args=(tmp_path, 1.5, fails)) for _ in range(3)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join(120)

    assert [fails.get(timeout=5) for _ in racers] == ["done"] * 3
    assert [racer.exitcode for racer in racers] == [0, 0, 0]
    fails.close()
    fails.join_thread()


def test_a_lock_on_a_removed_file_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    holders: list[int] = []
    together: list[int] = []
    deadline = time.monotonic() + 1.0

    def lock_and_remove(me: int) -> None:
        while time.monotonic() < deadline:
            held = try_lock(path, shared=False)
            if held is None:
                continue
            holders.append(me)
            time.sleep(0)
            together.extend(holders[1:])
            holders.remove(me)
            path.unlink()
            os.close(held)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lock_and_remove, range(4)))

    assert together == []


def test_a_lock_is_shared_by_users_and_kept_from_a_maker(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    users = [try_lock(path, shared=True) for _ in range(2)]

    assert None not in users
    assert try_lock(path, shared=False) is None
    for user in users:
        os.close(user or 0)
    maker = try_lock(path, shared=False)
    assert maker is not None
    assert try_lock(path, shared=True) is None
    os.close(maker)
