"""Whatever is damaged in the cache is found before it is used, and made again."""

import asyncio
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from boxes import toolchain
from graders import cache_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from program import Program
from records import verdict

from forgetest.grading.dependencies import Dependencies
from forgetest.grading.depository import NAME, is_intact, seal
from forgetest.grading.limits import Limits
from forgetest.grading.verdict_store import VerdictStore
from forgetest.sandbox.guardprogram import guard_program, remove_programs
from forgetest.system.toolchain import Toolchain

SET = """
[eval_set]
id = "one"
name = "One"
[[cases]]
id = "add"
name = "Add"
prompt = "Write `pub fn add(a: i32, b: i32) -> i32`."
reference_solution = "pub fn add(a: i32, b: i32) -> i32 { a + b }"
[cases.expectations]
test_file = "#[test] fn adds() { assert_eq!(add(2, 2), 4); }"
"""
Damage = Callable[[bytes, Random], bytes]


def flipped(data: bytes, random: Random) -> bytes:
    at = random.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << random.randrange(8))]) + data[at + 1 :]


def truncated(data: bytes, random: Random) -> bytes:
    return data[: random.randrange(len(data))]


def emptied(_data: bytes, _random: Random) -> bytes:
    return b""


def overwritten(data: bytes, random: Random) -> bytes:
    return random.randbytes(len(data))


