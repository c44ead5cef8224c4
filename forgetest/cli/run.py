"""`forgetest run`: ask models for code, grade it, report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli import options as opt
from forgetest.cli.fail_under import FailUnderOption, demand_planned, parse_minimums
from forgetest.cli.output import OpenOption, runs_folder_and_file

if opt.CALLED:
    from forgetest.api.start import (
        EXTENDABLE,
        RESUMABLE,
        draft,
        extended_session,
        new_session,
        resumed_session,
    )
    from forgetest.check.prompts import plan_findings
    from forgetest.cli.configuration import configuration, option_name, run_table
    from forgetest.cli.interrupts import INTERRUPTS
    from forgetest.cli.launch import launch
    from forgetest.cli.offer import with_models
    from forgetest.cli.prepare import print_line, run_request, say_notes
    from forgetest.cli.report import run_outputs
    from forgetest.cli.streams import demand_output
    from forgetest.cli.terminal import results
    from forgetest.errors import ConfigError
    from forgetest.render.prompt import finding_lines, variants_table
    from forgetest.render.run import plan_line, plan_notes, plan_table, uncounted_notes
    from forgetest.run.settings import RunTable
    from forgetest.runner.sources import OpenSources
    from forgetest.sampling.plan import Plan

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
    grade_on: opt.GradeOn = None,
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
        grade_on=grade_on,
        max_cost=max_cost,
        output=runs_folder,
        no_verdict_cache=no_verdict_cache,
    )
    # Wrong ones are refused before anything is paid for.
    outputs = run_outputs(format_, file=file, open_=open_)
    minimums = parse_minimums(fail_under)
    demand_output()
    config = configuration(config_file)
    planned_here = {"limit": limit, "dry_run": dry_run, "skip_broken": skip_broken}
    if extend is not None:
        _refuse_changes(options, **planned_here, resume=resume is not None)
    elif resume is not None:
        _refuse_planning(options, **planned_here, filter=filter_, case=case)
    else:
        options = with_models(options, config, quiet=quiet)
    request = run_request(
        options,
        config,
        quiet=quiet,
        allow_custom_checks=allow_custom_checks,
        filters=filter_,
        globs=case,
        limit=limit,
        strict_params=strict_params,
        fail_fast=fail_fast,
    )
    if extend is not None:
        session = INTERRUPTS.run(extended_session(extend, request))
        demand_planned(session.plan, minimums)
    elif resume is not None:
        session = INTERRUPTS.run(resumed_session(resume, request))
        demand_planned(session.plan, minimums)
    else:
        planned = INTERRUPTS.run(draft(request, skip_broken=skip_broken))
        plan = planned.plan
        demand_planned(plan, minimums)
        sources = request.sources(plan, demand_keys=not dry_run)
        if dry_run:
            print_plan(plan, sources)
            missing = dict.fromkeys(sources.missing_keys)
            needed = (f"the run will need {name}, which is not set" for name in missing)
            say_notes(needed, quiet=quiet)
            return
        limited = planned.settings.max_cost_usd is not None
        say_notes(_before_paying(plan, sources, limited=limited), quiet=quiet)
        session = INTERRUPTS.run(new_session(planned, sources))
    raise typer.Exit(launch(session, outputs, quiet=quiet, minimums=minimums))


def _refuse_planning(options: RunTable, **others: object) -> None:
    """Raise ConfigError for options that only a new run can follow."""
    if given := _given(options, RESUMABLE, others):
        raise ConfigError(f"--resume continues a run as planned: leave out {given}")


def _refuse_changes(options: RunTable, **others: object) -> None:
    """Raise ConfigError for options that would change what a run has asked already."""
    if given := _given(options, EXTENDABLE, others):
        raise ConfigError(f"--extend asks in the same way as before: leave out {given}")


def _given(options: RunTable, allowed: Sequence[str], others: Mapping[str, object]) -> str:
    planning = [name for name, value in options if value is not None and name not in allowed]
    names = (*planning, *(name for name, value in others.items() if value))
    return ", ".join(map(option_name, names))


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
