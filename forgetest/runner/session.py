"""One session of a run: open the folder and the sources, settle every sample, write the report.

Problems that the user can solve (no compiler, no key, a crate that does not exist) are found before
the run folder is made and before anything is paid for.
"""

import asyncio
import dataclasses
import os
import platform
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from forgetest.errors import RunDirError
from forgetest.extract.types import Extractor
from forgetest.grading.grader import SampleGrader
from forgetest.grading.graders import (
    CodeGrader,
    ConcurrencyLimit,
    Examiner,
    Identified,
    RepeatedGrading,
    VerdictCache,
)
from forgetest.grading.verdict_store import VerdictStore
from forgetest.report.build import build_report
from forgetest.report.score import LINT_RULE, PROFILE
from forgetest.report.stream import report_pieces
from forgetest.report.types import Report
from forgetest.run.events import Event, SampleRecord
from forgetest.run.folder import COMPLETIONS, RunDir, create, read_manifest
from forgetest.run.manifest import REPORT, LeftOut, Manifest, SandboxInfo, ToolchainInfo, hashes
from forgetest.run.records import JournalRecords
from forgetest.run.rounds import completed_as_recorded
from forgetest.run.state import stated
from forgetest.run.tally import Tallies
from forgetest.runner.commands import command_host
from forgetest.runner.conductor import Conductor
from forgetest.runner.sources import Sources
from forgetest.sampling.halt import Halt
from forgetest.sampling.plan import Plan
from forgetest.sampling.prompt import VERSION as PROMPT_VERSION
from forgetest.sampling.replay import recorded_line
from forgetest.sandbox.sandbox import Sandbox
from forgetest.system.toolchain import Toolchain
from forgetest.version import __version__

if TYPE_CHECKING:  # it loads an HTTP client, and most commands ask no server
    from forgetest.sampling.transport import Wait

OpenFolder = Callable[[], AbstractContextManager[RunDir]]


class Watcher(Protocol):
    """Follows a session: the terminal's bars, plain lines, or nothing."""

    def begin(self, plan: Plan, path: Path, earlier: Tallies) -> None:
        """Hear where the run is and what earlier sessions settled."""
        ...

    def event(self, event: Event) -> None:
        """Hear what happened to a sample."""
        ...

    def say(self, line: str) -> None:
        """Hear what happened to many samples at once, such as a server that went silent."""
        ...

    def grades_on(self, status: Callable[[], str]) -> None:
        """Hear how to ask which other machines grade now."""
        ...

    def waits(self, wait: "Wait") -> None:
        """Hear for how long no request is sent to a provider."""
        ...


class Remote(Examiner, Protocol):
    """Grades on other machines while it is open."""

    def inform(self, listen: Callable[[str], object]) -> None:
        """Tell of machines that come, go or are refused."""
        ...

    @property
    def capacity(self) -> int:
        """How many samples are graded at once by what is there now."""
        ...

    def status(self) -> str:
        """Return what grades now, for people."""
        ...

    def opened(self) -> AbstractAsyncContextManager[None]:
        """Connect, and grade until the context ends; ForgetestError where nothing can."""
        ...


@dataclass(frozen=True, slots=True)
class OpenBench:
    """What grades while a bench is open: in parallel up to the limit, identical code once."""

    grader: VerdictCache
    at_once: int  # samples, when it was opened


@dataclass(frozen=True, slots=True)
class Workbench:
    """What grading needs on this machine."""

    toolchain: Toolchain
    grader: SampleGrader
    sandbox: Sandbox
    parallelism: int  # 0: as many as the workers of `remote` take
    times: int = 1  # each sample is graded
    verdicts: VerdictStore | None = None  # of earlier runs; None: neither read nor written
    remote: Remote | None = None  # grades in the place of `grader`, which prepares for both

    @asynccontextmanager
    async def opened(self, listen: Callable[[str], object]) -> AsyncIterator[OpenBench]:
        """Give what grades in a session, here or on other machines.

        `listen` hears of machines that come and go. Raises ForgetestError where none can grade.
        """
        if self.remote is None:
            yield self._open(self.grader, self.parallelism)
            return
        self.remote.inform(listen)
        async with self.remote.opened():
            # The workers set the limit, unless the user does.
            yield self._open(self.remote, self.parallelism or self.remote.capacity)

    def _open(self, grader: Identified, at_once: int) -> OpenBench:
        repeated = RepeatedGrading(grader, self.times) if self.times > 1 else grader
        limited = (
            ConcurrencyLimit(repeated, asyncio.Semaphore(self.parallelism))
            if self.parallelism
            else repeated
        )
        cached = VerdictCache(limited, self.verdicts, lock_of=self.grader.lock_of)
        return OpenBench(cached, at_once)


@dataclass(frozen=True, slots=True)
class Session:
    """Everything that one session of a run needs."""

    plan: Plan
    bench: Workbench
    sources: Sources
    open_folder: OpenFolder  # makes a run folder, or opens an old one
    halt: Halt = field(default_factory=Halt)  # what may end it before its plan is done


