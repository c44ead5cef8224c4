"""A program of a user's own that grades, is interrupted, and may leave nothing behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from program import as_in_a_terminal
from tiny import SET


def interrupted(script: str, folder: Path) -> tuple[int, str]:
    """Run a script over the tiny set until it grades, press Ctrl-C; return exit code and errors.

    The script says a line before it grades. Nothing of what it ran or wrote is left.
    """
    (folder / "tiny.toml").write_text(SET, encoding="utf-8")
    temp = folder / "temp"
    temp.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", script, str(folder / "tiny.toml")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(temp)},
        preexec_fn=as_in_a_terminal,  # noqa: PLW1509 - no thread of the tests holds a lock here
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        wait_for_work(temp)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert list(temp.iterdir()) == []
    assert not list(processes_in(temp))
    return process.returncode, err


def wait_for_work(temp: Path) -> None:
    """Wait until something is graded in a folder."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not any(temp.iterdir()):
        time.sleep(0.02)


def processes_in(folder: Path) -> Iterator[str]:
    """Yield the folders below this one in which processes run."""
    for link in Path("/proc").glob("[0-9]*/cwd"):
        try:
            place = str(link.readlink())
        except OSError:
            continue
        if place.startswith(str(folder)):
            yield place
