"""What the machine breaks is a fault and no score.

What a sample only says of the machine is its own failure: the attacks of the rows i.
"""

import asyncio
import contextlib
import functools
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Self

import pytest
from attacks import cases
from boxes import BACKENDS, guarded, sandbox_of, toolchain
from disks import mounted
from graders import cache_of, grade

from forgetest.errors import Fault, FaultKind
from forgetest.grading.grader import SampleGrader
from forgetest.sandbox.choose import choose
from forgetest.sandbox.sandbox import Sandbox
from forgetest.system.toolchain import Toolchain

pytestmark = pytest.mark.cargo

REV = cases()["rev"]
RIGHT = "pub fn rev(s: &str) -> String { s.chars().rev().collect() }\n"
SLEEPY = "pub fn rev(s: &str) -> String { std::thread::sleep_ms(3000); s.to_owned() }\n"


@pytest.fixture(params=BACKENDS)
def sandbox(request: pytest.FixtureRequest, pytestconfig: pytest.Config) -> Sandbox:
    return sandbox_of(request.param, pytestconfig)


def fault_of(grader: SampleGrader, code: str = RIGHT) -> Fault:
    with pytest.raises(Fault) as raised:
        grade(grader, REV, code)
    assert "\n" not in raised.value.message
    return raised.value


@functools.cache
def prepare(cache: Path) -> None:
    """Have what samples are compiled with ready before something fails."""
    sandbox = asyncio.run(choose("none", toolchain=toolchain(), cache=cache))
    assert grade(guarded(sandbox, cache=cache), REV, RIGHT).passed


def with_toolchain(broken: Toolchain, sandbox: Sandbox, cache: Path) -> SampleGrader:
    """Return a grader whose compilers are others than those that prepared its cache."""
    prepare(cache)
    return SampleGrader(broken, cache=cache, sandbox=sandbox)


def program(folder: Path, script: str) -> Path:
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


BROKEN: dict[str, Callable[[Toolchain, Path], Toolchain]] = {
    "no-rustc": lambda tools, _: replace(tools, rustc=Path("/nowhere/rustc")),
    "no-clippy": lambda tools, _: replace(tools, clippy_driver=Path("/nowhere/clippy-driver")),
    "rustc-fails": lambda tools, at: replace(tools, rustc=program(at, "exit 101")),
    "clippy-fails": lambda tools, at: replace(tools, clippy_driver=program(at, "exit 1")),
    "clippy-speaks-no-json": lambda tools, at: replace(
        tools, clippy_driver=program(at, "echo 'error: E0308' >&2; exit 1")
    ),
    "no-linker": lambda tools, _: replace(tools, search_path=str(tools.sysroot / "bin")),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_toolchain_is_a_fault(
    broken: str, sandbox: Sandbox, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    tools = BROKEN[broken](toolchain(), tmp_path)
    grader = with_toolchain(tools, sandbox, cache_of(pytestconfig))
    if broken == "no-linker":  # what is known of one is kept with the dependencies: begin anew
        grader = SampleGrader(tools, cache=tmp_path / "cache", sandbox=sandbox)
    assert fault_of(grader).kind in (FaultKind.TOOLCHAIN, FaultKind.SANDBOX)


@pytest.mark.parametrize("options", ["size=64k", "ro"], ids=["full", "read-only"])
def test_a_disk_that_takes_nothing_is_a_fault(
    options: str, sandbox: Sandbox, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    with mounted(tmp_path, options) as temp:
        grader = guarded(sandbox, cache=cache_of(pytestconfig), temp=temp)
        assert fault_of(grader).kind in (FaultKind.DISK, FaultKind.TOOLCHAIN)


def test_a_temp_folder_that_is_gone_is_a_fault(
    sandbox: Sandbox, pytestconfig: pytest.Config, tmp_path: Path
) -> None:
    grader = guarded(sandbox, cache=cache_of(pytestconfig), temp=tmp_path / "gone")
    assert fault_of(grader).kind in (FaultKind.DISK, FaultKind.SANDBOX)


def below(process: int) -> set[int]:
    """Return the processes below one, all generations of them."""
    found = set()
    with contextlib.suppress(OSError):  # it may end while it is looked at
        for task in list(Path(f"/proc/{process}/task").glob("*/children")):
            with contextlib.suppress(OSError):
                found |= {int(child) for child in task.read_text().split()}
    return found.union(*(below(one) for one in found))


def named(process: int, word: bytes) -> bool:
    with contextlib.suppress(OSError):
        return word in Path(f"/proc/{process}/cmdline").read_bytes()
    return False


class Killer(threading.Thread):
    """Kills whatever runs below this process and has a word on its command line, until stopped."""

    def __init__(self, word: bytes) -> None:
        super().__init__(daemon=True)
        self._word = word
        self._stopped = threading.Event()
        self.killed = 0

    def run(self) -> None:
        while not self._stopped.is_set():
            for process in below(os.getpid()):
                if named(process, self._word):
                    with contextlib.suppress(OSError):
                        os.kill(process, signal.SIGKILL)
                        self.killed += 1
            time.sleep(0.02)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self.join()


@pytest.mark.parametrize("word", [b"--only", b"guard", b"clippy-driver"])
def test_who_is_killed_by_somebody_else_is_a_fault(
    word: bytes, sandbox: Sandbox, pytestconfig: pytest.Config
) -> None:
    grader = guarded(sandbox, cache=cache_of(pytestconfig))
    prepare(cache_of(pytestconfig))
    with Killer(word) as killer:
        assert fault_of(grader, SLEEPY).kind in (FaultKind.SANDBOX, FaultKind.TOOLCHAIN)
    assert killer.killed


def test_a_box_that_can_not_be_built_is_a_fault(pytestconfig: pytest.Config) -> None:
    sandbox = sandbox_of("bwrap", pytestconfig)
    walls = replace(sandbox.boxes.walls, program=Path("/bin/false"))
    broken = replace(sandbox, boxes=replace(sandbox.boxes, walls=walls))
    prepare(cache_of(pytestconfig))
    assert fault_of(guarded(broken, cache=cache_of(pytestconfig))).kind is FaultKind.SANDBOX


def test_a_fault_stops_nobody_else(sandbox: Sandbox, pytestconfig: pytest.Config) -> None:
    cache = cache_of(pytestconfig)
    broken = with_toolchain(replace(toolchain(), rustc=Path("/nowhere/rustc")), sandbox, cache)
    sound = guarded(sandbox, cache=cache)

    async def both() -> list[object]:
        work = (broken.grade(REV, RIGHT), sound.grade(REV, RIGHT))
        return await asyncio.gather(*work, return_exceptions=True)

    fault, verdict = asyncio.run(both())
    assert isinstance(fault, Fault)
    assert verdict.passed
