"""Fixtures that tests of every room use."""

import asyncio
import gc
import os
import sys
from asyncio import _set_running_loop
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs
import pytest
from graders import cache_of
from hypothesis import HealthCheck, settings
from program import ROOT, Program, program_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from browsing import Browsing

# Told to keep no bytecode, each of the hundreds of processes would compile all that it loads.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# What is imported and collected stays to the end: looking for garbage in it again and again took a
# third of the collection, in every worker.
gc.disable()

# How long an example takes says how busy the machine is, and nothing about the code.
settings.register_profile("calm", deadline=None, suppress_health_check=[HealthCheck.too_slow])
# For `make quick`; `make test` tries all examples.
settings.register_profile("quick", settings.get_profile("calm"), max_examples=20)
settings.load_profile("calm")


@pytest.fixture
def forgetest(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Program:
    """Return the program, in an empty folder, without verdicts of earlier tests."""
    return program_in(tmp_path, tmp_path_factory.mktemp("cache"), pytestconfig)


@pytest.fixture
def remembering(forgetest: Program) -> Program:
    """Return the program with the verdicts of the user's own cache, as a user would start it.

    Verdicts are kept by grader, case and code, so that a shipped reference or a recorded completion
    is graded when one of them changed, and once where several tests want its verdict.
    """
    verdicts = platformdirs.user_cache_path("forgetest") / "verdicts"
    verdicts.mkdir(parents=True, exist_ok=True)
    Path(forgetest.environ["XDG_CACHE_HOME"], "forgetest", "verdicts").symlink_to(verdicts)
    return forgetest


@pytest.fixture
def eval_sets() -> Path:
    """Return the folder of the shipped eval sets."""
    return ROOT / "eval-sets"


@pytest.fixture(scope="session")
def store(pytestconfig: pytest.Config) -> Path:
    """Return the folder where sandboxes keep the launcher, so that it is built once."""
    return cache_of(pytestconfig)


@pytest.fixture(scope="session")
def browser() -> "Iterator[tuple[Browsing, asyncio.AbstractEventLoop]]":
    """Start one browser for all pages of a worker, and return it with its driver's event loop."""
    from browsing import started  # noqa: PLC0415 - most tests need no browser

    with started() as browsing:
        loop = asyncio.get_running_loop()
        _set_running_loop(None)
        yield browsing, loop
        _set_running_loop(loop)


@pytest.fixture
def browsing(browser: "tuple[Browsing, asyncio.AbstractEventLoop]") -> "Iterator[Browsing]":
    """Return the browser; between its tests its driver's loop stands aside for those of others."""
    browsing, loop = browser
    _set_running_loop(loop)
    yield browsing
    browsing.close_pages()
    _set_running_loop(None)


# What a test of this fixture needs, so that `make quick` leaves it out without being told.
NEEDS = {
    "browsing": "browser",
    "installed": "wheel",
    "opened": "browser",
    "store": "cargo",
    "sandbox": "cargo",
    "toolchain": "cargo",
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark every test with what its fixtures and its folder need; leave out what needs a tool.

    Tests of other people's tools run where `make integrations` has installed the tool.
    """
    if "integrations" not in config.option.markexpr:
        items[:] = [item for item in items if item.get_closest_marker("integrations") is None]
    for item in items:
        for name in NEEDS.keys() & getattr(item, "fixturenames", ()):
            item.add_marker(NEEDS[name])
        if item.path.parent.name == "benchmarks":
            item.add_marker("benchmark")


def pytest_collection_finish() -> None:
    """Look for garbage from here on, in what the tests make, and seldom enough to cost little."""
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)
    gc.enable()
