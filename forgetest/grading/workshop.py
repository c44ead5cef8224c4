"""Open a workspace for a sample, and tell whether the machine would have built a sound one.

The second settles whose failure a build is that no diagnostic blames on the sample's own lines. No
text that a sample can print or compile decides it: only the same step on the case's reference.
"""

import asyncio
import contextlib
import errno
import os
import secrets
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

from forgetest.errors import Fault, FaultKind, ToolchainError
from forgetest.evalset.types import Case
from forgetest.folders import PREFIX, remove, temporary_folder
from forgetest.grading.buildrun import BuildRun
from forgetest.grading.cargo import CargoCompilers
from forgetest.grading.compilers import Compilers
from forgetest.grading.crate import SAMPLE_FILE, build_crate
from forgetest.grading.defences import ALL, Defences
from forgetest.grading.dependencies import Dependencies, lay_out
from forgetest.grading.direct import DirectCompilers
from forgetest.grading.integrity import scan_of
from forgetest.grading.limits import Limits
from forgetest.grading.verdict import Layout, Reach
from forgetest.grading.workspace import Workspace
from forgetest.process import CommandLimits
from forgetest.rust.scan import Scan
from forgetest.sandbox.sandbox import Sandbox
from forgetest.toolchain import Toolchain

_TOKEN_BYTES = 6
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
        for folder in (self._temp or Path(tempfile.gettempdir())).glob(f"{PREFIX}*-*"):
            owner = folder.name.removeprefix(PREFIX).partition("-")[0]
            if owner.isdecimal() and not _is_alive(int(owner)):
                remove(folder)

    async def again(self, case: Case, workspace: Workspace, reach: Reach) -> Workspace:
        """Return another workspace of the same sample, with other names in its tests' reach."""
        code = workspace.crate.files[SAMPLE_FILE].decode("utf-8", "surrogatepass")
        root = workspace.root / f"again_{len(reach.absent)}"
        return await self.lay_out(case, code, root, reach=reach, scan=workspace.scan)

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
        try:
            prepared = await self._dependencies.prepare(case.dependencies)
        except ToolchainError as error:  # it was there before the run, and somebody took it away
            raise Fault(FaultKind.TOOLCHAIN, str(error)) from None
        token = secrets.token_hex(_TOKEN_BYTES)
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
            await asyncio.to_thread(
                lay_out, workspace, prepared, artifacts=self.compilers.needs_artifacts
            )
        return workspace

    async def require_sound(self, case: Case, step: Step, failed: BuildRun) -> None:
        """Return when `step` works for the case's reference; raise `Fault` when it fails too."""
        code, sound = _sound(case)
        async with self.open(sound, code) as workspace:
            found = await step(self.compilers, workspace, self.limits.compile(case))
        if not found.succeeded:
            message = f"the compiler fails on a sound crate too: {failed.last_words}"
            raise Fault(FaultKind.TOOLCHAIN, message)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's
    return True


def _sound(case: Case) -> tuple[str, Case]:
    """Return code that should build, and the case that it is built in."""
    if case.reference_solution is not None and case.expectations.should_compile:
        return case.reference_solution, case
    expectations = case.expectations.model_copy(update={"test_file": _CANARY_TEST})
    return _CANARY, case.model_copy(update={"expectations": expectations, "context": ()})


@contextlib.contextmanager
def _disk_faults() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        kind = FaultKind.DISK if error.errno in _DISK_ERRORS else FaultKind.SANDBOX
        raise Fault(kind, f"the workspace can not be written: {error}") from error
