#!/usr/bin/env python3
"""How many answers a second forgetest takes from a server, beside a bare loop over httpx.

A server in a process of its own answers every request after the same time. It is asked by
forgetest as in a run, with and without the journal, and by a loop that does nothing but ask;
all in one process, turn by turn, so that other work on the machine slows all of them alike.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console
from rich.table import Table

from forgetest.evalset.types import Case
from forgetest.run.events import Completed
from forgetest.run.folder import RunDir
from forgetest.sampling.completion import Completion, Draw
from forgetest.sampling.plan import ModelSpec, Plan, Sample, Sampling
from forgetest.sampling.prompt import render
from forgetest.sampling.providers.presets import Preset
from forgetest.sampling.transport import Endpoint, HttpSource

MET, MISSED = 0, 1  # exit codes
MODEL = ModelSpec(provider="bench", model="tiny")
NOTHING = Plan(models=(), samples_per_case=1, pass_k=(1,), sampling=Sampling(), eval_sets=())
CASE = Case(id="is-even", eval_set="bench", name="Even", prompt="Write `fn is_even(n: i32)`.")
REPLY = "```rust\npub fn is_even(n: i32) -> bool {\n    n % 2 == 0\n}\n```\n" * 8
BODY = {
    "id": "x",
    "object": "chat.completion",
    "model": "tiny",
    "choices": [{"index": 0, "message": {"content": REPLY}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 100, "completion_tokens": 200, "total_tokens": 300},
}
MS = 1000
SLOWER = 20
SEEN = ("most", "answered", "refused")  # of the server


class Answering(asyncio.Protocol):
    """One connection of the server: whole requests in, the same reply out after a time.

    Above `limit` requests under way it answers 429 at once; the model `slow` takes `SLOWER` times
    as long. A GET brings what all connections together have seen.
    """

    delay, limit = 0.0, 0
    under_way = most = answered = refused = 0

    def __init__(self) -> None:
        self._read = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        if isinstance(transport, asyncio.Transport):
            self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer every request that is complete, in its time."""
        self._read += data
        head, end, rest = self._read.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
        if not end or len(rest) < length:
            return
        self._read = rest[length:]
        if head.startswith(b"GET"):
            self._send("200 OK", {name: getattr(Answering, name) for name in SEEN})
        elif self.limit and Answering.under_way >= self.limit:
            Answering.refused += 1
            self._send("429 Too Many Requests", {"error": {"message": "Rate limit reached."}})
        else:
            Answering.under_way += 1
            Answering.most = max(Answering.most, Answering.under_way)
            secs = self.delay * (SLOWER if b'"slow"' in rest[:length] else 1)
            asyncio.get_running_loop().call_later(secs, self._answer)

    def _answer(self) -> None:
        Answering.under_way -= 1
        Answering.answered += 1
        self._send("200 OK", BODY)

    def _send(self, status: str, body: object) -> None:
        if self._transport is not None:
            self._transport.write(_reply(status, json.dumps(body).encode()))


def _reply(status: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}"
    return f"{head}\r\n\r\n".encode() + body


