"""What a machine grades with, as JSON, and in what one machine differs from another."""

import platform

from forgetest.grading.identity import grader_version
from forgetest.runner.session import Workbench
from forgetest.sandbox.types import Guarantees
from forgetest.system.toolchain import Toolchain
from forgetest.value import Value
from forgetest.version import __version__


class GradingMachine(Value):
    """Everything of a machine that a verdict depends on, and how many samples it takes."""

    forgetest: str
    sources: str  # a digest of all that makes verdicts
    rustc: str
    cargo: str
    clippy: str
    sandbox: str
    sandbox_version: str
    guarantees: Guarantees
    compilers: str
    identity: str
    host: str
    cores: int

    def difference(self, run: "GradingMachine") -> str | None:
        """Return in what this machine differs from that of the run; None where verdicts agree."""
        for name in _TITLES:
            if found := _unlike(name, getattr(self, name), run):
                return found
        if self.sources != run.sources:
            return f"has another build of forgetest {self.forgetest} than the run"
        if self.guarantees != run.guarantees:
            return _other_guarantee(self, run)
        if self.compilers != run.compilers:
            return f"calls the compilers by {self.compilers}, the run by {run.compilers}"
        return None if self.identity == run.identity else "has other limits than the run"


def other_toolchain(toolchain: Toolchain, run: GradingMachine) -> str | None:
    """Return in what a toolchain differs from the run's; None where they are the same."""
    versions = {
        "rustc": toolchain.rustc_version,
        "cargo": toolchain.cargo_version,
        "clippy": toolchain.clippy_version,
    }
    return next(
        filter(None, (_unlike(name, version, run) for name, version in versions.items())), None
    )


# rustc, cargo and clippy say their own names.
_TITLES = {
    "forgetest": "forgetest ",
    "rustc": "",
    "cargo": "",
    "clippy": "",
    "sandbox": "sandbox ",
    "sandbox_version": "sandbox version ",
}


def _unlike(name: str, here: str, run: GradingMachine) -> str | None:
    there = getattr(run, name)
    if here == there:
        return None
    mine, its = _first_difference(here, there)
    return f"has {_TITLES[name]}{mine}, the run has {its}"


class GradingOptions(Value):
    """How a worker is to grade; `cache` is the folder of its crates, its own user's when None."""

    run: GradingMachine  # where the run is
    allow_custom_checks: bool
    dependencies_mib: int
    cache: str | None = None
    quiet_interrupts: bool = False  # Ctrl-C is for the process that started the worker


def machine_of(bench: Workbench, *, cores: int) -> GradingMachine:
    """Return what a bench grades with, once its grader is proven."""
    toolchain, sandbox = bench.toolchain, bench.sandbox
    return GradingMachine(
        forgetest=__version__,
        sources=grader_version(),
        rustc=toolchain.rustc_version,
        cargo=toolchain.cargo_version,
        clippy=toolchain.clippy_version,
        sandbox=str(sandbox.backend),
        sandbox_version=sandbox.version,
        guarantees=sandbox.guarantees,
        compilers=type(bench.grader.workshop.compilers).__name__,
        identity=bench.grader.identity,
        host=platform.node(),
        cores=cores,
    )


def _first_difference(here: str, there: str) -> tuple[str, str]:
    """Return the first lines in which two versions differ."""
    pairs = zip(here.splitlines(), there.splitlines(), strict=False)
    return next(((mine, its) for mine, its in pairs if mine != its), (here, there))


def _other_guarantee(here: GradingMachine, run: GradingMachine) -> str:
    for name in Guarantees.model_fields.keys() - {"notes"}:
        mine, its = getattr(here.guarantees, name), getattr(run.guarantees, name)
        if mine != its:
            return f"has {name.replace('_', ' ')} {mine} by {here.sandbox}, the run has it {its}"
    mine, its = ("; ".join(both.guarantees.notes) or "nothing" for both in (here, run))
    return f"says of {here.sandbox}: {mine}; the run says: {its}"
