"""`forgetest validate`: whether eval sets are right and their cases can be solved.

Carries out `forgetest validate`, but for --deep.

Carries out `forgetest validate --deep`.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from forgetest import __version__
from forgetest.check.anchors import AnchorCheck, check_anchors
from forgetest.check.deep import Checks, CheckStore, set_check, totals
from forgetest.check.types import DeepCheck
from forgetest.cli import options as opt
from forgetest.cli.interrupts import INTERRUPTS
from forgetest.cli.prepare import ALL_CASES, CaseFilter, cache_folder, configuration, workbench
from forgetest.cli.terminal import check_format, counter, results, write_out, write_tables
from forgetest.errors import ConfigError, CratesError, ExitCode
from forgetest.evalset.types import EvalSet
from forgetest.render.checking import deep_case_line, deep_markdown, deep_tables
from forgetest.render.machine import case_line, validation_table
from forgetest.run.settings import RunTable
from forgetest.runner.session import Workbench, toolchain_info
from forgetest.value import count


def validate(
    paths: Annotated[
        list[Path], typer.Argument(help="Eval sets, or folders of them.", show_default=False)
    ],
    deep: Annotated[
        bool, typer.Option("--deep", help="Check everything: flakiness, near misses, time limits.")
    ] = False,
    times: Annotated[
        int | None,
        typer.Option("--times", help="How often --deep grades each reference. Default: 3.", min=1),
    ] = None,
    min_strength: Annotated[
        float | None,
        typer.Option(
            "--min-strength",
            help="The share of mutants that the tests of each case must notice, such as 0.95.",
            min=0,
            max=1,
        ),
    ] = None,
    survivors: Annotated[
        int | None,
        typer.Option("--survivors", help="Mutants to show of each case. Default: 3.", min=0),
    ] = None,
    format_: Annotated[
        str | None,
        typer.Option("--format", "-f", help="Of --deep: text, json or markdown. Default: text."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write what --deep finds there, not to the terminal."),
    ] = None,
    filter_: opt.Filter = None,
    case: opt.CaseGlobs = None,
    parallelism: opt.Parallelism = None,
    sandbox: opt.Sandbox = None,
    allow_custom_checks: opt.AllowChecks = False,
    no_verdict_cache: opt.NoVerdictCache = False,
    quiet: opt.Quiet = False,
    no_grading: Annotated[
        bool, typer.Option("--no-grading", help="Only read; do not grade the references.")
    ] = False,
) -> None:
    """Check eval sets: every key, then that references score 1.0 and stubs do not pass.

    Example: forgetest validate --deep eval-sets/rust-basics.toml

    With --deep also: references pass each time and in every order, empty and constant
    implementations fail, near misses of the reference are noticed, limits leave room.
    Exits with 2 when a file is wrong, with 1 when a case is broken or below --min-strength, with 3
    when the machine failed on a case.
    """
    from forgetest.cli.prepare import CaseFilter, run_table

    table = run_table(
        parallelism=parallelism,
        sandbox=sandbox,
        verdict_cache=False if no_verdict_cache else None,
    )
    picked = CaseFilter(filter_ or (), case or ())
    asked = DeepRequest(times, min_strength, survivors, format_, output)
    asked.demand(deep=deep, grading=not no_grading)
    if deep:
        code = validate_deeply(
            picked.of(paths), asked, grading=table, checks=allow_custom_checks, quiet=quiet
        )
    else:
        code = validate_paths(
            paths,
            grading=None if no_grading else table,
            checks=allow_custom_checks,
            quiet=quiet,
            picked=picked,
        )
    raise typer.Exit(code)


def validate_paths(
    paths: Sequence[Path],
    *,
    grading: RunTable | None,
    checks: bool,
    quiet: bool,
    picked: CaseFilter = ALL_CASES,
) -> ExitCode:
    """Read eval sets and grade their references as `grading` says; None reads only."""
    sets = picked.of(paths)
    if grading is None:
        cases = count(sum(len(item.cases) for item in sets), "case")
        typer.echo(f"{cases} in {count(len(sets), 'eval set')} read", err=True)
        return ExitCode.DONE
    bench = workbench(grading, allow_custom_checks=checks, cache=configuration(None).cache)
    found = INTERRUPTS.run(_check(sets, bench, quiet=quiet))
    results().print(validation_table(found))
    return ExitCode.REGRESSION if any(item.problems for item in found) else ExitCode.DONE


async def _check(sets: Sequence[EvalSet], bench: Workbench, *, quiet: bool) -> list[AnchorCheck]:
    cases = [case for item in sets for case in item.cases]
    listen = counter(len(cases), case_line, quiet=quiet)
    missing = await bench.grader.prepare_available(cases)
    for error in missing.values():
        if not isinstance(error, CratesError):  # this machine's own, and nothing about the cases
            raise error
    return await check_anchors(
        sets,
        grader=bench.remembering(),
        missing=missing,
        parallelism=bench.parallelism,
        listen=listen,
    )


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
    progress = counter(sum(len(item.cases) for item in sets), deep_case_line, quiet=quiet)
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
