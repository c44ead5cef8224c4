#!/usr/bin/env python3
"""What a large run's report costs to write and to read, at two sizes; see docs/benchmarks.md.

Makes real run folders without a compiler, and measures each command in a process of its own:
processor time and the most memory that it held.
"""

import argparse
import json
import multiprocessing
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pace.measure import MeasuringError, spent
from pace.reports import run_records
from pace.results import Spent

from forgetest.render.formats.catalogue import FORMAT_NAMES
from forgetest.run.events import Completed, Event, Graded, SampleRecord
from forgetest.run.folder import create
from forgetest.run.manifest import JOURNAL
from forgetest.run.seal import Chain

AIM_PEAK, AIM_CPU = 300, 0.002  # MiB, and seconds for each sample
_TIMES = 4  # the larger run has so many times the samples
_FORGETEST = (sys.executable, "-m", "forgetest")
_WRITE = """
import sys
from pathlib import Path
from forgetest.run.folder import resume
from forgetest.runner.session import write_results
with resume(Path(sys.argv[1])) as rundir:
    write_results(rundir)
"""
_AT = "2026-11-21T00:00:00.000+00:00"


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0; 1 where a command missed an aim, 2 where nothing could be measured."""
    options = _options().parse_args(arguments)
    sizes = (options.samples // _TIMES, options.samples)
    costs = {}
    with tempfile.TemporaryDirectory(prefix="forgetest-benchmark-") as folder:
        for size in sizes:
            run = _made(Path(folder) / str(size), size, options.draws)
            costs[size] = dict(_costs(run, only=options.only.split(",") if options.only else []))
            print(f"{size} samples: report {_mib(run / 'report.json')} MiB", file=sys.stderr)
    print(_table(costs))
    if options.json:
        options.json.write_text(json.dumps(_plain(costs), indent=1) + "\n", encoding="utf-8")
    large = costs[options.samples].values()
    missed = [cost for cost in large if cost and cost.peak > AIM_PEAK]
    return 1 if missed else 0


def _mib(file: Path) -> int:
    return file.stat().st_size >> 20


def _made(root: Path, samples: int, draws: int) -> Path:
    """Return a run folder that is whole but for its report; a child's peak is never below ours."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(make_run, (root, samples // draws, draws))


def make_run(root: Path, cases: int, draws: int) -> Path:
    """Return a new run folder with the manifest and the journal of so many cases and samples."""
    manifest, records = run_records(cases=cases, samples=draws)
    with create(root, manifest) as rundir:
        path = rundir.path
    chain = Chain()
    with (path / JOURNAL).open("wb") as journal:
        for key, record in records:
            for event in _events(key, record):
                journal.write(chain.seal(event.model_dump_json()))
    return path


def _events(key: str, record: SampleRecord) -> Iterator[Event]:
    if record.fault is not None:
        yield record.fault
    if record.completion is not None:
        yield Completed(sample=key, at=_AT, completion=record.completion)
    if record.extraction is not None and record.verdict is not None:
        yield Graded(sample=key, at=_AT, extraction=record.extraction, verdict=record.verdict)


def _commands(run: Path) -> dict[str, tuple[str, ...]]:
    """Return what is measured, by name; the first writes what the others read."""
    name, other = str(run), str(run / "report.json")
    out = str(run / "out") + "/"
    return {
        "write": (sys.executable, "-c", _WRITE, name),
        "show": (*_FORGETEST, "show", name),
        "show CASE": (*_FORGETEST, "show", name, "c0007"),
        "rank": (*_FORGETEST, "rank", name),
        "compare": (*_FORGETEST, "compare", "--baseline", name, "--current", other),
        **{
            f"report {form}": (*_FORGETEST, "report", name, "--format", form, "--output", out)
            for form in FORMAT_NAMES
        },
    }


def _costs(run: Path, *, only: Sequence[str]) -> Iterator[tuple[str, Spent | None]]:
    for name, argv in _commands(run).items():
        if only and name != "write" and name not in only:
            continue
        try:
            cost = spent(argv)
        except MeasuringError as error:
            print(f"{name}: {error}", file=sys.stderr)
            yield name, None
        else:
            print(f"{name}: {cost.cpu:.1f} s, {cost.peak:.0f} MiB", file=sys.stderr)
            yield name, cost


def _table(costs: Mapping[int, Mapping[str, Spent | None]]) -> str:
    """Return a row for each command: seconds and MiB at both sizes, and ms for each sample more."""
    few, many = costs
    lines = [f"| | s, {few:,} | s, {many:,} | ms a sample | MiB, {few:,} | MiB, {many:,} |"]
    lines.append("|---|---|---|---|---|---|")
    for name, large in costs[many].items():
        small = costs[few][name]
        if small is None or large is None:
            lines.append(f"| {name} | failed | | | | |")
            continue
        each = 1000 * (large.cpu - small.cpu) / (many - few)
        lines.append(
            f"| {name} | {small.cpu:.1f} | {large.cpu:.1f} | {each:.2f}"
            f" | {small.peak:.0f} | {large.peak:.0f} |"
        )
    return "\n".join(lines)


def _plain(costs: Mapping[int, Mapping[str, Spent | None]]) -> object:
    return {
        str(size): {name: cost.model_dump() if cost else None for name, cost in row.items()}
        for size, row in costs.items()
    }


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=100_000, help="of the larger run")
    parser.add_argument("--draws", type=int, default=100, help="samples of each case")
    parser.add_argument("--only", help="comma list of what is measured beside writing")
    parser.add_argument("--json", type=Path, help="file for the figures")
    return parser


if __name__ == "__main__":
    sys.exit(main())
