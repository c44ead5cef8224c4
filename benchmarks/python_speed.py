#!/usr/bin/env python3
"""What grading from Python costs beside `forgetest grade`; see docs/benchmarks.md.

Both grade the same recorded completions, in blocks and by turns, so that a machine that slows down
slows both. Copies differ by a comment: identical code would be graded once. Different verdicts end
the program with 2.
"""

import argparse
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("FORGETEST_SHARED_DATA", ROOT.parent / "shared" / "data"))
MOST_OVERHEAD, MOST_GROWTH = 1.1, 1.1  # CPU beside the command; memory at the end beside the middle
MET, MISSED, REFUSED = 0, 1, 2  # exit codes

GRADE_MANY = """
import asyncio, json, sys
import forgetest

def resident():
    for line in open("/proc/self/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1])

async def main():
    cases = forgetest.load(*sys.argv[2:])
    rows = map(json.loads, open(sys.argv[1]))
    pairs = ((cases[f"{row['eval_set']}/{row['case_id']}"], row["completion"]) for row in rows)
    async with forgetest.Grader(verdict_cache=False) as grader:
        async for result in grader.grade_many(pairs):
            print(json.dumps([result.case.key, result.outcome, resident()]), flush=True)

asyncio.run(main())
"""

Verdicts = list[tuple[str, str | None]]


@dataclass(frozen=True)
class Block:
    """What grading one block took; `resident` is KiB after each result, where it is known."""

    verdicts: Verdicts
    wall: float
    cpu: float
    resident: tuple[int, ...] = ()


def main() -> int:
    """Return 0 when the aims are met, 1 when one is missed, 2 when verdicts differ."""
    options = _options().parse_args()
    console = Console(highlight=False)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        sets, rows = _recordings(work)
        blocks = list(_blocks(_copies(rows, options.samples), options.blocks))
        pairs = [_by_turns(work, number, block, sets) for number, block in enumerate(blocks)]
    if any(command.verdicts != python.verdicts for command, python in pairs):
        console.print("verdicts differ")
        return REFUSED
    cpu = median(python.cpu / command.cpu for command, python in pairs)
    wall = median(python.wall / command.wall for command, python in pairs)
    growth = max(_growth(python.resident) for _, python in pairs)
    rate = sum(len(python.verdicts) for _, python in pairs) / sum(b.wall for _, b in pairs)
    console.print(
        f"{options.samples} completions, verdicts equal; grade_many beside forgetest grade:"
        f" CPU {cpu:.2f}, time {wall:.2f}; {rate:.1f} a second;"
        f" memory at most {max(max(b.resident) for _, b in pairs) / 1024:.0f} MiB,"
        f" {growth:.2f} of that in the middle of a block"
    )
    return MET if cpu <= MOST_OVERHEAD and growth <= MOST_GROWTH else MISSED


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--blocks", type=int, default=4)
    return parser


def _recordings(work: Path) -> tuple[list[Path], list[dict[str, Any]]]:
    """Return the eval sets that the recordings are imported as, and all their rows."""
    sets: list[Path] = []
    rows: list[dict[str, Any]] = []
    for number, file in enumerate(sorted(DATA.glob("completions-*.jsonl"))):
        name = f"recorded{number}"
        _program("import", "recorded", file, "--id", name, "--no-validate", cwd=work)
        sets.append(work / f"{name}.toml")
        text = (work / f"{name}.jsonl").read_text(encoding="utf-8")
        rows += [{**json.loads(line), "eval_set": name} for line in text.splitlines()]
    if not rows:
        raise SystemExit(f"no recordings in {DATA}: set FORGETEST_SHARED_DATA")
    return sets, rows


def _copies(rows: Sequence[dict[str, Any]], count: int) -> Iterator[dict[str, Any]]:
    """Yield so many rows, all with different code and of one model, so that the order is kept."""
    for number, row in zip(range(count), itertools.cycle(rows), strict=False):
        fence, newline, code = row["completion"].partition("\n")
        comment = f"// copy {number}"
        fenced = fence.startswith("```")
        text = f"{fence}\n{comment}{newline}{code}" if fenced else f"{comment}\n{row['completion']}"
        yield {"eval_set": row["eval_set"], "case_id": row["case_id"], "completion": text}


def _blocks(rows: Iterator[dict[str, Any]], count: int) -> Iterator[list[dict[str, Any]]]:
    every = list(rows)
    size = -(-len(every) // count)
    return (every[start : start + size] for start in range(0, len(every), size))


def _by_turns(
    work: Path, number: int, rows: list[dict[str, Any]], sets: Sequence[Path]
) -> tuple[Block, Block]:
    """Grade a block in both ways, every second one the other way round."""
    file = work / f"block{number}.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    if number % 2:
        python = _python(file, sets)
        return _command(file, rows, sets), python
    return _command(file, rows, sets), _python(file, sets)


def _command(file: Path, rows: list[dict[str, Any]], sets: Sequence[Path]) -> Block:
    named = [argument for path in sets for argument in ("-e", path)]
    options = ("--no-verdict-cache", "--quiet", "--format", "json")
    out, wall, cpu = _measured("-m", "forgetest", "grade", file, *named, *options, cwd=file.parent)
    (model,) = json.loads(out)["models"]
    cases = {f"{case['eval_set']}/{case['case']}": iter(case["samples"]) for case in model["cases"]}
    keys = (f"{row['eval_set']}/{row['case_id']}" for row in rows)
    return Block([(key, next(cases[key])["outcome"]) for key in keys], wall, cpu)


def _python(file: Path, sets: Sequence[Path]) -> Block:
    out, wall, cpu = _measured("-c", GRADE_MANY, file, *sets, cwd=file.parent)
    lines = [json.loads(line) for line in out.splitlines()]
    verdicts = [(key, outcome) for key, outcome, _ in lines]
    return Block(verdicts, wall, cpu, tuple(resident for *_, resident in lines))


def _growth(resident: Sequence[int]) -> float:
    return resident[-1] / resident[len(resident) // 2]


def _program(*arguments: str | Path, cwd: Path) -> None:
    _measured("-m", "forgetest", *arguments, cwd=cwd)


def _measured(*arguments: str | Path, cwd: Path) -> tuple[str, float, float]:
    """Return what Python printed, and its seconds and CPU seconds, with those of its children."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    argv = [sys.executable, *map(str, arguments)]
    done = subprocess.run(argv, cwd=cwd, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, wall, cpu


if __name__ == "__main__":
    sys.exit(main())
