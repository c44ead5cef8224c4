"""`forgetest run`: ask models for code, grade it, report."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli import options as opt
from forgetest.cli.fail_under import FailUnderOption, demand_planned, parse_minimums
from forgetest.cli.output import OpenOption, runs_folder_and_file

if opt.CALLED:
    from forgetest.check.prompts import plan_findings
    from forgetest.cli.configuration import configuration, run_table
    from forgetest.cli.launch import launch, new_session, open_sources, print_line, say_notes
    from forgetest.cli.offer import with_models
    from forgetest.cli.prepare import planned_cases, without_broken, workbench
    from forgetest.cli.report import run_outputs
    from forgetest.cli.resume import (
        extended_session,
        refuse_changes,
        refuse_planning,
        resumed_session,
    )
    from forgetest.cli.streams import demand_output
    from forgetest.cli.terminal import results
    from forgetest.render.prompt import finding_lines, variants_table
    from forgetest.render.run import plan_line, plan_notes, plan_table, uncounted_notes
    from forgetest.run.settings import merged, settle
    from forgetest.runner.sources import OpenSources
    from forgetest.runner.variants import resolved
    from forgetest.sampling.plan import Plan
    from forgetest.sampling.replay import conversations
    from forgetest.system.machine import workers

ResumeOption = Annotated[
    Path | None,
    typer.Option(
        "--resume",
        metavar="DIR",
        help="Continue an interrupted run in its folder.",
        show_default=False,
        rich_help_panel=opt.STOPPING,
    ),
]
ExtendOption = Annotated[
    Path | None,
    typer.Option(
        "--extend",
        metavar="DIR",
        help="Add --samples, --models, --variant or --eval-set to a run, in its folder.",
        show_default=False,
        rich_help_panel=opt.STOPPING,
    ),
]
DryRunOption = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Show the plan and its cost without sending requests.",
        rich_help_panel=opt.STOPPING,
    ),
]
StrictParamsOption = Annotated[
    bool,
    typer.Option(
        "--strict-params",
        help="Fail if a model rejects a sampling parameter.",
        rich_help_panel=opt.ASKING,
    ),
]
MaxCostOption = Annotated[
    float | None,
    typer.Option(
        "--max-cost",
        metavar="USD",
        help="Stop asking once the known cost reaches this; --resume asks for the rest.",
        rich_help_panel=opt.STOPPING,
    ),
]
FailFastOption = Annotated[
    bool,
    typer.Option(
        "--fail-fast",
        help="Stop at the first sample that the machine fails.",
        rich_help_panel=opt.STOPPING,
    ),
]


def run(
    eval_set: opt.EvalSets = None,
    models: opt.Models = None,
    variant: opt.Variants = None,
    samples: opt.Samples = None,
    pass_k: opt.PassK = None,
    temperature: opt.Temperature = None,
    max_tokens: opt.MaxTokens = None,
    seed: opt.SamplingSeed = None,
    filter_: opt.Filter = None,
    case: opt.CaseGlobs = None,
    limit: opt.Limit = None,
    concurrency: opt.Concurrency = None,
    dry_run: DryRunOption = False,
    max_cost: MaxCostOption = None,
    fail_fast: FailFastOption = False,
    resume: ResumeOption = None,
    extend: ExtendOption = None,
    parallelism: opt.Parallelism = None,
    timeout: opt.Timeout = None,
    sandbox: opt.Sandbox = None,
    repeat_grading: opt.RepeatGrading = None,
    output: opt.RunOutput = None,
    format_: opt.RunFormats = None,
    open_: OpenOption = False,
    fail_under: FailUnderOption = None,
    config_file: opt.Config = None,
    extractor: opt.ExtractorName = None,
    strict_params: StrictParamsOption = False,
    allow_custom_checks: opt.AllowChecks = False,
    skip_broken: opt.SkipBroken = False,
    no_verdict_cache: opt.NoVerdictCache = False,
    quiet: opt.Quiet = False,
) -> None:
    """Run eval sets against models and report how often each gets its Rust right.

    Example: forgetest run -e eval-sets/rust-basics.toml -m ollama/qwen3:8b --pass-k 1,5
    """
    runs_folder, file = runs_folder_and_file(output)
    options = run_table(
        eval_sets=eval_set,
        models=models,
        variants=variant,
        samples=samples,
        pass_k=pass_k,
        temperature=temperature,
        max_tokens=max_tokens,
        seed=seed,
        parallelism=parallelism,
        concurrency=concurrency,
        timeout_secs=timeout,
        extractor=extractor,
        sandbox=sandbox,
        repeat_grading=repeat_grading,
        max_cost=max_cost,
        output=runs_folder,
        no_verdict_cache=no_verdict_cache,
    )
    # Wrong ones are refused before anything is paid for.
    outputs = run_outputs(format_, file=file, open_=open_)
    minimums = parse_minimums(fail_under)
    demand_output()
    config = configuration(config_file)
    table, notes = merged(options, config.run)
    new_bench = partial(workbench, allow_custom_checks=allow_custom_checks, cache=config.cache)
    sources_of = partial(
        open_sources,
        config=config,
        concurrency=table.concurrency,
        strict_params=strict_params,
        quiet=quiet,
    )
    if extend is not None:
        refuse_changes(
            options,
            limit=limit,
            dry_run=dry_run,
            skip_broken=skip_broken,
            resume=resume is not None,
        )
        session = extended_session(
            extend, options, config, sources_of, new_bench, filters=filter_, globs=case
        )
    elif resume is not None:
        refuse_planning(
            options,
            filter=filter_,
            case=case,
            limit=limit,
            dry_run=dry_run,
            skip_broken=skip_broken,
        )
        session = resumed_session(resume, table, sources_of, new_bench, max_cost=max_cost)
    else:
        session = None
    if session is not None:
        demand_planned(session.plan, minimums)
        session.halt.fail_fast = fail_fast
        raise typer.Exit(launch(session, outputs, quiet=quiet, minimums=minimums))
    say_notes(notes, quiet=quiet)
    table = with_models(table, config, quiet=quiet)
    settings = settle(table, cores=workers(), variants=config.variants)
    eval_sets = planned_cases(settings, filters=filter_, globs=case, limit=limit)
    bench = new_bench(table) if skip_broken else None
    eval_sets, left_out = (
        without_broken(eval_sets, bench, quiet=quiet) if bench else (eval_sets, ())
    )
    plan = Plan(
        models=settings.models,
        samples_per_case=settings.samples,
        pass_k=settings.pass_k,
        sampling=settings.sampling,
        eval_sets=eval_sets,
        variants=resolved(config.variants, settings.models),
        conversations=conversations(settings.models),
    )
    demand_planned(plan, minimums)
    sources = sources_of(plan, demand_keys=not dry_run)
    if dry_run:
        print_plan(plan, sources)
        missing = dict.fromkeys(sources.missing_keys)
        say_notes((f"the run will need {name}, which is not set" for name in missing), quiet=quiet)
        return
    say_notes(_before_paying(plan, sources, limited=settings.max_cost_usd is not None), quiet=quiet)
    session = new_session(
        plan, bench or new_bench(table), settings, sources, config=config, left_out=left_out
    )
    session.halt.fail_fast = fail_fast
    raise typer.Exit(launch(session, outputs, quiet=quiet, minimums=minimums))


def _before_paying(plan: Plan, sources: OpenSources, *, limited: bool) -> Iterator[str]:
    """Yield what is wrong with the prompts, and what --max-cost cannot count."""
    yield from finding_lines(plan_findings(plan, sources.preset_of))
    if limited:
        yield from uncounted_notes(sources.estimates())


def print_plan(plan: Plan, sources: OpenSources) -> None:
    """Print what a run would ask, and what that costs at most."""
    console = results()
    print_line(console, plan_line(plan))
    estimates = sources.estimates()
    console.print(plan_table(estimates))
    if plan.variants:
        console.print(variants_table(plan.variants))
    for line in (*plan_notes(estimates), *finding_lines(plan_findings(plan, sources.preset_of))):
        print_line(console, line)