async def serve(delay: float, limit: int) -> None:
    """Serve for ever; the first line of output is the port."""
    Answering.delay, Answering.limit = delay, limit
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Answering, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def served(delay: float, limit: int = 0) -> Iterator[str]:
    """Run the server in a process of its own; yield its base URL."""
    argv = [sys.executable, __file__, "--serve", f"--delay={delay}", f"--limit={limit}"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        try:
            if process.stdout is None:
                raise RuntimeError(argv)
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.kill()


@dataclass(frozen=True, slots=True)
class Asked:
    """One measurement: answers a second, CPU milliseconds an answer, latencies in seconds."""

    rate: float
    cpu_ms: float
    latencies: tuple[float, ...]


Way = Callable[[str, int, int], Awaitable[list[float]]]


def measured(way: Way, url: str, requests: int, together: int) -> Asked:
    """Ask so many requests in one way and return what it took."""
    begun, cpu = time.monotonic(), time.process_time()
    latencies = asyncio.run(_awaited(way(url, requests, together)))
    took = time.monotonic() - begun
    spent = time.process_time() - cpu
    return Asked(requests / took, MS * spent / requests, tuple(latencies))


async def _awaited(work: Awaitable[list[float]]) -> list[float]:
    return await work


async def bare(url: str, requests: int, together: int) -> list[float]:
    """Ask in a loop over one client of httpx; return the latencies that the loop sees."""
    left, latencies = iter(range(requests)), list[float]()
    message = {"model": "tiny", "messages": [{"role": "user", "content": CASE.prompt}]}
    limits = httpx.Limits(max_connections=together)

    async def worker(client: httpx.AsyncClient) -> None:
        for _ in left:
            sent = time.monotonic()
            reply = await client.post(f"{url}/chat/completions", json=message)
            reply.json()
            latencies.append(time.monotonic() - sent)

    async with httpx.AsyncClient(limits=limits, timeout=600, trust_env=False) as client:
        await asyncio.gather(*(worker(client) for _ in range(together)))
    return latencies


async def asking(url: str, requests: int, together: int) -> list[float]:
    """Ask as a run does; return the latencies that it would report."""

    async def keep(sample: Sample, completion: Completion) -> None:
        del sample, completion

    return await _ask(url, requests, together, keep=keep)


async def journaled(url: str, requests: int, together: int) -> list[float]:
    """Ask as a run does and write every completion to a journal."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
        journal = os.open(Path(folder) / "journal.jsonl", flags)
        manifest: Any = None  # nothing of it is read here
        rundir = RunDir(Path(folder), manifest, NOTHING, descriptor=journal)

        async def keep(sample: Sample, completion: Completion) -> None:
            event = Completed(sample=sample.key, at="now", completion=completion)
            await rundir.append_together(event)

        try:
            return await _ask(url, requests, together, keep=keep)
        finally:
            os.close(journal)


async def _ask(
    url: str, requests: int, together: int, *, keep: Callable[[Sample, Completion], Awaitable[None]]
) -> list[float]:
    preset = Preset(name="bench", base_url=url, local=True, concurrency=together)
    async with Endpoint(preset) as endpoint:
        source = HttpSource(MODEL, endpoint)
        prompt = render(CASE)

        async def one(index: int) -> float:
            sample = Sample(model=MODEL, eval_set="bench", case=CASE.id, index=index)
            draw = Draw(sample=sample, case=CASE, prompt=prompt, sampling=Sampling(seed=index))
            completion = await source.complete(draw)
            await keep(sample, completion)
            return completion.latency_secs or 0.0

        return list(await asyncio.gather(*map(one, range(requests))))


WAYS: dict[str, Way] = {
    "forgetest": asking,
    "forgetest, journaled": journaled,
    "bare httpx loop": bare,
}


def table(passes: dict[str, list[Asked]], delay: float) -> Table:
    """Return the medians of all passes, a row each way."""
    shown = Table(box=None, header_style="dim")
    for name in ("", "answers/s", "CPU ms an answer", "median latency", "true"):
        shown.add_column(name, justify="left" if not name else "right")
    for name, found in passes.items():
        latency = statistics.median(secs for one in found for secs in one.latencies)
        shown.add_row(
            name,
            f"{statistics.median(one.rate for one in found):.0f}",
            f"{statistics.median(one.cpu_ms for one in found):.2f}",
            f"{MS * latency:.0f} ms",
            f"{MS * delay:.0f} ms",
        )
    return shown


def ratio(passes: dict[str, list[Asked]]) -> float:
    """Return how many times as many answers as the bare loop, the median of all passes."""
    pairs = zip(passes["forgetest"], passes["bare httpx loop"], strict=True)
    return statistics.median(ours.rate / theirs.rate for ours, theirs in pairs)


def main() -> int:
    """Print the table and the ratio; return 1 when a bare loop takes more answers."""
    options = _options()
    if options.serve:
        asyncio.run(serve(options.delay, options.limit))
        return MET
    passes: dict[str, list[Asked]] = {name: [] for name in WAYS}
    with served(options.delay) as url:
        for _ in range(options.passes):
            for name, way in WAYS.items():
                passes[name].append(measured(way, url, options.requests, options.together))
    console = Console(width=100)
    console.print(f"{options.requests} requests, {options.together} at once, {options.passes} x")
    console.print(table(passes, options.delay))
    console.print(f"forgetest takes {ratio(passes):.1f} times the answers of the bare loop")
    return MET if ratio(passes) >= 1 else MISSED


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--requests", type=int, default=2000, help="of each way and pass (default: 2000)")
    add("--together", type=int, default=200, help="requests at once (default: 200)")
    add("--delay", type=float, default=0.1, help="seconds before each answer (default: 0.1)")
    add("--passes", type=int, default=3, help="turns of each way (default: 3)")
    add("--serve", action="store_true", help=argparse.SUPPRESS)
    add("--limit", type=int, default=0, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
