"""`forgetest doctor`: what this machine has, and the command that installs what it lacks."""

from typing import TYPE_CHECKING, Annotated

import typer

from forgetest.cli import options as opt
from forgetest.cli.interrupts import INTERRUPTS
from forgetest.errors import ExitCode, ToolchainError

if TYPE_CHECKING:
    from forgetest.sandbox.sandbox import Sandbox
    from forgetest.system.toolchain import Check


def doctor(
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only what is missing.")
    ] = False,
    sandbox: opt.Sandbox = None,
) -> None:
    """Check the Rust toolchain, the linker, the disk, the sandbox and the optional parts.

    Exits with 2 when something is missing that a run needs.
    """
    import os

    from forgetest.cli.terminal import results
    from forgetest.render.machine import checks_table, missing_lines
    from forgetest.system.toolchain import checks as toolchain_checks

    held = sandbox_found(sandbox)
    checks = [
        *toolchain_checks(os.environ),
        allowance_check(),
        *sandbox_checks(held),
        *optional_checks(),
    ]
    if not quiet:
        results().print(checks_table(checks))
        print_guarantees(held)
    for line in missing_lines(checks):
        typer.echo(f"error: {line}", err=True)
    if any(check.needed and not check.ok for check in checks):
        raise typer.Exit(ExitCode.USAGE)


def sandbox_found(requested: str | None) -> "Sandbox | ToolchainError | None":
    """Return the sandbox of this machine, or why it has none; None without a compiler to try it."""
    import os

    from forgetest.cli.prepare import cache_folder
    from forgetest.sandbox.choose import choose
    from forgetest.system.toolchain import Toolchain

    try:
        toolchain = Toolchain.resolve(os.environ)
    except ToolchainError:
        return None  # the check of the compiler says so
    try:
        return INTERRUPTS.run(
            choose(requested or "auto", toolchain=toolchain, cache=cache_folder())
        )
    except ToolchainError as error:
        return error


def allowance_check() -> "Check":
    """Return the check of what the system lets processes use."""
    from forgetest.grading.limits import Limits, demand_allowance
    from forgetest.system.toolchain import Check

    try:
        demand_allowance(Limits())
    except ToolchainError as error:
        why, _, fix = str(error).rpartition("; ")
        return Check("limits", ok=False, found=why, fix=fix)
    return Check("limits", ok=True, found="as grading needs them")


def sandbox_checks(found: "Sandbox | ToolchainError | None") -> list["Check"]:
    """Return the check of what holds generated code."""
    from forgetest.system.toolchain import Check

    if found is None:
        return []
    if isinstance(found, ToolchainError):
        why, _, fix = str(found).rpartition("; ")
        return [Check("sandbox", ok=False, found=why, fix=fix)]
    return [Check("sandbox", ok=True, found=f"{found.backend} {found.version}".strip())]


def print_guarantees(found: "Sandbox | ToolchainError | None") -> None:
    """Print what the sandbox holds back, and its notes."""
    from forgetest.cli.terminal import results
    from forgetest.render.run import guarantees_table

    if found is None or isinstance(found, ToolchainError):
        return
    results().print()
    results().print(guarantees_table(found.guarantees))
    for note in found.guarantees.notes:
        results().print(f"note: {note}", highlight=False, markup=False)


def optional_checks() -> list["Check"]:
    """Return the checks of what only some runs need."""
    from forgetest.sampling.local import installed
    from forgetest.system.toolchain import Check

    return [
        Check(
            name="embedded model",
            ok=installed(),
            found="llama.cpp and SmolLM2-135M" if installed() else "not installed",
            fix="forgetest local install",
            needed=False,
        )
    ]
