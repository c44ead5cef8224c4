"""`forgetest compare`: what got better or worse between two runs, and how sure that is."""

from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli import options as opt


def compare(
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            help="The run to compare with: a report.json, a run folder, or -.",
            show_default=False,
        ),
    ] = None,
    current: Annotated[
        str | None,
        typer.Option("--current", help="The run to judge, likewise.", show_default=False),
    ] = None,
    map_: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            help="OLD=NEW: compare a model, or an eval set, with one of another name; repeatable.",
            show_default=False,
        ),
    ] = None,
    threshold: Annotated[
        float,
        typer.Option(
            "--threshold", help="Points of mean score that a case may drop by.", min=0, max=1
        ),
    ] = 0.05,
    fail_on_regression: Annotated[
        bool,
        typer.Option("--fail-on-regression", help="Exit 1 when a case drops by more than that."),
    ] = False,
    gate: Annotated[
        list[str] | None,
        typer.Option(
            "--gate",
            help="Exit 1 by threshold, by evidence (only drops beyond noise), or by either.",
            show_default=False,
        ),
    ] = None,
    alpha: Annotated[
        float,
        typer.Option("--alpha", help="The chance of a false alarm that evidence may have."),
    ] = 0.05,
    margin: Annotated[
        float,
        typer.Option(
            "--margin", help="Points of pass rate that do not matter, for evidence.", min=0, max=1
        ),
    ] = 0.0,
    allow_unscored: Annotated[
        float,
        typer.Option(
            "--allow-unscored",
            help="Share of samples that a gate lets be unscored or gone.",
            min=0,
            max=1,
        ),
    ] = 0.0,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Exit 3 when inconclusive, or when cases have changed."),
    ] = False,
    allow_incomparable: Annotated[
        bool,
        typer.Option(
            "--allow-incomparable",
            help="Compare changed cases and other scoring rules too; that can not gate.",
        ),
    ] = False,
    allow_incomplete: Annotated[
        bool,
        typer.Option("--allow-incomplete", help="Compare what an unfinished run has so far."),
    ] = False,
    regrade: Annotated[
        bool,
        typer.Option(
            "--regrade",
            help="Grade the baseline's completions with today's toolchain; tell its part from"
            " the model's.",
        ),
    ] = False,
    self_check: Annotated[
        str | None,
        typer.Option(
            "--self-check",
            help="Compare random halves of one run with each other: how often do gates err?",
            show_default=False,
        ),
    ] = None,
    splits: Annotated[
        int, typer.Option("--splits", help="How many random halves --self-check draws.", min=1)
    ] = 200,
    seed: Annotated[int, typer.Option("--seed", help="Of whatever is drawn by lot.")] = 1,
    format_: Annotated[
        str,
        typer.Option("--format", "-f", help="text, json, markdown, html or github. Default: text."),
    ] = "text",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write there, not to standard output.")
    ] = None,
    sandbox: opt.Sandbox = None,
    allow_custom_checks: opt.AllowChecks = False,
    config: opt.Config = None,
    quiet: opt.Quiet = False,
) -> None:
    """Tell what got better or worse between two runs, and how sure that is.

    Example: forgetest compare --baseline main/report.json --current runs/2026-11-21-a1b2c3

    Exit codes: 0 no regression, 1 regression, 2 unusable input, 3 not comparable or incomplete.
    """
    from forgetest.cli.comparing import Asked, Regrading, carry_out, options_of

    options = options_of(
        maps=map_ or (),
        gates=[*(gate or ()), *(["threshold"] if fail_on_regression else ())],
        alpha=alpha,
        threshold=threshold,
        margin=margin,
        allow_unscored=allow_unscored,
        allow_incomparable=allow_incomparable,
        strict=strict,
        seed=seed,
    )
    asked = Asked(
        baseline=baseline,
        current=current,
        options=options,
        allow_incomplete=allow_incomplete,
        self_check=self_check,
        splits=splits,
        format=format_,
        output=output,
        regrading=Regrading(
            sandbox=sandbox,
            config=config,
            allow_custom_checks=allow_custom_checks,
            quiet=quiet,
        )
        if regrade
        else None,
    )
    raise typer.Exit(carry_out(asked))
