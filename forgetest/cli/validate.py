"""`forgetest validate`: whether eval sets are right and their cases can be solved."""

from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli import options as opt


def validate(
    paths: Annotated[
        list[Path], typer.Argument(help="Eval sets, or folders of them.", show_default=False)
    ],
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

    Exits with 2 when a file is wrong, with 1 when a case is broken.
    """
    from forgetest.cli.table import run_table
    from forgetest.cli.validation import validate_paths

    table = run_table(
        parallelism=parallelism,
        sandbox=sandbox,
        verdict_cache=False if no_verdict_cache else None,
    )
    grading = None if no_grading else table
    raise typer.Exit(
        validate_paths(
            paths,
            grading=grading,
            checks=allow_custom_checks,
            quiet=quiet,
        )
    )
