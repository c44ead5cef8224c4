"""The step that builds the case's tests against the sample."""

from dataclasses import dataclass, replace
from pathlib import Path

from forgetest.evalset.types import Case
from forgetest.grading.buildrun import BuildRun
from forgetest.grading.compilation import failure, is_evidence, own_errors
from forgetest.grading.compilers import Built, Compilers
from forgetest.grading.crate import Crate
from forgetest.grading.layout import further, proven_by
from forgetest.grading.verdict import Diagnostic, Reach
from forgetest.grading.workshop import Workshop
from forgetest.grading.workspace import Workspace
from forgetest.process import CommandLimits


@dataclass(frozen=True, slots=True)
class TestBuild:
    """The program that runs the tests, or why there is none."""

    __test__ = False  # no test class, whatever its name

    workspace: Workspace
    program: Path | None
    errors: tuple[Diagnostic, ...] = ()
    reason: str = ""
    reach: Reach | None = None  # how far the tests reach into the sample
    proven: frozenset[str] = frozenset()  # names that it has, for the tests were built with them


async def build_tests(
    workshop: Workshop, workspace: Workspace, case: Case, built: Built
) -> TestBuild:
    """Build the tests of a sample that compiles; `Fault` when a failure may be the machine's.

    rustc says what the tests can reach: where they do not build from outside, or not with every
    name that the case declares, they are built inside a copy of the sample, without those names.
    """
    build = await _attempt(workshop, workspace, case, built)
    while build.program is None and build.errors:
        crate = build.workspace.crate
        reach = further(case, crate.reach, build.errors, crate.api_file)
        if reach == crate.reach:
            break
        inside = await workshop.again(case, workspace, reach)
        build = await _attempt(workshop, inside, case, Built(built.library))
    return _finished(case, build)


async def _attempt(workshop: Workshop, workspace: Workspace, case: Case, built: Built) -> TestBuild:
    limits = workshop.limits.compile(case)
    found = await workshop.compilers.build_tests(workspace, built, limits)
    if found.succeeded and found.program:
        return TestBuild(workspace, found.program)
    if found.exit.timed_out:
        reason = f"the tests took more than {limits.wall_secs:g} s to build"
        return TestBuild(workspace, None, reason=reason)
    errors = own_errors(found, workspace)
    if not any(_is_at_sample(error, workspace.crate) for error in errors):
        await workshop.require_blame(case, workspace, _build, found)
    reason = f"the tests do not build: {failure(found, errors)}"
    return TestBuild(workspace, None, errors, reason)


async def _build(compilers: Compilers, workspace: Workspace, limits: CommandLimits) -> BuildRun:
    built = await compilers.build(workspace, limits)
    return await compilers.build_tests(workspace, built, limits)


def _is_at_sample(error: Diagnostic, crate: Crate) -> bool:
    """Tell whether an error is where the tests meet the sample, and not in our own program."""
    meeting = {crate.api_file, crate.tests_file, crate.library_file}
    return is_evidence(error) and error.span is not None and error.span.file in meeting


def _finished(case: Case, build: TestBuild) -> TestBuild:
    """Return the build with what it shows, without what is random in names of modules of ours."""
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
