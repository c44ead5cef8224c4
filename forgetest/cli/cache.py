"""`forgetest cache`: show or clear the user's cache folder."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from forgetest.cli import options as opt

if opt.CALLED:
    from forgetest.check.deep import BUDGET as CHECKS_BUDGET
    from forgetest.check.deep import FOLDER as CHECKS
    from forgetest.check.deep import CheckStore
    from forgetest.cli.configuration import configuration
    from forgetest.cli.terminal import results
    from forgetest.grading.dependencies import FOLDER as DEPENDENCIES
    from forgetest.grading.depository import Depository, Stored, files_below
    from forgetest.grading.verdict_store import FOLDER as VERDICTS
    from forgetest.grading.verdict_store import StoredFile, VerdictStore
    from forgetest.render.machine import Kept, bytes_text, cache_table, sets_table
    from forgetest.sandbox.guardprogram import remove_programs
    from forgetest.system.machine import cache_folder
    from forgetest.system.process import MIB

app = typer.Typer(
    cls=opt.CommandGroup,
    add_completion=False,
    help="Show or clear cached verdicts, checks, built dependencies and programs.",
)


@app.command("info", cls=opt.OnceEach)
def show_cache(config_file: opt.Config = None) -> None:
    """Show how much is cached, how old it is, and its size limits."""
    budgets = configuration(config_file).cache
    folder = cache_folder()
    depository = Depository(folder / DEPENDENCIES)
    sets = depository.stored()
    kept = [
        _kept("verdicts", list(VerdictStore(folder).files()), budgets.verdicts_mib * MIB),
        _kept("dependencies", sets, budgets.dependencies_mib * MIB),
        _kept("checks", list(CheckStore(folder).files()), CHECKS_BUDGET),
        *_others(folder),
    ]
    console = results()
    console.print(f"cache: {folder}", markup=False, soft_wrap=True)
    console.print(cache_table(kept, now=time.time()))
    if sets:
        console.print()
        rows = [(stored, depository.is_in_use(stored.name)) for stored in sets]
        console.print(sets_table(rows, now=time.time()))


def _kept(name: str, entries: Sequence[StoredFile] | Sequence[Stored], budget: int) -> Kept:
    return Kept(name, [(entry.size, entry.used) for entry in entries], budget)


def _others(folder: Path) -> Iterator[Kept]:
    """Yield what else is cached: small programs of our own, without a size limit."""
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.is_dir() and path.name not in (DEPENDENCIES, VERDICTS, CHECKS):
            status = [file.lstat() for file in files_below(path)]
            yield Kept(path.name, [(stat.st_size, stat.st_mtime) for stat in status], None)


@app.command("clear", cls=opt.OnceEach)
def clear_cache(
    verdicts: Annotated[bool, typer.Option("--verdicts", help="Remove verdicts.")] = False,
    checks: Annotated[
        bool, typer.Option("--checks", help="Remove results of validate --deep.")
    ] = False,
    dependencies: Annotated[
        bool, typer.Option("--dependencies", help="Remove built dependencies.")
    ] = False,
) -> None:
    """Remove the named parts of the cache, or all of it; what a running run uses is kept."""
    everything = not (verdicts or checks or dependencies)
    folder = cache_folder()
    if verdicts or everything:
        _print_removed("verdicts", VerdictStore(folder).clear())
    if dependencies or everything:
        _clear_dependencies(Depository(folder / DEPENDENCIES))
    if checks or everything:
        _print_removed("checks", CheckStore(folder).clear())
    if everything:
        _clear_launchers(folder)


def _print_removed(name: str, removed: Sequence[StoredFile] | Sequence[Stored]) -> None:
    freed = bytes_text(sum(entry.size for entry in removed))
    typer.echo(f"{name}: {len(removed)} removed, {freed} freed")


def _clear_dependencies(depository: Depository) -> None:
    removed: list[Stored] = []
    for stored in depository.stored():
        if depository.remove(stored.name):
            removed.append(stored)
        else:
            typer.echo(f"dependencies {stored.label}: kept, a run is using them")
    _print_removed("dependencies", removed)


def _clear_launchers(folder: Path) -> None:
    removed = remove_programs(folder)
    if removed.kept:
        typer.echo("launcher: kept, a run is using it")
    typer.echo(f"launcher: {removed.files} removed, {bytes_text(removed.size)} freed")
