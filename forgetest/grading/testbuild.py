"""The step that builds the case's tests against the sample."""

from dataclasses import dataclass
from pathlib import Path

from forgetest.evalset.types import Case
from forgetest.grading.buildrun import BuildRun
from forgetest.grading.compilation import failure, own_errors
from forgetest.grading.compilers import Built, Compilers
from forgetest.grading.crate import Crate
from forgetest.grading.verdict import Diagnostic
from forgetest.grading.workshop import Workshop
from forgetest.grading.workspace import Workspace
from forgetest.process import CommandLimits

_STABLE_NAME = "tests"  # the module's random name would make two reports of one sample differ


@dataclass(frozen=True, slots=True)
class TestBuild:
    """The program that runs the tests, or why there is none."""

    __test__ = False  # no test class, whatever its name

    program: Path | None
    errors: tuple[Diagnostic, ...] = ()
    reason: str = ""


async def build_tests(
    workshop: Workshop, workspace: Workspace, case: Case, built: Built
) -> TestBuild:
    """Build the tests of a sample that compiles; `Fault` when they fail on a sound crate too."""
    limits = workshop.limits.compile(case)
    found = await workshop.compilers.build_tests(workspace, built, limits)
    if found.succeeded and found.program:
        return TestBuild(found.program)
    if found.exit.timed_out:
        return TestBuild(None, reason=f"the tests took more than {limits.wall_secs:g} s to build")
    errors = own_errors(found, workspace)
    if not any(_is_at_sample(error, workspace.crate) for error in errors):
        await workshop.require_sound(case, _build, found)
    errors = tuple(with_stable_name(error, workspace.crate.module) for error in errors)
    return TestBuild(None, errors, f"the tests do not build: {failure(found, errors)}")


async def _build(compilers: Compilers, workspace: Workspace, limits: CommandLimits) -> BuildRun:
    built = await compilers.build(workspace, limits)
    return await compilers.build_tests(workspace, built, limits)


def _is_at_sample(error: Diagnostic, crate: Crate) -> bool:
    """Tell whether an error is where the tests meet the sample, and not in our own program."""
    meeting = {crate.api_file, crate.tests_file, crate.library_file}
    return error.span is not None and error.span.file in meeting


def with_stable_name(error: Diagnostic, module: str) -> Diagnostic:
    """Return the diagnostic without what is random in the names of modules of ours."""
    token = module.removeprefix(_STABLE_NAME)
    return Diagnostic.model_validate_json(error.model_dump_json().replace(token, ""))
