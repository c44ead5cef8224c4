#!/usr/bin/env python3
"""How fast `forgetest compare` is, against merely reading the reports; see docs/benchmarks.md."""

import argparse
import multiprocessing
import platform
import shlex
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from pace.measure import MeasuringError, commands, measured
from pace.reports import SIDES, write
from pace.results import Results, Size
from pace.show import markdown, missed, print_results
from rich.console import Console
from speed import machine

MET, MISSED, REFUSED = 0, 1, 2  # exit codes
_LARGE, _QUICK, _TYPICAL = (1000, 100), (20, 10), (42, 10)  # cases, samples a case


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 when all targets are met, 1 when one is missed, 2 when nothing could be measured.

    A quick run has no targets.
    """
    options = _options().parse_args(arguments)
    if options.markdown:
        text = options.markdown.read_text(encoding="utf-8")
        sys.stdout.write(markdown(Results.model_validate_json(text)))
        return MET
    try:
        results = _measure(options)
    except MeasuringError as error:
        Console(stderr=True).print(f"error: {error}", markup=False, highlight=False)
        return REFUSED
    if options.json:
        options.json.write_text(results.model_dump_json(indent=1) + "\n", encoding="utf-8")
    console = Console()
    print_results(results, console)
    lines = [] if options.quick else missed(results)
    for line in lines:
        console.print(f"missed: {line}", markup=False, highlight=False)
    return MISSED if lines else MET


def _measure(options: argparse.Namespace) -> Results:
    before = machine.load()
    passes = options.passes or (1 if options.quick else 5)
    measure = partial(_size, passes=passes, warm_up=0 if options.quick else 1)
    return Results(
        command=shlex.join(["python", "benchmarks/compare_speed.py", *sys.argv[1:]]),
        quick=options.quick,
        large=measure(*(_QUICK if options.quick else _LARGE)),
        typical=measure(*_TYPICAL),
        machine=machine.summary(),
        python=platform.python_version(),
        load_before=round(before, 2),
        load_after=round(machine.load(), 2),
    )


def _size(cases: int, samples: int, *, passes: int, warm_up: int) -> Size:
    with tempfile.TemporaryDirectory(prefix="forgetest-benchmark-") as folder:
        # In processes of their own: a child's peak memory is never less than its parent's.
        with multiprocessing.get_context("spawn").Pool(len(SIDES)) as pool:
            made = partial(write, Path(folder), cases=cases, samples=samples)
            baseline, current = pool.map(made, SIDES)
        return Size(
            cases=cases,
            samples=samples,
            bytes=baseline.stat().st_size + current.stat().st_size,
            passes=measured(commands(baseline, current), passes=passes, warm_up=warm_up),
        )


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--quick", action="store_true", help="small files, 1 pass, no targets: some seconds")
    add("--passes", type=int, help="passes that count (default: 5)")
    add("--json", type=Path, metavar="FILE", help="write everything that was measured")
    add("--markdown", type=Path, metavar="FILE", help="print the tables of such a FILE and stop")
    return parser


if __name__ == "__main__":
    sys.exit(main())
