"""One session of a run: prepare everything that can fail, then conduct, then report.

What a user can mend (no compiler, no key, a crate that does not exist) is found before the run
folder is made and before anything is paid.

Grading again what a run recorded: the old completions, a new folder, no model asked.

What a run may cost at most, model by model, without asking anybody.
"""

import asyncio
import dataclasses
import os
import platform
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from forgetest import __version__
from forgetest.errors import Fault, FaultKind, RunDirError
from forgetest.evalset.types import Case
from forgetest.extract import Extractor
from forgetest.grading.grader import Grader
from forgetest.grading.graders import ConcurrencyLimit, Identified, VerdictCache
from forgetest.grading.verdict_store import VerdictStore
from forgetest.report.build import build_report
from forgetest.report.files import dump_report
from forgetest.report.score import LINT_RULE, PROFILE
from forgetest.report.types import Report
from forgetest.run.events import Completed, Event, SampleRecord, fold
from forgetest.run.folder import COMPLETIONS, RunDir, create, read_journal, read_manifest
from forgetest.run.manifest import REPORT, LeftOut, Manifest, SandboxInfo, ToolchainInfo, hashes
from forgetest.run.state import stated
from forgetest.runner.conductor import Conductor, sampling_for
from forgetest.runner.sources import OpenSources
from forgetest.sampling.completion import Completion, CompletionSource, Draw
from forgetest.sampling.plan import ModelSpec, Plan, Sample, remaining
from forgetest.sampling.price import LOCAL, CostEstimate, estimate_cost
from forgetest.sampling.prompt import VERSION as PROMPT_VERSION
from forgetest.sampling.prompt import render
from forgetest.sampling.replay import recorded_line
from forgetest.sandbox.sandbox import Sandbox
from forgetest.system.toolchain import Toolchain


class Sources(Protocol):
    """The sources of a plan, opened while a run goes."""

    def opened(
        self, models: Collection[str], say: Callable[[str], None]
    ) -> AbstractAsyncContextManager[Mapping[str, CompletionSource]]:
        """Return the sources of some models, by model name; `say` hears of whole providers."""
        ...


Opening = Callable[[], AbstractContextManager[RunDir]]


class Watcher(Protocol):
    """Whoever looks on: the terminal's bars, plain lines, or nobody."""

    def begin(self, plan: Plan, path: Path, earlier: list[Event]) -> None:
        """Hear where the run is and what earlier sessions settled."""
        ...

    def event(self, event: Event) -> None:
        """Hear what happened to a sample."""
        ...

    def say(self, line: str) -> None:
        """Hear what happened to many samples at once, such as a server that went silent."""
        ...


