"""Open a workspace for a sample, and decide whose failure a build without an error is.

A build that fails without a diagnostic at the sample's own lines proves nothing, and no text that a
sample can print or compile decides whose failure it is. The same step must fail again in the same
way in another workspace, on a disk with room, and must work for the case's reference.
"""

import asyncio
import contextlib
import errno
import functools
import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from pathlib import Path

from forgetest.errors import Fault, FaultKind, ToolchainError
from forgetest.evalset.types import Case
from forgetest.grading.cargo import CargoCompilers
from forgetest.grading.compilers import Compilers
from forgetest.grading.crate import TOKEN_DIGITS, build_crate, write_files
from forgetest.grading.dependencies import Dependencies
from forgetest.grading.diagnostics import BuildRun
from forgetest.grading.direct import DirectCompilers
from forgetest.grading.limits import ALL, Defences, Limits
from forgetest.grading.verdict import Layout, Reach, scan_of
from forgetest.grading.workspace import Workspace
from forgetest.rust.scan import Scan
from forgetest.sandbox.sandbox import Sandbox
from forgetest.system.files import clear_leftovers, temporary_folder
from forgetest.system.process import MIB, CommandLimits
from forgetest.system.toolchain import Toolchain

_QUOTED = 300  # characters of what a compiler said
_DISK_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO})
_CANARY = "pub fn canary() -> u32 { 7 }\n"
_CANARY_TEST = "#[test] fn sings() { assert_eq!(canary(), 7); }\n"

Step = Callable[[Compilers, Workspace, CommandLimits], Awaitable[BuildRun]]


