#!/usr/bin/env python3
"""Compare the grader with plain cargo on rewrites of reference solutions; see docs/benchmarks.md.

The promise is the same pass or fail, test by test, as plain cargo with the tests in a child module.
"""

import argparse
import asyncio
import contextlib
import fcntl
import itertools
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from honest.byhand import cases as hand_cases
from honest.byhand import save, ways_of, written
from honest.differ import Comparison, Differ, Place, Tally, ways
from honest.draws import Program, programs
from honest.exceptions import EXCEPTIONS
from honest.families import FAMILIES, REWRITES
from honest.plain import ByCargo, ByRustc

from forgetest.errors import Fault, ForgetestError
from forgetest.evalset.load import load
from forgetest.evalset.types import Case
from forgetest.grading.grader import SampleGrader
from forgetest.grading.limits import Limits
from forgetest.grading.verdict import Layout
from forgetest.sandbox.backends import AUTO
from forgetest.sandbox.choose import choose
from forgetest.system.toolchain import Toolchain

ROOT = Path(__file__).resolve().parents[1]
AGREED, DISAGREED, REFUSED = 0, 1, 2  # exit codes
_STEP = 50  # programs between two words of progress
_PROVEN = 20  # programs that cargo itself judges as well
# A busy machine must not look like a wrong verdict.
_LIMITS = Limits(compile_wall_secs=120.0, test_wall_secs=30.0, tests_wall_secs=300.0)


