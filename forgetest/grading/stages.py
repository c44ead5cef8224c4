"""The three steps that call compilers for a sample: compile it, lint it, build its tests.

Each returns what it found, for the rules to judge, and raises `Fault` when its failure may be the
machine's. An error that points into the sample's own files shows that a failed build is its own; an
exit code alone shows nothing.

1. `compile_sample`: does the sample compile, and which errors does rustc report?
2. `lint_sample`: which lints does clippy report on the sample's own lines, silenced or not? The
   list is made with every lint of `clippy::all` forced on, without those that the case allows; a
   second pass over the code as written is needed only to count how many of them it had silenced.
3. `build_tests`: do the case's tests build against the sample?
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from forgetest.evalset.types import Case
from forgetest.grading.compilers import AS_WRITTEN, FORCED, Built, Compilers
from forgetest.grading.crate import Crate
from forgetest.grading.diagnostics import ERROR, BuildRun, unique
from forgetest.grading.layout import proven_by, wider_reach
from forgetest.grading.verdict import Diagnostic, Reach
from forgetest.grading.workshop import Step, Workshop
from forgetest.grading.workspace import Workspace
from forgetest.system.process import CommandLimits, signal_name

ERRORS_KEPT = 50
# rustc cannot read a crate: the sample may have named one that does not exist, or a file of ours
# may be gone.
UNREADABLE = frozenset({"E0460", "E0461", "E0462", "E0463", "E0514", "E0519", "E0786"})


@dataclass(frozen=True, slots=True)
class Compilation:
    """Whether the sample compiles, and if not, why."""

    compiled: bool
    errors: tuple[Diagnostic, ...] = ()
    timed_out: bool = False
    reason: str = ""
    built: Built | None = None  # None when it does not compile


async def compile_sample(
    workshop: Workshop, workspace: Workspace, case: Case, *, lint: bool = True
) -> Compilation:
    """Build the sample alone; `Fault` when its failure may be the machine's.

    Without `lint` only what its tests need is built, which is quicker.
    """
    limits = workshop.limits.compile(case)
    build = workshop.compilers.build if lint else workshop.compilers.build_bare
    built = await build(workspace, limits)
    library = built.library
    if library.succeeded:
        return Compilation(compiled=True, built=built)
    if library.exit.timed_out:
        reason = f"the compiler was still at work after {limits.wall_secs:g} s"
        return Compilation(compiled=False, timed_out=True, reason=reason)
    errors = _own_errors(library, workspace)
    if not any(map(_is_evidence, errors)):
        await workshop.require_blame(case, workspace, _build, library)
    return Compilation(compiled=False, errors=errors, reason=_failure(library, errors))


async def _build(compilers: Compilers, workspace: Workspace, limits: CommandLimits) -> BuildRun:
    return (await compilers.build(workspace, limits)).library


_ATTRIBUTE = re.compile(rb"#!?\s*\[([^\]]{0,4000})\]")
_SILENCING = (re.compile(rb"\b(?:allow|expect)\b"), re.compile(rb"\b(?:clippy|warnings)\b"))


@dataclass(frozen=True, slots=True)
class Linting:
    """The lints that clippy reports on the sample."""

    lints: tuple[Diagnostic, ...]
    silenced: int = 0  # how many of them clippy does not report for the code as written
    failed: bool = False  # clippy rejected what rustc accepted


async def lint_sample(
    workshop: Workshop, workspace: Workspace, case: Case, built: Built
) -> Linting:
    """Lint a sample that compiles; `Fault` when a failure of clippy's may be the machine's.

    Where clippy fails over the sample itself, such as for code under `cfg(clippy)`, its errors
    count as lints.
    """
    limits = workshop.limits.compile(case)
    forced = built.linted or await _forced(workshop.compilers, workspace, limits)
    if not forced.succeeded:
        return await _failed(workshop, workspace, case, forced)
    lints = _own_lints(forced, workspace, case)
    if not (lints and _may_silence(workspace.crate)):
        return Linting(lints)
    written = await _as_written(workshop.compilers, workspace, limits)
    await _require_blame(workshop, workspace, case, _as_written, written)
    shown = {(lint.code, lint.span) for lint in _own_lints(written, workspace, case)}
    return Linting(lints, sum((lint.code, lint.span) not in shown for lint in lints))


def _may_silence(crate: Crate) -> bool:
    attributes = (_ATTRIBUTE.findall(crate.files[name]) for name in crate.sample_files)
    return any(
        all(word.search(attribute) for word in _SILENCING) for attribute in chain(*attributes)
    )


def _own_lints(run: BuildRun, workspace: Workspace, case: Case) -> tuple[Diagnostic, ...]:
    """Return the `clippy::` diagnostics of any level whose primary span is in the sample's files.

    Those that the case allows are left out. Only the eval set says which: an attribute of the
    sample has no say.
    """
    files = workspace.crate.sample_files
    return unique(
        message.diagnostic(files)
        for message in run.diagnostics
        if message.code is not None
        and message.code.code.startswith("clippy::")
        and message.code.code not in case.expectations.allowed_lints
        and any(span.is_primary and span.file_name in files for span in message.spans)
    )


async def _failed(workshop: Workshop, workspace: Workspace, case: Case, run: BuildRun) -> Linting:
    await _require_blame(workshop, workspace, case, _forced, run)
    errors = _own_errors(run, workspace)
    reason = "clippy ran out of time" if run.exit.timed_out else _failure(run, errors)
    instead = errors or (Diagnostic(level=ERROR, code=None, message=reason),)
    return Linting(unique((*_own_lints(run, workspace, case), *instead)), failed=True)


async def _require_blame(
    workshop: Workshop, workspace: Workspace, case: Case, step: Step, run: BuildRun
) -> None:
    """Raise `Fault` where clippy failed and nothing shows that it failed over the sample."""
    if not (run.succeeded or run.exit.timed_out or _is_explained(run, workspace)):
        await workshop.require_blame(case, workspace, step, run)


def _is_explained(run: BuildRun, workspace: Workspace) -> bool:
    return any(map(_is_evidence, _own_errors(run, workspace)))


async def _as_written(
    compilers: Compilers, workspace: Workspace, limits: CommandLimits
) -> BuildRun:
    return await compilers.clippy(workspace, AS_WRITTEN, limits)


async def _forced(compilers: Compilers, workspace: Workspace, limits: CommandLimits) -> BuildRun:
    """Lint with everything forced on; denied lints of rustc's own must not end the pass early."""
    run = await compilers.clippy(workspace, FORCED, limits)
    if run.succeeded or run.exit.timed_out or not _is_explained(run, workspace):
        return run
    return await compilers.clippy(workspace, (*FORCED, "--cap-lints", "warn"), limits)


