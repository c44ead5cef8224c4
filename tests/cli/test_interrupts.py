"""Ctrl-C, SIGTERM and SIGHUP, once and five times, at any moment of a run's life."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from deepsets import a_case, write
from journals import events_of
from program import Program
from resuming import configure, journal, server, wait_for_events

from forgetest.run.state import State, read_state

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
INTERRUPTED = 130


def marked(mark: str) -> list[int]:
    """Return the processes whose environment has a variable."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (path / "environ").read_bytes().split(b"\0"):
                found.append(int(path.name))
        except OSError:
            continue
    return found


LOADING = """
import os, signal, sys
from forgetest.cli.interrupts import INTERRUPTS
INTERRUPTS.listen()
try:
    exec("os.kill(os.getpid(), signal.SIGTERM)")  # dataclasses write their methods so
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_a_signal_while_a_dataclass_is_made_ends_with_the_same_code(tmp_path: Path) -> None:
    """`python -m` otherwise ends itself by SIGINT, though the exception was caught."""
    (tmp_path / "loading.py").write_text(LOADING)
    done = subprocess.run([sys.executable, "-m", "loading"], cwd=tmp_path, check=False)
    assert done.returncode == INTERRUPTED


NAMING = """
import os, signal
from forgetest.cli import boundary
from forgetest.cli.interrupts import INTERRUPTS

class Named:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.SIGTERM)

def program():
    class Owner:
        named = Named()

INTERRUPTS.listen()
raise SystemExit(boundary.run_to_exit_code(program))
"""


def test_a_signal_while_a_class_is_made_is_no_bug(tmp_path: Path) -> None:
    """Until Python 3.12 the class's making wraps whatever a member's naming raises."""
    (tmp_path / "naming.py").write_text(NAMING)
    argv = [sys.executable, "-m", "naming"]
    done = subprocess.run(argv, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (INTERRUPTED, "interrupted\n")


READING = """
import asyncio, os, signal, sys
from io import BytesIO
from forgetest.cli.interrupts import INTERRUPTS
from forgetest.errors import FaultKind
from forgetest.run.events import Faulted
from forgetest.run.journal import read_line, read_lines
from forgetest.run.seal import Chain

MANY, SOME = 1000, 3
event = Faulted(sample="m|s/c|0", at="", stage="asking", kind=FaultKind.INTERNAL, message="")
chain = Chain()
lines = b"".join(chain.seal(event.model_dump_json()) for _ in range(MANY))
read = 0

def whole():
    for _ in read_lines(BytesIO(lines), Chain(), file="journal"):
        yield

def one_by_one():
    descriptor = os.memfd_create("journal")
    os.write(descriptor, lines)
    for _ in range(MANY):
        yield read_line(descriptor, 0)

async def work(way):
    global read
    for read, _ in enumerate(way(), start=1):
        if read == SOME:
            os.kill(os.getpid(), signal.SIGINT)

INTERRUPTS.listen()
try:
    INTERRUPTS.run(work({"whole": whole, "one by one": one_by_one}[sys.argv[1]]))
except KeyboardInterrupt:
    sys.exit(130 if read == SOME else f"{read} lines were read")
