"""`forgetest report`: what a run found, in any format."""

from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli import options as opt


def report(
    runs: Annotated[
        list[str],
        typer.Argument(help="Run folders, report.json files, or -.", show_default=False),
    ],
    format_: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            "-f",
            help="Formats, separated by commas, or repeated: text, markdown, html, json, csv,"
            " junit, sarif, ctrf, humaneval, multipl-e, inspect. Default: text.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The folder to write to; one file goes to standard output."
        ),
    ] = None,
    quiet: opt.Quiet = False,
) -> None:
    """Write what one run or several found, for people and for other tools.

    Example: forgetest report runs/2026-11-21-a1b2c3 --format html,csv,junit --output report
    """
    from forgetest.cli.reporting import carry_out

    raise typer.Exit(carry_out(runs, opt.joined(format_) or "text", output, quiet=quiet))
