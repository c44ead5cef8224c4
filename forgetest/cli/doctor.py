"""`forgetest doctor`: what this machine has, and the command that installs what it lacks."""

from typing import TYPE_CHECKING, Annotated

import typer

from forgetest.errors import ExitCode

if TYPE_CHECKING:
    from forgetest.toolchain import Check


def doctor(
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only what is missing.")
    ] = False,
) -> None:
    """Check the Rust toolchain, the linker, the disk and the optional parts.

    Exits with 2 when something is missing that a run needs.
    """
    import os

    from forgetest.cli.show import results
    from forgetest.render.checks import checks_table, missing_lines
    from forgetest.toolchain import checks as toolchain_checks

    checks = [*toolchain_checks(os.environ), *optional_checks()]
    if not quiet:
        results().print(checks_table(checks))
    for line in missing_lines(checks):
        typer.echo(f"error: {line}", err=True)
    if any(check.needed and not check.ok for check in checks):
        raise typer.Exit(ExitCode.USAGE)


def optional_checks() -> list["Check"]:
    """Return the checks of what only some runs need."""
    from forgetest.local import installed
    from forgetest.toolchain import Check

    return [
        Check(
            name="embedded model",
            ok=installed(),
            found="llama.cpp and SmolLM2-135M" if installed() else "not installed",
            fix="forgetest local install",
            needed=False,
        )
    ]
