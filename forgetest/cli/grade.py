"""`forgetest grade`: verdicts without a model, from recorded completions or from a run.

Carries out `forgetest grade`: a file of recorded completions, or a run folder again.

Compares the verdicts of a graded recording with those that its rows carry.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli import options as opt
from forgetest.cli.prepare import configuration, workers
from forgetest.cli.report import asked_of_run
from forgetest.cli.run import (
    RunRequest,
    bench_of,
    chosen_cases,
    command,
    conduct,
    new_run,
    sources_of,
)
from forgetest.cli.streams import demand_output
from forgetest.errors import ConfigError, ExitCode
from forgetest.evalset.types import Case, EvalSet
from forgetest.extract import Extractor
from forgetest.report.agreement import JudgedCompletion, agreement
from forgetest.report.types import CaseReport, ModelReport, Report
from forgetest.run.folder import read_manifest
from forgetest.run.settings import Settings, settle
from forgetest.runner.session import Opening, RecordedRun, Workbench, create_from, describe
from forgetest.sampling.plan import Plan, Sampling
from forgetest.sampling.replay import ReplaySource, models_in, open_recording


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
    from forgetest.cli.prepare import run_table
    from forgetest.cli.run import RunRequest

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
    request = RunRequest(
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


def with_agreement(report: Report, plan: Plan) -> Report:
    """Return the report, with the agreement added when the recordings carry verdicts."""
    cases = {case.key: case for eval_set in plan.eval_sets for case in eval_set.cases}
    judged = [one for model in report.models for one in _judged(model, cases)]
    return report.model_copy(update={"agreement": agreement(judged)})


def _judged(model: ModelReport, cases: dict[str, Case]) -> Iterator[JudgedCompletion]:
    source = open_recording(model.model.model)
    if any(row.recorded for row in source.rows):
        for case in model.cases:
            yield from _judged_case(case, cases[case.key], source)


def _judged_case(found: CaseReport, case: Case, source: ReplaySource) -> Iterator[JudgedCompletion]:
    rows = source.recorded(case)
    for sample in found.samples:
        row = rows[sample.index]
        if row.recorded is not None:
            reasons = sample.verdict.reasons if sample.verdict else ()
            yield JudgedCompletion(
                model=row.model or "",
                case=found.key,
                sample=sample.index + 1,
                recorded_passed=row.recorded.passed,
                recorded=row.recorded.words,
                flaky=row.recorded.flaky,
                passed=sample.passed if sample.scored else None,
                outcome=sample.outcome,
                reason=reasons[0] if reasons else "",
            )


def grade_source(source: Path, request: RunRequest) -> ExitCode:
    """Grade a run folder again, or a file of completions; return the exit code."""
    asked_of_run(request.format)  # a wrong one is told before anything is graded
    demand_output()
    if source.is_dir():
        return _grade_run(source, request)
    if not source.is_file():
        raise ConfigError(f"{source}: no such file or run folder")
    return _grade_file(source, request)


def _grade_run(old: Path, request: RunRequest) -> ExitCode:
    picked = request.tags or request.globs or request.skip_broken
    if request.table.eval_sets or request.table.pass_k or picked:
        raise ConfigError(
            f"{old}: a run is graded again as it was planned; leave out the options that plan one"
        )
    root = Path(request.table.output or old.parent)
    opening, bench, plan = regrading(old, root, request)
    return conduct(opening, bench, RecordedRun(old), plan=plan, request=request)


def regrading(old: Path, root: Path, request: RunRequest) -> tuple[Opening, Workbench, Plan]:
    """Return what it takes to grade a run again, into a new folder below `root`."""
    manifest = read_manifest(old)
    config = configuration(request.config)
    bench = bench_of(request, request.table.over(config.run), config)
    new = describe(
        manifest.plan,
        bench,
        extractor=request.table.extractor or Extractor(manifest.extractor),
        command=command(),
        endpoints=manifest.endpoints,
        left_out=manifest.left_out,
    ).model_copy(update={"report_options": config.report.asked})
    return partial(create_from, old, root, new), bench, new.plan


def _grade_file(file: Path, request: RunRequest) -> ExitCode:
    config = configuration(request.config)
    models = tuple(f"replay/{name}" for name in models_in(file))
    table = request.table.model_copy(update={"models": models}).over(config.run)
    settings = settle(table, cores=workers())
    cases = chosen_cases(request, settings, table, config)
    plan = recorded_plan(file, settings, cases.sets)
    bench = cases.bench or bench_of(request, table, config)
    sources = sources_of(request, plan, config)
    opening = new_run(
        plan,
        bench,
        settings,
        sources,
        left_out=cases.left_out,
        report_options=config.report.asked,
    )
    agree = partial(with_agreement, plan=plan)
    return conduct(opening, bench, sources, plan=plan, request=request, conclude=agree)


def recorded_plan(file: Path, settings: Settings, sets: tuple[EvalSet, ...]) -> Plan:
    """Return a plan of every recorded completion whose case is there; ConfigError if there is none.

    A case without a completion is left out: it was not asked, so it cannot be unscored.
    """
    recorded: dict[str, int] = {}
    for model in settings.models:
        counts = open_recording(model.model).counts([case for item in sets for case in item.cases])
        recorded.update({f"{model}|{key}": count for key, count in counts.items()})
    kept = tuple(_with_completions(item, settings, recorded) for item in sets)
    plan = Plan(
        models=settings.models,
        samples_per_case=max((0, *recorded.values())),
        pass_k=settings.pass_k,
        sampling=Sampling(),
        eval_sets=tuple(item for item in kept if item.cases),
        recorded=recorded,
    )
    if not plan.eval_sets:
        raise ConfigError(f"{file}: no completion in it is of a case of these eval sets")
    return plan


def _with_completions(item: EvalSet, settings: Settings, recorded: dict[str, int]) -> EvalSet:
    cases = tuple(
        case
        for case in item.cases
        if any(recorded.get(f"{model}|{case.key}") for model in settings.models)
    )
    return item.model_copy(update={"cases": cases})
