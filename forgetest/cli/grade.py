"""`forgetest grade`: verdicts without a model, from recorded completions or from a run."""

from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli import options as opt


def grade(
    source: Annotated[
        Path,
        typer.Argument(
            help="A JSONL file of recorded completions, or a run folder.", show_default=False
        ),
    ],
    eval_set: opt.EvalSets = None,
    pass_k: opt.PassK = None,
    filter_: opt.Filter = None,
    case: opt.CaseGlobs = None,
    parallelism: opt.Parallelism = None,
    timeout: opt.Timeout = None,
    sandbox: opt.Sandbox = None,
    repeat_grading: opt.RepeatGrading = None,
    output: opt.Output = None,
    format_: opt.Format = None,
    config: opt.Config = None,
    extractor: opt.ExtractorName = None,
    allow_custom_checks: opt.AllowChecks = False,
    skip_broken: opt.SkipBroken = False,
    no_verdict_cache: opt.NoVerdictCache = False,
    quiet: opt.Quiet = False,
) -> None:
    """Grade recorded completions, or grade a run again with today's compiler.

    Example: forgetest grade completions.jsonl -e eval-sets/rust-basics.toml

    A run is graded again as it was planned: its eval sets, models and samples are in its folder.
    """
    from forgetest.cli.launch import Request
    from forgetest.cli.regrade import grade_source
    from forgetest.cli.table import run_table

    table = run_table(
        eval_sets=eval_set,
        pass_k=opt.joined(pass_k),
        parallelism=parallelism,
        timeout_secs=timeout,
        extractor=extractor,
        sandbox=sandbox,
        repeat_grading=repeat_grading,
        output=output,
        verdict_cache=False if no_verdict_cache else None,
    )
    request = Request(
        table=table,
        config=config,
        tags=filter_ or (),
        globs=case or (),
        format=opt.joined(format_) or "text",
        allow_custom_checks=allow_custom_checks,
        skip_broken=skip_broken,
        quiet=quiet,
    )
    raise typer.Exit(grade_source(source, request))
