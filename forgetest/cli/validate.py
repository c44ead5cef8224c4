"""`forgetest validate`: whether eval sets are well-formed and their cases can be solved."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from forgetest import __version__
from forgetest.check.anchors import AnchorCheck, check_anchors
from forgetest.check.deep import Checks, set_check, totals
from forgetest.check.types import DeepCheck
from forgetest.cli import options as opt
from forgetest.cli.completion import complete_set, words
from forgetest.cli.interrupts import INTERRUPTS
from forgetest.cli.prepare import check_store, configuration, load_cases, run_table, workbench
from forgetest.cli.terminal import check_format, counter, results, write_out, write_tables
from forgetest.errors import ConfigError, CratesError, ExitCode
from forgetest.evalset.types import EvalSet
from forgetest.render.checking import deep_case_line, deep_markdown, deep_tables
from forgetest.render.machine import case_line, validation_table
from forgetest.runner.session import Workbench, toolchain_info
from forgetest.value import count

TIMES = 3
SURVIVORS = 3

PathsArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="SETS",
        help="Eval sets: files, folders, or names of shipped sets.",
        show_default=False,
        autocompletion=complete_set,
    ),
]
NoGradingOption = Annotated[
    bool, typer.Option("--no-grading", help="Only check the files; grade nothing.")
]
DeepOption = Annotated[
    bool,
    typer.Option("--deep", help="Also check for flaky, weak and gameable tests and tight limits."),
]
TimesOption = Annotated[
    int | None,
    typer.Option(
        "--times",
        metavar="N",
        help=f"With --deep: how often to grade each reference. Default: {TIMES}.",
        min=1,
    ),
]
MinStrengthOption = Annotated[
    float | None,
    typer.Option(
        "--min-strength",
        metavar="NUMBER",
        help="With --deep: fail if a case's tests catch a smaller share of mutants, such as 0.95.",
        min=0,
        max=1,
    ),
]
SurvivorsOption = Annotated[
    int | None,
    typer.Option(
        "--survivors",
        metavar="N",
        help=f"With --deep: uncaught mutants to show per case. Default: {SURVIVORS}.",
        min=0,
    ),
]
DeepFormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        metavar="NAME",
        help="With --deep: text, json or markdown. Default: text.",
        autocompletion=words("text", "json", "markdown"),
    ),
]
DeepOutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="With --deep: write to FILE instead of stdout."
    ),
]


def validate(
    paths: PathsArgument,
    deep: DeepOption = False,
    times: TimesOption = None,
    min_strength: MinStrengthOption = None,
    survivors: SurvivorsOption = None,
    format_: DeepFormatOption = None,
    output: DeepOutputOption = None,
    filter_: opt.Filter = None,
    case: opt.CaseGlobs = None,
    limit: opt.Limit = None,
    parallelism: opt.Parallelism = None,
    sandbox: opt.Sandbox = None,
    allow_custom_checks: opt.AllowChecks = False,
    no_verdict_cache: opt.NoVerdictCache = False,
    quiet: opt.Quiet = False,
    no_grading: NoGradingOption = False,
) -> None:
    """Check eval sets: keys are valid, references pass, stubs fail.

    Example: forgetest validate --deep eval-sets/rust-basics.toml

    --deep grades references repeatedly and in every test order, tries empty and constant
    implementations and mutants of the reference, and measures how close tests come to their limits.

    Exit codes: 0 all sound, 1 a case is broken or below --min-strength, 2 invalid file, 3 a case
    could not be checked on this machine.
    """
    options = run_table(parallelism=parallelism, sandbox=sandbox, no_verdict_cache=no_verdict_cache)
    check_format(format_ or "text")
    if deep and no_grading:
        raise ConfigError("--deep and --no-grading cannot be combined")
    deep_options = (times, min_strength, survivors, format_, output)
    if not deep and any(value is not None for value in deep_options):
        raise ConfigError("--times, --min-strength, --survivors, --format and --output need --deep")
    eval_sets = load_cases(paths, filters=filter_, globs=case, limit=limit)
    if no_grading:
        cases = count(_cases(eval_sets), "case")
        typer.echo(f"{cases} in {count(len(eval_sets), 'eval set')} read", err=True)
        return
    bench = workbench(
        options, allow_custom_checks=allow_custom_checks, cache=configuration(None).cache
    )
    if not deep:
        raise typer.Exit(validate_references(eval_sets, bench, quiet=quiet))
    result = deep_check(
        eval_sets, bench, times=times or TIMES, min_strength=min_strength, quiet=quiet
    )
    _write(result, format_, output, survivors=SURVIVORS if survivors is None else survivors)
    raise typer.Exit(_exit_code(result))


def validate_references(eval_sets: Sequence[EvalSet], bench: Workbench, *, quiet: bool) -> ExitCode:
    """Grade the references and stubs of all cases, print a table and return the exit code."""
    checks = INTERRUPTS.run(_check_references(eval_sets, bench, quiet=quiet))
    results().print(validation_table(checks))
    return ExitCode.REGRESSION if any(check.problems for check in checks) else ExitCode.DONE


async def _check_references(
    eval_sets: Sequence[EvalSet], bench: Workbench, *, quiet: bool
) -> list[AnchorCheck]:
    cases = [case for eval_set in eval_sets for case in eval_set.cases]
    missing = await bench.grader.prepare_available(cases)
    for error in missing.values():
        if not isinstance(error, CratesError):  # this machine's own, and nothing about the cases
            raise error
    return await check_anchors(
        eval_sets,
        grader=bench.session_grader(),
        missing=missing,
        parallelism=bench.parallelism,
        listen=counter(len(cases), case_line, quiet=quiet),
    )


def deep_check(
    eval_sets: Sequence[EvalSet],
    bench: Workbench,
    *,
    times: int,
    min_strength: float | None,
    quiet: bool,
) -> DeepCheck:
    """Check every case in depth; KeyboardInterrupt when stopped, which keeps finished cases."""
    started = time.monotonic()
    checker = Checks(
        bench.grader,
        bench.parallelism,
        times=times,
        min_strength=min_strength,
        store=check_store(bench),
        listen=counter(_cases(eval_sets), deep_case_line, quiet=quiet),
    )
    try:
        cases = INTERRUPTS.run(checker.all(eval_sets))
    except KeyboardInterrupt:
        typer.echo("interrupted: finished cases are kept for the next check", err=True)
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    return DeepCheck(
        forgetest=__version__,
        toolchain=toolchain_info(bench.toolchain),
        sandbox=f"{bench.sandbox.backend} {bench.sandbox.version}".strip(),
        times=times,
        min_strength=min_strength,
        secs=time.monotonic() - started,
        sets=tuple(set_check(eval_set, cases) for eval_set in eval_sets),
        totals=totals(tuple(cases.values())),
    )


def _cases(eval_sets: Sequence[EvalSet]) -> int:
    return sum(len(eval_set.cases) for eval_set in eval_sets)


def _write(result: DeepCheck, form: str | None, output: Path | None, *, survivors: int) -> None:
    match form:
        case "json":
            write_out(result.model_dump_json(indent=1) + "\n", output)
        case "markdown":
            write_out(deep_markdown(result, survivors=survivors), output)
        case _:
            write_tables(lambda _: deep_tables(result, survivors=survivors), output)


def _exit_code(result: DeepCheck) -> ExitCode:
    if result.totals.broken or result.totals.weak:
        return ExitCode.REGRESSION
    return ExitCode.UNSCORED if result.totals.unchecked else ExitCode.DONE
