"""`forgetest cache`: what lies in the user's cache folder, and how to be rid of it."""

from typing import Annotated

import typer

from forgetest.cli import options as opt
from forgetest.cli.options import OnceEach

app = typer.Typer(
    help="What earlier runs left: verdicts, checks, built crates, the launcher; show or remove it."
)


@app.command("info", cls=OnceEach)
def info(config: opt.Config = None) -> None:
    """Show what is kept: how much of it, how old, and within which budget."""
    from forgetest.cli.housekeeping import show_cache

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
    from forgetest.cli.housekeeping import clear_cache

    everything = not (verdicts or checks or dependencies)
    clear_cache(
        verdicts=verdicts or everything,
        checks=checks or everything,
        dependencies=dependencies or everything,
        launchers=everything,
    )
