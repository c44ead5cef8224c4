"""Boxes whose first process is the guard: it gets a plan, and its records say how each run ended.

Records are read strictly: one that is not exactly right is a fault.
"""

import contextlib
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from forgetest.errors import Fault, FaultKind
from forgetest.sandbox.plan import (
    REPORT_KEPT,
    CompilerCall,
    Field,
    Launch,
    TestPlan,
    TestRan,
    Walls,
    command_fields,
    encode,
    tests_fields,
)
from forgetest.system.files import temporary_folder
from forgetest.system.process import KIB, MIB, CommandLimits, Exit, run

_RAN = re.compile(
    rb"ran (\d+) (only|first|trap) (-1|\d+) (-1|\d+) ([01]) ([01]) (\d+) (\d+) (\d+) (\d+)"
)
_MICROS = 1_000_000
_STDERR_SHOWN = 300  # characters
_STARTUP_SECS = 20.0  # a container on a busy machine
_CLEANUP_SECS = 11.0  # of each run: emptying, reaping
_HEAD = KIB  # more than the bytes of a record without its streams
_UNDO = CommandLimits(wall_secs=60)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run of one command of a plan."""

    index: int
    mode: str  # only, first, trap
    ended: Exit


@dataclass(frozen=True, slots=True)
class GuardedBoxes:
    """Boxes with these walls around them and the guard as their first process."""

    walls: Walls

    async def compile(self, call: CompilerCall) -> Exit:
        """Run a compiler and return how it ended; `Fault` when it cannot be started."""
        program = shutil.which(call.argv[0], path=call.env.get("PATH", os.defpath))
        if program is None:
            raise Fault(FaultKind.TOOLCHAIN, f"{call.argv[0]} cannot be executed")
        launch = self.walls.compile_box(call)
        kept = 2 * call.limits.output_kept + _HEAD
        fields = command_fields(call, program)
        (only,) = await _enter(launch, fields, secs=call.limits.wall_secs, runs=1, kept=kept)
        return only.ended

    async def run_tests(self, plan: TestPlan) -> tuple[TestRan, ...]:
        """Run the tests of a plan; `Fault` when the box or the program cannot be started."""
        if not plan.tests:
            return ()
        runs = 2 * len(plan.tests)
        secs = plan.all_secs + plan.limits.wall_secs * len(plan.tests)
        kept = runs * (REPORT_KEPT + plan.limits.output_kept + _HEAD)
        with _scratch() as scratch:
            launch = _test_box(self.walls, plan, scratch)
            records = await _enter(launch, tests_fields(plan), secs=secs, runs=runs, kept=kept)
            if ("scratch", str(scratch)) in launch.fields:
                _require_room(scratch, plan, records)
        return _by_test(plan, records)


def _require_room(scratch: Path, plan: TestPlan, records: Sequence[RunRecord]) -> None:
    """Raise `Fault` if a test failed where the disk may have refused it what it may write."""
    wanted = plan.limits.file_size or 0
    if any(record.ended.code != 0 for record in records):
        free = shutil.disk_usage(scratch).free
        if free < wanted:
            message = f"a test failed, and only {free // MIB} MiB are free in {scratch.parent}"
            raise Fault(FaultKind.DISK, message)


def _test_box(walls: Walls, plan: TestPlan, scratch: Path) -> Launch:
    try:
        return walls.test_box(plan, scratch)
    except OSError as error:
        raise Fault(FaultKind.SANDBOX, f"cannot prepare a box: {error}") from error


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    """Give a new folder; `Fault` when none can be made."""
    with contextlib.ExitStack() as stack:
        try:
            folder = stack.enter_context(temporary_folder())
        except OSError as error:
            raise Fault(FaultKind.DISK, f"cannot create a scratch folder: {error}") from error
        yield folder


async def _enter(
    launch: Launch, fields: Sequence[Field], *, secs: float, runs: int, kept: int
) -> tuple[RunRecord, ...]:
    """Start the guard in its box and return its records; its own limits are only a backstop."""
    limits = CommandLimits(
        wall_secs=_STARTUP_SECS + secs + _CLEANUP_SECS * runs,
        output_kept=kept,
        output_killed=kept + MIB,
    )
    stdin = encode((*launch.fields, *fields))
    finished = False
    try:
        ended = await run(launch.argv, cwd=Path("/"), env=launch.env, limits=limits, stdin=stdin)
        finished = not ended.timed_out
    finally:
        if launch.undo and not finished:
            await run(launch.undo, cwd=Path("/"), env=launch.env, limits=_UNDO)
    return _records(ended)


def _records(ended: Exit) -> tuple[RunRecord, ...]:
    """Read the records; any abnormal launcher exit is a fault."""
    if ended.code == 0:
        return parse_records(ended.stdout)
    if ended.timed_out:
        raise Fault(FaultKind.SANDBOX, "the launcher did not end in time")
    if ended.stdout:
        parse_records(ended.stdout)  # raises what the guard says
    complaint = ended.stderr.decode(errors="replace").strip()[-_STDERR_SHOWN:]
    raise Fault(FaultKind.SANDBOX, complaint or "the box ended before its launcher")


def _by_test(plan: TestPlan, records: Sequence[RunRecord]) -> tuple[TestRan, ...]:
    ends = {(record.index, record.mode): record.ended for record in records}
    return tuple(
        TestRan(test.name, ends.get((index, "first")), ends.get((index, "trap")))
        for index, test in enumerate(plan.tests)
    )


def parse_records(data: bytes) -> tuple[RunRecord, ...]:
    """Return all runs that the guard reports; `Fault` when it failed or is cut off."""
    return tuple(_records_in(data))


def _records_in(data: bytes) -> Iterator[RunRecord]:
    at = 0
    while True:
        line, newline, _ = data[at : at + 4096].partition(b"\n")
        at += len(line) + 1
        if line == b"done" and newline and at == len(data):
            return
        match = _RAN.fullmatch(line)
        if not newline or match is None:
            _refuse(line)
        sizes = int(match[9]), int(match[10])
        end = at + sum(sizes)
        if end > len(data):
            _refuse(b"the launcher's records are cut off")
        yield _record(match, data[at : at + sizes[0]], data[at + sizes[0] : end])
        at = end


def _record(match: re.Match[bytes], report: bytes, output: bytes) -> RunRecord:
    code, signal = int(match[3]), int(match[4])
    ended = Exit(
        code=None if code < 0 else code,
        signal=None if signal < 0 else signal,
        timed_out=match[5] == b"1",
        output_limited=match[6] == b"1",
        stdout=report,
        stderr=output,
        secs=int(match[7]) / _MICROS,
        cpu_secs=int(match[8]) / _MICROS,
    )
    return RunRecord(int(match[1]), match[2].decode(), ended)


def _refuse(line: bytes) -> NoReturn:
    text = line.decode(errors="replace").removeprefix("fault ")[:_STDERR_SHOWN]
    raise Fault(FaultKind.SANDBOX, text or "the launcher ended without a record")
