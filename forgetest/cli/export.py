"""`forgetest show --export`: the crate that was graded, in a folder where cargo runs in it."""

import os
from pathlib import Path

import typer

from forgetest.errors import ConfigError, ToolchainError
from forgetest.evalset.types import Case
from forgetest.grading.crate import Exported, graded_crate
from forgetest.grading.dependencies import known_lock_file
from forgetest.render.show.exported import export_message, export_readme
from forgetest.report.files import OpenRun, PickedSample
from forgetest.system.files import remove
from forgetest.system.machine import cache_folder
from forgetest.system.toolchain import Toolchain

README = ("README.md", "README-forgetest.md")  # the second where the case brings the first


def export_crate(run: OpenRun, sample: PickedSample, folder: Path) -> None:
    """Write the crate that was graded, and say how to run cargo in it.

    Raises ConfigError for a folder that is not empty, a sample without code, and a report without
    its run folder, which alone holds the tests.
    """
    case = run.case(sample.key)
    if case is None:
        raise ConfigError(f"{run.name}: --export needs the run folder: a report alone has no tests")
    if sample.sample.code is None:
        raise ConfigError(f"{sample.key} of {sample.model}: the sample has no code to export")
    _check_empty(folder)
    exported = graded_crate(case, sample.sample.code, sample.sample.verdict, lock=_lock(case))
    rustc = run.report.toolchain.rustc.split("\n", 1)[0]
    _write(exported, folder, export_readme(exported, sample, rustc=rustc))
    typer.echo(export_message(exported, sample, folder=str(folder), rustc=rustc))


def _check_empty(folder: Path) -> None:
    try:
        empty = not folder.exists() or not any(folder.iterdir())
    except OSError as error:
        raise ConfigError(f"{folder}: {error.strerror}: choose a new folder") from None
    if not empty:
        raise ConfigError(f"{folder}: export folder is not empty: choose a new one")


def _lock(case: Case) -> bytes | None:
    """Return the Cargo.lock that this machine grades with; None without dependencies or cargo."""
    if not case.dependencies:
        return None
    try:
        return known_lock_file(Toolchain.resolve(os.environ), cache_folder(), case.dependencies)
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
        raise ConfigError(f"{folder}: cannot be written: {error.strerror}") from None
