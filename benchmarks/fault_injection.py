#!/usr/bin/env python3
"""Grade on a machine that fails: no verdict may differ from that of one that does not.

Kills compilers, linkers, boxes, launchers and tests at random moments by random signals, and grades
on disks of random sizes. A fault is an answer; another verdict is not. Then kills whole runs, each
of which must come, resumed, to the report of an unbroken one.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random

from faults.gradings import Graded, Tally, trials, undisturbed
from faults.runs import Broken, runs
from faults.samples import abrupt, ordinary

from forgetest.grading.grader import SampleGrader
from forgetest.sandbox.choose import choose
from forgetest.sandbox.sandbox import Sandbox
from forgetest.system.toolchain import Toolchain

SAME, DIFFERENT = 0, 1  # exit codes


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0, or 1 when a verdict or a report differs."""
    options = _options().parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="fault-injection-") as work:
        cache = options.cache or Path(work, "cache")
        different = bool(options.count and _gradings(options, cache).different)
        different |= bool(options.runs and _broken_runs(options, cache))
    return DIFFERENT if different else SAME


def _broken_runs(options: argparse.Namespace, cache: Path) -> int:
    """Kill and resume runs; return how many came to another end."""
    random = Random(options.seed)  # noqa: S311 - no secret
    with runs(cache) as them:
        found = []
        for _ in range(options.runs):
            found.append(them.broken(random))
            if found[-1].trouble:
                print(f"after {found[-1].deaths}: {found[-1].trouble}", flush=True)
            if len(found) % 10 == 0:
                print(f"... {_told(found)}", file=sys.stderr, flush=True)
    print(_told(found))
    return sum(bool(broken.trouble) for broken in found)


def _told(found: Sequence[Broken]) -> str:
    deaths = [events for broken in found for events in broken.deaths]
    return (
        f"{len(found)} runs, killed {len(deaths)} times: {sum(one < 0 for one in deaths)} before "
        f"there was a folder, {sum(one == 0 for one in deaths)} before the first answer, "
        f"{sum(one > 0 for one in deaths)} after; {sum(broken.fresh for broken in found)} with "
        f"nothing built; {sum(bool(broken.trouble) for broken in found)} ended otherwise"
    )


def _gradings(options: argparse.Namespace, cache: Path) -> Tally:
    toolchain = Toolchain.resolve(os.environ)
    sandbox = asyncio.run(choose(options.sandbox, toolchain=toolchain, cache=cache))

    def make(temp: Path | None) -> SampleGrader:
        return SampleGrader(
            toolchain, cache=cache, sandbox=sandbox, temp=temp, direct=not options.cargo
        )

    samples = _known(make(None), sandbox)
    tally = Tally()
    for trial in trials(make, samples, options.count, seed=options.seed):
        tally.trials.append(trial)
        if trial.difference:
            print(f"{trial.sample}, {trial.trouble}: {trial.difference}", flush=True)
        if len(tally.trials) % 50 == 0:
            print(f"... {tally}", file=sys.stderr, flush=True)
    print(tally, flush=True)
    return tally


def _known(grader: SampleGrader, sandbox: Sandbox) -> list[Graded]:
    samples = [*abrupt(), *ordinary()]
    asyncio.run(grader.prepare(sample.case for sample in samples))
    known = undisturbed(grader, samples)
    print(f"{len(known)} of {len(samples)} samples are steady in {sandbox.backend}", flush=True)
    return known


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--count", type=int, default=1000, help="gradings (default: 1000)")
    add("--runs", type=int, default=200, help="whole runs that are killed (default: 200)")
    add("--seed", type=int, default=1, help="of all draws (default: 1)")
    add("--sandbox", default="auto", help="default: auto")
    add("--cargo", action="store_true", help="call cargo for every sample, as a last resort does")
    add("--cache", type=Path, help="where crates and the launcher are kept (default: nowhere)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
