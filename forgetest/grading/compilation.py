"""The step that compiles the sample, exactly as `cargo build` compiles a library.

A failure is rustc's error about the sample, never an exit code alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from forgetest.evalset.types import Case
from forgetest.grading.buildrun import BuildRun
from forgetest.grading.compilers import Built, Compilers
from forgetest.grading.diagnostics import unique
from forgetest.grading.verdict import Diagnostic
from forgetest.grading.workshop import Workshop
from forgetest.grading.workspace import Workspace
from forgetest.process import CommandLimits, signal_name

ERRORS_KEPT = 50
# What rustc says of a crate that it can not read: the sample may have named one that is not there,
# and a file of ours may have gone.
_UNREADABLE = frozenset({"E0460", "E0461", "E0462", "E0463", "E0514", "E0519", "E0786"})


@dataclass(frozen=True, slots=True)
class Compilation:
    """Whether the sample compiles, and if not, why."""

    compiled: bool
    errors: tuple[Diagnostic, ...] = ()
    timed_out: bool = False
    reason: str = ""
    built: Built | None = None  # what the compilers made of it; None when it does not compile


async def compile_sample(
    workshop: Workshop, workspace: Workspace, case: Case, *, lint: bool = True
) -> Compilation:
    """Build the sample alone; `Fault` when its failure may be the machine's.

    Without `lint` only what its tests need is built, as quickly as can be.
    """
    limits = workshop.limits.compile(case)
    build = workshop.compilers.build if lint else workshop.compilers.build_bare
    built = await build(workspace, limits)
    found = built.library
    if found.succeeded:
        return Compilation(compiled=True, built=built)
    if found.exit.timed_out:
        reason = f"the compiler was still at work after {limits.wall_secs:g} s"
        return Compilation(compiled=False, timed_out=True, reason=reason)
    errors = own_errors(found, workspace)
    if not any(map(is_evidence, errors)):
        await workshop.require_blame(case, workspace, _build, found)
    return Compilation(compiled=False, errors=errors, reason=failure(found, errors))


async def _build(compilers: Compilers, workspace: Workspace, limits: CommandLimits) -> BuildRun:
    return (await compilers.build(workspace, limits)).library


def own_errors(found: BuildRun, workspace: Workspace) -> tuple[Diagnostic, ...]:
    """Return rustc's errors; those that point into the crate's own files have a span."""
    files = workspace.crate.files
    return unique(error.diagnostic(files) for error in found.errors)[:ERRORS_KEPT]


def is_evidence(error: Diagnostic) -> bool:
    """Tell whether an error alone shows that the sample is wrong: it points into its own files."""
    return error.span is not None and error.code not in _UNREADABLE


def failure(found: BuildRun, errors: Sequence[Diagnostic]) -> str:
    """Return in one line why a build failed."""
    if found.exit.output_limited:
        return "the compiler printed without end"
    if found.compiler_signal is not None:
        return f"the compiler crashed: {signal_name(found.compiler_signal)}"
    if not errors:
        return found.last_words
    first = errors[0]
    code = f" {first.code}" if first.code else ""
    place = f" at {first.span.file}:{first.span.line}" if first.span else ""
    more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
    return f"error{code}{place}: {first.message}{more}"
