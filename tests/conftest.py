"""Fixtures that tests of every room use."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from graders import cache_of
from hypothesis import settings
from program import ROOT, Program, program_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from browsing import Browsing

# How long an example takes says how busy the machine is, and nothing about the code.
settings.register_profile("calm", deadline=None)
settings.load_profile("calm")


@pytest.fixture
def forgetest(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Program:
    """Return the program, in an empty folder, without verdicts of earlier tests."""
    return program_in(tmp_path, tmp_path_factory.mktemp("cache"), pytestconfig)


@pytest.fixture
def eval_sets() -> Path:
    """Return the folder of the shipped eval sets."""
    return ROOT / "eval-sets"


@pytest.fixture(scope="session")
def store(pytestconfig: pytest.Config) -> Path:
    """Return the folder where sandboxes keep the launcher, so that it is built once."""
    return cache_of(pytestconfig)


@pytest.fixture(scope="module")
def browsing() -> "Iterator[Browsing]":
    """Start a browser; its driver keeps an event loop, so it may not outlive its module."""
    from browsing import started  # noqa: PLC0415 - most tests need no browser

    with started() as browsing:
        yield browsing