RANDOM = Random(1)  # noqa: S311 - no secret
DAMAGES: tuple[Damage, ...] = (flipped, truncated, emptied, overwritten)
some_damage = st.tuples(st.sampled_from(DAMAGES), st.randoms(use_true_random=False))
many = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def built(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache of this module's own that holds a launcher."""
    ready = asyncio.run(guard_program(toolchain(), cache_of(pytestconfig)))
    cache = tmp_path_factory.mktemp("launcher")
    (cache / "guard").mkdir()
    for path in ready.parent.glob(f"{ready.name}*"):  # others may be there, of earlier versions
        shutil.copy2(path, cache / "guard")
    return cache


def launcher(cache: Path) -> Path:
    (path,) = (path for path in (cache / "guard").iterdir() if not path.suffix)
    return path


def works(program: Path) -> bool:
    ended = subprocess.run([program, "landlock-abi"], check=False, capture_output=True)
    return ended.returncode in (0, 3)


def quick(built: Path, folder: Path) -> Toolchain:
    """Return a toolchain whose compiler makes the launcher in no time, by copying it."""
    script = folder / "rustc"
    script.write_text(f'#!/bin/sh\nfor last; do :; done\ncp {launcher(built)} "$last"\n')
    script.chmod(0o755)
    return replace(toolchain(), rustc=script)


@pytest.mark.cargo
@pytest.mark.parametrize("damage", [*DAMAGES, None])
@pytest.mark.parametrize("suffix", ["", ".sha256"])
def test_a_damaged_launcher_heals(
    built: Path, tmp_path: Path, suffix: str, damage: Damage | None
) -> None:
    shutil.copytree(built, tmp_path / "cache")
    program = launcher(tmp_path / "cache")
    sound = program.read_bytes()
    victim = program.with_name(program.name + suffix)
    if damage is None:
        victim.unlink()
    else:
        victim.write_bytes(damage(victim.read_bytes(), RANDOM))
    (program.parent / f".{program.name}-0123").write_bytes(b"half-built")

    healed = asyncio.run(guard_program(quick(built, tmp_path), tmp_path / "cache"))

    assert healed == program
    assert program.read_bytes() == sound
    assert works(program)
    assert not list(program.parent.glob(".*"))


@pytest.mark.cargo
def test_a_launcher_that_may_not_be_started_is_built_again(built: Path, tmp_path: Path) -> None:
    shutil.copytree(built, tmp_path / "cache")
    launcher(tmp_path / "cache").chmod(0o644)

    assert works(asyncio.run(guard_program(quick(built, tmp_path), tmp_path / "cache")))


USER = """
import asyncio, os, sys, time
from pathlib import Path
from forgetest.sandbox.guardprogram import guard_program
from forgetest.system.toolchain import Toolchain
asyncio.run(guard_program(Toolchain.resolve(os.environ), Path(sys.argv[1])))
print("ready", flush=True)
time.sleep(600)
"""


@pytest.mark.cargo
def test_clearing_takes_a_launcher_that_nobody_uses_and_what_was_half_built(
    built: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    shutil.copytree(built, cache)
    (launcher(cache).parent / ".gone-0123").write_bytes(b"half-built")
    argv = [sys.executable, "-c", USER, str(cache)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as user:
        assert user.stdout is not None
        assert user.stdout.readline() == "ready\n"
        assert remove_programs(cache).kept == 1
        assert works(launcher(cache))
        user.send_signal(signal.SIGKILL)
        user.wait()

    assert remove_programs(cache).kept == 0
    assert not cache.joinpath("guard").exists()


@pytest.mark.cargo
def test_a_cache_that_can_not_be_written_serves_a_sound_launcher(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(built, tmp_path / "cache")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("forgetest.system.files.os.open", refuse)
    found = asyncio.run(guard_program(toolchain(), tmp_path / "cache"))
    assert found == launcher(tmp_path / "cache")


@pytest.fixture(scope="module")
def crates(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a set of crates as it is kept, sealed."""
    cache = cache_of(pytestconfig)
    prepared = asyncio.run(prepare(cache))
    copy = tmp_path_factory.mktemp("crates") / "set"
    shutil.copytree(prepared, copy, symlinks=True)
    return copy


async def prepare(cache: Path) -> Path:
    return (await Dependencies(toolchain(), cache, Limits()).prepare(())).folder


@pytest.mark.cargo
@many
@given(some_damage, st.data())
def test_no_damage_to_a_file_of_a_built_set_goes_unseen(
    crates: Path, how: tuple[Damage, Random], data: st.DataObject
) -> None:
    files = sorted(path for path in crates.rglob("*") if path.is_file() and path.stat().st_size)
    files.remove(crates / NAME)
    victim = data.draw(st.sampled_from(files))
    assert is_intact(crates)
    with damaged(victim, *how) as changed:
        assert is_intact(crates) is not changed


@many
@given(some_damage)
def test_a_damaged_seal_vouches_for_nothing_but_its_label(
    tmp_path_factory: pytest.TempPathFactory, how: tuple[Damage, Random]
) -> None:
    folder = tmp_path_factory.mktemp("sealed")
    for name in "ab":
        (folder / name).write_text(name)
    seal(folder, "two files")
    file = folder / NAME
    told = json.loads(file.read_bytes())
    with damaged(file, *how):
        if is_intact(folder):
            assert json.loads(file.read_bytes()) | {"label": told["label"]} == told


class damaged:  # noqa: N801 - a context manager
    """Damage a file for a while; gives whether its bytes are others now."""

    def __init__(self, file: Path, damage: Damage, random: Random) -> None:
        self._file, self._before = file, file.read_bytes()
        self._after = damage(self._before, random)

    def __enter__(self) -> bool:
        self._file.write_bytes(self._after)
        return self._after != self._before

    def __exit__(self, *_: object) -> None:
        self._file.write_bytes(self._before)


@pytest.mark.cargo
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_harness_is_built_again(
    crates: Path, tmp_path: Path, pytestconfig: pytest.Config, damage: Damage
) -> None:
    name = asyncio.run(prepare(cache_of(pytestconfig))).name
    kept = tmp_path / "dependencies" / name
    shutil.copytree(crates, kept, symlinks=True)
    (harness,) = kept.glob("*.rlib")
    sound = harness.read_bytes()
    harness.write_bytes(damage(sound, RANDOM))
    half = tmp_path / "dependencies" / f".{name}-0123"
    half.mkdir()

    folder = asyncio.run(prepare(tmp_path))

    assert folder == kept
    assert is_intact(kept)
    assert not half.exists()


def test_no_flipped_bit_of_a_verdict_goes_unseen(tmp_path: Path) -> None:
    store = VerdictStore(tmp_path)
    key = "ab" + "0" * 62
    store.put(key, verdict("P"))
    (file,) = store.files()
    sound = file.path.read_bytes()
    for place in range(8 * len(sound)):
        byte, bit = divmod(place, 8)
        file.path.write_bytes(sound[:byte] + bytes([sound[byte] ^ 1 << bit]) + sound[byte + 1 :])
        assert store.get(key) is None, place


@many
@given(some_damage)
def test_a_damaged_verdict_is_none(
    tmp_path_factory: pytest.TempPathFactory, how: tuple[Damage, Random]
) -> None:
    store = VerdictStore(tmp_path_factory.mktemp("verdicts"))
    key = "ab" + "0" * 62
    store.put(key, verdict("P"))
    (file,) = store.files()
    with damaged(file.path, *how) as changed:
        assert (store.get(key) is None) is changed
    assert store.get(key) == verdict("P")


@pytest.mark.cargo
def test_the_program_grades_with_a_cache_whose_every_file_is_damaged(
    forgetest: Program, crates: Path, built: Path, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    cache = tmp_path / "own"
    name = asyncio.run(prepare(cache_of(pytestconfig))).name
    shutil.copytree(built / "guard", cache / "forgetest" / "guard")
    shutil.copytree(crates, cache / "forgetest" / "dependencies" / name, symlinks=True)
    for file in cache.rglob("*"):
        if file.is_file() and file.stat().st_size:
            file.write_bytes(flipped(file.read_bytes(), RANDOM))
    (forgetest.folder / "one.toml").write_text(SET, encoding="utf-8")

    done = forgetest("validate", "one.toml", XDG_CACHE_HOME=str(cache))
    cleared = forgetest("cache", "clear", XDG_CACHE_HOME=str(cache))

    assert done.code == 0, done.err + done.out
    assert "--sandbox none" not in done.err
    assert "launcher: " in cleared.out
    assert not [path for path in cache.rglob("*") if path.is_file()]
