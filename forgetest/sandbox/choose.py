"""Choose the sandbox of a run: the one that was asked for, or the strongest that works here.

Each is tried with its real flags: a canary is compiled in one box and run in the other, where it
must not be able to read its own source.
"""

import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from importlib import import_module, resources
from pathlib import Path

from forgetest.errors import ConfigError, Fault, FaultKind, ToolchainError
from forgetest.sandbox.backends import REQUESTS, Backend, backends_for
from forgetest.sandbox.plan import PlannedTest, TestPlan, Unusable
from forgetest.sandbox.sandbox import Sandbox
from forgetest.sandbox.types import Held
from forgetest.system.files import temporary_folder
from forgetest.system.process import GIB, MIB, CommandLimits, Exit
from forgetest.system.toolchain import Toolchain

_STDERR_SHOWN = 300  # characters
_RUSTC_FLAGS = ("--edition=2021", "-C", "prefer-dynamic", "-C", "debuginfo=0")
_LIMITS = CommandLimits(wall_secs=30, cpu_secs=20, address_space=4 * GIB)  # of a probe
_WITHOUT = "use --sandbox none for code that you trust"

Opener = Callable[[Toolchain, Path], Awaitable[Sandbox]]  # raises `Unusable`


async def choose(requested: str, *, toolchain: Toolchain, cache: Path) -> Sandbox:
    """Return the sandbox that was asked for, tried with its real flags.

    Raises `ToolchainError` with one line that says why none works and how to fix it: there is no
    silent fallback to no sandbox. Raises `ConfigError` for a name that is not a sandbox.
    """
    if requested not in REQUESTS:
        raise ConfigError(f"--sandbox {requested}: choose from {', '.join(REQUESTS)}")
    refusals: dict[Backend, Unusable] = {}
    for backend in backends_for(requested):
        try:
            return await _opened(backend, toolchain, cache)
        except Unusable as refusal:
            refusals[backend] = refusal
    raise ToolchainError(_explain(refusals))


def opener_of(backend: Backend) -> Opener:
    """Return what opens a sandbox: the function `NAME_sandbox` of the module of its name."""
    module = import_module(f"forgetest.sandbox.{backend}")
    opener: Opener = getattr(module, f"{backend}_sandbox")
    return opener


async def _opened(backend: Backend, toolchain: Toolchain, cache: Path) -> Sandbox:
    try:
        sandbox = await opener_of(backend)(toolchain, cache)
    except Fault as fault:
        raise Unusable(fault.message) from None
    reason = await _why_it_fails(sandbox, toolchain)
    if reason is not None:
        raise Unusable(reason, sandbox.fix)
    return sandbox


def _explain(refusals: Mapping[Backend, Unusable]) -> str:
    """Return one line: why each backend does not work, and the first fix that is known."""
    reasons = "; ".join(f"{backend}: {refusal}" for backend, refusal in refusals.items())
    fix = next((refusal.fix for refusal in refusals.values() if refusal.fix), "")
    remedy = f"run: {fix}, or {_WITHOUT}" if fix else _WITHOUT
    return f"no sandbox works here ({reasons}); {remedy}"


async def _why_it_fails(sandbox: Sandbox, toolchain: Toolchain) -> str | None:
    """Return why `sandbox` does not hold or does not work here; None when it does."""
    try:
        with temporary_folder() as folder:
            (folder / "in").mkdir()
            (folder / "out").mkdir()
            await _compile_canary(sandbox, toolchain, folder)
            await _run_canary(sandbox, toolchain, folder)
    except Fault as fault:
        return " ".join(fault.message.split())
    except OSError as error:
        return str(error)
    return None


async def _compile_canary(sandbox: Sandbox, toolchain: Toolchain, folder: Path) -> None:
    source = resources.files("forgetest.sandbox") / "canary.rs"
    (folder / "in" / "canary.rs").write_bytes(source.read_bytes())
    out = folder / "out"
    ended = await sandbox.compile(
        [str(toolchain.rustc), *_RUSTC_FLAGS, "canary.rs", "-o", str(out / "canary")],
        cwd=folder / "in",
        env={"PATH": "/usr/bin:/bin", "TMPDIR": str(out)},
        limits=_LIMITS,
        reads=[folder / "in"],
        writes=[out],
    )
    if ended.code != 0:
        stderr = ended.stderr.decode(errors="replace")[:_STDERR_SHOWN]
        raise Fault(FaultKind.SANDBOX, f"the compiler does not run in its box: {stderr}")


async def _run_canary(sandbox: Sandbox, toolchain: Toolchain, folder: Path) -> None:
    """Run it where it may not read its own source, unless the sandbox promises nothing of that."""
    test = PlannedTest("canary", secrets.token_hex(8), secrets.token_hex(8))
    may_read = {"CANARY_OPEN": "1"} if sandbox.guarantees.read is Held.ABSENT else {}
    plan = TestPlan(
        program=folder / "out" / "canary",
        cwd=folder / "cwd",
        env={
            "LD_LIBRARY_PATH": str(toolchain.library_folder),
            "CANARY_OUTSIDE": str(folder / "in" / "canary.rs"),
            **may_read,
        },
        reads=[folder / "cwd", *toolchain.runtime_libraries],
        tests=[test],
        limits=replace(_LIMITS, file_size=16 * MIB),
        all_secs=_LIMITS.wall_secs,
    )
    plan.cwd.mkdir()
    (ran,) = await sandbox.run_tests(plan)
    if ran.first is None or ran.first.stdout != f"{test.nonce} ok canary\n".encode():
        raise Fault(FaultKind.SANDBOX, f"the test does not run in its box: {_symptom(ran.first)}")


def _symptom(ended: Exit | None) -> str:
    stderr = b"" if ended is None else ended.stderr
    shown = stderr.decode(errors="replace").strip()[:_STDERR_SHOWN]
    return shown or "it can read files outside, or cannot start a thread"
