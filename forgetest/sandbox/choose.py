"""Choose the sandbox of a run: the one that was asked for, or the strongest that works here."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from forgetest.errors import ConfigError, Fault, ToolchainError
from forgetest.sandbox.box import Unusable
from forgetest.sandbox.bwrap import bwrap_sandbox, refused_fix
from forgetest.sandbox.docker import docker_sandbox
from forgetest.sandbox.landlock import landlock_sandbox
from forgetest.sandbox.none import no_sandbox
from forgetest.sandbox.probe import complaint
from forgetest.sandbox.sandbox import Sandbox
from forgetest.sandbox.types import Backend, Requested
from forgetest.toolchain import Toolchain

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
