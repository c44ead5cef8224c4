"""`forgetest run`: ask models, grade what they wrote, report.

Carries out `forgetest run`: prepare, conduct, print, and the exit code.

Leaves broken cases out of a run, before anything is paid for: `--skip-broken`.
"""

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from forgetest.check.deep import Checks
from forgetest.check.types import CaseCheck, Severity
from forgetest.cli import options as opt
from forgetest.cli.interrupts import INTERRUPTS
from forgetest.cli.prepare import configuration, cores, eval_sets, workbench, workers
from forgetest.cli.report import Say, asked_of_run, present, write_files
from forgetest.cli.streams import demand_output
from forgetest.cli.terminal import Watch, print_report, results
from forgetest.cli.validate import TIMES, check_store
from forgetest.errors import ConfigError, ExitCode, OutputLostError
from forgetest.evalset.select import keep
from forgetest.evalset.types import EvalSet
from forgetest.render.run import ShownRun, plan_line, plan_table
from forgetest.render.safe import one_line
from forgetest.report.types import Report
from forgetest.run.folder import create, read_manifest, resume
from forgetest.run.manifest import LeftOut
from forgetest.run.settings import ReportTable, RunTable, Settings, settle
from forgetest.runner.config import Config
from forgetest.runner.session import (
    Finished,
    Opening,
    Sources,
    Workbench,
    carry_out,
    cases_of,
    describe,
    estimates,
)
from forgetest.runner.sources import OpenSources, SourceOptions
from forgetest.sampling.plan import Plan
from forgetest.value import count, readable


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
    from forgetest.cli.prepare import run_table

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
    request = RunRequest(
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


EvalSets = tuple[EvalSet, ...]


def without_broken(
    sets: Sequence[EvalSet], bench: Workbench, *, quiet: bool
) -> tuple[EvalSets, tuple[LeftOut, ...]]:
    """Return the eval sets without broken cases, and what was left out and why.

    Says so on standard error, a line for each. ConfigError when no case is sound.
    """
    console = Console(stderr=True, highlight=False, quiet=quiet)
    cases = count(sum(len(item.cases) for item in sets), "case")
    console.print(f"checking {cases} before asking", markup=False)
    checker = Checks(
        bench.grader, bench.parallelism, times=TIMES, mutants=False, store=check_store(bench)
    )
    found = INTERRUPTS.run(checker.all(sets))
    gone = tuple(_left_out(check) for check in found.values() if check.broken)
    for line in _lines(found.values(), gone):
        console.print(line, markup=False, soft_wrap=True)
    names = {one.case for one in gone}
    kept = keep(sets, lambda case: case.key not in names)
    if not kept:
        raise ConfigError("every case is broken; see forgetest validate --deep, and mend them")
    return kept, gone


def _lines(found: Iterable[CaseCheck], gone: Iterable[LeftOut]) -> Iterator[str]:
    """Yield what is left out and why, and what is asked although nothing is known of it."""
    for one in gone:
        yield f"left out: {one.case}: {one_line(one.reason)}"
    for check in found:
        for finding in check.findings:
            if finding.severity is Severity.UNCHECKED:
                yield f"not checked, and kept: {check.case}: {one_line(finding.message)}"


def _left_out(check: CaseCheck) -> LeftOut:
    why = (one.message for one in check.findings if one.severity is Severity.BROKEN)
    return LeftOut(case=check.case, reason=next(why))


# What may change between the sessions of a run.
RESUMABLE = ("parallelism", "concurrency", "repeat_grading", "verdict_cache")


Conclude = Callable[[Report], Report]


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What the command line asks for, beside the run table."""

    table: RunTable
    config: Path | None = None
    tags: Sequence[str] = ()
    globs: Sequence[str] = ()
    resume: Path | None = None
    dry_run: bool = False
    format: str = "text"
    strict_params: bool = False
    allow_custom_checks: bool = False
    skip_broken: bool = False
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class ChosenCases:
    """The cases of a run; `bench` is what checked them, None when nothing did."""

    sets: tuple[EvalSet, ...]
    left_out: tuple[LeftOut, ...] = ()
    bench: Workbench | None = None


def _as_it_is(report: Report) -> Report:
    return report


def launch(request: RunRequest) -> ExitCode:
    """Carry out the request; return the exit code."""
    asked_of_run(request.format)  # a wrong one is told before anything is paid for
    demand_output()
    config = configuration(request.config)
    if request.resume is not None:
        return _resume(request, request.resume, config)
    table = request.table.over(config.run)
    settings = settle(table, cores=workers())
    cases = chosen_cases(request, settings, table, config)
    plan = Plan(
        models=settings.models,
        samples_per_case=settings.samples,
        pass_k=settings.pass_k,
        sampling=settings.sampling,
        eval_sets=cases.sets,
    )
    sources = sources_of(request, plan, config)
    if request.dry_run:
        return _dry_run(plan, sources)
    bench = cases.bench or bench_of(request, table, config)
    opening = new_run(
        plan,
        bench,
        settings,
        sources,
        left_out=cases.left_out,
        report_options=config.report.asked,
    )
    return conduct(opening, bench, sources, plan=plan, request=request)


def new_run(
    plan: Plan,
    bench: Workbench,
    settings: Settings,
    sources: OpenSources,
    *,
    left_out: tuple[LeftOut, ...],
    report_options: ReportTable | None,
) -> Opening:
    """Return what opens a new run folder where the settings want it."""
    manifest = describe(
        plan,
        bench,
        extractor=settings.extractor,
        command=command(),
        endpoints=sources.endpoints,
        left_out=left_out,
    ).model_copy(update={"report_options": report_options})
    return partial(create, settings.output, manifest)


def chosen_cases(
    request: RunRequest, settings: Settings, table: RunTable, config: Config
) -> ChosenCases:
    """Return the cases that the request asks for, without broken ones if it wants that."""
    sets = eval_sets(settings, tags=request.tags, globs=request.globs)
    if not request.skip_broken:
        return ChosenCases(sets)
    bench = bench_of(request, table, config)
    kept, left_out = without_broken(sets, bench, quiet=request.quiet)
    return ChosenCases(kept, left_out, bench)


def sources_of(request: RunRequest, plan: Plan, config: Config) -> OpenSources:
    """Return the plan's sources, checked as far as they can be without asking anybody."""
    options = SourceOptions(
        environ=os.environ,
        concurrency=request.table.concurrency or config.run.concurrency,
        strict_params=request.strict_params,
        cores=cores(),
        # A dry run asks nobody, and a resumed run may have nothing left to ask.
        demand_keys=not request.dry_run and request.resume is None,
    )
    sources = OpenSources(plan, config, options)
    if not request.quiet:
        console = Console(stderr=True)
        for note in sources.notes:
            _say(console, f"note: {note}")
    return sources


def bench_of(request: RunRequest, table: RunTable, config: Config) -> Workbench:
    """Return the workbench that the command line and the configuration ask for."""
    return workbench(table, allow_custom_checks=request.allow_custom_checks, cache=config.cache)


def command() -> tuple[str, ...]:
    """Return the command line as the manifest records it; no option of ours takes a secret."""
    return ("forgetest", *map(readable, sys.argv[1:]))


def _resume(request: RunRequest, path: Path, config: Config) -> ExitCode:
    said = [name for name, value in request.table if value is not None and name not in RESUMABLE]
    planning = request.tags or request.globs or request.dry_run or request.skip_broken
    if said or planning:
        raise ConfigError(
            "--resume continues a run as it was planned; leave out the options that plan one"
        )
    manifest = read_manifest(path)
    sources = sources_of(request, manifest.plan, config)
    if sources.endpoints != manifest.endpoints:
        raise ConfigError(
            f"{path}: was asked at {manifest.endpoints}, but the configuration now says"
            f" {sources.endpoints}; restore it, or start a new run"
        )
    table = request.table.over(config.run)
    if manifest.sandbox is not None:  # one run, one sandbox
        table = table.model_copy(update={"sandbox": str(manifest.sandbox.backend)})
    bench = bench_of(request, table, config)
    opening = partial(resume, path)
    return conduct(opening, bench, sources, plan=manifest.plan, request=request)


def conduct(
    opening: Opening,
    bench: Workbench,
    sources: Sources,
    *,
    plan: Plan,
    request: RunRequest,
    conclude: Conclude = _as_it_is,
) -> ExitCode:
    """Conduct a run, print its report and return the exit code; an interrupt says how to go on.

    What is printed is what `conclude` makes of the report.
    """
    console = Console(stderr=True)
    watch = Watch(console, quiet=request.quiet)
    try:
        finished = carried_out(opening, bench, sources, plan=plan, watch=watch)
    except KeyboardInterrupt:
        return _interrupted(console, watch)
    return _finish(console, finished, plan, request, conclude)


def carried_out(
    opening: Opening, bench: Workbench, sources: Sources, *, plan: Plan, watch: Watch
) -> Finished:
    """Conduct a run to its end while somebody watches; KeyboardInterrupt when it is stopped."""
    with watch:
        return INTERRUPTS.run(_prepared(opening, bench, sources, plan=plan, watch=watch))


async def _prepared(
    opening: Opening, bench: Workbench, sources: Sources, *, plan: Plan, watch: Watch
) -> Finished:
    await bench.grader.prepare(cases_of(plan))
    return await carry_out(opening, bench, sources, watch)


def _interrupted(console: Console, watch: Watch) -> ExitCode:
    graded, planned = watch.settled()
    with contextlib.suppress(OutputLostError):  # by the terminal that hung up
        if watch.path is None:
            _say(console, "interrupted before the run began")
        else:
            _say(console, f"interrupted: {graded} of {planned} samples graded; continue with")
            _say(console, f"  forgetest run --resume {watch.path}")
    return ExitCode.INTERRUPTED


def _finish(
    console: Console, finished: Finished, plan: Plan, request: RunRequest, conclude: Conclude
) -> ExitCode:
    printed, written = asked_of_run(request.format)
    unprinted = _unprinted(conclude(finished.report), printed)
    say: Say = (lambda _: None) if request.quiet else partial(_say, console)
    say(f"report: {finished.path / 'report.json'}")
    run = ShownRun(finished.report, plan.eval_sets, readable(finished.path.resolve().name))
    again = present(finished.path)
    write_files(tuple(dict.fromkeys((*written, *again))), [run], finished.path, say=say)
    if unprinted is not None:
        raise OutputLostError(f"{unprinted}; the report is in {finished.path / 'report.json'}")
    if finished.report.complete:
        return ExitCode.DONE
    _say(console, f"unscored samples are tried again by: forgetest run --resume {finished.path}")
    return ExitCode.UNSCORED


def _unprinted(report: Report, form: str) -> OutputLostError | None:
    """Print a report; return what kept it from being printed, which is no reason to lose files."""
    try:
        print_report(report, form)
    except OutputLostError as lost:
        return lost
    return None


def _say(console: Console, text: str) -> None:
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def _dry_run(plan: Plan, sources: OpenSources) -> ExitCode:
    console = results()
    _say(console, plan_line(plan))
    console.print(plan_table(estimates(plan, sources)))
    return ExitCode.DONE
