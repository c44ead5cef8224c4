"""`forgetest run`: ask models, grade what they wrote, report."""

from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli import options as opt


def run(
    eval_set: opt.EvalSets = None,
    models: opt.Models = None,
    samples: opt.Samples = None,
    pass_k: opt.PassK = None,
    temperature: opt.Temperature = None,
    max_tokens: opt.MaxTokens = None,
    seed: opt.Seed = None,
    filter_: opt.Filter = None,
    case: opt.CaseGlobs = None,
    parallelism: opt.Parallelism = None,
    concurrency: opt.Concurrency = None,
    timeout: opt.Timeout = None,
    sandbox: opt.Sandbox = None,
    repeat_grading: opt.RepeatGrading = None,
    output: opt.Output = None,
    format_: opt.Format = None,
    config: opt.Config = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", help="Continue this run folder.", show_default=False)
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan and its cost; ask nobody.")
    ] = False,
    extractor: opt.ExtractorName = None,
    strict_params: Annotated[
        bool,
        typer.Option("--strict-params", help="Fail when a model refuses a sampling parameter."),
    ] = False,
    allow_custom_checks: opt.AllowChecks = False,
    skip_broken: opt.SkipBroken = False,
    no_verdict_cache: opt.NoVerdictCache = False,
    quiet: opt.Quiet = False,
) -> None:
    """Run eval sets against models and report how often each gets its Rust right.

    Example: forgetest run -e eval-sets/rust-basics.toml -m ollama/qwen3:8b --pass-k 1,5
    """
    from forgetest.cli.launch import Request, launch
    from forgetest.cli.table import run_table

    table = run_table(
        eval_sets=eval_set,
        models=opt.joined(models),
        samples=samples,
        pass_k=opt.joined(pass_k),
        temperature=temperature,
        max_tokens=max_tokens,
        seed=seed,
        parallelism=parallelism,
        concurrency=concurrency,
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
        resume=resume,
        dry_run=dry_run,
        format=opt.joined(format_) or "text",
        strict_params=strict_params,
        allow_custom_checks=allow_custom_checks,
        skip_broken=skip_broken,
        quiet=quiet,
    )
    raise typer.Exit(launch(request))
