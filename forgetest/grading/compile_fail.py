"""The step that compiles uses of a sample which rustc must reject, each beside a twin of it.

Uses are a crate of their own, which depends on the sample as it was built: they see what is public,
and meet its own types. First the twins of all uses are modules of that crate, which must compile.
Then, for each use, the same crate with that one file changed must not. All else is the same, down
to the paths, lines and arguments that macros and constants of the sample could look at: a sample
that takes the twin rejects the use for what the use says.

An error counts if its code is the one asked for and rustc points into the use. The exception is a
constant of generic code, which fails in the sample: rustc then says which use it was met in.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from forgetest.evalset.types import Case, CompileFail
from forgetest.grading.compilers import Compilers
from forgetest.grading.diagnostics import BuildRun, RustcMessage
from forgetest.grading.layout import USES_FOLDER, use_file, use_files
from forgetest.grading.stages import UNREADABLE
from forgetest.grading.verdict import Layout, Reach, TestOutcome, TestResult
from forgetest.grading.workshop import Workshop
from forgetest.grading.workspace import Workspace
from forgetest.system.process import CommandLimits

TWIN_REJECTED = "rustc rejects the twin, which must compile"
_INSTANTIATING = "the above error was encountered while instantiating"
_EVALUATION = "E0080"  # of a constant; where that depends on types, only code shows it
_LEAST_SECS = 0.01  # a build with no time left is stopped as one that took too long
_MESSAGE_KEPT = 800  # characters


def uses_not_built(case: Case) -> tuple[TestResult, ...]:
    """Return the compile-fail tests of a sample that the other tests do not fit."""
    return tuple(
        TestResult(name=use.test, outcome=TestOutcome.NOT_BUILT)
        for use in case.expectations.compile_fail
    )


@dataclass(frozen=True, slots=True)
class UseBuilds:
    """The compile-fail tests of a sample that is built in a workspace."""

    workshop: Workshop
    workspace: Workspace
    case: Case
    deadline: float  # of the monotonic clock: a build is stopped then

    async def results(self) -> tuple[TestResult, ...]:
        """Return the result of each test, in their order; `Fault` when it may be the machine's."""
        workspace = await _with_manifest(self.workshop, self.case, self.workspace)
        results = await self._together(workspace, self.case.expectations.compile_fail)
        return tuple(results)

    async def _together(
        self, workspace: Workspace, uses: Sequence[CompileFail]
    ) -> list[TestResult]:
        """Return the results of uses whose twins are one crate; of each alone if that fails."""
        twins = _UseCrate(self.case, tuple(uses))
        run = await self._build(workspace, twins)
        if run.succeeded:
            return [await self._rejection(workspace, twins, use) for use in uses]
        if run.exit.timed_out:
            return [_timed_out(use) for use in uses]
        if len(uses) > 1:
            return [result for use in uses for result in await self._together(workspace, (use,))]
        return [_failed(uses[0], f"{TWIN_REJECTED}: {_first(run)}", _shown(run))]

    async def _rejection(
        self, workspace: Workspace, twins: "_UseCrate", use: CompileFail
    ) -> TestResult:
        run = await self._build(workspace, twins.rejecting(use))
        if run.exit.timed_out:
            return _timed_out(use)
        wanted = " or ".join(use.code)
        if run.succeeded:
            return _failed(use, f"rustc takes the use, and must reject it with {wanted}")
        reported = {error.code.code for error in _errors_in(run, use_file(use)) if error.code}
        if not reported.isdisjoint(use.code):
            return TestResult(name=use.test, outcome=TestOutcome.PASSED)
        return _failed(
            use, f"rustc rejects the use, but not with {wanted}: {_first(run)}", _shown(run)
        )

    async def _build(self, workspace: Workspace, uses: "_UseCrate") -> BuildRun:
        """Compile uses in the time that is left; ask whose fault a failure is that has no error."""
        limits = self._limits()
        run = await uses.build(self.workshop, workspace, limits)
        if not (run.exit.timed_out or _is_clear(run, workspace)):
            step = _Again(self.workshop, self.case, uses)
            await self.workshop.require_blame(self.case, workspace, step, run)
        return run

    def _limits(self) -> CommandLimits:
        limits = self.workshop.limits.compile(self.case)
        left_secs = max(self.deadline - time.monotonic(), _LEAST_SECS)
        return replace(limits, wall_secs=min(limits.wall_secs, left_secs))


