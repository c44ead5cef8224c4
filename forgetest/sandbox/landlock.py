"""Landlock: rules of the kernel that a process sets itself; works where namespaces are refused."""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from forgetest.sandbox.backends import Backend
from forgetest.sandbox.guarded import GuardedBoxes
from forgetest.sandbox.host import ASK, Host, host_for, let_run, spare_user, system_folders
from forgetest.sandbox.plan import (
    TEST_THREADS,
    CompilerCall,
    Field,
    Launch,
    TestPlan,
    Unusable,
    scratch_fields,
)
from forgetest.sandbox.sandbox import Sandbox
from forgetest.sandbox.types import Guarantees, Held
from forgetest.system.process import run
from forgetest.system.toolchain import Toolchain

_DEVICES = (Path("/dev/null"),)
_GUARD_ITSELF = 1
_SCOPES_ABI = 6  # signals and abstract sockets
_NOTES = (
    "names and sizes of files outside can be probed, their contents not",
    "the sum of the files that a test writes is not limited, only each",
)
_UNCOUNTED = "threads are limited by memory alone: the system counts those of the whole user"
_UNSCOPED = "this kernel does not keep compilers from signalling other processes of the user"


@dataclass(frozen=True, slots=True)
class LandlockWalls:
    """Builds boxes out of rules for the guard; paths are the host's own."""

    host: Host

    def compile_box(self, call: CompilerCall) -> Launch:
        """Return a box that reads the system's /usr, the sysroot and the given paths."""
        reads = (*system_folders(), self.host.sysroot, *call.reads)
        fields = (
            *(("calls", "compile"), ("landlock",), ("mark",), ("keep_search",)),
            *(("read", str(path)) for path in reads),
            *(("write", str(path)) for path in (*_DEVICES, *call.writes)),
        )
        return Launch((str(self.host.guard),), fields)

    def test_box(self, plan: TestPlan, scratch: Path) -> Launch:
        """Return a box that reads the program and what it loads."""
        reads = (plan.program, *self.host.libraries, *plan.reads)
        fields = (
            *(("calls", "test_on_host"), ("landlock",), ("keep_search",)),
            ("arg", str(plan.program)),
            *(("read", str(path)) for path in reads),
            ("write", str(scratch)),
            *_user_fields(spare_user(), plan.program, scratch),
            *scratch_fields(str(scratch)),
        )
        return Launch((str(self.host.guard),), fields)


def _user_fields(user: int | None, program: Path, scratch: Path) -> Iterator[Field]:
    """Yield the user of the tests, if it can be another; only then its processes can be counted."""
    if user is not None:
        let_run(program)
        os.chown(scratch, user, user)
        yield ("uid", str(user))
        yield ("processes", str(TEST_THREADS + _GUARD_ITSELF))


async def landlock_sandbox(toolchain: Toolchain, cache: Path) -> Sandbox:
    """Return the sandbox of this kernel, not yet tried; `Unusable` when it has none."""
    if sys.platform != "linux":
        raise Unusable("Landlock is a part of Linux")
    host = await host_for(toolchain, cache)
    abi = await landlock_abi(host)
    if abi == 0:
        raise Unusable("this kernel has no Landlock, or another sandbox hides it")
    return Sandbox(
        Backend.LANDLOCK, f"ABI {abi}", _guarantees(abi), GuardedBoxes(LandlockWalls(host))
    )


async def landlock_abi(host: Host) -> int:
    """Return the version of Landlock that this kernel speaks; 0 where it has none."""
    ended = await run([str(host.guard), "landlock-abi"], cwd=Path("/"), env={}, limits=ASK)
    return int(ended.stdout) if ended.code == 0 else 0


def _guarantees(abi: int) -> Guarantees:
    counted = spare_user() is not None
    notes = (*_NOTES, *(() if counted else (_UNCOUNTED,)))
    processes = Held.ENFORCED if counted else Held.BEST_EFFORT
    notes = notes if abi >= _SCOPES_ABI else (*notes, _UNSCOPED)
    return Guarantees.enforced(*notes, processes=processes, disk=Held.BEST_EFFORT)