"""


@pytest.mark.parametrize("way", ["whole", "one by one"])
def test_a_signal_ends_the_reading_of_a_long_journal(tmp_path: Path, way: str) -> None:
    """A session that goes on, and one that reports, read for seconds without awaiting anything."""
    (tmp_path / "reading.py").write_text(READING)
    argv = [sys.executable, "-m", "reading", way]
    done = subprocess.run(argv, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (INTERRUPTED, "")


@pytest.mark.cargo
@pytest.mark.parametrize("number", ENDING)
def test_five_signals_end_a_run_as_cleanly_as_one(
    forgetest: Program, tmp_path: Path, number: signal.Signals
) -> None:
    temp = tmp_path / "temp"
    temp.mkdir()
    mark = f"INTERRUPTED_BY={number.name}{os.getpid()}"
    with server(tmp_path, delay=0.1) as (url, _):
        process = forgetest.start(
            *configure(forgetest, url),
            "--no-verdict-cache",
            TMPDIR=str(temp),
            INTERRUPTED_BY=mark.partition("=")[2],
        )
        folder = wait_for_events(forgetest, 6)
        for _ in range(5):
            process.send_signal(number)
            time.sleep(0.03)
        _, err = process.communicate(timeout=60)
        left, halves = marked(mark), [*temp.iterdir(), *folder.rglob(".*")]
        state = read_state(folder).state
        events = events_of(folder)
        resumed = forgetest("run", "--resume", folder, "--quiet")

    assert process.returncode == INTERRUPTED
    assert "Traceback" not in err
    assert "Exception ignored" not in err
    assert f"forgetest run --resume {folder.relative_to(forgetest.folder)}" in err
    assert (left, halves, state) == ([], [], State.INTERRUPTED)
    assert resumed.code == 0, resumed.err
    assert len(events) < len(journal(folder))


@pytest.mark.cargo
def test_a_signal_at_any_moment_ends_with_one_code_and_leaves_nothing(
    forgetest: Program, tmp_path: Path
) -> None:
    """From before the first line of ours to the end of the run; some come too late."""
    chance, codes = random.Random(8), set[int]()  # noqa: S311 - no secret
    temp = tmp_path / "temp"
    temp.mkdir()
    with server(tmp_path, delay=0.01) as (url, _):
        arguments = configure(forgetest, url)
        begun = time.monotonic()
        whole = forgetest(*arguments, "--quiet")
        secs = time.monotonic() - begun
        for nth in range(8):
            number = ENDING[nth % len(ENDING)]
            process = forgetest.start(*arguments, "--quiet", TMPDIR=str(temp))
            time.sleep(0.1 * secs + chance.uniform(0, 0.9 * secs))
            process.send_signal(number)
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
            codes.add(process.returncode)
            assert process.returncode in {0, INTERRUPTED, -number}, err
            assert "Traceback" not in err
            assert list(temp.iterdir()) == []
        folders = list((forgetest.folder / "runs").iterdir())
        states = {read_state(folder).state for folder in folders}

    assert whole.code == 0, whole.err
    assert INTERRUPTED in codes
    assert states <= {State.COMPLETE, State.INTERRUPTED}


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_while_the_program_starts_is_an_interrupt_too(
    forgetest: Program, number: signal.Signals
) -> None:
    """The moment is that of the first large module, which the program loads once it listens."""
    process = forgetest.start("schema", "report", PYTHONPROFILEIMPORTTIME="1")
    assert process.stderr is not None
    for line in process.stderr:
        if "typer." in line:
            break
    process.send_signal(number)
    out, err = process.communicate(timeout=60)

    assert process.returncode == INTERRUPTED
    assert "Traceback" not in err
    assert out == ""


def test_what_the_caller_ignores_stays_ignored(forgetest: Program) -> None:
    argv = ["nohup", *forgetest.argv("schema", "report")]
    process = subprocess.Popen(
        argv,
        cwd=forgetest.folder,
        env=forgetest.env(PYTHONPROFILEIMPORTTIME="1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "typer." in line:
            break
    process.send_signal(signal.SIGHUP)
    out, _ = process.communicate(timeout=60)

    assert process.returncode == 0
    assert out.startswith("{")


@pytest.mark.cargo
@pytest.mark.parametrize("number", ENDING)
def test_commands_that_grade_without_a_run_end_alike(
    forgetest: Program, tmp_path: Path, number: signal.Signals
) -> None:
    temp = tmp_path / "temp"
    temp.mkdir()
    broken = a_case("broken", prompt="Write what nobody names.", tests="fn no_test() {}")
    cases = write(forgetest, broken, *(a_case(f"case-{number}") for number in range(6)))
    deep = ("validate", "--deep", cases, "--no-verdict-cache")
    process = forgetest.start(*deep, TMPDIR=str(temp))
    assert process.stderr is not None
    first = process.stderr.readline()
    for _ in range(5):
        process.send_signal(number)
    _, err = process.communicate(timeout=60)

    assert first.startswith("[1/")
    assert process.returncode == INTERRUPTED
    assert "interrupted" in err
    assert "Traceback" not in err
    assert list(temp.iterdir()) == []
