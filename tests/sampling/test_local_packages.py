"""The embedded model counts as installed when all of it is there."""

import sys
from pathlib import Path

import pytest

from forgetest.sampling.local import RUNTIME, WEIGHTS, installed, weights

WHOLE = (f"{RUNTIME}/__init__.py", f"{WEIGHTS}/__init__.py", f"{WEIGHTS}/small.gguf")


def lay(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the one folder that packages are looked for in."""
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    return tmp_path


def test_two_whole_packages_are_an_installed_model(site: Path) -> None:
    lay(site, *WHOLE)

    assert installed()
    assert weights() == site / WEIGHTS / "small.gguf"


@pytest.mark.parametrize("missing", WHOLE)
def test_an_installation_that_was_cut_short_is_none(site: Path, missing: str) -> None:
    lay(site, *(name for name in WHOLE if name != missing))

    assert not installed()
