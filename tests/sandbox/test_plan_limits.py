"""The limits of a test are those that were set, and running into one costs that test alone."""

import asyncio
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from sandbox_lab import LIMITS, Lab, lab, probe_program, require

from forgetest.errors import Fault, FaultKind
from forgetest.sandbox.backends import Backend
from forgetest.sandbox.types import Held
from forgetest.system.process import GIB, MIB

pytestmark = [
    pytest.mark.cargo,
    pytest.mark.skipif(sys.platform != "linux", reason="the guard is at home on Linux"),
]
THREADS = 1024


@pytest.fixture(params=list(map(str, Backend)))
def box(request: pytest.FixtureRequest, store: Path, tmp_path: Path) -> Lab:
    sandbox = require(request.param, store)
    return lab(sandbox, probe_program(tmp_path.parent), tmp_path)


def enforced(box: Lab, name: str) -> bool:
    return getattr(box.sandbox.guarantees, name) is Held.ENFORCED


def test_limits_inside_are_those_asked_for(box: Lab) -> None:
    found = dict(word.split("=") for word in box.says("limits").split())
    cpu, size, memory = LIMITS.cpu_secs, LIMITS.file_size, LIMITS.address_space
    assert cpu is not None
    assert found["0"] == f"{cpu}/{cpu + 1}"
    assert (found["1"], found["9"]) == (f"{size}/{size}", f"{memory}/{memory}")
    assert (found["4"], found["7"]) == ("0/0", "256/256")
    if enforced(box, "processes") and box.sandbox.backend != "docker":  # it counts by cgroup
        assert found["6"] == f"{THREADS + 1}/{THREADS + 1}"


def test_threads_are_counted_where_the_report_says_so(box: Lab) -> None:
    started = int(box.says("threads"))
    assert started >= THREADS - 1
    if enforced(box, "processes"):
        assert started <= THREADS


def test_memory_beyond_the_limit_is_refused(box: Lab) -> None:
    assert box.says("allocate", GIB) == "done"
    assert box.says("allocate", 3 * GIB) == "OutOfMemory"


def test_descriptors_are_limited(box: Lab) -> None:
    assert 200 < int(box.says("open_many")) < 256


def test_wall_limit_ends_a_test_and_the_next_one_runs(box: Lab) -> None:
    limits = replace(LIMITS, wall_secs=0.5)
    late, good = box.run("sleep", "echo", limits=limits)
    assert late.first is not None
    assert (late.first.timed_out, late.first.signal, late.trap) == (True, signal.SIGKILL, None)
    assert late.first.secs < 5
    assert good.first is not None
    assert good.first.code == 0


def test_cpu_limit_counts_as_our_time_limit(box: Lab) -> None:
    ended = box.ended("spin", limits=replace(LIMITS, cpu_secs=1))
    assert (ended.timed_out, ended.signal, ended.killed_by_others) == (True, signal.SIGXCPU, False)
    assert ended.cpu_secs > 0.5


def test_a_test_that_stops_itself_is_late(box: Lab) -> None:
    assert box.ended("stop_itself", limits=replace(LIMITS, wall_secs=0.5)).timed_out


@pytest.mark.parametrize("name", ["flood_output", "flood_report"])
def test_a_flood_ends_the_test_and_its_head_is_kept(box: Lab, name: str) -> None:
    ended = box.ended(name)
    assert (ended.output_limited, ended.killed_by_others) == (True, False)
    kept = {"flood_output": (0, LIMITS.output_kept), "flood_report": (4096, 0)}
    assert (len(ended.stdout), len(ended.stderr)) == kept[name]


def test_output_is_kept_to_its_size_without_harm(box: Lab) -> None:
    ended = box.ended("print", LIMITS.output_kept + 1)
    assert (len(ended.stderr), ended.output_limited, ended.code) == (LIMITS.output_kept, False, 0)


def test_a_file_beyond_the_limit_ends_the_test(box: Lab) -> None:
    ended = box.ended("big_file")
    assert ended.signal == signal.SIGXFSZ or ended.stdout == b"StorageFull"