class Workshop:
    """Where samples are built; `temp` is the folder of all workspaces, the system's when None."""

    def __init__(  # noqa: PLR0913 - a workshop is made in one place
        self,
        toolchain: Toolchain,
        dependencies: Dependencies,
        limits: Limits,
        *,
        sandbox: Sandbox,
        temp: Path | None = None,
        layout: Layout | None = None,
        defences: Defences = ALL,
        direct: bool = True,
    ) -> None:
        self._toolchain = toolchain
        self._dependencies = dependencies
        self.sandbox = sandbox
        # The harness is built before any sample; one that lacks a part is left to cargo.
        direct = direct and defences.self_check
        self.compilers: Compilers = (
            DirectCompilers(toolchain, sandbox) if direct else CargoCompilers(sandbox)
        )
        self._temp = temp
        self.limits = limits
        self.defences = defences
        self._layout = layout if defences.own_crate else Layout.LIBTEST

    @contextlib.asynccontextmanager
    async def open(
        self, case: Case, code: str, scan: Scan | None = None, *, reach: Reach | None = None
    ) -> AsyncIterator[Workspace]:
        """Give a workspace that vanishes afterwards; `Fault` when the disk refuses it.

        `scan` is that of the code, and `reach` that of its tests, where they are known already.
        """
        with contextlib.ExitStack() as stack:
            with _disk_faults():
                root = stack.enter_context(temporary_folder(self._temp))
            yield await self.lay_out(case, code, root, scan=scan, reach=reach)

    def clear_leftovers(self) -> None:
        """Remove the workspaces of processes that were killed before they could."""
        clear_leftovers(self._temp)

    async def again(self, case: Case, workspace: Workspace, reach: Reach) -> Workspace:
        """Return another workspace of the same sample, with another reach of its tests."""
        root = workspace.root / f"again_{reach.layout}_{len(reach.absent)}"
        code = workspace.crate.code
        return await self.lay_out(case, code, root, reach=reach, scan=workspace.scan)

    async def add_files(self, workspace: Workspace, files: Mapping[str, bytes]) -> None:
        """Write more files into a workspace, by their paths there; `Fault` if the disk refuses."""
        with _disk_faults():
            await asyncio.to_thread(write_files, workspace.folder, files)

    async def lay_out(
        self,
        case: Case,
        code: str,
        root: Path,
        *,
        reach: Reach | None = None,
        scan: Scan | None = None,
    ) -> Workspace:
        """Write the workspace of a sample below `root`, dependencies included, and return it.

        A person can run cargo in its `folder`.
        """
        by_cargo = self.compilers.needs_artifacts
        try:
            prepared = await self._dependencies.prepare(case.dependencies, for_cargo=by_cargo)
        except ToolchainError as error:  # it was there before the run and is gone
            raise Fault(FaultKind.TOOLCHAIN, str(error)) from None
        token = secrets.token_hex(TOKEN_DIGITS // 2)
        crate = await asyncio.to_thread(
            build_crate,
            case,
            code,
            token=token,
            layout=self._layout,
            reach=reach,
            defences=self.defences,
        )
        if scan is None:
            scan = await asyncio.to_thread(scan_of, case, code)
        workspace = Workspace(root, crate, self._toolchain, prepared, case.edition, scan)
        with _disk_faults():
            await _write(workspace, artifacts=by_cargo)
        return workspace

    async def require_blame(
        self, case: Case, workspace: Workspace, step: Step, failed: BuildRun
    ) -> None:
        """Return when the failure of `step` is the sample's; raise `Fault` when it may not be.

        The step is repeated for the sample in a new workspace, where it must end in the same way,
        then for the case's reference, where it must work.
        """
        self._require_room(workspace.root)
        limits = self.limits.compile(case)
        if failed.cut_by is None:  # a crash has already come again
            await self._require_same_end(case, workspace, step, failed)
        code, sound = _sound(case)
        async with self.open(sound, code) as reference:
            run = await step(self.compilers, reference, limits)
        if not run.succeeded:
            message = f"the compiler fails on a sound crate too: {_words(failed)}"
            raise Fault(FaultKind.TOOLCHAIN, message)

    async def _require_same_end(
        self, case: Case, workspace: Workspace, step: Step, failed: BuildRun
    ) -> None:
        limits, reach = self.limits.compile(case), workspace.crate.reach
        async with self.open(case, workspace.crate.code, workspace.scan, reach=reach) as other:
            again = await step(self.compilers, other, limits)
        if not again.ends_like(failed):
            how = "did not fail again" if again.succeeded else "failed in another way"
            message = f"a build without an error in the sample {how}: {_words(failed)}"
            raise Fault(FaultKind.TOOLCHAIN, message)

    def _require_room(self, folder: Path) -> None:
        """Raise `Fault` unless the disk has room for what a compiler may write to one file."""
        with _disk_faults():
            free = shutil.disk_usage(folder).free
        if free < self.limits.compile_file_size:
            where = self._temp or Path(tempfile.gettempdir())
            message = f"a build failed, and only {free // MIB} MiB are free in {where}"
            raise Fault(FaultKind.DISK, message)


def _words(failed: BuildRun) -> str:
    """Return the end of what a build printed, as one short line."""
    words = failed.last_words or next(
        (error.message for error in failed.errors), "nothing was said"
    )
    return " ".join(words.split())[:_QUOTED]


def _sound(case: Case) -> tuple[str, Case]:
    """Return code that should build, and the case that it is built in."""
    if case.reference_solution is not None and case.expectations.should_compile:
        return case.reference_solution, case
    expectations = case.expectations.model_copy(update={"test_file": _CANARY_TEST})
    alone = {"expectations": expectations, "context": (), "answer_files": ()}
    return _CANARY, case.model_copy(update=alone)


async def _write(workspace: Workspace, *, artifacts: bool) -> None:
    """Write a workspace in a thread; cancelling waits for it, as its folder is removed next."""
    write = functools.partial(workspace.write, artifacts=artifacts)
    writing = asyncio.get_running_loop().run_in_executor(None, write)
    try:
        await asyncio.shield(writing)
    finally:
        if not writing.done():
            await asyncio.wait({writing})


@contextlib.contextmanager
def _disk_faults() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        kind = FaultKind.DISK if error.errno in _DISK_ERRORS else FaultKind.SANDBOX
        raise Fault(kind, f"the workspace cannot be written: {error}") from error
