"""Choose the sandbox of a run: the one that was asked for, or the strongest that works here.

Try a sandbox with its real flags: compile a canary in one box, and run it in the other.
"""

import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path

from forgetest.errors import ConfigError, Fault, FaultKind, ToolchainError
from forgetest.sandbox.bwrap import bwrap_sandbox, refused_fix
from forgetest.sandbox.docker import docker_sandbox
from forgetest.sandbox.landlock import landlock_sandbox
from forgetest.sandbox.none import no_sandbox
from forgetest.sandbox.plan import PlannedTest, TestPlan, Unusable
from forgetest.sandbox.sandbox import Sandbox
from forgetest.sandbox.types import PROBE, Backend, Requested
from forgetest.system.files import temporary_folder
from forgetest.system.process import MIB
from forgetest.system.toolchain import Toolchain

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


Opener = Callable[[Toolchain, Path], Awaitable[Sandbox]]

_OPENERS: Mapping[Backend, Opener] = {
    Backend.BWRAP: bwrap_sandbox,
    Backend.DOCKER: docker_sandbox,
    Backend.LANDLOCK: landlock_sandbox,
    Backend.NONE: no_sandbox,
}
_BY_ITSELF = (Backend.BWRAP, Backend.DOCKER, Backend.LANDLOCK)  # what `auto` tries, in this order
_WAY_OUT = "or name --sandbox none for code that you would run without one"


async def choose(requested: str, *, toolchain: Toolchain, cache: Path) -> Sandbox:
    """Return the sandbox that was asked for, tried with its real flags.

    Raises `ToolchainError` with one line that says why none works and what mends it: there is no
    silent fallback to no sandbox. Raises `ConfigError` for a word that names no sandbox.
    """
    if requested not in set(Requested):
        raise ConfigError(f"--sandbox {requested}: choose from {', '.join(Requested)}")
    wanted = _BY_ITSELF if requested == Requested.AUTO else (Backend(requested),)
    refusals: dict[Backend, Unusable] = {}
    for backend in wanted:
        try:
            return await _tried(backend, toolchain, cache)
        except Unusable as why:
            refusals[backend] = why
    raise ToolchainError(_explain(refusals))


async def _tried(backend: Backend, toolchain: Toolchain, cache: Path) -> Sandbox:
    try:
        sandbox = await _OPENERS[backend](toolchain, cache)
    except Fault as fault:
        raise Unusable(fault.message) from None
    why = await complaint(sandbox, toolchain)
    if why is not None:
        raise Unusable(why, refused_fix() if backend is Backend.BWRAP else "")
    return sandbox


def _explain(refusals: Mapping[Backend, Unusable]) -> str:
    """Return one line: what each backend said, what mends the first that can be mended."""
    said = "; ".join(f"{backend}: {why}" for backend, why in refusals.items())
    fix = next((why.fix for why in refusals.values() if why.fix), "")
    mend = f"mend it with: {fix}, {_WAY_OUT}" if fix else _WAY_OUT.removeprefix("or ")
    return f"no sandbox works here ({said}); {mend}"
