"""Carries out `forgetest validate --deep`."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from forgetest import __version__
from forgetest.check.deep import Checks, CheckStore, set_check, totals
from forgetest.check.types import DeepCheck
from forgetest.cli.interrupts import INTERRUPTS
from forgetest.cli.printing import check_format, counter, write_out, write_tables
from forgetest.cli.setup import cache_folder, configuration, workbench
from forgetest.errors import ConfigError, ExitCode
from forgetest.evalset.types import EvalSet
from forgetest.render.checking import case_line, deep_markdown, deep_tables
from forgetest.runner.session import Workbench, toolchain_info
from forgetest.settings import RunTable

TIMES = 3
SURVIVORS = 3


@dataclass(frozen=True, slots=True)
class DeepRequest:
    """What the command line says of --deep; None is "not said"."""

    times: int | None = None
    min_strength: float | None = None
    survivors: int | None = None
    format: str | None = None
    output: Path | None = None

    def demand(self, *, deep: bool, grading: bool) -> None:
        """Raise ConfigError for options that do not go together, or do not exist."""
        check_format(self.format or "text")
        if deep and not grading:
            raise ConfigError("--deep grades, and --no-grading does not; leave one of them out")
        if not deep and self != DeepRequest():
            raise ConfigError(
                "--times, --min-strength, --survivors, --format and --output belong to --deep;"
                " add it"
            )


def validate_deeply(
    sets: Sequence[EvalSet], asked: DeepRequest, *, grading: RunTable, checks: bool, quiet: bool
) -> ExitCode:
    """Check every case of eval sets, print what was found and return the exit code."""
    bench = workbench(grading, allow_custom_checks=checks, cache=configuration(None).cache)
    started = time.monotonic()
    progress = counter(sum(len(item.cases) for item in sets), case_line, quiet=quiet)
    checker = Checks(
        bench.grader,
        bench.parallelism,
        times=asked.times or TIMES,
        min_strength=asked.min_strength,
        store=check_store(bench),
        listen=progress,
    )
    try:
        cases = INTERRUPTS.run(checker.all(sets))
    except KeyboardInterrupt:
        typer.echo("interrupted: cases that were done are kept for the next check", err=True)
        return ExitCode.INTERRUPTED
    found = DeepCheck(
        forgetest=__version__,
        toolchain=toolchain_info(bench.toolchain),
        sandbox=f"{bench.sandbox.backend} {bench.sandbox.version}".strip(),
        times=checker.times,
        min_strength=asked.min_strength,
        secs=time.monotonic() - started,
        sets=tuple(set_check(item, cases) for item in sets),
        totals=totals(tuple(cases.values())),
    )
    _write(found, asked)
    return _code(found)


def check_store(bench: Workbench) -> CheckStore | None:
    """Return what earlier checks found, None where verdicts are not kept either."""
    return None if bench.verdicts is None else CheckStore(cache_folder())


def _write(found: DeepCheck, asked: DeepRequest) -> None:
    survivors = SURVIVORS if asked.survivors is None else asked.survivors
    match asked.format:
        case "json":
            write_out(found.model_dump_json(indent=1) + "\n", asked.output)
        case "markdown":
            write_out(deep_markdown(found, survivors=survivors), asked.output)
        case _:
            write_tables(lambda _: deep_tables(found, survivors=survivors), asked.output)


def _code(found: DeepCheck) -> ExitCode:
    if found.totals.broken or found.totals.weak:
        return ExitCode.REGRESSION
    return ExitCode.UNSCORED if found.totals.unchecked else ExitCode.DONE