@dataclass(frozen=True, slots=True)
class TestBuild:
    """The program that runs the tests, or why there is none."""

    __test__ = False  # not a test class

    workspace: Workspace
    program: Path | None
    errors: tuple[Diagnostic, ...] = ()
    reason: str = ""
    reach: Reach | None = None  # how far the tests reach into the sample
    proven: frozenset[str] = frozenset()  # names that it has: the tests were built with them


async def build_tests(
    workshop: Workshop, workspace: Workspace, case: Case, built: Built
) -> TestBuild:
    """Build the tests of a sample that compiles; `Fault` when a failure may be the machine's.

    rustc decides what the tests can reach: if they do not build from outside, or not with every
    name that the case declares, they are built inside a copy of the sample, without those names.
    """
    build = await _attempt(workshop, workspace, case, built)
    while build.program is None and build.errors:
        crate = build.workspace.crate
        reach = wider_reach(case, crate.reach, build.errors, crate.api_file)
        if reach == crate.reach:
            break
        inside = await workshop.again(case, workspace, reach)
        build = await _attempt(workshop, inside, case, Built(built.library))
    return _finished(case, build)


async def _attempt(workshop: Workshop, workspace: Workspace, case: Case, built: Built) -> TestBuild:
    limits = workshop.limits.compile(case)
    run = await workshop.compilers.build_tests(workspace, built, limits)
    if run.succeeded and run.program:
        return TestBuild(workspace, run.program)
    if run.exit.timed_out:
        reason = f"the tests took more than {limits.wall_secs:g} s to build"
        return TestBuild(workspace, None, reason=reason)
    errors = _own_errors(run, workspace)
    if not any(_is_at_sample(error, workspace.crate) for error in errors):
        await workshop.require_blame(case, workspace, _built_tests, run)
    reason = f"the tests do not build: {_failure(run, errors)}"
    return TestBuild(workspace, None, errors, reason)


async def _built_tests(
    compilers: Compilers, workspace: Workspace, limits: CommandLimits
) -> BuildRun:
    built = await compilers.build(workspace, limits)
    return await compilers.build_tests(workspace, built, limits)


def _is_at_sample(error: Diagnostic, crate: Crate) -> bool:
    """Tell whether an error is where the tests meet the sample, and not in our own program."""
    meeting = {crate.api_file, crate.tests_file, crate.library_file}
    return _is_evidence(error) and error.span is not None and error.span.file in meeting


def _finished(case: Case, build: TestBuild) -> TestBuild:
    """Return the build with what it proves, without the random part of our modules' names."""
    crate = build.workspace.crate
    token = f"_{crate.token}"
    errors = tuple(
        Diagnostic.model_validate_json(error.model_dump_json().replace(token, ""))
        for error in build.errors
    )
    return replace(
        build,
        errors=errors,
        reason=build.reason.replace(token, ""),
        reach=crate.reach,
        proven=proven_by(case, crate.needs) if build.program else frozenset(),
    )


def _own_errors(run: BuildRun, workspace: Workspace) -> tuple[Diagnostic, ...]:
    """Return rustc's errors; those that point into the crate's own files have a span."""
    files = workspace.crate.files
    return unique(error.diagnostic(files) for error in run.errors)[:ERRORS_KEPT]


def _is_evidence(error: Diagnostic) -> bool:
    """Tell whether an error alone shows that the sample is wrong: it points into its own files."""
    return error.span is not None and error.code not in UNREADABLE


def _failure(run: BuildRun, errors: Sequence[Diagnostic]) -> str:
    """Return in one line why a build failed."""
    if run.exit.output_limited:
        return "the compiler printed without end"
    if run.compiler_signal is not None:
        return f"the compiler crashed: {signal_name(run.compiler_signal)}"
    if not errors:
        return run.last_words
    first = errors[0]
    code = f" {first.code}" if first.code else ""
    place = f" at {first.span.file}:{first.span.line}" if first.span else ""
    more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
    return f"error{code}{place}: {first.message}{more}"
