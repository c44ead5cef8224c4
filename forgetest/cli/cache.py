"""`forgetest cache`: what lies in the user's cache folder, and how to be rid of it.

Carries out `forgetest cache`.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from forgetest.check.deep import BUDGET as CHECKS_BUDGET
from forgetest.check.deep import FOLDER as CHECKS
from forgetest.check.deep import CheckStore
from forgetest.cli import options as opt
from forgetest.cli.options import OnceEach
from forgetest.cli.prepare import cache_folder, configuration
from forgetest.cli.terminal import results
from forgetest.grading.dependencies import FOLDER
from forgetest.grading.depository import Depository, Stored, files_below
from forgetest.grading.verdict_store import FOLDER as VERDICTS
from forgetest.grading.verdict_store import StoredFile, VerdictStore
from forgetest.render.machine import Kept, bytes_text, cache_table, sets_table
from forgetest.sandbox.guardprogram import remove_programs
from forgetest.system.process import MIB

app = typer.Typer(
    add_completion=False,
    help="Show or clear what earlier runs left: verdicts, checks, built crates, the launcher.",
)


@app.command("info", cls=OnceEach)
def info(config: opt.Config = None) -> None:
    """Show what is kept: how much of it, how old, and within which budget."""
    show_cache(config)


@app.command("clear", cls=OnceEach)
def clear(
    verdicts: Annotated[bool, typer.Option("--verdicts", help="Only verdicts.")] = False,
    checks: Annotated[
        bool, typer.Option("--checks", help="Only what validate --deep found.")
    ] = False,
    dependencies: Annotated[
        bool, typer.Option("--dependencies", help="Only built dependencies.")
    ] = False,
) -> None:
    """Remove what is kept, but nothing that a run is using; without an option, all of it."""
    everything = not (verdicts or checks or dependencies)
    clear_cache(
        verdicts=verdicts or everything,
        checks=checks or everything,
        dependencies=dependencies or everything,
        launchers=everything,
    )


def show_cache(config: Path | None) -> None:
    """Print what is in the cache folder, where, and how much may be."""
    budgets = configuration(config).cache
    folder = cache_folder()
    files = list(VerdictStore(folder).files())
    checks = list(CheckStore(folder).files())
    depository = Depository(folder / FOLDER)
    sets = depository.stored()
    kept = [
        Kept("verdicts", [(f.size, f.used) for f in files], budgets.verdicts_mib * MIB),
        Kept("dependencies", [(s.size, s.used) for s in sets], budgets.dependencies_mib * MIB),
    ]
    kept.append(Kept("checks", [(f.size, f.used) for f in checks], CHECKS_BUDGET))
    kept.extend(_others(folder))
    console = results()
    console.print(f"cache: {folder}", markup=False, soft_wrap=True)
    console.print(cache_table(kept, now=time.time()))
    if sets:
        console.print()
        rows = [(one, depository.is_in_use(one.name)) for one in sets]
        console.print(sets_table(rows, now=time.time()))


def _others(folder: Path) -> Iterator[Kept]:
    """Yield what else is kept: small programs of our own, without a budget."""
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.is_dir() and path.name not in (FOLDER, VERDICTS, CHECKS):
            status = [file.lstat() for file in files_below(path)]
            yield Kept(path.name, [(one.st_size, one.st_mtime) for one in status], None)


def clear_cache(*, verdicts: bool, checks: bool, dependencies: bool, launchers: bool) -> None:
    """Remove what is kept and print what that freed."""
    if verdicts:
        _say_gone("verdicts", VerdictStore(cache_folder()).clear())
    if dependencies:
        _clear_dependencies(Depository(cache_folder() / FOLDER))
    if checks:
        _say_gone("checks", CheckStore(cache_folder()).clear())
    if launchers:
        _clear_launchers(cache_folder())


def _say_gone(what: str, gone: list[StoredFile]) -> None:
    typer.echo(f"{what}: {len(gone)} removed, {bytes_text(sum(f.size for f in gone))} freed")


def _clear_launchers(folder: Path) -> None:
    removed = remove_programs(folder)
    if removed.kept:
        typer.echo("launcher: kept, a run is using it")
    typer.echo(f"launcher: {removed.files} removed, {bytes_text(removed.size)} freed")


def _clear_dependencies(depository: Depository) -> None:
    removed: list[Stored] = []
    for one in depository.stored():
        if depository.remove(one.name):
            removed.append(one)
        else:
            typer.echo(f"dependencies {one.label}: kept, a run is using them")
    freed = bytes_text(sum(one.size for one in removed))
    typer.echo(f"dependencies: {len(removed)} removed, {freed} freed")
