#!/usr/bin/env python3
"""Many requests at once on one provider: is the rate kept, is a limit found, who waits for whom.

All parts ask servers that answer after a fixed time (`ask_speed`), as a run does: at most as many
draws are begun as may be under way. A rate is told beside the best possible one, which is the
requests allowed at once divided by the time of an answer.
"""

import argparse
import asyncio
import json
import statistics
import time
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ask_speed import CASE, MS, SLOWER, served
from rich.console import Console
from rich.table import Table

from forgetest.errors import Fault
from forgetest.sampling.completion import Draw
from forgetest.sampling.plan import ModelSpec, Sample, Sampling
from forgetest.sampling.prompt import render
from forgetest.sampling.providers.presets import Preset
from forgetest.sampling.transport import Endpoint, HttpSource

FEW, MANY = 50, 500
HIDDEN = 60  # requests at once that the limiting server answers
SHARED = 16  # requests at once of a slow and a fast model


@dataclass(frozen=True, slots=True)
class Took:
    """What some requests took: seconds, processor seconds, samples lost, descriptors at most."""

    requests: int
    secs: float
    cpu: float
    lost: int
    files: int

    @property
    def rate(self) -> float:
        """Answers a second."""
        return (self.requests - self.lost) / self.secs


async def watched() -> int:
    """Return the most descriptors that were open, when cancelled."""
    most = 0
    try:
        while True:
            most = max(most, _descriptors())
            await asyncio.sleep(0.05)
    except asyncio.CancelledError:
        return most


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def asked(url: str, models: dict[str, int], **room: Any) -> dict[str, Took]:
    """Ask each model so often, all models at once; return what each took."""
    preset = Preset(name="bench", base_url=url, local=True, **room)
    async with Endpoint(preset) as endpoint:
        watching = asyncio.create_task(watched())
        await asyncio.sleep(0)
        took = await asyncio.gather(
            *(asked_of(name, times, endpoint) for name, times in models.items())
        )
        watching.cancel()
        files = await watching
    return {
        name: Took(models[name], secs, cpu, lost, files)
        for name, (secs, cpu, lost) in zip(models, took, strict=True)
    }


async def asked_of(name: str, times: int, endpoint: Endpoint) -> tuple[float, float, int]:
    """Ask one model so often; return seconds, processor seconds and how many got no answer."""
    model = ModelSpec(provider="bench", model=name)
    source, prompt = HttpSource(model, endpoint), render(CASE)
    begun = asyncio.Semaphore(source.concurrency)

    async def lost(index: int) -> bool:
        sample = Sample(model=model, eval_set="bench", case=CASE.id, index=index)
        draw = Draw(sample=sample, case=CASE, prompt=prompt, sampling=Sampling(seed=index))
        async with begun:
            try:
                await source.complete(draw)
            except Fault:
                return True
            return False

    started, cpu = time.monotonic(), time.process_time()
    outcomes = await asyncio.gather(*map(lost, range(times)))
    return time.monotonic() - started, time.process_time() - cpu, sum(outcomes)


def wide(console: Console, many: int, passes: int, delay: float, rounds: int) -> None:
    """Print the rate with few and with many at once, in turns, and their ratio."""
    found: dict[int, list[Took]] = {FEW: [], many: []}
    with served(delay) as url:
        for _ in range(passes):
            for room, kept in found.items():
                models = {"tiny": room * rounds}
                kept.append(asyncio.run(asked(url, models, concurrency=room))["tiny"])
    rows = [
        (
            f"{room} at once",
            f"{_median(took.rate for took in kept):.0f}",
            f"{_median(took.rate for took in kept) * delay / room:.2f}",
            f"{_median(MS * took.cpu / took.requests for took in kept):.2f}",
            max(took.files for took in kept),
        )
        for room, kept in found.items()
    ]
    console.print(_table(("", "answers/s", "of the best", "CPU ms each", "descriptors"), rows))
    pairs = zip(found[many], found[FEW], strict=True)
    ratio = _median(more.rate / fewer.rate for more, fewer in pairs)
    console.print(f"{many} at once bring {ratio:.1f} times the answers of {FEW}\n")


def limited(console: Console, many: int, delay: float, times: int) -> None:
    """Print how much of a hidden limit is used, and what is refused meanwhile."""
    rooms = {
        f"from {HIDDEN * 4}": {"concurrency": HIDDEN * 4},
        f"from {many}": {"concurrency": many},
        f"from 8 up to {many}": {"concurrency": 8, "max_concurrency": many},
    }
    rows = []
    for name, room in rooms.items():
        with served(delay, HIDDEN) as url:
            took = asyncio.run(asked(url, {"tiny": times}, **room))["tiny"]
            seen = _seen(url)
        best = HIDDEN / delay
        share = seen["refused"] / (seen["answered"] + seen["refused"])
        rows.append((name, f"{took.rate / best:.2f}", f"{share:.1%}", f"{took.lost / times:.1%}"))
    console.print(_table((f"limit {HIDDEN}", "of the best", "refused", "samples lost"), rows))


def beside(console: Console, delay: float, times: int) -> None:
    """Print how fast a model is alone with half of the room, and beside a slow one with all."""
    slow = max(1, times // SLOWER)
    with served(delay) as url:
        alone = asyncio.run(asked(url, {"tiny": times}, concurrency=SHARED // 2))["tiny"]
        both = asyncio.run(asked(url, {"slow": slow, "tiny": times}, concurrency=SHARED))
    rows = [
        (f"alone, {SHARED // 2} at once", f"{alone.rate:.0f}", "1.00"),
        (
            f"beside a model {SLOWER} times slower, {SHARED} at once",
            f"{both['tiny'].rate:.0f}",
            f"{both['tiny'].rate / alone.rate:.2f}",
        ),
    ]
    console.print(_table(("a fast model", "answers/s", "of alone"), rows))


def _median(values: Iterable[float]) -> float:
    return statistics.median(values)


def _seen(url: str) -> dict[str, int]:
    with urllib.request.urlopen(url) as reply:  # noqa: S310 - our own server
        return dict(json.load(reply))


def _table(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> Table:
    shown = Table(box=None, header_style="dim")
    for name in header:
        shown.add_column(name, justify="right" if shown.columns else "left")
    for row in rows:
        shown.add_row(*map(str, row))
    return shown


def main() -> None:
    """Print the parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--many", type=int, default=MANY, help="requests at once (default: 500)")
    add("--passes", type=int, default=3, help="turns of few and many (default: 3)")
    add("--delay", type=float, default=2.0, help="seconds before each answer (default: 2)")
    add("--rounds", type=int, default=4, help="answers of each place (default: 4)")
    add("--samples", type=int, default=2000, help="of a limited model (default: 2000)")
    given = parser.parse_args()
    console = Console(width=100)
    wide(console, given.many, given.passes, given.delay, given.rounds)
    limited(console, given.many, given.delay / 4, given.samples)
    beside(console, given.delay / 20, given.samples // 4)


if __name__ == "__main__":
    main()
