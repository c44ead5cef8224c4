"""Runs what is measured in child processes, one after the other, and reads what each cost."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from pace.results import COMPARE, LOAD, READ, Spent

_MIB = 1 << 20
_PEAK_UNIT = 1 if sys.platform == "darwin" else 1 << 10  # of ru_maxrss, in bytes
_READER = """
import sys
from pydantic_core import from_json
for name in sys.argv[1:]:
    with open(name, "rb") as file:
        data = from_json(file.read())
    del data
"""
_LOADER = "import forgetest.cli.commands, forgetest.cli.compare"
_FORGETEST = (sys.executable, "-m", "forgetest")


class MeasuringError(Exception):
    """A child process failed."""


def commands(baseline: Path, current: Path) -> dict[str, tuple[str, ...]]:
    """Return what is measured: reading both files, comparing them, and loading what compares."""
    files = str(baseline), str(current)
    sides = ("--baseline", files[0], "--current", files[1])
    return {
        READ: (sys.executable, "-c", _READER, *files),
        COMPARE: (*_FORGETEST, "compare", *sides, "--format", "json"),
        LOAD: (sys.executable, "-c", _LOADER),
    }


def measured(
    commands: dict[str, tuple[str, ...]], *, passes: int, warm_up: int = 1
) -> dict[str, tuple[Spent, ...]]:
    """Return what each pass of each command cost; in every pass they take turns.

    Passes that warm up come first and do not count. Raises MeasuringError.
    """
    rounds = [
        {name: spent(argv) for name, argv in commands.items()} for _ in range(warm_up + passes)
    ]
    return {name: tuple(each[name] for each in rounds[warm_up:]) for name in commands}


def spent(argv: Sequence[str]) -> Spent:
    """Return what a child process cost, from the system's own accounts; MeasuringError on failure.

    Peak memory is at least that of this process, which must stay small.
    """
    start = time.monotonic()
    child = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise MeasuringError(f"{argv[1:4]} left with {child.returncode}")
    cpu = usage.ru_utime + usage.ru_stime
    return Spent(wall=wall, cpu=cpu, peak=usage.ru_maxrss * _PEAK_UNIT / _MIB)
