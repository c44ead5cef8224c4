#!/usr/bin/env python3
"""How fast forgetest grades, compared with cargo used plainly; see docs/benchmarks.md.

No time is shown unless every contestant gave the expected verdict on every sample in every pass.
"""

import argparse
import asyncio
import os
import shlex
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from speed import machine
from speed.bench import CONTESTANTS, PARTS, Bench, Plan
from speed.contest import GateError
from speed.corpus import HOME, load, save_expected
from speed.graders import Graders
from speed.reference import reference
from speed.results import Results
from speed.show import markdown, print_results
from speed.targets import CACHED, FLOOR, FLOOR_TOGETHER, GUARDED, GUARDED_ALONE, PLAIN, missed

from forgetest.errors import Fault, ForgetestError
from forgetest.system.toolchain import Toolchain

MET, MISSED, REFUSED = 0, 1, 2  # exit codes
_QUICK_CONTESTANTS = (PLAIN, GUARDED, GUARDED_ALONE, FLOOR, FLOOR_TOGETHER, CACHED)
_QUICK_PARTS = ("speed", "duplicates", "stability")
_SHOWN = 20  # wrong verdicts


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 when all targets are met, 1 when one is missed, 2 when nothing may be shown."""
    options = _options().parse_args(arguments)
    console = Console(stderr=True)
    try:
        return _run(options, console)
    except GateError as error:
        console.print(f"[bold]{error}; no time is shown[/bold]", highlight=False)
        for line in error.mismatches[:_SHOWN]:
            console.print(line, markup=False, highlight=False, soft_wrap=True)
    except (Fault, ForgetestError) as error:
        console.print(f"error: {error}", markup=False, highlight=False, soft_wrap=True)
    return REFUSED


def _run(options: argparse.Namespace, console: Console) -> int:
    if options.markdown:
        sys.stdout.write(markdown(_read(options.markdown)))
        return MET
    toolchain = Toolchain.resolve(os.environ)
    if options.reference:
        corpus = load(options.corpus)
        save_expected(
            reference(
                [*corpus.samples, *corpus.tokio], toolchain, lambda one: console.print(one.key)
            ),
            options.corpus,
        )
        return MET
    return _measure(options, toolchain, console)


def _measure(options: argparse.Namespace, toolchain: Toolchain, console: Console) -> int:
    with tempfile.TemporaryDirectory(prefix="forgetest-benchmark-") as work:
        bench = Bench(
            plan=_plan(options),
            corpus=load(options.corpus),
            toolchain=toolchain,
            work=Path(work),
            graders=Graders(toolchain, Path(work, "cache")),
            listen=lambda line: console.print(line, style="dim", highlight=False),
        )
        results = asyncio.run(bench.run())
    if options.json:
        options.json.write_text(results.model_dump_json(indent=1) + "\n", encoding="utf-8")
    print_results(results, Console())
    for line in (lines := missed(results)):
        console.print(f"missed: {line}", markup=False, highlight=False)
    return MISSED if lines else MET


def _read(file: Path) -> Results:
    return Results.model_validate_json(file.read_text(encoding="utf-8"))


def _plan(options: argparse.Namespace) -> Plan:
    quick = options.quick
    return Plan(
        command=shlex.join(["python", "benchmarks/grade_speed.py", *sys.argv[1:]]),
        passes=options.passes or (3 if quick else 5),
        blocks=options.blocks or (1 if quick else None),
        workers=options.workers,
        parts=options.parts or (_QUICK_PARTS if quick else PARTS),
        contestants=options.contestants or (_QUICK_CONTESTANTS if quick else CONTESTANTS),
        sandbox=options.sandbox,
        quick=quick,
        rounds=1 if quick else 3,
        copied=4 if quick else 12,
    )


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    add = parser.add_argument
    add("--quick", action="store_true", help="12 samples, 3 passes, targets with 25 %% slack")
    add("--passes", type=int, help="passes that count (default: 5)")
    add("--blocks", type=int, help="blocks of 12 samples (default: all)")
    add("--workers", type=int, default=machine.cores(), help="default: the number of cores")
    add("--sandbox", default="auto", help="of the guarded contestants (default: auto)")
    add("--parts", type=_names(PARTS), metavar="A+B", help=f"of {', '.join(PARTS)}")
    add(
        "--contestants",
        type=_names(CONTESTANTS),
        metavar="A+B",
        help=f"of {'; '.join(CONTESTANTS)}",
    )
    add("--corpus", type=Path, default=HOME, help=argparse.SUPPRESS)
    add("--json", type=Path, metavar="FILE", help="write everything that was measured")
    add("--markdown", type=Path, metavar="FILE", help="print the tables of such a FILE and stop")
    add("--reference", action="store_true", help="grade the corpus with isolated cargo and keep it")
    return parser


def _names(known: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    """Return a reader of options that hold some of the names that are known."""

    def read(text: str) -> tuple[str, ...]:
        names = tuple(name.strip() for name in text.split("+"))
        if unknown := set(names).difference(known):
            raise argparse.ArgumentTypeError(f"no such name: {', '.join(sorted(unknown))}")
        return names

    return read


if __name__ == "__main__":
    sys.exit(main())