@dataclass(frozen=True, slots=True)
class Workbench:
    """What grading needs on this machine."""

    toolchain: Toolchain
    grader: Grader
    judge: Identified  # the grader, with whatever stands before it
    sandbox: Sandbox
    parallelism: int
    verdicts: VerdictStore | None = None  # of earlier runs; None: none are looked at, none kept

    def remembering(self) -> VerdictCache:
        """Return the grader of one session: so many at once, and identical code only once."""
        seated = ConcurrencyLimit(self.judge, asyncio.Semaphore(self.parallelism))
        return VerdictCache(seated, self.verdicts, lock_of=self.grader.lock_of)


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that came to its end."""

    path: Path
    report: Report


def cases_of(plan: Plan) -> list[Case]:
    """Return every case of the plan, in order."""
    return [case for item in plan.eval_sets for case in item.cases]


def describe(
    plan: Plan,
    bench: Workbench,
    *,
    command: tuple[str, ...],
    extractor: Extractor,
    endpoints: Mapping[str, str],
    left_out: tuple[LeftOut, ...] = (),
) -> Manifest:
    """Return the manifest of a run that starts now."""
    return Manifest(
        forgetest=__version__,
        created=_now(),
        command=command,
        plan=plan,
        plan_digest=plan.digest,
        prompt_version=PROMPT_VERSION,
        extractor=extractor,
        scoring_profile=PROFILE,
        lint_rule=LINT_RULE,
        toolchain=toolchain_info(bench.toolchain),
        limits=dataclasses.asdict(bench.grader.limits),
        sandbox=SandboxInfo(
            backend=bench.sandbox.backend,
            version=bench.sandbox.version,
            guarantees=bench.sandbox.guarantees,
        ),
        endpoints=dict(endpoints),
        case_hashes=hashes(plan.eval_sets),
        left_out=left_out,
        python=platform.python_version(),
        platform=platform.platform(),
    )


def toolchain_info(toolchain: Toolchain) -> ToolchainInfo:
    """Return what identifies a compiler."""
    return ToolchainInfo(
        rustc=toolchain.rustc_version,
        cargo=toolchain.cargo_version,
        clippy=toolchain.clippy_version,
    )


async def carry_out(
    opening: Opening,
    bench: Workbench,
    sources: Sources,
    watcher: Watcher,
) -> Finished:
    """Conduct the run in the folder that `opening` opens; return its path and report.

    Raises RunDirError when the folder belongs to another compiler, ForgetestError when a source
    cannot be opened.
    """
    with opening() as rundir:
        _demand_same_toolchain(rundir, bench.toolchain)
        watcher.begin(rundir.manifest.plan, rundir.path, list(rundir.events))
        with stated(rundir):
            return Finished(rundir.path, await _conducted(rundir, bench, sources, watcher))


async def _conducted(
    rundir: RunDir, bench: Workbench, sources: Sources, watcher: Watcher
) -> Report:
    """Settle what is not settled, write the derived files and return the report."""
    rundir.discard(REPORT)  # of an earlier session: a folder without one is unfinished
    rundir.log(f"{_now()} session begins: {len(rundir.events)} events, process {os.getpid()}")

    def say(line: str) -> None:
        rundir.log(f"{_now()} {line}")
        watcher.say(line)

    async with sources.opened(_models_to_ask(rundir), say) as opened:
        conductor = Conductor(
            plan=rundir.manifest.plan,
            rundir=rundir,
            sources=opened,
            grader=bench.remembering(),
            extractor=Extractor(rundir.manifest.extractor),
            listen=watcher.event,
        )
        await conductor.run()
    report = conclude(rundir)
    rundir.log(f"{_now()} session ends: {len(rundir.events)} events")
    return report


def conclude(rundir: RunDir) -> Report:
    """Write the derived files of a run folder and return the report."""
    records = fold(rundir.events)
    report = build_report(rundir.manifest, records, journal=rundir.mark)
    rundir.write(REPORT, dump_report(report))
    rundir.write(COMPLETIONS, completions(rundir.manifest.plan, records))
    return report


def completions(plan: Plan, records: Mapping[str, SampleRecord]) -> str:
    """Return the raw completions as JSON lines that `replay/FILE` reads, in plan order."""
    lines: list[str] = []
    for sample in plan.samples():
        record = records.get(sample.key)
        if record is not None and record.completion is not None:
            lines.append(recorded_line(sample, record.completion))
    return "".join(f"{line}\n" for line in lines)


def _models_to_ask(rundir: RunDir) -> set[str]:
    """Return the models that still owe a completion: only their servers are needed."""
    answered = {key for key, record in fold(rundir.events).items() if record.completion is not None}
    return {str(sample.model) for sample in remaining(rundir.manifest.plan.samples(), answered)}


def _demand_same_toolchain(rundir: RunDir, toolchain: Toolchain) -> None:
    now, then = toolchain_info(toolchain), rundir.manifest.toolchain
    if now != then:
        raise RunDirError(
            f"{rundir.path}: begun with {_first(then.rustc)}, but this is {_first(now.rustc)};"
            f" grade all of it with today's compiler: forgetest grade {rundir.path}"
        )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _first(version: str) -> str:
    return version.splitlines()[0]


@dataclass(frozen=True, slots=True)
class Unanswered:
    """The source of samples that the old run has no completion of."""

    path: Path
    concurrency: int = 1

    async def complete(self, draw: Draw) -> Completion:
        """Raise `Fault`: nobody is asked when a run is graded again."""
        message = f"{self.path} holds no completion of {draw.sample.key}"
        raise Fault(FaultKind.PROVIDER, message)


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """The sources of a run that is graded again."""

    path: Path

    @asynccontextmanager
    async def opened(
        self, models: Collection[str], say: Callable[[str], None]
    ) -> AsyncIterator[dict[str, CompletionSource]]:
        """Yield a source that has nothing for each model that still owes a completion."""
        del say
        yield {model: Unanswered(self.path) for model in models}


@contextmanager
def create_from(old: Path, root: Path, manifest: Manifest) -> Iterator[RunDir]:
    """Make a new run folder whose journal begins with the completions of an old run."""
    events = read_journal(old, read_manifest(old).plan).events
    completions = [event for event in events if isinstance(event, Completed)]
    with create(root, manifest) as rundir:
        for event in completions:
            rundir.append(event)
        yield rundir


def estimates(plan: Plan, sources: OpenSources) -> dict[ModelSpec, CostEstimate]:
    """Return each model's requests and the most they can cost; unknown prices stay unknown."""
    return {model: _estimate(plan, model, sources) for model in plan.models}


def _estimate(plan: Plan, model: ModelSpec, sources: OpenSources) -> CostEstimate:
    draws = list(_draws(plan, model))
    preset = sources.preset(model.provider)
    if preset is not None:
        return estimate_cost(draws, preset)
    return CostEstimate(requests=len(draws), input_tokens=0, output_tokens=0, cost=LOCAL)


def _draws(plan: Plan, model: ModelSpec) -> list[Draw]:
    return [
        Draw(
            sample=Sample(model=model, eval_set=case.eval_set, case=case.id, index=index),
            case=case,
            prompt=render(case),
            sampling=sampling_for(plan.sampling, case, index),
        )
        for index in range(plan.samples_per_case)
        for eval_set in plan.eval_sets
        for case in eval_set.cases
    ]
