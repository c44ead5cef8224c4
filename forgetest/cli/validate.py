"""`forgetest validate`: whether eval sets are well-formed and their cases can be solved."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli import options as opt
from forgetest.cli.completion import complete_set, words
from forgetest.errors import ConfigError, CratesError, ExitCode
from forgetest.version import __version__

if opt.CALLED:
    from forgetest.api.start import check_store
    from forgetest.check.anchors import check_anchors
    from forgetest.check.deep import Checks
    from forgetest.check.places import SetFiles, placed
    from forgetest.check.prompts import prompt_findings
    from forgetest.check.summary import set_check, totals
    from forgetest.check.types import CaseCheck, PromptFinding, SetCheck, Validation
    from forgetest.cli.configuration import configuration, run_table
    from forgetest.cli.interrupts import INTERRUPTS
    from forgetest.cli.prepare import load_cases, workbench
    from forgetest.cli.terminal import check_format, counter, warn, write_out, write_tables
    from forgetest.evalset.types import EvalSet
    from forgetest.render.checking import check_line, validation_markdown, validation_tables
    from forgetest.render.prompt import finding_lines
    from forgetest.runner.config import Config
    from forgetest.runner.session import Workbench, toolchain_info
    from forgetest.runner.variants import resolve
    from forgetest.value import count

TIMES = 3
SURVIVORS = 3

PathsArgument = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[SETS]",
        help="Eval sets: files, folders, or names of shipped sets. "
        "Default: those that forgetest.toml names.",
        show_default=False,
        autocompletion=complete_set,
    ),
]
NoGradingOption = Annotated[
    bool, typer.Option("--no-grading", help="Only check the files; grade nothing.")
]
DeepOption = Annotated[
    bool,
    typer.Option(
        "--deep", help="Also check for unsteady, weak and gameable tests and tight limits."
    ),
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
CheckFormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        metavar="NAME",
        help="text, json or markdown. Default: text.",
        autocompletion=words("text", "json", "markdown"),
    ),
]
CheckOutputOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write to FILE instead of stdout."),
]


def validate(
    paths: PathsArgument = None,
    deep: DeepOption = False,
    times: TimesOption = None,
    min_strength: MinStrengthOption = None,
    survivors: SurvivorsOption = None,
    format_: CheckFormatOption = None,
    output: CheckOutputOption = None,
    filter_: opt.Filter = None,
    case: opt.CaseGlobs = None,
    limit: opt.Limit = None,
    parallelism: opt.Parallelism = None,
    sandbox: opt.Sandbox = None,
    grade_on: opt.GradeOn = None,
    allow_custom_checks: opt.AllowChecks = False,
    no_verdict_cache: opt.NoVerdictCache = False,
    quiet: opt.Quiet = False,
    no_grading: NoGradingOption = False,
) -> None:
    """Check eval sets: keys are valid, references pass, stubs fail.

    Example: forgetest validate --deep eval-sets/rust-basics.toml

    --deep grades references repeatedly and in every test order, tries empty and constant
    implementations and mutants of the reference, and measures how close tests come to their limits.

    Also warns of variants in forgetest.toml that show tests or solutions, or leave the prompt out.

    Exit codes: 0 all sound, 1 a case is broken or below --min-strength, 2 invalid file, 3 a case
    could not be checked on this machine.
    """
    options = run_table(
        parallelism=parallelism,
        sandbox=sandbox,
        grade_on=grade_on,
        no_verdict_cache=no_verdict_cache,
    )
    check_format(format_ or "text")
    _refuse_combinations(deep, no_grading, (times, min_strength, survivors), (format_, output))
    eval_sets = load_cases(paths or _configured(), filters=filter_, globs=case, limit=limit)
    config = configuration(None)
    prompts = tuple(_prompt_findings(eval_sets, config))
    warn(finding_lines(prompts))
    if no_grading:
        cases = count(_cases(eval_sets), "case")
        typer.echo(f"{cases} in {count(len(eval_sets), 'eval set')} read", err=True)
        return
    bench = workbench(options, allow_custom_checks=allow_custom_checks, cache=config.cache)
    if deep:
        result = check_deeply(eval_sets, bench, times or TIMES, min_strength, quiet=quiet)
    else:
        result = check_references(eval_sets, bench, quiet=quiet)
    result = result.model_copy(update={"prompts": prompts})
    _write(result, format_, output, survivors=SURVIVORS if survivors is None else survivors)
    raise typer.Exit(_exit_code(result))


def _prompt_findings(eval_sets: Sequence[EvalSet], config: Config) -> Iterator[PromptFinding]:
    """Yield what is wrong with the prompts of the cases, in all variants of forgetest.toml."""
    variants = {name: resolve(name, table) for name, table in config.variants.items()}
    for case in [case for eval_set in eval_sets for case in eval_set.cases] if variants else ():
        yield from prompt_findings(case, variants)


def _refuse_combinations(
    deep: bool, no_grading: bool, of_deep: Sequence[object], of_result: Sequence[object]
) -> None:
    """Raise ConfigError for options that would have no effect together."""
    if deep and no_grading:
        raise ConfigError("--deep and --no-grading cannot be combined")
    if not deep and any(value is not None for value in of_deep):
        raise ConfigError("--times, --min-strength and --survivors need --deep")
    if no_grading and any(value is not None for value in of_result):
        raise ConfigError("--no-grading has no result: leave out --format and --output")


def _configured() -> tuple[Path, ...]:
    """Return the eval sets that forgetest.toml names; ConfigError where it names none."""
    named = configuration(None).run.eval_sets
    if not named:
        raise ConfigError(
            "no eval set to check: name one, as in `forgetest validate mine.toml`,"
            " or set eval_sets in [run] of forgetest.toml"
        )
    return tuple(map(Path, named))


def validate_references(eval_sets: Sequence[EvalSet], bench: Workbench, *, quiet: bool) -> ExitCode:
    """Grade the references and stubs of all cases, print what is wrong, return the exit code."""
    result = check_references(eval_sets, bench, quiet=quiet)
    _write(result, None, None, survivors=0)
    return _exit_code(result)


def check_references(eval_sets: Sequence[EvalSet], bench: Workbench, *, quiet: bool) -> Validation:
    """Grade the reference and the stub of every case once.

    Raises ToolchainError where crates cannot be fetched on this machine.
    """
    started = time.monotonic()
    checks = INTERRUPTS.run(_anchor_checks(eval_sets, bench, quiet=quiet))
    secs = time.monotonic() - started
    return _validation(eval_sets, bench, checks, deep=False, times=1, least=None, secs=secs)


def _validation(
    eval_sets: Sequence[EvalSet],
    bench: Workbench,
    checks: Mapping[str, CaseCheck],
    *,
    deep: bool,
    times: int,
    least: float | None,
    secs: float,
) -> Validation:
    """Return the document of a check, its findings in the lines of the files."""
    return Validation(
        deep=deep,
        forgetest=__version__,
        toolchain=toolchain_info(bench.toolchain),
        sandbox=f"{bench.sandbox.backend} {bench.sandbox.version}".strip(),
        times=times,
        min_strength=least,
        secs=secs,
        sets=_placed_sets(eval_sets, checks),
        totals=totals(tuple(checks.values())),
    )


def _placed_sets(
    eval_sets: Sequence[EvalSet], checks: Mapping[str, CaseCheck]
) -> tuple[SetCheck, ...]:
    """Return the checks of all sets, with their findings in the lines of the files."""
    files = SetFiles()
    cases = {
        case.key: placed(checks[case.key], case, files)
        for eval_set in eval_sets
        for case in eval_set.cases
    }
    return tuple(set_check(eval_set, cases) for eval_set in eval_sets)


async def _anchor_checks(
    eval_sets: Sequence[EvalSet], bench: Workbench, *, quiet: bool
) -> dict[str, CaseCheck]:
    """Grade the reference and the stub of every case once."""
    cases = [case for eval_set in eval_sets for case in eval_set.cases]
    missing = await bench.grader.prepare_available(cases)
    for error in missing.values():
        if not isinstance(error, CratesError):  # this machine's own, and nothing about the cases
            raise error
    async with bench.opened(_tell) as grading:
        return await check_anchors(
            eval_sets,
            grader=grading.grader,
            missing=missing,
            parallelism=grading.at_once,
            listen=counter(len(cases), check_line, quiet=quiet),
        )


def check_deeply(
    eval_sets: Sequence[EvalSet],
    bench: Workbench,
    times: int,
    min_strength: float | None,
    *,
    quiet: bool,
) -> Validation:
    """Check every case in depth; an interrupted check keeps finished cases for the next."""
    started = time.monotonic()

    async def checked() -> dict[str, CaseCheck]:
        async with bench.opened(_tell) as grading:
            checker = Checks(
                bench.grader,
                grading.at_once,
                remote=bench.remote,
                times=times,
                min_strength=min_strength,
                store=check_store(bench),
                listen=counter(_cases(eval_sets), check_line, quiet=quiet),
            )
            return await checker.all(eval_sets)

    try:
        checks = INTERRUPTS.run(checked())
    except KeyboardInterrupt:
        typer.echo("interrupted: finished cases are kept for the next check", err=True)
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    secs = time.monotonic() - started
    return _validation(
        eval_sets, bench, checks, deep=True, times=times, least=min_strength, secs=secs
    )


def _tell(line: str) -> None:
    typer.echo(line, err=True)


def _cases(eval_sets: Sequence[EvalSet]) -> int:
    return sum(len(eval_set.cases) for eval_set in eval_sets)


def _write(result: Validation, form: str | None, output: Path | None, *, survivors: int) -> None:
    match form:
        case "json":
            write_out(result.model_dump_json(indent=1) + "\n", output)
        case "markdown":
            write_out(validation_markdown(result, survivors=survivors), output)
        case _:
            tables = partial(validation_tables, result, survivors=survivors)
            write_tables(lambda width: tables(width=width), output)


def _exit_code(result: Validation) -> ExitCode:
    if result.totals.broken or result.totals.weak:
        return ExitCode.REGRESSION
    return ExitCode.UNSCORED if result.totals.unchecked else ExitCode.DONE
