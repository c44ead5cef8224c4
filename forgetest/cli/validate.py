"""`forgetest validate`: whether eval sets are right and their cases can be solved."""

from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli import options as opt


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
    from forgetest.cli.deepcheck import DeepRequest, validate_deeply
    from forgetest.cli.picked import Picked
    from forgetest.cli.table import run_table
    from forgetest.cli.validation import validate_paths

    table = run_table(
        parallelism=parallelism,
        sandbox=sandbox,
        verdict_cache=False if no_verdict_cache else None,
    )
    picked = Picked(filter_ or (), case or ())
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
