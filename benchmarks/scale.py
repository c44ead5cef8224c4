"""Memory and processor time of a run of any size, beside asking and grading.

Each size is a child process that settles so many samples with the conductor, the journal and the
cache of verdicts of a real run, from a source that answers at once with a text of about 1 KB and a
grader that knows every verdict. What is left is what forgetest itself costs. The report that is
made in the end is measured by report_scale.py.

    python benchmarks/scale.py --samples 5000,20000
"""

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pace.reports import planned

from forgetest.evalset.types import Case
from forgetest.extract.types import Extractor
from forgetest.grading.graders import VerdictCache
from forgetest.grading.verdict import Outcome, Verdict
from forgetest.run.folder import create, resume
from forgetest.run.manifest import Manifest
from forgetest.runner.conductor import Conductor
from forgetest.sampling.completion import Completion, Draw
from forgetest.sampling.halt import Halt

SAMPLES_PER_CASE = 10
WORDS = "// The bytes of an answer that explains itself at some length.\n" * 14


@dataclass(frozen=True, slots=True)
class AtOnce:
    """A model that answers at once."""

    concurrency: int = 64

    async def complete(self, draw: Draw) -> Completion:
        """Return an answer of about 1 KB that no other sample has."""
        code = f"pub fn answer() -> u64 {{\n    {abs(hash(draw.sample.key))}\n}}\n"
        await asyncio.sleep(0)
        return Completion(text=f"Here it is:\n\n```rust\n{WORDS}{code}```\n")


@dataclass(frozen=True, slots=True)
class Known:
    """A grader that knows every verdict."""

    identity: str = "known"

    async def grade(self, case: Case, code: str) -> Verdict:  # noqa: ARG002 - it looks at none
        """Return a pass."""
        return Verdict(outcome=Outcome.PASSED, passed=True, compiled=True)


async def settle(root: Path, manifest: Manifest) -> Path:
    """Settle every sample, and return the run's folder."""
    with create(root, manifest) as rundir:
        conductor = Conductor(
            plan=manifest.plan,
            rundir=rundir,
            sources={str(model): AtOnce() for model in manifest.plan.models},
            grader=VerdictCache(Known()),
            extractor=Extractor.DEFINING,
            halt=Halt(),
            listen=lambda _: None,
        )
        await conductor.run()
        return rundir.path


def child(samples: int) -> None:
    """Print what a run of so many samples costs, and what opening it again does."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        manifest = planned(cases=samples // SAMPLES_PER_CASE, samples=SAMPLES_PER_CASE)
        before, began = _cpu(), time.monotonic()
        path = asyncio.run(settle(Path(folder), manifest))
        settled, wall = _cpu(), time.monotonic() - began
        with resume(path) as again:
            if len(again.progress.settled) != samples:
                sys.exit("not all samples are settled")
        costs = {
            "run": 1000 * (settled - before) / samples,
            "resume": 1000 * (_cpu() - settled) / samples,
            "wall": 1000 * wall / samples,
            "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
    print(json.dumps(costs))


def _cpu() -> float:
    times = os.times()
    return times.user + times.system


def main(arguments: Sequence[str]) -> None:
    """Print a row for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", default="5000,20000")
    parser.add_argument("--child", type=int)
    options = parser.parse_args(arguments)
    if options.child:
        child(options.child)
        return
    print("| samples | ms of processor a sample | ms to reopen it | ms of wall | peak MiB |")
    print("|---|---|---|---|---|")
    for samples in map(int, options.samples.split(",")):
        argv = [sys.executable, __file__, "--child", str(samples)]
        done = subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True)
        costs = json.loads(done.stdout)
        print(
            f"| {samples:,} | {costs['run']:.2f} | {costs['resume']:.2f} | {costs['wall']:.2f}"
            f" | {costs['peak']:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
