"""The step that builds the case's tests against the sample."""

from dataclasses import dataclass
from pathlib import Path

from forgetest.evalset.types import Case
from forgetest.grading.buildrun import BuildRun
from forgetest.grading.compilation import failure, is_evidence, own_errors
from forgetest.grading.compilers import Built, Compilers
from forgetest.grading.crate import Crate, Layout
from forgetest.grading.verdict import Diagnostic
from forgetest.grading.workshop import Workshop
from forgetest.grading.workspace import Workspace
from forgetest.process import CommandLimits

# Private, or not found: a private macro or import looks like one that is not there.
_OUT_OF_REACH = frozenset(
    {"E0405", "E0412", "E0423", "E0425", "E0432", "E0433", "E0451", "E0603", "E0616", "E0624"}
)
_STABLE_NAME = "tests"  # the module's random name would make two reports of one sample differ


@dataclass(frozen=True, slots=True)
class TestBuild:
    """The program that runs the tests, or why there is none."""

    __test__ = False  # no test class, whatever its name

    workspace: Workspace
    program: Path | None
    errors: tuple[Diagnostic, ...] = ()
    reason: str = ""


async def build_tests(
    workshop: Workshop, workspace: Workspace, case: Case, built: Built
) -> TestBuild:
    """Build the tests of a sample that compiles; `Fault` when a failure may be the machine's.

    Tests that can not reach what they need from outside are built inside a copy of the sample.
    """
    outside = await _attempt(workshop, workspace, case, built)
    if workspace.crate.layout is not Layout.PUBLIC or not _is_out_of_reach(outside):
        return outside
    inside = await workshop.splice(case, workspace)
    return await _attempt(workshop, inside, case, Built(built.library))


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
    errors = tuple(with_stable_name(error, workspace.crate.module) for error in errors)
    reason = f"the tests do not build: {failure(found, errors)}"
    return TestBuild(workspace, None, errors, reason)


def _is_out_of_reach(build: TestBuild) -> bool:
    """Tell whether tests failed to build over what only the sample's own crate can see."""
    return any(error.code in _OUT_OF_REACH for error in build.errors)


async def _build(compilers: Compilers, workspace: Workspace, limits: CommandLimits) -> BuildRun:
    built = await compilers.build(workspace, limits)
    return await compilers.build_tests(workspace, built, limits)


def _is_at_sample(error: Diagnostic, crate: Crate) -> bool:
    """Tell whether an error is where the tests meet the sample, and not in our own program."""
    meeting = {crate.api_file, crate.tests_file, crate.library_file}
    return is_evidence(error) and error.span is not None and error.span.file in meeting


def with_stable_name(error: Diagnostic, module: str) -> Diagnostic:
    """Return the diagnostic without what is random in the names of modules of ours."""
    token = module.removeprefix(_STABLE_NAME)
    return Diagnostic.model_validate_json(error.model_dump_json().replace(token, ""))