async def _with_manifest(workshop: Workshop, case: Case, workspace: Workspace) -> Workspace:
    """Return a workspace in which cargo knows the crate of uses; direct calls need none."""
    if not workshop.compilers.needs_artifacts or workspace.crate.layout is Layout.PUBLIC:
        return workspace
    return await workshop.again(case, workspace, Reach(layout=Layout.PUBLIC))


@dataclass(frozen=True, slots=True)
class _UseCrate:
    """The crate that holds the twins of some uses, or with one of them the use itself."""

    case: Case
    uses: tuple[CompileFail, ...]
    rejected: CompileFail | None = None

    def rejecting(self, use: CompileFail) -> "_UseCrate":
        """Return the crate with a use in place of its twin."""
        return _UseCrate(self.case, self.uses, use)

    async def build(
        self, workshop: Workshop, workspace: Workspace, limits: CommandLimits
    ) -> BuildRun:
        """Write the crate where the one before was, and compile it."""
        files = use_files(self.case, self.uses, self.rejected)
        await workshop.add_files(workspace, files)
        code = any(_EVALUATION in use.code for use in self.uses)
        return await workshop.compilers.build_uses(workspace, limits, code=code)


@dataclass(frozen=True, slots=True)
class _Again:
    """The same build in another workspace, to tell whose fault its failure is."""

    workshop: Workshop
    case: Case
    uses: _UseCrate

    async def __call__(
        self, compilers: Compilers, workspace: Workspace, limits: CommandLimits
    ) -> BuildRun:
        """Return the build if it fails without an error of its own, else one that succeeded."""
        library = (await compilers.build(workspace, limits)).library
        if not library.succeeded:
            return library
        place = await _with_manifest(self.workshop, self.case, workspace)
        run = await self.uses.build(self.workshop, place, limits)
        return library if _is_clear(run, place) else run


def _is_clear(run: BuildRun, workspace: Workspace) -> bool:
    """Tell whether a build succeeds, or has an error in the uses or the sample that explains it."""
    return run.succeeded or any(
        (error.code is None or error.code.code not in UNREADABLE)
        and any(
            place.file_name in workspace.crate.files or place.file_name.startswith(USES_FOLDER)
            for span in error.spans
            for place in span.with_expansions()
        )
        for error in run.errors
    )


def _errors_in(run: BuildRun, file: str) -> Iterator[RustcMessage]:
    """Yield the errors that rustc reports in a file, or met in code that the file instantiates."""
    latest: RustcMessage | None = None
    for message in run.diagnostics:
        if message.is_error:
            latest = message
        elif not message.message.startswith(_INSTANTIATING):
            continue
        if latest and any(span.is_primary and span.file_name == file for span in message.spans):
            yield latest


def _first(run: BuildRun) -> str:
    """Return the first error in one line."""
    if not run.errors:
        return run.last_words
    error = run.errors[0]
    return f"error{f'[{error.code.code}]' if error.code else ''}: {error.message}"


def _shown(run: BuildRun) -> str:
    """Return the first error as rustc prints it, without its first line."""
    rendered = run.errors[0].rendered or "" if run.errors else ""
    return rendered.replace(f"{USES_FOLDER}/", "").partition("\n")[2].rstrip()


def _timed_out(use: CompileFail) -> TestResult:
    message = "the compiler was stopped: it took too long, for this use or for all together"
    return TestResult(name=use.test, outcome=TestOutcome.TIMEOUT, message=message)


def _failed(use: CompileFail, why: str, shown: str = "") -> TestResult:
    message = "\n".join(filter(None, (why, shown)))[:_MESSAGE_KEPT]
    return TestResult(name=use.test, outcome=TestOutcome.FAILED, message=message)
