"""`forgetest doctor`: what this machine has, and the command that installs what it lacks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Annotated

import typer

from forgetest.cli import options as opt
from forgetest.errors import ExitCode, ToolchainError
from forgetest.sandbox.backends import AUTO

if opt.CALLED:
    from forgetest.cli.interrupts import INTERRUPTS
    from forgetest.cli.terminal import results
    from forgetest.grading.limits import Limits, demand_allowance
    from forgetest.importers.catalogue import IMPORTERS, checked_importer
    from forgetest.render.formats.catalogue import FORMATS, checked_format
    from forgetest.render.machine import checks_table, missing_lines
    from forgetest.render.run import guarantees_table
    from forgetest.runner.config import BUILT_IN
    from forgetest.sampling.added import checked_provider
    from forgetest.sampling.local import installed
    from forgetest.sampling.providers.presets import PRESETS, PROTOCOLS
    from forgetest.sandbox.choose import choose
    from forgetest.sandbox.sandbox import Sandbox
    from forgetest.system.machine import cache_folder
    from forgetest.system.plugins import (
        BrokenPluginError,
        InstalledPlugin,
        PluginGroup,
        usable_plugins,
    )
    from forgetest.system.toolchain import Check, Toolchain
    from forgetest.system.toolchain import checks as toolchain_checks

QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print only what is missing.")]


def doctor(quiet: QuietOption = False, sandbox: opt.Sandbox = None) -> None:
    """Check the Rust toolchain, linker, disk space, sandbox and optional parts.

    Exits with 2 if something is missing that every run needs.
    """
    chosen = _choose_sandbox(sandbox)
    checks = [*toolchain_checks(os.environ), _limits_check(), *_sandbox_checks(chosen), _embedded()]
    checks += _plugin_checks()
    if not quiet:
        results().print(checks_table(checks))
        if isinstance(chosen, Sandbox):
            _print_guarantees(chosen)
    for line in missing_lines(checks):
        typer.echo(f"error: {line}", err=True)
    if any(check.needed and not check.ok for check in checks):
        raise typer.Exit(ExitCode.USAGE)


def _choose_sandbox(requested: str | None) -> Sandbox | ToolchainError | None:
    """Return the sandbox of this machine, or why it has none; None without a compiler to try it."""
    try:
        toolchain = Toolchain.resolve(os.environ)
    except ToolchainError:
        return None  # the check of the compiler says so
    try:
        return INTERRUPTS.run(choose(requested or AUTO, toolchain=toolchain, cache=cache_folder()))
    except ToolchainError as error:
        return error


def _limits_check() -> Check:
    """Return the check of the system's limits on processes."""
    try:
        demand_allowance(Limits())
    except ToolchainError as error:
        return _failed("limits", error)
    return Check("limits", ok=True, found="high enough for grading")


def _sandbox_checks(chosen: Sandbox | ToolchainError | None) -> list[Check]:
    match chosen:
        case None:
            return []
        case ToolchainError():
            return [_failed("sandbox", chosen)]
        case _:
            return [Check("sandbox", ok=True, found=f"{chosen.backend} {chosen.version}".strip())]


def _failed(name: str, error: ToolchainError) -> Check:
    """Return a failed check of an error whose last clause is the remedy."""
    why, _, fix = str(error).rpartition("; ")
    return Check(name, ok=False, found=why, fix=fix)


def _embedded() -> Check:
    return Check(
        name="embedded model",
        ok=installed(),
        found="llama.cpp and SmolLM2-135M" if installed() else "not installed",
        fix="forgetest local install",
        needed=False,
    )


def _plugin_checks() -> Iterator[Check]:
    """Yield a check for each part of each plugin."""
    providers = frozenset((*PROTOCOLS, *PRESETS, *BUILT_IN))
    importers = frozenset(importer.name for importer in IMPORTERS)
    for found in (
        usable_plugins(PluginGroup.PROVIDERS, providers, checked_provider),
        usable_plugins(PluginGroup.IMPORTERS, importers, checked_importer),
        usable_plugins(PluginGroup.FORMATS, frozenset(FORMATS), checked_format),
    ):
        for plugin, part in found:
            yield _plugin_check(plugin, part)


def _plugin_check(plugin: InstalledPlugin, part: object) -> Check:
    name = f"plugin {plugin.group.kind} {plugin.name}"
    if isinstance(part, BrokenPluginError):
        return Check(name, ok=False, found=part.why, needed=False)
    return Check(name, ok=True, found=f"of {plugin.package}", needed=False)


def _print_guarantees(sandbox: Sandbox) -> None:
    """Print what the sandbox prevents, and its notes."""
    results().print()
    results().print(guarantees_table(sandbox.guarantees))
    for note in sandbox.guarantees.notes:
        results().print(f"note: {note}", highlight=False, markup=False)
