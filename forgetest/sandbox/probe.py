"""Try a sandbox with its real flags: compile a canary in one box, and run it in the other."""

import secrets
from dataclasses import replace
from importlib import resources
from pathlib import Path

from forgetest.errors import Fault, FaultKind
from forgetest.folders import temporary_folder
from forgetest.process import MIB
from forgetest.sandbox.limits import PROBE
from forgetest.sandbox.plan import PlannedTest, TestPlan
from forgetest.sandbox.sandbox import Sandbox
from forgetest.sandbox.types import Backend
from forgetest.toolchain import Toolchain

_KEPT = 300
_FLAGS = ("--edition=2021", "-C", "prefer-dynamic", "-C", "debuginfo=0")


async def complaint(sandbox: Sandbox, toolchain: Toolchain) -> str | None:
    """Return why `sandbox` does not hold or does not work here; None when it does."""
    try:
        with temporary_folder() as folder:
            (folder / "in").mkdir()
            (folder / "out").mkdir()
            await _compile(sandbox, toolchain, folder)
            await _run(sandbox, toolchain, folder)
    except Fault as fault:
        return " ".join(fault.message.split())
    except OSError as error:
        return str(error)
    return None


async def _compile(sandbox: Sandbox, toolchain: Toolchain, folder: Path) -> None:
    source = resources.files("forgetest.sandbox") / "canary.rs"
    (folder / "in" / "canary.rs").write_bytes(source.read_bytes())
    out = folder / "out"
    ended = await sandbox.compile(
        [str(toolchain.rustc), *_FLAGS, "canary.rs", "-o", str(out / "canary")],
        cwd=folder / "in",
        env={"PATH": "/usr/bin:/bin", "TMPDIR": str(out)},
        limits=PROBE,
        reads=[folder / "in"],
        writes=[out],
    )
    if ended.code != 0:
        words = ended.stderr.decode(errors="replace")[:_KEPT]
        raise Fault(FaultKind.SANDBOX, f"no compiler runs in its box: {words}")


async def _run(sandbox: Sandbox, toolchain: Toolchain, folder: Path) -> None:
    """Run it where it may read none of its own source."""
    test = PlannedTest("canary", secrets.token_hex(8), secrets.token_hex(8))
    opened = {"CANARY_OPEN": "1"} if sandbox.backend is Backend.NONE else {}
    plan = TestPlan(
        program=folder / "out" / "canary",
        cwd=folder / "cwd",
        env={
            "LD_LIBRARY_PATH": str(toolchain.library_folder),
            "CANARY_OUTSIDE": str(folder / "in" / "canary.rs"),
            **opened,
        },
        reads=[folder / "cwd", *toolchain.runtime_libraries],
        tests=[test],
        limits=replace(PROBE, file_size=16 * MIB),
        all_secs=PROBE.wall_secs,
    )
    plan.cwd.mkdir()
    (ran,) = await sandbox.run_tests(plan)
    if ran.first is None or ran.first.stdout != f"{test.nonce} ok canary\n".encode():
        raise Fault(FaultKind.SANDBOX, f"no test runs in its box: {_how(ran.first)}")


def _how(ended: object) -> str:
    said = getattr(ended, "stderr", b"").decode(errors="replace")
    return said.strip()[:_KEPT] or "it can read what it must not, or starts no thread"