@dataclass(frozen=True, slots=True)
class Finished:
    """A session that settled every sample that it could."""

    path: Path
    report: Report


async def run_session(session: Session, watcher: Watcher) -> Finished:
    """Run a session to its end; return the run's folder and report.

    Raises RunDirError when the folder belongs to another compiler, ForgetestError when a source
    cannot be opened.
    """
    await session.bench.grader.prepare(
        [case for eval_set in session.plan.eval_sets for case in eval_set.cases]
    )
    async with session.bench.opened(watcher.say) as grading:
        with session.open_folder() as rundir:
            demand_same_toolchain(rundir.path, rundir.manifest, session.bench.toolchain)
            watcher.begin(rundir.manifest.plan, rundir.path, rundir.earlier)
            with stated(rundir):
                return Finished(
                    rundir.path, await _settle(rundir, session, watcher, grading.grader)
                )


async def _settle(rundir: RunDir, session: Session, watcher: Watcher, grader: CodeGrader) -> Report:
    """Settle every sample that is not settled yet, write the results and return the report."""
    rundir.discard(REPORT)  # of an earlier session: a folder without one is unfinished
    rundir.log(f"{_now()} session begins: {rundir.mark.lines} events, process {os.getpid()}")

    def say(line: str) -> None:
        rundir.log(f"{_now()} {line}")
        watcher.say(line)

    if session.bench.remote is not None:
        session.bench.remote.inform(say)
        watcher.grades_on(session.bench.remote.status)
    halt = session.halt
    halt.listen = say
    halt.spend_usd(rundir.progress.spent_usd)  # in earlier sessions
    asked, host = _models_to_ask(rundir), command_host(rundir.path, session.bench.grader)
    async with session.sources.opened(asked, say, watcher.waits, halt, host) as sources:
        conductor = Conductor(
            plan=rundir.manifest.plan,
            rundir=rundir,
            sources=sources,
            grader=grader,
            extractor=Extractor(rundir.manifest.extractor),
            halt=halt,
            listen=watcher.event,
        )
        await conductor.run()
    report = write_results(rundir)
    rundir.log(f"{_now()} session ends: {rundir.mark.lines} events")
    return report


def demand_same_toolchain(folder: Path, manifest: Manifest, toolchain: Toolchain) -> None:
    """Raise RunDirError when the run in a folder was graded by another compiler."""
    now, then = toolchain_info(toolchain), manifest.toolchain
    if now != then:
        raise RunDirError(
            f"{folder}: this run began with {_first_line(then.rustc)}, but this is"
            f" {_first_line(now.rustc)}: grade all of it again with forgetest grade {folder}"
        )


def _first_line(version: str) -> str:
    return version.splitlines()[0]


def _models_to_ask(rundir: RunDir) -> set[str]:
    """Return the models that may still lack a completion: only their servers are needed."""
    plan, may_be_asked = rundir.manifest.plan, rundir.progress.may_be_asked
    return {
        str(model)
        for model in plan.models
        if any(may_be_asked(sample.key) for sample in plan.samples_of(model))
    }


def write_results(rundir: RunDir) -> Report:
    """Write the report and the completions of a run folder, and return the report."""
    records = JournalRecords(rundir.path, rundir.manifest.plan)
    report = build_report(rundir.manifest, records, journal=records.mark)
    rundir.write(REPORT, report_pieces(report))
    rundir.write(COMPLETIONS, _recording(rundir.manifest.plan, records))
    return report


def _recording(plan: Plan, records: Mapping[str, SampleRecord]) -> Iterator[str]:
    """Yield the raw completions as JSON lines that `replay/FILE` reads, in plan order."""
    for sample in plan.samples():
        record = records.get(sample.key)
        rounds = () if record is None else record.rounds
        answers = [(said.feedback, said.completion) for said in rounds if said.completion]
        if answers:
            yield recorded_line(sample, plan.variant(sample.model), answers) + "\n"


def describe(
    plan: Plan,
    bench: Workbench,
    *,
    command: tuple[str, ...],
    extractor: Extractor,
    endpoints: Mapping[str, str],
    left_out: tuple[LeftOut, ...],
) -> Manifest:
    """Return the manifest of a run that begins now."""
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
        sandbox=sandbox_info(bench.sandbox),
        endpoints=dict(endpoints),
        case_hashes=hashes(plan.eval_sets),
        left_out=left_out,
        names_recordings=True,
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


def sandbox_info(sandbox: Sandbox) -> SandboxInfo:
    """Return what a report says of a sandbox."""
    return SandboxInfo(
        backend=sandbox.backend, version=sandbox.version, guarantees=sandbox.guarantees
    )


@contextmanager
def create_from(old: Path, root: Path, manifest: Manifest) -> Iterator[RunDir]:
    """Make a new run folder that begins with the completions of an old run."""
    recorded = JournalRecords(old, read_manifest(old).plan)
    with create(root, manifest) as rundir:
        for event in completed_as_recorded(manifest.plan, recorded, recorded.events()):
            rundir.append(event, sync=False)
        rundir.sync()
        yield rundir


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
