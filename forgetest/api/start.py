"""What is asked of a run becomes a session: a new one, or one that goes on in a run's folder.

`forgetest run`, `forgetest grade` and `forgetest.run` begin here, so that a run is the same whoever
starts it. `draft` plans a run and checks what needs no server; `new_session` finds what grades and
describes the run. `resumed_session` and `extended_session` go on in its folder. Nothing here prints
or pays.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path

from forgetest.check.deep import Checks, CheckStore
from forgetest.check.types import CaseCheck, Severity
from forgetest.cluster.bench import open_bench
from forgetest.errors import ConfigError
from forgetest.evalset.load import load
from forgetest.evalset.select import keep, select
from forgetest.evalset.types import EvalSet
from forgetest.extract.types import Extractor
from forgetest.render.safe import one_line
from forgetest.run.folder import create, read_manifest
from forgetest.run.folder import extend as extend_folder
from forgetest.run.folder import resume as resume_folder
from forgetest.run.manifest import REPORT, EarlierPlan, LeftOut, Manifest, hashes
from forgetest.run.settings import RunTable, Settings, exact_usd, merged, settle
from forgetest.runner.config import Config
from forgetest.runner.extend import Additions, extended
from forgetest.runner.session import Session, Workbench, demand_same_toolchain, describe
from forgetest.runner.sources import OpenSources, SourceOptions
from forgetest.runner.variants import resolved
from forgetest.sampling.halt import Halt
from forgetest.sampling.plan import Plan
from forgetest.sampling.replay import conversations
from forgetest.system.machine import cache_folder, cores, workers
from forgetest.value import count

# What may change between the sessions of a run, and what a run may have more of.
RESUMABLE = (
    "parallelism",
    "concurrency",
    "repeat_grading",
    "grade_on",
    "verdict_cache",
    "max_cost",
)
EXTENDABLE = (*RESUMABLE, "models", "variants", "eval_sets", "samples", "pass_k")

Say = Callable[[str], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What somebody asks of a run, on the command line or from Python."""

    options: RunTable = field(
        default_factory=RunTable
    )  # they win over `[run]` of the configuration
    config: Config = field(default_factory=Config)
    eval_sets: tuple[EvalSet, ...] | None = None  # loaded already; those of the table otherwise
    command: tuple[str, ...] = ()  # what started it, for the manifest; it holds no secret
    filters: Sequence[str] = ()
    globs: Sequence[str] = ()
    limit: int | None = None
    strict_params: bool = False
    fail_fast: bool = False
    allow_custom_checks: bool = False
    say: Say = field(default=str)  # hears what a user should know before the run begins

    @property
    def table(self) -> RunTable:
        """What is asked, over what the configuration says."""
        return merged(self.options, self.config.run)[0]

    async def workbench(self, table: RunTable) -> Workbench:
        """Return toolchain, sandbox and grader; ToolchainError where nothing can be graded."""
        return await open_bench(
            table, self.config.cache, allow_custom_checks=self.allow_custom_checks
        )

    def sources(
        self, plan: Plan, *, demand_keys: bool = True, first_samples: int | None = None
    ) -> OpenSources:
        """Return the sources of a plan, checked as far as possible without sending a request."""
        options = SourceOptions(
            environ=os.environ,
            concurrency=self.options.concurrency or self.config.run.concurrency,
            strict_params=self.strict_params,
            cores=cores(),
            graders=self.options.parallelism or self.config.run.parallelism or workers(),
            demand_keys=demand_keys,
            first_samples=first_samples,
        )
        sources = OpenSources(plan, self.config, options)
        for note in sources.notes:
            self.say(f"note: {note}")
        return sources

    def halt(self, max_cost_usd: Decimal | None) -> Halt:
        """Return what may end the run before its plan is done."""
        return Halt(max_cost_usd=max_cost_usd, fail_fast=self.fail_fast)


@dataclass(frozen=True, slots=True)
class Draft:
    """A planned run, before anything is made or paid for."""

    request: RunRequest
    table: RunTable
    settings: Settings
    plan: Plan
    left_out: tuple[LeftOut, ...] = ()
    bench: Workbench | None = None  # where cases were checked


PlanOf = Callable[[Settings, tuple[EvalSet, ...]], Plan]


