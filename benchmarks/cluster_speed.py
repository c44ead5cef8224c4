#!/usr/bin/env python3
"""The same samples graded here and by Dask clusters of this machine: same verdicts, at what cost.

Three kinds of samples: recorded completions, the corpus of attacks, and code that is refused before
it is compiled, which costs little but the way there and back. Each way has a process of its own,
grades without a cache of verdicts, and measures itself from its first sample to its last. Verdicts
come first: whatever two gradings of a sample must agree on, a cluster must agree on.

    python benchmarks/cluster_speed.py --clusters local:2,local:4
"""

import argparse
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from forgetest.system.toolchain import Toolchain

MET, DIFFER = 0, 2  # exit codes
ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("FORGETEST_SHARED_DATA", ROOT.parent / "shared" / "data"))
HERE = "here"
KINDS = ("recorded", "attacks", "refused")
REFUSED_SET = """
[eval_set]
id = "refused"
name = "Refused"
unsafe = "deny"

[[cases]]
id = "zero"
prompt = "Write `pub fn zero() -> u8`."
[cases.expectations]
test_file = '''
#[test]
fn is_zero() { assert_eq!(zero(), 0); }
'''
"""
GRADE = """
import asyncio, json, resource, sys, time
import forgetest

def spent():
    both = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)

def essence(result):
    return {
        "outcome": result.outcome,
        "score": result.score,
        "fault": result.fault and str(result.fault),
        "integrity": result.integrity and str(result.integrity.level),
        "tests": [[test.name, test.outcome] for test in result.tests],
        "lints": [[lint.code, lint.span and lint.span.line] for lint in result.lints],
        "errors": [error.code for error in result.errors],
    }

async def main():
    samples = [json.loads(line) for line in open(sys.argv[1])]
    cases = forgetest.load(*sys.argv[4:])
    cluster = None if sys.argv[2] == "here" else sys.argv[2]
    async with forgetest.Grader(verdict_cache=False, cluster=cluster) as grader:
        room = asyncio.Semaphore(int(sys.argv[3]) or 2 * grader.parallelism)
        async def graded(sample):
            async with room:
                case = cases[sample["case"]]
                return essence(await grader.grade(case, **sample["answer"]))
        await graded(samples[0])  # crates are built, workers are warm
        started = time.perf_counter()
        results = await asyncio.gather(*map(graded, samples))
        wall = time.perf_counter() - started
    print(json.dumps({"wall": wall, "results": results}))

if __name__ == "__main__":
    asyncio.run(main())
"""


@dataclass(frozen=True)
class Batch:
    """Samples, and the files of the eval sets that their cases are in."""

    samples: Sequence[dict[str, Any]]
    sets: Sequence[Path]


@dataclass(frozen=True)
class Spent:
    """What a way of grading took; CPU time includes its start, because workers end with it."""

    results: list[dict[str, Any]]
    wall: float
    cpu: float


def main() -> int:
    """Return 0 when all verdicts agree, 2 when some differ."""
    options = _options().parse_args()
    console = Console(highlight=False)
    ways = (HERE, *options.clusters.split(","))
    differences = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in options.kinds.split(","):
            with ExitStack() as stack:
                batch = _batch(kind, Path(folder), options, stack)
                spent = {way: _spent(way, batch, Path(folder)) for way in ways}
                console.print(_table(kind, batch, spent))
                differences += _say_differences(console, batch, spent, Path(folder))
    return DIFFER if differences else MET


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clusters", default="local:2,local:4")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--recorded", type=int, help="so many of the recordings; default: all")
    parser.add_argument("--refused", type=int, default=2000)
    return parser


def _batch(kind: str, folder: Path, options: argparse.Namespace, stack: ExitStack) -> Batch:
    """Return the samples of a kind; what is around them lasts until the stack unwinds."""
    match kind:
        case "recorded":
            return _recorded(folder, options.recorded)
        case "attacks":
            return _attacks(folder, stack)
        case _:
            file = folder / "refused.toml"
            file.write_text(REFUSED_SET, encoding="utf-8")
            code = "pub fn zero() -> u8 {{ unsafe {{ std::mem::zeroed() }} }} // {}"
            samples = [
                {"case": "refused/zero", "answer": {"code": code.format(number)}}
                for number in range(options.refused)
            ]
            return Batch(samples, [file])


