"""`forgetest run --resume` and `--extend`: a run goes on in its folder, as planned or with more."""

import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path

from forgetest.cli.configuration import option_name
from forgetest.cli.prepare import load_cases
from forgetest.errors import ConfigError
from forgetest.evalset.types import EvalSet
from forgetest.run.folder import extend as extend_folder
from forgetest.run.folder import read_manifest
from forgetest.run.folder import resume as resume_folder
from forgetest.run.manifest import REPORT, EarlierPlan, Manifest, hashes
from forgetest.run.settings import RunTable, exact_usd
from forgetest.runner.config import Config
from forgetest.runner.extend import Additions, extended
from forgetest.runner.session import Session, Workbench, demand_same_toolchain
from forgetest.runner.sources import OpenSources
from forgetest.sampling.halt import Halt
from forgetest.value import readable

# What may change between the sessions of a run, and what a run may have more of.
RESUMABLE = ("parallelism", "concurrency", "repeat_grading", "verdict_cache", "max_cost")
EXTENDABLE = (*RESUMABLE, "models", "variants", "eval_sets", "samples", "pass_k")

SourcesOf = Callable[..., OpenSources]
NewBench = Callable[[RunTable], Workbench]


def refuse_planning(options: RunTable, **others: Sequence[str] | float | None) -> None:
    """Raise ConfigError for options that only a new run can follow."""
    if given := _given(options, RESUMABLE, others):
        raise ConfigError(f"--resume continues a run as planned: leave out {given}")


def refuse_changes(options: RunTable, **others: Sequence[str] | float | None) -> None:
    """Raise ConfigError for options that would change what a run has asked already."""
    if given := _given(options, EXTENDABLE, others):
        raise ConfigError(f"--extend asks in the same way as before: leave out {given}")


def _given(
    options: RunTable, allowed: Sequence[str], others: dict[str, Sequence[str] | float | None]
) -> str:
    planning = [name for name, value in options if value is not None and name not in allowed]
    names = (*planning, *(name for name, value in others.items() if value))
    return ", ".join(map(option_name, names))


def resumed_session(
    folder: Path,
    table: RunTable,
    sources_of: SourcesOf,
    new_bench: NewBench,
    *,
    max_cost: float | None,
) -> Session:
    """Return a session that continues a run: with its plan, its endpoints and its sandbox.

    A `max_cost` in US dollars stands in for the run's own, and counts what is spent already.
    """
    manifest = read_manifest(folder)
    # A run that is only graded further needs no key.
    sources = sources_of(manifest.plan, demand_keys=False, first_samples=first_samples(manifest))
    _demand_endpoints(folder, manifest, sources)
    return Session(
        manifest.plan,
        new_bench(_in_its_sandbox(table, manifest)),
        sources,
        open_folder=partial(resume_folder, folder),
        halt=Halt(max_cost_usd=_limit(manifest, max_cost)),
    )


def extended_session(
    folder: Path,
    options: RunTable,
    config: Config,
    sources_of: SourcesOf,
    new_bench: NewBench,
    *,
    filters: Sequence[str] | None,
    globs: Sequence[str] | None,
) -> Session:
    """Return a session that gives a run more samples, models, variants or cases.

    Everything is checked before the folder is touched; ConfigError says what cannot be added.
    """
    manifest = read_manifest(folder)
    more = Additions(
        models=options.models or (),
        variants=options.variants or (),
        eval_sets=_more_cases(options, filters, globs),
        samples=options.samples,
        pass_k=options.pass_k or (),
    )
    plan = extended(manifest.plan, more, config.variants)
    sources = sources_of(
        plan,
        first_samples=first_samples(manifest) or manifest.plan.samples_per_case,
    )
    _demand_endpoints(folder, manifest, sources)
    bench = new_bench(_in_its_sandbox(options.over(config.run), manifest))
    demand_same_toolchain(folder, manifest, bench.toolchain)
    limit = _limit(manifest, options.max_cost)
    grown = manifest.model_copy(
        update={
            "plan": plan,
            "plan_digest": plan.digest,
            "command": ("forgetest", *map(readable, sys.argv[1:])),
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
        halt=Halt(max_cost_usd=limit),
    )


def _more_cases(
    options: RunTable, filters: Sequence[str] | None, globs: Sequence[str] | None
) -> tuple[EvalSet, ...]:
    if options.eval_sets is None:
        if filters or globs:
            raise ConfigError("--filter and --case choose what --eval-set adds: add --eval-set")
        return ()
    paths = [Path(name.removeprefix("+")) for name in options.eval_sets]
    return load_cases(paths, filters=filters, globs=globs)


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


def first_samples(manifest: Manifest) -> int | None:
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


def _limit(manifest: Manifest, max_cost: float | None) -> Decimal | None:
    return manifest.max_cost_usd if max_cost is None else exact_usd(max_cost)
