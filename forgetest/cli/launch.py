"""Carries out `forgetest run`: prepare, conduct, print, and the exit code."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console

from forgetest.cli.printing import print_report, results
from forgetest.cli.reporting import Say, asked_of_run, present, write_files
from forgetest.cli.setup import configuration, cores, eval_sets, workbench, workers
from forgetest.cli.skipping import without_broken
from forgetest.cli.watch import Watch
from forgetest.config import Config
from forgetest.errors import ConfigError, ExitCode
from forgetest.evalset.types import EvalSet
from forgetest.manifest import LeftOut
from forgetest.plan import Plan
from forgetest.render.plan import plan_line, plan_table
from forgetest.render.run import Run
from forgetest.report.types import Report
from forgetest.rundir import create, read_manifest, resume
from forgetest.runner.estimate import estimates
from forgetest.runner.session import (
    Finished,
    Opening,
    Sources,
    Workbench,
    carry_out,
    cases_of,
    describe,
)
from forgetest.runner.sources import OpenSources, SourceOptions
from forgetest.sandbox.types import Requested
from forgetest.settings import ReportTable, RunTable, Settings, settle

# What may change between the sessions of a run.
RESUMABLE = ("parallelism", "concurrency", "repeat_grading", "verdict_cache")


Conclude = Callable[[Report], Report]


@dataclass(frozen=True, slots=True)
class Request:
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


def launch(request: Request) -> ExitCode:
    """Carry out the request; return the exit code."""
    asked_of_run(request.format)  # a wrong one is told before anything is paid for
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
    request: Request, settings: Settings, table: RunTable, config: Config
) -> ChosenCases:
    """Return the cases that the request asks for, without broken ones if it wants that."""
    sets = eval_sets(settings, tags=request.tags, globs=request.globs)
    if not request.skip_broken:
        return ChosenCases(sets)
    bench = bench_of(request, table, config)
    kept, left_out = without_broken(sets, bench, quiet=request.quiet)
    return ChosenCases(kept, left_out, bench)


def sources_of(request: Request, plan: Plan, config: Config) -> OpenSources:
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


def bench_of(request: Request, table: RunTable, config: Config) -> Workbench:
    """Return the workbench that the command line and the configuration ask for."""
    return workbench(table, allow_custom_checks=request.allow_custom_checks, cache=config.cache)


def command() -> tuple[str, ...]:
    """Return the command line as the manifest records it; no option of ours takes a secret."""
    return ("forgetest", *sys.argv[1:])


def _resume(request: Request, path: Path, config: Config) -> ExitCode:
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
        table = table.model_copy(update={"sandbox": Requested(manifest.sandbox.backend)})
    bench = bench_of(request, table, config)
    opening = partial(resume, path)
    return conduct(opening, bench, sources, plan=manifest.plan, request=request)


def conduct(
    opening: Opening,
    bench: Workbench,
    sources: Sources,
    *,
    plan: Plan,
    request: Request,
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
        try:
            return asyncio.run(_until_stopped(opening, bench, sources, plan=plan, watch=watch))
        except asyncio.CancelledError:  # SIGTERM
            raise KeyboardInterrupt from None


async def _until_stopped(
    opening: Opening, bench: Workbench, sources: Sources, *, plan: Plan, watch: Watch
) -> Finished:
    """Run until done; SIGTERM stops it as Ctrl-C does, with every child killed first."""
    task = asyncio.current_task()
    if task is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    await bench.grader.prepare(cases_of(plan))
    return await carry_out(opening, bench, sources, watch)


def _interrupted(console: Console, watch: Watch) -> ExitCode:
    graded, planned = watch.settled()
    if watch.path is None:
        _say(console, "interrupted before the run began")
    else:
        _say(console, f"interrupted: {graded} of {planned} samples graded; continue with")
        _say(console, f"  forgetest run --resume {watch.path}")
    return ExitCode.INTERRUPTED


def _finish(
    console: Console, finished: Finished, plan: Plan, request: Request, conclude: Conclude
) -> ExitCode:
    printed, written = asked_of_run(request.format)
    print_report(conclude(finished.report), printed)
    say: Say = (lambda _: None) if request.quiet else partial(_say, console)
    say(f"report: {finished.path / 'report.json'}")
    run = Run(finished.report, plan.eval_sets, finished.path.resolve().name)
    again = present(finished.path)
    write_files(tuple(dict.fromkeys((*written, *again))), [run], finished.path, say=say)
    if finished.report.complete:
        return ExitCode.DONE
    _say(console, f"unscored samples are tried again by: forgetest run --resume {finished.path}")
    return ExitCode.UNSCORED


def _say(console: Console, text: str) -> None:
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def _dry_run(plan: Plan, sources: OpenSources) -> ExitCode:
    console = results()
    _say(console, plan_line(plan))
    console.print(plan_table(estimates(plan, sources)))
    return ExitCode.DONE
