#!/usr/bin/env python3
"""How many answers a second 64 clients get from `forgetest serve`, beside `Grader.grade_many`.

Both grade the same answers in turn, none of them from a cache: Rust to compile, and replies without
code, which cost nothing but the way there and back. Other work on the machine slows both alike.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

import forgetest

CLIENTS = 64
TOKEN = "made-up-for-this-benchmark"  # noqa: S105 - it protects nothing
MET, MISSED = 0, 1  # exit codes
LEAST = 0.85  # of the rate of grade_many, where there is code to compile
HERE = "grade_many"
WAYS = (HERE, "/grade", "/grade-many")
CASES = forgetest.load("starter")
_WHAT = ("rate", "cpu_ms")
Answer = dict[str, str]


def rust(number: int, turn: str) -> Answer:
    """Return an answer that nobody has graded before."""
    code = f"pub fn add(a: i32, b: i32) -> i32 {{ a + b }} // {number} {turn}"
    return {"case_id": "starter/add", "completion": f"```rust\n{code}\n```"}


def words(number: int, turn: str) -> Answer:
    """Return an answer without code."""
    return {"case_id": "starter/add", "completion": f"I have no idea, {number} {turn}."}


async def by_grader(grader: forgetest.Grader, answers: list[Answer]) -> None:
    """Grade answers in this process."""
    pairs = [(CASES[answer["case_id"]], answer["completion"]) for answer in answers]
    graded = [result async for result in grader.grade_many(pairs, ordered=False)]
    if len(graded) != len(answers) or any(result.fault for result in graded):
        raise SystemExit("an answer was not graded")


async def by_clients(http: httpx.AsyncClient, answers: list[Answer], path: str) -> None:
    """Grade answers on many connections: one after the other each, or in a batch each."""

    async def client(own: list[Answer]) -> None:
        if path == "/grade-many":
            graded = await http.post(path, content="\n".join(map(json.dumps, own)))
            lines = graded.text.splitlines()
        else:
            lines = [(await http.post(path, json=answer)).text for answer in own]
        if len(lines) != len(own) or any(json.loads(line).get("outcome") is None for line in lines):
            raise SystemExit(f"an answer was not graded: {lines[:1]}")

    await asyncio.gather(*(client(answers[number::CLIENTS]) for number in range(CLIENTS)))


def connections(url: str) -> httpx.AsyncClient:
    """Return what opens one connection for each client."""
    return httpx.AsyncClient(
        base_url=url,
        headers={"Authorization": f"Bearer {TOKEN}"},
        timeout=None,  # noqa: S113 - an answer comes when it is graded
        limits=httpx.Limits(max_connections=CLIENTS),
    )


@contextmanager
def serving() -> Iterator[tuple[str, int]]:
    """Serve the cases, and yield the URL and the number of the process."""
    argv = [sys.executable, "-m", "forgetest", "serve", "-e", "starter", "--port", "0"]
    with subprocess.Popen(
        [*argv, "--no-verdict-cache"],
        env={**os.environ, "FORGETEST_SERVE_TOKEN": TOKEN},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            if process.stdout is None:
                raise AssertionError("it is a pipe")
            yield process.stdout.readline().split()[1], process.pid
        finally:
            process.terminate()


def processor_secs(pid: int) -> float:
    """Return the processor time of a process and of the children that it has waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Pass:
    """What one way of grading took."""

    answers: int
    secs: float
    cpu: float  # seconds of what grades; the clients are not counted

    @property
    def rate(self) -> float:
        """Answers a second."""
        return self.answers / self.secs

    @property
    def cpu_ms(self) -> float:
        """Processor time of an answer, in milliseconds."""
        return 1000 * self.cpu / self.answers


async def measured(url: str, server: int, count: int, passes: int) -> dict[str, list[Pass]]:
    """Return the passes of each way, which take turns."""
    taken: dict[str, list[Pass]] = {}
    async with forgetest.Grader(verdict_cache=False) as grader, connections(url) as http:
        for number in range(passes):
            for kind, answer, many in (("Rust", rust, count), ("no code", words, 10 * count)):
                for way in WAYS:
                    answers = [answer(index, f"{way} {number}") for index in range(many)]
                    graders = os.getpid() if way == HERE else server
                    started, cpu = time.perf_counter(), processor_secs(graders)
                    if way == HERE:
                        await by_grader(grader, answers)
                    else:
                        await by_clients(http, answers, way)
                    secs = time.perf_counter() - started
                    one = Pass(many, secs, processor_secs(graders) - cpu)
                    taken.setdefault(f"{kind}, {way}", []).append(one)
    return taken


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=2 * CLIENTS, help="of Rust in each pass")
    parser.add_argument("--passes", type=int, default=3)
    given = parser.parse_args()
    with serving() as (url, server):
        taken = asyncio.run(measured(url, server, given.answers, given.passes))
    shares = {}
    for name, own in taken.items():
        base = taken[f"{name.split(',')[0]}, {HERE}"]
        pairs = list(zip(own, base, strict=True))
        shares[name] = statistics.median(here.rate / there.rate for here, there in pairs)
        cpu = statistics.median(here.cpu_ms / there.cpu_ms for here, there in pairs)
        rate, ms = (statistics.median(getattr(one, what) for one in own) for what in _WHAT)
        print(
            f"{name:20} {rate:7.1f} answers/s  x{shares[name]:4.2f}  {ms:7.1f} ms CPU  x{cpu:4.2f}"
        )
    return MET if shares["Rust, /grade"] >= LEAST else MISSED


if __name__ == "__main__":
    sys.exit(main())
