#!/usr/bin/env python3
"""How often the gates of `forgetest compare` err on simulated runs; see docs/benchmarks.md."""

import argparse
import os
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from power.results import Results
from power.show import markdown, print_results, too_many_alarms
from power.simulate import simulated, trials
from rich.console import Console

MET, MISSED = 0, 1  # exit codes


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0, or 1 when the evidence gate errs more often than it may."""
    options = _options().parse_args(arguments)
    if options.markdown:
        text = options.markdown.read_text(encoding="utf-8")
        sys.stdout.write(markdown(Results.model_validate_json(text)))
        return MET
    results = _simulate(options)
    if options.json:
        options.json.write_text(results.model_dump_json(indent=1) + "\n", encoding="utf-8")
    console = Console()
    print_results(results, console)
    for line in (lines := too_many_alarms(results)):
        console.print(f"missed: {line}", markup=False, highlight=False)
    return MISSED if lines else MET


def _simulate(options: argparse.Namespace) -> Results:
    start = time.monotonic()
    tallies = simulated(trials(quick=options.quick), seed=options.seed, workers=options.workers)
    return Results(
        command=shlex.join(["python", "benchmarks/gate_power.py", *sys.argv[1:]]),
        quick=options.quick,
        seed=options.seed,
        seconds=time.monotonic() - start,
        tallies=tuple(tallies),
    )


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--quick", action="store_true", help="40 pairs a cell, 20 cases only: some seconds")
    add("--seed", type=int, default=1, help="of all draws (default: 1)")
    add("--workers", type=int, default=os.cpu_count(), help="default: the number of cores")
    add("--json", type=Path, metavar="FILE", help="write everything that was counted")
    add("--markdown", type=Path, metavar="FILE", help="print the tables of such a FILE and stop")
    return parser


if __name__ == "__main__":
    sys.exit(main())