def test_the_sum_of_files_is_limited_where_the_report_says_so(box: Lab) -> None:
    written = int(box.says("many_files"))
    assert (written <= 16) == enforced(box, "disk")


def test_crashes_are_told_by_their_signal(box: Lab) -> None:
    abort, overflow = box.run("abort", "overflow")
    assert abort.first is not None
    assert abort.first.signal == signal.SIGABRT
    assert overflow.first is not None
    # Without /proc, std cannot find the end of the first thread's stack, and so has no last word.
    assert overflow.first.signal in {signal.SIGABRT, signal.SIGSEGV}


def test_a_thread_left_over_holds_nobody(box: Lab) -> None:
    ended = box.ended("left_thread")
    assert (ended.code, ended.stdout) == (0, b"left")
    assert ended.secs < LIMITS.wall_secs / 2


def test_every_test_finds_an_empty_scratch_folder(box: Lab) -> None:
    if box.sandbox.backend == "landlock":
        pytest.skip("landlock: rights cannot be changed, so none can be taken away")
    left, seen = box.run("leave_files", "see_files")
    assert left.first is not None
    assert left.first.stdout == b"left", left.first.stderr
    assert seen.first is not None
    # What it reads may lie there, too, where the system's own folder is hidden by an empty one.
    assert set(seen.first.stdout.decode().split()) <= {box.folder.parts[2]}


def test_a_report_runs_the_test_again_with_the_other_nonce(box: Lab) -> None:
    echo, silent = box.run("echo", "silent")
    assert echo.first is not None
    assert echo.trap is not None
    assert (echo.first.stdout, echo.trap.stdout) == (b"nonce0 report\n", b"trap0 trap\n")
    assert silent.trap is None


def test_tests_beyond_the_time_for_all_are_not_run(box: Lab) -> None:
    limits = replace(LIMITS, wall_secs=0.6)
    ran = box.run("sleep", "sleep", "echo", limits=limits, all_secs=1.0)
    assert [one.first is None for one in ran] == [False, False, True]
    assert all(one.first.timed_out for one in ran[:2] if one.first)


def test_a_program_that_can_not_be_executed_is_a_fault(box: Lab, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no program")
    for program in (text, tmp_path / "absent"):
        with pytest.raises(Fault) as raised:
            box.run("echo", program=program)
        assert raised.value.kind is FaultKind.SANDBOX


def test_a_box_that_can_not_be_built_is_a_fault(box: Lab, tmp_path: Path) -> None:
    if box.sandbox.backend == "none":
        pytest.skip("none: builds no box")
    with pytest.raises(Fault) as raised:
        box.run("echo", reads=[tmp_path / "absent"])
    assert raised.value.kind is FaultKind.SANDBOX


def test_no_tests_are_no_work(box: Lab) -> None:
    assert box.run() == ()


def test_cancelling_leaves_nothing_behind(box: Lab) -> None:
    async def cancelled() -> None:
        work = asyncio.create_task(box.sandbox.run_tests(box.plan(["sleep"])))
        await asyncio.sleep(1)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    began = time.monotonic()
    asyncio.run(cancelled())
    assert time.monotonic() - began < LIMITS.wall_secs / 2
    assert box.has_no_children()


def test_boxes_run_side_by_side(box: Lab) -> None:
    async def many() -> list[bytes]:
        plan = box.plan(["threads", "echo"])
        ran = await asyncio.gather(*(box.sandbox.run_tests(plan) for _ in range(4)))
        return [tests[1].first.stdout for tests in ran if tests[1].first]

    assert asyncio.run(many()) == [b"nonce1 report\n"] * 4
    assert box.has_no_children()


def test_peak_memory_of_a_flood_is_bounded(box: Lab) -> None:
    ran = box.run(*["flood_output"] * 5, limits=replace(LIMITS, output_kept=MIB))
    assert [len(one.first.stderr) for one in ran if one.first] == [MIB] * 5
