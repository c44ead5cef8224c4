"""Writes the crate of a sample to a folder in which a person can run cargo."""

import os
from pathlib import Path

import typer

from forgetest.cli.setup import cache_folder
from forgetest.errors import ConfigError, ToolchainError
from forgetest.evalset.types import Case
from forgetest.folders import remove
from forgetest.grading.crate import Exported, graded_crate
from forgetest.grading.dependencies import locked
from forgetest.render.show.exported import instructions, printed
from forgetest.report.files import OpenRun, Picked
from forgetest.toolchain import Toolchain

README = ("README.md", "README-forgetest.md")  # the second where the case brings the first


def export_crate(run: OpenRun, one: Picked, folder: Path) -> None:
    """Write the crate that was graded, and say how to run cargo in it.

    Raises ConfigError for a folder that is not empty, a sample without code, and a report without
    its run folder, which alone holds the tests.
    """
    case = run.case(one.key)
    if case is None:
        raise ConfigError(f"{run.name}: --export needs the run folder: a report has no tests")
    if one.sample.code is None:
        raise ConfigError(f"{one.key} of {one.model}: the sample has no code to export")
    _check_empty(folder)
    exported = graded_crate(case, one.sample.code, one.sample.verdict, lock=_lock(case))
    rustc = run.report.toolchain.rustc.split("\n", 1)[0]
    _write(exported, folder, instructions(exported, one, rustc=rustc))
    typer.echo(printed(exported, one, folder=str(folder), rustc=rustc))


def _check_empty(folder: Path) -> None:
    try:
        empty = not folder.exists() or not any(folder.iterdir())
    except OSError as error:
        raise ConfigError(f"{folder}: {error.strerror}; name a new folder") from None
    if not empty:
        raise ConfigError(f"{folder}: is not empty; name a new folder")


def _lock(case: Case) -> bytes | None:
    """Return the versions that this machine grades with; None where nothing is there to ask."""
    if not case.dependencies:
        return None
    try:
        return locked(Toolchain.resolve(os.environ), cache_folder(), case.dependencies)
    except ToolchainError:
        return None


def _write(exported: Exported, folder: Path, readme: str) -> None:
    name = next(name for name in README if name not in exported.crate.files)
    try:
        exported.crate.write(folder)
        (folder / name).write_text(readme, encoding="utf-8")
        if exported.lock is not None:
            (folder / "Cargo.lock").write_bytes(exported.lock)
    except OSError as error:
        remove(folder)  # it was empty, or not there
        raise ConfigError(f"{folder}: can not be written: {error.strerror}") from None
