#!/usr/bin/env python3
"""How long a big run takes to begin, and to end after Ctrl-C.

Eval sets of two sizes are run by the real program against a server of this process that answers at
once, without any code, so that nothing is compiled. What is measured is the time from the start of
the program to its first request, the processor time until then, and the time from SIGINT to the
program's exit: soon after the first request, and again after the same run was resumed.

    python benchmarks/start_stop.py --cases 1000,10000 --samples 10
"""

import argparse
import asyncio
import dataclasses
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ask_speed import BODY, Answering
from rich.console import Console
from rich.table import Table

MET, MISSED = 0, 1  # exit codes
BEGIN_SECS, END_SECS = 5.0, 1.0  # the aims, at any size
PATIENCE_SECS = 300.0
INTERRUPTED = 130
HEAD = '[eval_set]\nid = "big"\nname = "Big"\n'
CASE = """
[[cases]]
id = "c{number}"
prompt = '''Write `pub fn answer_{number}() -> u64` that returns {number}.'''
reference_solution = '''pub fn answer_{number}() -> u64 {{ {number} }}'''
[cases.expectations]
test_file = '''
#[test]
fn answers() {{ assert_eq!(answer_{number}(), {number}); }}
'''
"""
CONFIG = '[providers.bench]\npreset = "vllm"\nbase_url = "{url}"\n'


class First(Answering):
    """A server that notes when it is asked for the first time, and answers without code."""

    asked = threading.Event()

    def data_received(self, data: bytes) -> None:
        """Note the request, and answer it."""
        self.asked.set()
        super().data_received(data)


@dataclass(frozen=True, slots=True)
class Took:
    """Seconds of one session, by the clock and of the processor."""

    begin: float  # from its start to its first request
    begin_cpu: float
    end: float  # from SIGINT to its exit
    end_cpu: float


@contextmanager
def served() -> Iterator[str]:
    """Serve in a thread; yield the base URL."""
    ports: list[int] = []
    is_up = threading.Event()

    async def serve() -> None:
        BODY["choices"] = [{"index": 0, "message": {"content": "I do not know."}}]
        server = await asyncio.get_running_loop().create_server(First, "127.0.0.1", 0, backlog=1024)
        ports.append(server.sockets[0].getsockname()[1])
        is_up.set()
        await server.serve_forever()

    threading.Thread(target=asyncio.run, args=(serve(),), daemon=True).start()
    is_up.wait(PATIENCE_SECS)
    yield f"http://127.0.0.1:{ports[0]}/v1"


def session(folder: Path, arguments: list[str], *, run_secs: float) -> Took:
    """Start a session, interrupt it some seconds after its first request; return what it took."""
    First.asked.clear()
    began = time.monotonic()
    argv = [sys.executable, "-m", "forgetest", "run", *arguments, "--quiet"]
    process = subprocess.Popen(argv, cwd=folder, stderr=subprocess.DEVNULL)
    if not First.asked.wait(PATIENCE_SECS):
        process.kill()
        sys.exit("no request came")
    begin, begin_cpu = time.monotonic() - began, _cpu(process.pid)
    time.sleep(run_secs)
    stopped, cpu = time.monotonic(), _cpu(process.pid)
    process.send_signal(signal.SIGINT)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != INTERRUPTED:
        sys.exit(f"the run was not interrupted: {process.returncode}")
    end_cpu = usage.ru_utime + usage.ru_stime - cpu
    return Took(begin, begin_cpu, time.monotonic() - stopped, end_cpu)


def _cpu(process: int) -> float:
    """Return the processor time of a process and of its ended children, in seconds (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def measured(url: str, cases: int, samples: int, *, run_secs: float) -> tuple[Took, Took]:
    """Return what a new run of so many cases takes, and what its second session does."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        folder = Path(name)
        (folder / "forgetest.toml").write_text(CONFIG.format(url=url), encoding="utf-8")
        text = HEAD + "".join(CASE.format(number=number) for number in range(cases))
        (folder / "big.toml").write_text(text, encoding="utf-8")
        new = ["-e", "big.toml", "-m", "bench/tiny", "-n", str(samples)]
        first = session(folder, new, run_secs=run_secs)
        (run,) = (folder / "runs").iterdir()
        return first, session(folder, ["--resume", str(run)], run_secs=run_secs)


def main() -> int:
    """Print a row for each session; return 1 when one begins or ends later than it should."""
    options = _options()
    shown = Table(box=None, header_style="dim")
    for name in (
        "cases",
        "samples",
        "session",
        "first request",
        "of CPU",
        "Ctrl-C to exit",
        "of CPU",
    ):
        shown.add_column(name, justify="left" if name == "session" else "right")
    is_met = True
    with served() as url:
        for cases in map(int, options.cases.split(",")):
            found = measured(url, cases, options.samples, run_secs=options.run)
            for name, took in zip(("new", "resumed"), found, strict=True):
                is_met &= took.begin <= BEGIN_SECS and took.end <= END_SECS
                times = (f"{secs:.2f} s" for secs in dataclasses.astuple(took))
                shown.add_row(f"{cases:,}", f"{cases * options.samples:,}", name, *times)
    Console(width=100).print(shown)
    return MET if is_met else MISSED


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--cases", default="1000,4000", help="sizes of eval sets (default: 1000,4000)")
    add("--samples", type=int, default=10, help="samples per case (default: 10)")
    add("--run", type=float, default=3.0, help="seconds before Ctrl-C (default: 3)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
