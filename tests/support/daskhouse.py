"""A Dask cluster as an administrator starts it: a scheduler and workers, each its own process."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

WAIT_SECS = 120.0
OTHER = "rustc 1.70.0 (90c541806 2023-05-31)"


@dataclass
class DaskHouse:
    """Processes that are started one by one, and that a test may kill."""

    folder: Path
    env: Mapping[str, str]
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def scheduler(self) -> str:
        """Start a scheduler and return its address."""
        self._start("scheduler", ["--port", "0", "--host", "127.0.0.1"])
        return self._said("scheduler", "Scheduler at:").split()[-1]

    def worker(self, name: str, address: str, *, path: Path | None = None) -> None:
        """Start a worker of one core that finds programs in `path` first."""
        found = {} if path is None else {"PATH": f"{path}{os.pathsep}{self.env['PATH']}"}
        options = ["--no-nanny", "--nthreads", "1", "--name", name, "--host", "127.0.0.1"]
        self._start("worker", [address, *options], name=name, **found)

    def joined(self, *names: str) -> None:
        """Wait until workers have told the scheduler that they are there."""
        for name in names:
            self._said(name, "Registered to:")

    def kill(self, name: str) -> None:
        """Kill a process as `kill -9` does."""
        self.processes[name].send_signal(signal.SIGKILL)
        self.processes[name].wait()

    def died(self, name: str) -> bool:
        """Tell whether a process was killed."""
        return self.processes[name].wait(WAIT_SECS) == -signal.SIGKILL

    def stop(self) -> None:
        """Kill all that is left."""
        for process in self.processes.values():
            process.kill()
            process.wait()

    def _start(self, kind: str, options: list[str], *, name: str = "", **env: str) -> None:
        argv = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *options, "--no-dashboard"]
        with self._log(name or kind).open("wb") as log:
            self.processes[name or kind] = subprocess.Popen(
                argv, cwd=self.folder, env={**self.env, **env}, stderr=log, stdout=log
            )

    def _log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def _said(self, name: str, words: str) -> str:
        """Wait until a process has said something, and return the line."""
        end = time.monotonic() + WAIT_SECS
        while time.monotonic() < end:
            for line in self._log(name).read_text(errors="replace").splitlines():
                if words in line:
                    return line
            assert self.processes[name].poll() is None, self._log(name).read_text()
            time.sleep(0.05)
        raise AssertionError(f"{name} never said {words}")


def other_toolchain(folder: Path) -> Path:
    """Make a toolchain whose rustc says another version; return where its programs are."""
    real = Path(subprocess.check_output(["rustc", "--print", "sysroot"], text=True).strip())
    programs = folder / "bin"
    programs.mkdir(parents=True)
    for program in (real / "bin").iterdir():
        (programs / program.name).symlink_to(program)
    rustc = programs / "rustc"
    rustc.unlink()
    rustc.write_text(
        f'#!/bin/sh\n[ "$1" = --print ] && echo {folder} && exit\n'
        f'{real}/bin/rustc "$@" | sed "s/^rustc .*/{OTHER}/"\n'
    )
    rustc.chmod(0o755)
    return programs


def deadly_box(folder: Path, word: str) -> Path:
    """Make a bwrap that kills its caller where a sample has this word; return its folder."""
    real = shutil.which("bwrap")
    folder.mkdir(parents=True)
    box = folder / "bwrap"
    kill = f'grep -rqs {word} "$place" && kill -9 $PPID'
    look = f"for place; do case $place in */crate) {kill};; esac; done"
    box.write_text(f'#!/bin/sh\n{look}\nexec {real} "$@"\n')
    box.chmod(0o755)
    return folder
