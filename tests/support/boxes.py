"""The sandboxes of this machine, each made once, and graders that use them."""

import asyncio
import os
from functools import cache
from pathlib import Path

import pytest
from graders import cache_of

from forgetest.errors import ToolchainError
from forgetest.grading.grader import SampleGrader
from forgetest.grading.limits import ALL, Defences, Limits
from forgetest.grading.verdict import Layout
from forgetest.sandbox.choose import choose
from forgetest.sandbox.sandbox import Sandbox
from forgetest.system.toolchain import Toolchain

BACKENDS = ("bwrap", "landlock")  # those that hold; `none` is asked for by name


@cache
def toolchain() -> Toolchain:
    """Return the toolchain, found before any test changes the environment."""
    return Toolchain.resolve(os.environ)


@cache
def _sandbox(backend: str, folder: Path) -> Sandbox | ToolchainError:
    try:
        return asyncio.run(choose(backend, toolchain=toolchain(), cache=folder))
    except ToolchainError as error:
        return error


def sandbox_of(backend: str, config: pytest.Config) -> Sandbox:
    """Return the sandbox of a backend, or skip the test by the backend's name."""
    found = _sandbox(backend, cache_of(config))
    if isinstance(found, ToolchainError):
        pytest.skip(f"{backend}: {found}")
    return found


def guarded(
    sandbox: Sandbox,
    *,
    cache: Path,
    temp: Path | None = None,
    layout: str | None = None,
    defences: Defences = ALL,
    **limits: float,
) -> SampleGrader:
    """Return a grader in a sandbox; `limits` are those of `Limits`."""
    return SampleGrader(
        toolchain(),
        cache=cache,
        temp=temp,
        sandbox=sandbox,
        limits=Limits(**limits),  # type: ignore[arg-type]
        defences=defences,
        layout=Layout(layout) if layout else None,
    )
