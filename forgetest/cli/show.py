"""`forgetest show`: look at a run, at one case of it, at one sample."""

from pathlib import Path
from typing import Annotated

import typer


def show(
    run: Annotated[
        Path, typer.Argument(help="A run folder, or a report.json.", show_default=False)
    ],
    case: Annotated[
        str | None,
        typer.Argument(help="A case: id, set/id, or a glob of one.", show_default=False),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", help="A model, or a part of its name.", show_default=False),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample", "-n", help="Which sample in full, from 1. Default: the first that fails."
        ),
    ] = None,
    failed: Annotated[
        bool, typer.Option("--failed", help="Only cases, or samples, that fail.")
    ] = False,
    raw: Annotated[
        bool, typer.Option("--raw", help="The completion as received, and nothing else.")
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option("--export", help="Write the crate that was graded there, to run cargo in it."),
    ] = None,
) -> None:
    """Show a run's cases; a case's samples; a sample's code, errors, tests and lints.

    Example: forgetest show runs/2026-11-21-a1b2c3 bounded-stack --sample 2
    """
    from forgetest.cli.showing import Asked, carry_out

    asked = Asked(
        run=run, case=case, model=model, sample=sample, failed=failed, raw=raw, export=export
    )
    raise typer.Exit(carry_out(asked))