@dataclass(slots=True)
class Findings:
    """What a run found so far."""

    tally: Tally = field(default_factory=Tally)
    programs: int = 0
    comparisons: int = 0
    unexplained: list[Comparison] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 when all agree or differ by design, 1 when not, 2 when nothing can be said."""
    options = _options().parse_args(arguments)
    try:
        return asyncio.run(_run(options))
    except (Fault, ForgetestError) as error:
        print(f"error: {error}", file=sys.stderr)
    return REFUSED


def shipped_cases() -> list[Case]:
    """Return the cases of the shipped eval sets that have tests and a reference solution."""
    sets = load(sorted((ROOT / "eval-sets").glob("*.toml")))
    cases = [case for one in sets for case in one.cases]
    return [one for one in cases if one.expectations.test_file and one.reference_solution]


async def open_differ(cases: Sequence[Case], work: Path, plain: Path, cache: Path) -> Differ:
    """Return what compares; crates are fetched and built, and the canaries were right.

    `plain` is where cargo builds, `work` where rustc does, which leaves nothing behind.
    """
    toolchain = Toolchain.resolve(os.environ)
    sandbox = await choose(AUTO, toolchain=toolchain, cache=cache)
    layouts = {Place.FITTING: None, Place.SPLICE: Layout.SPLICE}
    graders = {
        place: SampleGrader(toolchain, cache=cache, sandbox=sandbox, limits=_LIMITS, layout=layout)
        for place, layout in layouts.items()
    }
    for grader in graders.values():
        # The others need nothing, and one that is refused must not end the run.
        await grader.prepare([case for case in cases if case.dependencies])
    return Differ(graders, ByRustc(toolchain, work, ByCargo(toolchain, plain)), EXCEPTIONS)


async def _run(options: argparse.Namespace) -> int:
    cases = [one for one in shipped_cases() if options.crates or not one.dependencies]
    if options.by_hand:
        cases = list(hand_cases())
    elif options.case:
        cases = [one for one in cases if options.case in one.key]
    chosen = [one for one in REWRITES if options.only in {None, one.family, one.name}]
    drawn = programs(cases, options.seed, rewrites=chosen)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="differential-") as folder:
        cache = options.cache or Path(folder, "cache")
        cache.mkdir(parents=True, exist_ok=True)
        with _own_folder(cache / "plain-cargo", Path(folder, "plain-cargo")) as plain:
            differ = await open_differ(cases, Path(folder), plain, cache)
            if options.by_hand:
                asked = _write_by_hand(differ) if options.write else _by_hand(differ, options)
                findings, proven = await asked, True
            else:
                findings = await _compared(differ, drawn, options)
                proven = await _proven(differ, cases, options)
    _print(findings, options, time.monotonic() - started)
    return AGREED if proven and not findings.unexplained else DISAGREED


@contextlib.contextmanager
def _own_folder(wanted: Path, other: Path) -> Iterator[Path]:
    """Give a folder that no other process uses: the wanted one, or else another."""
    wanted.mkdir(exist_ok=True)
    with (wanted / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            other.mkdir()
            wanted = other
        yield wanted


async def _write_by_hand(differ: Differ) -> Findings:
    """Ask cargo about the programs that were written by hand, and keep what it says."""
    programs = written()
    said = [
        await asyncio.to_thread(differ.plain.cargo.judge, one.program.case, one.program.code)
        for one in programs
    ]
    for one, judgement in zip(programs, said, strict=True):
        if not judgement.builds:
            print(f"{one.name} does not build under cargo: {judgement.why}")
    save(programs, said)
    return Findings()


async def _by_hand(differ: Differ, options: argparse.Namespace) -> Findings:
    """Compare the programs that were written by hand with what cargo said, in every way."""
    findings = Findings()
    waiting = (one for one in written() if (options.case or "") in one.name)

    async def work() -> None:
        for one in waiting:
            findings.programs += 1
            chosen = ways_of(one.program.case)
            async for comparison in differ.compared_with(one.expected, one.program, chosen):
                _note(findings, comparison, options)

    await asyncio.gather(*(work() for _ in range(options.jobs)))
    return findings


async def _compared(
    differ: Differ, drawn: Iterator[Program], options: argparse.Namespace
) -> Findings:
    """Compare so many programs, some at a time; void ones do not count."""
    findings = Findings()
    numbers = itertools.count()

    async def work() -> None:
        while findings.programs < options.count:
            program = next(drawn, None)
            if program is None:
                return
            number = next(numbers)
            found = [one async for one in _each(differ, program, number, options)]
            findings.programs += bool(found)
            for family in () if found else program.families:
                findings.tally.void[family] += 1
            for comparison in found:
                _note(findings, comparison, options)
            if found and findings.programs % _STEP == 0:
                print(
                    f"{findings.programs} programs, {len(findings.unexplained)} disagreements",
                    file=sys.stderr,
                    flush=True,
                )

    await asyncio.gather(*(work() for _ in range(options.jobs)))
    return findings


def _each(
    differ: Differ, program: Program, number: int, options: argparse.Namespace
) -> AsyncIterator[Comparison]:
    return differ.compare(program, ways(number, every=options.every_way))


def _note(findings: Findings, comparison: Comparison, options: argparse.Namespace) -> None:
    findings.comparisons += 1
    findings.tally.add(comparison)
    if comparison.agrees:
        return
    if comparison.exception:
        if options.verbose:
            print(f"by design ({comparison.exception}): {comparison.program.name}", flush=True)
        return
    findings.unexplained.append(comparison)
    print(f"[{len(findings.unexplained)}] {comparison.in_words}", flush=True)
    if options.save:
        options.save.mkdir(parents=True, exist_ok=True)
        file = options.save / f"{len(findings.unexplained):04}.rs"
        notes = "\n".join(f"// {line}" for line in comparison.in_words.splitlines())
        file.write_text(f"{notes}\n{comparison.program.code}")


async def _proven(differ: Differ, cases: Sequence[Case], options: argparse.Namespace) -> bool:
    """Tell whether rustc called directly judges as cargo does, on some of the programs."""
    simple = [case for case in cases if not case.dependencies]
    wrong = 0
    for program in itertools.islice(programs(simple, options.seed + 1), options.proven):
        direct = await asyncio.to_thread(differ.plain.judge, program.case, program.code)
        cargo = await asyncio.to_thread(differ.plain.cargo.judge, program.case, program.code)
        if (direct.builds, direct.tests) != (cargo.builds, cargo.tests) and not direct.hangs:
            wrong += 1
            print(f"cargo and rustc differ: {program.name}\n  {cargo}\n  {direct}")
    print(f"{options.proven} programs judged by cargo, too: {wrong} differ from rustc's judgement")
    return not wrong


def _print(findings: Findings, options: argparse.Namespace, secs: float) -> None:
    width = max(len(family.name) for family in FAMILIES)
    head = ("family", "void", "tried", "agreed", "by design", "disagreed")
    print(f"\n{head[0]:{width}}" + "".join(f"{word:>11}" for word in head[1:]))
    for name, *counts in findings.tally.rows():
        print(f"{name:{width}}" + "".join(f"{count:>11}" for count in counts))
    print(
        f"\n{findings.programs} programs in {findings.comparisons} comparisons, "
        f"seed {options.seed}: "
        f"{len(findings.unexplained)} disagreements without a reason, in {secs:.0f} s"
    )


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add = parser.add_argument
    add("--count", type=int, default=2000, help="programs to compare (default: 2000)")
    add("--seed", type=int, default=1, help="another seed draws other programs (default: 1)")
    add("--only", metavar="FAMILY", help="one family of rewrites, or one rewrite")
    add("--case", metavar="TEXT", help="cases with TEXT in their key")
    add("--jobs", type=int, default=2, help="programs at a time (default: 2)")
    add("--every-way", action="store_true", help="each program in six ways instead of two")
    add("--no-crates", dest="crates", action="store_false", help="no cases with dependencies")
    add("--proven", type=int, default=_PROVEN, help="programs that cargo judges as well")
    add("--save", type=Path, metavar="DIR", help="write each disagreement to a file")
    add("--cache", type=Path, metavar="DIR", help="keep built crates here for the next time")
    add("--by-hand", action="store_true", help="the programs of tests/corpus/honest instead")
    add("--write", action="store_true", help="with --by-hand: note what cargo says, and stop")
    add("--verbose", action="store_true", help="show what differs by design, too")
    return parser


if __name__ == "__main__":
    sys.exit(main())