def _recorded(folder: Path, most: int | None) -> Batch:
    """Return the recorded completions, imported."""
    sets: list[Path] = []
    samples: list[dict[str, Any]] = []
    for number, file in enumerate(sorted(DATA.glob("completions-*.jsonl"))):
        name = f"recorded{number}"
        command = ("import", "recorded", str(file), "--id", name, "--no-validate")
        _run((sys.executable, "-m", "forgetest", *command), folder)
        sets.append(folder / f"{name}.toml")
        lines = (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        for row in map(json.loads, lines):
            answer = {"reply": row["completion"]}
            samples.append({"case": f"{name}/{row['case_id']}", "answer": answer})
    if not samples:
        raise SystemExit(f"no recordings in {DATA}: set FORGETEST_SHARED_DATA")
    return Batch(samples[:most], sets)


def _attacks(folder: Path, stack: ExitStack) -> Batch:
    """Return the corpus of attacks, and what they are after around them until the stack unwinds."""
    sys.path.insert(0, str(ROOT / "tests" / "support"))
    corpus, surroundings = map(import_module, ("attacks", "surroundings"))
    sysroot = Toolchain.resolve(os.environ).sysroot
    around = stack.enter_context(surroundings.surroundings(folder / "around", sysroot))
    samples = [
        {"case": attack.case.key, "answer": {"code": attack.code(around.places)}}
        for attack in corpus.attacks()
    ]
    return Batch(samples, [corpus.FOLDER / "cases.toml"])


def _spent(way: str, batch: Batch, folder: Path, *, at_once: int = 0) -> Spent:
    """Return what grading a batch took; as many `at_once` as there is room for, unless said."""
    file = folder / "samples.jsonl"
    file.write_text("".join(json.dumps(sample) + "\n" for sample in batch.samples))
    program = folder / "grade.py"
    program.write_text(GRADE, encoding="utf-8")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    options = (str(file), way, str(at_once), *map(str, batch.sets))
    out = _run((sys.executable, str(program), *options), folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = json.loads(out.splitlines()[-1])
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(answer["results"], answer["wall"], cpu)


def _run(argv: Sequence[str], folder: Path) -> str:
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def _table(kind: str, batch: Batch, spent: dict[str, Spent]) -> Table:
    table = Table(title=f"{len(batch.samples):,} samples: {kind}")
    for column in ("graded", "samples/s", "of here", "CPU ms each", "of here"):
        table.add_column(column, justify="left" if column == "graded" else "right")
    size = len(batch.samples)
    here = spent[HERE]
    for way, took in spent.items():
        rate, cpu = f"{size / took.wall:.1f}", f"{1000 * took.cpu / size:.1f}"
        shares = f"{here.wall / took.wall:.2f}", f"{took.cpu / here.cpu:.2f}"
        table.add_row(way, rate, shares[0], cpu, shares[1])
    return table


def _say_differences(console: Console, batch: Batch, spent: dict[str, Spent], folder: Path) -> int:
    """Print each verdict of a cluster that is another than here; return how many there are.

    A busy machine may have stopped one of the two at a limit: those that differ are graded again
    in both ways, one at a time, and that counts.
    """
    differing = 0
    for way in itertools.islice(spent, 1, None):
        rows = zip(batch.samples, spent[HERE].results, spent[way].results, strict=True)
        again = Batch([sample for sample, here, there in rows if here != there], batch.sets)
        found: list[str] = []
        if again.samples:
            alone = [_spent(each, again, folder, at_once=1).results for each in (HERE, way)]
            found = list(_differences(again, *alone))
        for line in found:
            console.print(f"{way}: {line}", markup=False)
        repeated = f", {len(again.samples)} of them graded again alone" if again.samples else ""
        equal = len(batch.samples) - len(found)
        console.print(f"{way}: {equal:,} of {len(batch.samples):,} verdicts equal{repeated}")
        differing += len(found)
    return differing


def _differences(
    batch: Batch, here: Sequence[dict[str, Any]], there: Sequence[dict[str, Any]]
) -> Iterator[str]:
    for sample, mine, its in zip(batch.samples, here, there, strict=True):
        if mine != its:
            changed = {key: (mine[key], its[key]) for key in mine if mine[key] != its[key]}
            yield f"{sample['case']}: {changed}"


if __name__ == "__main__":
    sys.exit(main())