async def draft(
    request: RunRequest, *, skip_broken: bool = False, plan_of: PlanOf | None = None
) -> Draft:
    """Return the planned run; `ForgetestError` for what makes none.

    `skip_broken` checks the cases first, and leaves out those that are broken. `plan_of` makes
    another plan than one that asks every model about every case.
    """
    table, notes = merged(request.options, request.config.run)
    for note in notes:
        request.say(f"note: {note}")
    if request.eval_sets is not None:
        table = table.model_copy(update={"eval_sets": tuple(item.id for item in request.eval_sets)})
    settings = settle(table, cores=workers(), variants=request.config.variants)
    eval_sets = _planned_cases(request, settings)
    bench: Workbench | None = None
    left_out: tuple[LeftOut, ...] = ()
    if skip_broken:
        bench = await request.workbench(table)
        eval_sets, left_out = await without_broken(eval_sets, bench, request.say)
    plan = (plan_of or partial(_plan, request.config))(settings, eval_sets)
    return Draft(request, table, settings, plan, left_out, bench)


def _plan(config: Config, settings: Settings, eval_sets: tuple[EvalSet, ...]) -> Plan:
    return Plan(
        models=settings.models,
        samples_per_case=settings.samples,
        pass_k=settings.pass_k,
        sampling=settings.sampling,
        eval_sets=eval_sets,
        variants=resolved(config.variants, settings.models),
        conversations=conversations(settings.models),
    )


def load_cases(
    paths: Sequence[Path],
    *,
    say: Say,
    filters: Sequence[str] = (),
    globs: Sequence[str] = (),
    limit: int | None = None,
) -> tuple[EvalSet, ...]:
    """Return the eval sets of files and folders with the cases that are selected.

    `EvalSetError` carries every problem of every file. A note says where a shipped set stands in
    for a file that is not there.
    """
    eval_sets = load(paths)
    for path in paths:
        if len(path.parts) > 1 and not path.exists():
            say(f"note: there is no {path} here: using the eval set that ships with forgetest")
    return select(eval_sets, filters=filters, cases=globs, limit=limit)


def _planned_cases(request: RunRequest, settings: Settings) -> tuple[EvalSet, ...]:
    """Return the selected cases of a run; a time limit of the run replaces their own."""
    loaded = request.eval_sets
    if loaded is None:
        loaded = load_cases(settings.eval_sets, say=request.say)
    eval_sets = select(loaded, filters=request.filters, cases=request.globs, limit=request.limit)
    if settings.timeout_secs is None:
        return eval_sets
    longest = {"timeout_secs": settings.timeout_secs}
    return tuple(
        eval_set.model_copy(
            update={"cases": tuple(case.model_copy(update=longest) for case in eval_set.cases)}
        )
        for eval_set in eval_sets
    )


async def new_session(draft: Draft, sources: OpenSources) -> Session:
    """Return a session that makes a new run folder below the folder that was asked for."""
    request, settings = draft.request, draft.settings
    bench = draft.bench or await request.workbench(draft.table)
    manifest = manifest_of(
        request,
        draft.plan,
        bench,
        extractor=settings.extractor,
        endpoints=sources.endpoints,
        left_out=draft.left_out,
    )
    manifest = manifest.model_copy(update={"max_cost_usd": settings.max_cost_usd})
    return Session(
        draft.plan,
        bench,
        sources,
        open_folder=partial(create, settings.output, manifest),
        halt=request.halt(settings.max_cost_usd),
    )


def manifest_of(
    request: RunRequest,
    plan: Plan,
    bench: Workbench,
    *,
    extractor: Extractor,
    endpoints: Mapping[str, str],
    left_out: tuple[LeftOut, ...],
) -> Manifest:
    """Return the manifest of a run that begins now."""
    manifest = describe(
        plan,
        bench,
        command=request.command,
        extractor=extractor,
        endpoints=endpoints,
        left_out=left_out,
    )
    return manifest.model_copy(update={"report_options": request.config.report.asked})


async def resumed_session(folder: Path, request: RunRequest) -> Session:
    """Return a session that continues a run: with its plan, its endpoints and its sandbox.

    A `max_cost` that is asked for stands in for the run's own, and counts what is spent already.
    """
    manifest = read_manifest(folder)
    # A run that is only graded further needs no key.
    sources = request.sources(
        manifest.plan, demand_keys=False, first_samples=_first_samples(manifest)
    )
    _demand_endpoints(folder, manifest, sources)
    return Session(
        manifest.plan,
        await request.workbench(_in_its_sandbox(request.table, manifest)),
        sources,
        open_folder=partial(resume_folder, folder),
        halt=request.halt(_cost_limit(manifest, request)),
    )


