"""`forgetest rank`: models of one or several runs in the order of what they pass."""

from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli import options as opt


def rank(
    runs: Annotated[
        list[str],
        typer.Argument(help="Runs: report.json files, run folders, or -.", show_default=False),
    ],
    alpha: Annotated[
        float,
        typer.Option("--alpha", help="The chance of calling any two equal models different."),
    ] = 0.05,
    k: Annotated[
        list[str] | None,
        typer.Option(
            "--k",
            help="The k of pass@k, separated by commas, or repeated; the runs' own if unset.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of tests that are too large for exact.")] = 1,
    allow_incomplete: Annotated[
        bool,
        typer.Option("--allow-incomplete", help="Rank what an unfinished run has so far."),
    ] = False,
    format_: Annotated[
        str, typer.Option("--format", "-f", help="text, json or markdown. Default: text.")
    ] = "text",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write there, not to standard output.")
    ] = None,
) -> None:
    """Rank the models of one or several runs on the cases that all of them have in common.

    Example: forgetest rank runs/2026-11-20-a1b2c3 runs/2026-11-21-d4e5f6

    Exit codes: 0 done, 2 unusable input, 3 no common case, or numbers of other rules.
    """
    from forgetest.cli.ranking import Asked, carry_out, options_of

    asked = Asked(
        runs=tuple(runs),
        options=options_of(alpha=alpha, k=opt.joined(k), seed=seed),
        allow_incomplete=allow_incomplete,
        format=format_,
        output=output,
    )
    raise typer.Exit(carry_out(asked))
