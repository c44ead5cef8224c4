"""Starts and stops the embedded model's server as a child on a free loopback port."""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from forgetest.errors import ProviderSetupError
from forgetest.local.packages import installed

START_TIMEOUT_SECS = 120.0  # the model loads in two seconds; a busy machine may need many more
STOP_TIMEOUT_SECS = 10.0


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A running server: where it listens and how many requests it answers at once."""

    base_url: str
    slots: int
    pid: int


@asynccontextmanager
async def start(
    *, slots: int, threads: int, environ: Mapping[str, str]
) -> AsyncIterator[LocalServer]:
    """Run the server for as long as the context lasts; ProviderSetupError when it can not start."""
    if not installed():
        raise ProviderSetupError(
            "the embedded model is not installed; run: forgetest local install"
        )
    argv = [sys.executable, "-m", "forgetest.local.serve", "--until-stdin-closes"]
    child = await asyncio.create_subprocess_exec(
        *argv,
        f"--slots={slots}",
        f"--threads={threads}",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=dict(environ),
        start_new_session=True,  # Ctrl-C is for the run, which then stops the server itself
    )
    try:
        yield LocalServer(base_url=await _address(child), slots=slots, pid=child.pid)
    finally:
        await _stop(child)


async def _address(child: asyncio.subprocess.Process) -> str:
    if child.stdout is None:
        raise ProviderSetupError("the embedded model's server has no output")
    try:
        async with asyncio.timeout(START_TIMEOUT_SECS):
            async for line in child.stdout:
                word, _, url = line.decode(errors="replace").strip().partition(" ")
                if word == "ready":
                    return url
    except TimeoutError:
        raise ProviderSetupError(
            f"the embedded model did not load within {START_TIMEOUT_SECS:.0f} s"
        ) from None
    raise ProviderSetupError(
        f"the embedded model's server left with exit code {await child.wait()};"
        " run: forgetest local serve, to see why"
    )


async def _stop(child: asyncio.subprocess.Process) -> None:
    """Close its standard input, which ends it; kill it if it does not listen."""
    if child.stdin is not None:
        child.stdin.close()
    try:
        async with asyncio.timeout(STOP_TIMEOUT_SECS):
            await child.wait()
    except TimeoutError:
        child.kill()
        await child.wait()
