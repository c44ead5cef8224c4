"""The step that asks clippy for the lints on the sample's own lines, silenced or not.

The list is made with every lint of `clippy::all` forced on; a second pass, as the sample is
written, is needed only to tell how many of them it had silenced.
"""

import re
from dataclasses import dataclass

from forgetest.evalset.types import Case
from forgetest.grading.buildrun import BuildRun
from forgetest.grading.compilation import failure, is_evidence, own_errors
from forgetest.grading.compilers import AS_WRITTEN, FORCED, Built, Compilers
from forgetest.grading.crate import SAMPLE_FILE
from forgetest.grading.diagnostics import ERROR, unique
from forgetest.grading.verdict import Diagnostic
from forgetest.grading.workshop import Step, Workshop
from forgetest.grading.workspace import Workspace
from forgetest.process import CommandLimits

CLIPPY_FAILED = "clippy_failed"

_ATTRIBUTE = re.compile(rb"#!?\s*\[([^\]]{0,4000})\]")
_SILENCING = (re.compile(rb"\b(?:allow|expect)\b"), re.compile(rb"\b(?:clippy|warnings)\b"))


@dataclass(frozen=True, slots=True)
class Linting:
    """What clippy says of the sample."""

    lints: tuple[Diagnostic, ...]
    silenced: int = 0  # how many of them clippy does not show of the code as written
    failed: bool = False  # clippy could not take what rustc took


async def lint_sample(
    workshop: Workshop, workspace: Workspace, case: Case, built: Built
) -> Linting:
    """Lint a sample that compiles; `Fault` when a failure of clippy's may be the machine's.

    Where clippy fails on the sample alone, such as for code under `cfg(clippy)`, what it says
    instead counts as lints.
    """
    limits = workshop.limits.compile(case)
    forced = built.linted or await _forced(workshop.compilers, workspace, limits)
    if not forced.succeeded:
        return await _failed(workshop, workspace, case, forced)
    lints = own_lints(forced)
    if not (lints and _may_silence(workspace.crate.files[SAMPLE_FILE])):
        return Linting(lints)
    written = await _as_written(workshop.compilers, workspace, limits)
    await _require_blame(workshop, workspace, case, _as_written, written)
    shown = {(lint.code, lint.span) for lint in own_lints(written)}
    return Linting(lints, sum((lint.code, lint.span) not in shown for lint in lints))


def _may_silence(code: bytes) -> bool:
    return any(
        all(word.search(attribute) for word in _SILENCING) for attribute in _ATTRIBUTE.findall(code)
    )


def own_lints(found: BuildRun) -> tuple[Diagnostic, ...]:
    """Return the `clippy::` diagnostics of any level whose primary place is the sample's file."""
    return unique(
        message.diagnostic((SAMPLE_FILE,))
        for message in found.diagnostics
        if message.code is not None
        and message.code.code.startswith("clippy::")
        and any(span.is_primary and span.file_name == SAMPLE_FILE for span in message.spans)
    )


async def _failed(workshop: Workshop, workspace: Workspace, case: Case, found: BuildRun) -> Linting:
    await _require_blame(workshop, workspace, case, _forced, found)
    errors = own_errors(found, workspace)
    reason = "clippy ran out of time" if found.exit.timed_out else failure(found, errors)
    instead = errors or (Diagnostic(level=ERROR, code=None, message=reason),)
    return Linting(unique((*own_lints(found), *instead)), failed=True)


async def _require_blame(
    workshop: Workshop, workspace: Workspace, case: Case, step: Step, found: BuildRun
) -> None:
    """Raise `Fault` where clippy failed and nothing shows that it failed over the sample."""
    unexplained = not (found.succeeded or found.exit.timed_out or _is_explained(found, workspace))
    if unexplained:
        await workshop.require_blame(case, workspace, step, found)


def _is_explained(found: BuildRun, workspace: Workspace) -> bool:
    return any(map(is_evidence, own_errors(found, workspace)))


async def _as_written(
    compilers: Compilers, workspace: Workspace, limits: CommandLimits
) -> BuildRun:
    return await compilers.clippy(workspace, AS_WRITTEN, limits)


async def _forced(compilers: Compilers, workspace: Workspace, limits: CommandLimits) -> BuildRun:
    """Lint with everything forced on; denied lints of rustc's own must not end the pass early."""
    found = await compilers.clippy(workspace, FORCED, limits)
    if found.succeeded or found.exit.timed_out or not _is_explained(found, workspace):
        return found
    return await compilers.clippy(workspace, (*FORCED, "--cap-lints", "warn"), limits)