async def extended_session(folder: Path, request: RunRequest) -> Session:
    """Return a session that gives a run more samples, models, variants or cases.

    Everything is checked before the folder is touched; ConfigError says what cannot be added.
    """
    manifest, options = read_manifest(folder), request.options
    more = Additions(
        models=options.models or (),
        variants=options.variants or (),
        eval_sets=_more_cases(request),
        samples=options.samples,
        pass_k=options.pass_k or (),
    )
    plan = extended(manifest.plan, more, request.config.variants)
    sources = request.sources(
        plan, first_samples=_first_samples(manifest) or manifest.plan.samples_per_case
    )
    _demand_endpoints(folder, manifest, sources)
    bench = await request.workbench(_in_its_sandbox(request.table, manifest))
    demand_same_toolchain(folder, manifest, bench.toolchain)
    limit = _cost_limit(manifest, request)
    grown = manifest.model_copy(
        update={
            "plan": plan,
            "plan_digest": plan.digest,
            "command": request.command,
            "endpoints": sources.endpoints,
            "case_hashes": hashes(plan.eval_sets),
            "max_cost_usd": limit,
            "history": (*manifest.history, _earlier(folder, manifest)),
        }
    )
    return Session(
        plan,
        bench,
        sources,
        open_folder=partial(extend_folder, folder, grown),
        halt=request.halt(limit),
    )


def _more_cases(request: RunRequest) -> tuple[EvalSet, ...]:
    names = request.options.eval_sets
    if names is None:
        if request.filters or request.globs:
            raise ConfigError("--filter and --case choose what --eval-set adds: add --eval-set")
        return ()
    paths = [Path(name.removeprefix("+")) for name in names]
    return load_cases(paths, say=request.say, filters=request.filters, globs=request.globs)


def _earlier(folder: Path, manifest: Manifest) -> EarlierPlan:
    """Return what the run is until now; its report gets a number."""
    report = f"report-{len(manifest.history) + 1}.json"
    return EarlierPlan(
        until=datetime.now(UTC).isoformat(timespec="seconds"),
        command=manifest.command,
        plan_digest=manifest.plan_digest,
        samples_per_case=manifest.plan.samples_per_case,
        report=report if (folder / REPORT).is_file() else "",
    )


def _first_samples(manifest: Manifest) -> int | None:
    """Return the samples per case that an extended run began with; None if it was not extended.

    They decide whether a provider's own temperature is sent.
    """
    return manifest.history[0].samples_per_case if manifest.history else None


def _demand_endpoints(folder: Path, manifest: Manifest, sources: OpenSources) -> None:
    now = {name: url for name, url in sources.endpoints.items() if name in manifest.endpoints}
    if now != manifest.endpoints:
        raise ConfigError(
            f"{folder}: this run used {manifest.endpoints}, but the configuration now says"
            f" {now}: restore the configuration, or start a new run"
        )


def _in_its_sandbox(table: RunTable, manifest: Manifest) -> RunTable:
    if manifest.sandbox is None:
        return table
    return table.model_copy(update={"sandbox": str(manifest.sandbox.backend)})


def _cost_limit(manifest: Manifest, request: RunRequest) -> Decimal | None:
    asked = request.options.max_cost
    return manifest.max_cost_usd if asked is None else exact_usd(asked)


def check_store(bench: Workbench) -> CheckStore | None:
    """Return the results of earlier checks; None where verdicts are not cached either."""
    return None if bench.verdicts is None else CheckStore(cache_folder())


async def without_broken(
    eval_sets: Sequence[EvalSet], bench: Workbench, say: Say
) -> tuple[tuple[EvalSet, ...], tuple[LeftOut, ...]]:
    """Return the eval sets without broken cases, and the broken cases with the reason.

    Says a line on each of them. ConfigError when every case is broken.
    """
    cases = count(sum(len(eval_set.cases) for eval_set in eval_sets), "case")
    say(f"checking {cases} before the run")
    async with bench.opened(say) as grading:
        checker = Checks(
            bench.grader,
            grading.at_once,
            remote=bench.remote,
            mutants=False,
            store=check_store(bench),
        )
        checks = await checker.all(eval_sets)
    left_out = tuple(
        LeftOut(case=check.case, reason=_why_broken(check))
        for check in checks.values()
        if check.broken
    )
    for line in _skipping_lines(checks.values(), left_out):
        say(line)
    broken = {case.case for case in left_out}
    kept = keep(eval_sets, lambda case: case.key not in broken)
    if not kept:
        raise ConfigError("every case is broken: run forgetest validate --deep and fix them")
    return kept, left_out


def _why_broken(check: CaseCheck) -> str:
    return next(
        finding.message for finding in check.findings if finding.severity is Severity.BROKEN
    )


def _skipping_lines(checks: Iterable[CaseCheck], left_out: Iterable[LeftOut]) -> Iterator[str]:
    """Yield a line for each broken case, and for each that stays although it was not checked."""
    for case in left_out:
        yield f"skipped: {case.case}: {one_line(case.reason)}"
    for check in checks:
        for finding in check.findings:
            if finding.severity is Severity.UNCHECKED:
                yield f"not checked, kept: {check.case}: {one_line(finding.message)}"
