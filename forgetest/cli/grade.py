"""`forgetest grade`: verdicts without a model, from recorded completions or from an earlier run."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli import options as opt
from forgetest.cli.fail_under import FailUnderOption, demand_planned, parse_minimums
from forgetest.cli.output import OpenOption, runs_folder_and_file
from forgetest.errors import ConfigError

if opt.CALLED:
    from rich.console import Console

    from forgetest.api.cases import Cases
    from forgetest.api.grader import Grader
    from forgetest.api.start import RunRequest, draft, manifest_of, new_session
    from forgetest.cli.configuration import configuration, run_table
    from forgetest.cli.interrupts import INTERRUPTS
    from forgetest.cli.launch import launch
    from forgetest.cli.prepare import load_cases, run_request
    from forgetest.cli.report import run_outputs
    from forgetest.cli.stream import grade_stream, refuse_with_stream
    from forgetest.cli.streams import demand_output
    from forgetest.cli.watch import Watch
    from forgetest.compare.read import open_side
    from forgetest.compare.side import Side
    from forgetest.evalset.types import Case, EvalSet
    from forgetest.extract.types import Extractor
    from forgetest.report.agreement import JudgedCompletion, agreement
    from forgetest.report.types import CaseReport, ModelReport, Report
    from forgetest.run.folder import read_manifest
    from forgetest.run.manifest import MANIFEST, REPORT
    from forgetest.run.settings import Settings, eval_set_paths
    from forgetest.runner.session import Session, create_from, run_session
    from forgetest.runner.sources import RecordedRun
    from forgetest.sampling.plan import ModelSpec, Plan, Sampling
    from forgetest.sampling.replay import ReplaySource, conversations, models_in, open_recording
    from forgetest.system.files import temporary_folder

SourceArgument = Annotated[
    Path,
    typer.Argument(
        metavar="SOURCE",
        help="JSONL file of recorded completions, or run folder; - with --stream.",
        show_default=False,
    ),
]
StreamOption = Annotated[
    bool,
    typer.Option(
        "--stream",
        help="Read completions from stdin line by line, and print each verdict once it is known.",
        rich_help_panel=opt.GRADING,
    ),
]
UnorderedOption = Annotated[
    bool,
    typer.Option(
        "--unordered",
        help="With --stream: print verdicts as they come, not in the order of the input.",
        rich_help_panel=opt.GRADING,
    ),
]


def grade(
    source: SourceArgument,
    eval_set: opt.EvalSets = None,
    pass_k: opt.PassK = None,
    filter_: opt.Filter = None,
    case: opt.CaseGlobs = None,
    limit: opt.Limit = None,
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
    allow_custom_checks: opt.AllowChecks = False,
    skip_broken: opt.SkipBroken = False,
    no_verdict_cache: opt.NoVerdictCache = False,
    stream: StreamOption = False,
    unordered: UnorderedOption = False,
    quiet: opt.Quiet = False,
) -> None:
    """Grade recorded completions, or grade a run again with today's compiler.

    Example: forgetest grade completions.jsonl -e eval-sets/rust-basics.toml

    A run folder needs no other option: it holds the run's eval sets, models and completions.
    """
    runs_folder, file = runs_folder_and_file(output)
    options = run_table(
        eval_sets=eval_set,
        pass_k=pass_k,
        parallelism=parallelism,
        timeout_secs=timeout,
        extractor=extractor,
        sandbox=sandbox,
        repeat_grading=repeat_grading,
        grade_on=grade_on,
        output=runs_folder,
        no_verdict_cache=no_verdict_cache,
    )
    # Wrong ones are refused before anything is graded.
    outputs = run_outputs(format_, file=file, open_=open_)
    minimums = parse_minimums(fail_under)
    demand_output()
    config = configuration(config_file)
    if stream:
        refuse_with_stream(
            source,
            pass_k=pass_k,
            timeout=timeout,
            output=output,
            format=format_,
            open=open_,
            fail_under=fail_under,
            skip_broken=skip_broken,
        )
        table = options.over(config.run)
        eval_sets = load_cases(
            eval_set_paths(table.eval_sets), filters=filter_, globs=case, limit=limit
        )
        grader = Grader.of(table, config.cache, allow_custom_checks=allow_custom_checks)
        grading = grade_stream(Cases(eval_sets), grader, ordered=not unordered)
        raise typer.Exit(INTERRUPTS.run(grading))
    if unordered:
        raise ConfigError("--unordered is for --stream")
    if source.is_dir():
        if eval_set or pass_k or filter_ or case or limit or timeout or skip_broken:
            raise ConfigError(
                f"{source}: a run is graded again as planned; --eval-set, --pass-k, --filter,"
                " --case, --limit, --timeout and --skip-broken are for recorded completions"
            )
        request = run_request(options, config, quiet=quiet, allow_custom_checks=allow_custom_checks)
        session = regrading_session(source, runs_folder or source.parent, request)
        demand_planned(session.plan, minimums)
        raise typer.Exit(launch(session, outputs, quiet=quiet, minimums=minimums))
    if not source.is_file():
        raise ConfigError(f"{source}: no such file or run folder")
    models = tuple(f"replay/{name}" for name in models_in(source))
    # A recording has as many samples as it has, and costs nothing.
    defaults = config.run.model_copy(update={"samples": None, "max_cost": None})
    request = run_request(
        options.model_copy(update={"models": models}),
        config.model_copy(update={"run": defaults}),
        quiet=quiet,
        allow_custom_checks=allow_custom_checks,
        filters=filter_,
        globs=case,
        limit=limit,
    )
    planning = draft(request, skip_broken=skip_broken, plan_of=partial(recorded_plan, source))
    planned = INTERRUPTS.run(planning)
    session = INTERRUPTS.run(new_session(planned, request.sources(planned.plan)))
    complete = partial(with_agreement, plan=planned.plan)
    demand_planned(planned.plan, minimums)
    raise typer.Exit(launch(session, outputs, quiet=quiet, minimums=minimums, complete=complete))


def regrading_session(old: Path, root: Path, request: RunRequest) -> Session:
    """Return a session that grades the completions of a run again, in a new folder below `root`."""
    manifest = read_manifest(old)
    bench = INTERRUPTS.run(request.workbench(request.table))
    new = manifest_of(
        request,
        manifest.plan,
        bench,
        extractor=request.options.extractor or Extractor(manifest.extractor),
        endpoints=manifest.endpoints,
        left_out=manifest.left_out,
    )
    # Both reports name their models alike, so that they compare.
    new = new.model_copy(update={"names_recordings": manifest.names_recordings})
    return Session(
        new.plan, bench, RecordedRun(old), open_folder=partial(create_from, old, root, new)
    )


def regraded(
    name: str,
    old: Side,
    *,
    sandbox: str | None,
    config_file: Path | None,
    allow_custom_checks: bool,
    quiet: bool,
) -> Side:
    """Return a baseline with its completions graded now, in a folder that does not last.

    Raises ConfigError when `name` is not a run folder, and what grading a run raises.
    """
    folder = _run_folder(name)
    request = run_request(
        run_table(sandbox=sandbox),
        configuration(config_file),
        quiet=quiet,
        allow_custom_checks=allow_custom_checks,
    )
    with temporary_folder() as root:
        session = regrading_session(folder, root, request)
        with Watch(Console(stderr=True), quiet=quiet) as watch:
            finished = INTERRUPTS.run(run_session(session, watch))
        side = open_side(str(finished.path))
    return dataclasses.replace(side, file=old.file, created=old.created)


def _run_folder(name: str) -> Path:
    path = Path(name)
    folder = path.parent if path.name == REPORT else path
    if not (folder / MANIFEST).is_file():
        raise ConfigError(
            f"{name}: --regrade needs the baseline's run folder: a report alone has no tests"
        )
    return folder


def recorded_plan(file: Path, settings: Settings, eval_sets: tuple[EvalSet, ...]) -> Plan:
    """Return the plan of all recorded completions of these eval sets; ConfigError if none is.

    A case without a completion is left out: no model was asked, so it is not unscored either.
    """
    cases = [case for eval_set in eval_sets for case in eval_set.cases]
    recorded: dict[str, int] = {}
    for model in settings.models:
        counts = open_recording(model.model).counts(cases)
        recorded.update({f"{model}|{key}": number for key, number in counts.items()})
    kept = tuple(_with_completions(eval_set, settings, recorded) for eval_set in eval_sets)
    plan = Plan(
        models=settings.models,
        samples_per_case=max((0, *recorded.values())),
        pass_k=settings.pass_k,
        sampling=Sampling(),
        eval_sets=tuple(eval_set for eval_set in kept if eval_set.cases),
        recorded=recorded,
        conversations=conversations(settings.models),
    )
    if not plan.eval_sets:
        raise ConfigError(f"{file}: no completion belongs to a case of these eval sets")
    return plan


def _with_completions(eval_set: EvalSet, settings: Settings, recorded: dict[str, int]) -> EvalSet:
    cases = tuple(
        case
        for case in eval_set.cases
        if any(recorded.get(f"{model}|{case.key}") for model in settings.models)
    )
    return eval_set.model_copy(update={"cases": cases})


def with_agreement(report: Report, plan: Plan) -> Report:
    """Return the report with our agreement with the recorded verdicts, where there are any."""
    cases = {case.key: case for eval_set in plan.eval_sets for case in eval_set.cases}
    judged = [
        completion
        for planned, model in zip(plan.models, report.models, strict=True)
        for completion in _judged(planned, model, cases)
    ]
    return report.model_copy(update={"agreement": agreement(judged)})


def _judged(
    planned: ModelSpec, model: ModelReport, cases: dict[str, Case]
) -> Iterator[JudgedCompletion]:
    source = open_recording(planned.model)  # the report names the recording by its own model
    if any(row.recorded for row in source.rows):
        for case in model.cases:
            yield from _judged_case(case, cases[case.key], source)


def _judged_case(
    graded: CaseReport, case: Case, source: ReplaySource
) -> Iterator[JudgedCompletion]:
    rows = source.recorded(case)
    for sample in graded.samples:
        row = rows[sample.index]
        if row.recorded is not None:
            reasons = sample.verdict.reasons if sample.verdict else ()
            yield JudgedCompletion(
                model=row.model or "",
                case=graded.key,
                sample=sample.index + 1,
                recorded_passed=row.recorded.passed,
                recorded=row.recorded.words,
                flaky=row.recorded.flaky,
                passed=sample.passed if sample.scored else None,
                outcome=sample.outcome,
                reason=reasons[0] if reasons else "",
            )
