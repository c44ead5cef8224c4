"""What a machine grades with, as JSON, and in what one machine differs from another."""

import os
import platform

from forgetest.grading.identity import grader_version
from forgetest.runner.session import Workbench
from forgetest.sandbox.types import Guarantees
from forgetest.value import Value
from forgetest.version import __version__


class GradingOptions(Value):
    """How a worker is to grade; `cache` is the folder of its crates, its own user's when None."""

    sandbox: str
    allow_custom_checks: bool
    dependencies_mib: int
    cache: str | None = None
    quiet_interrupts: bool = False  # Ctrl-C is for the process that started the worker


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
        for name in ("forgetest", "rustc", "cargo", "clippy", "sandbox", "sandbox_version"):
            here, there = getattr(self, name), getattr(run, name)
            if here != there:
                here, there = _first_difference(here, there)
                return f"has {_TITLES[name]}{here}, the run has {there}"
        if self.sources != run.sources:
            return f"has another build of forgetest {self.forgetest}"
        if self.guarantees != run.guarantees:
            return f"{self.sandbox} {_weaker(self.guarantees, run.guarantees)}"
        if self.compilers != run.compilers:
            return f"calls the compilers by {self.compilers}, the run by {run.compilers}"
        return None if self.identity == run.identity else "has other limits than the run"


# rustc, cargo and clippy say their own names.
_TITLES = {
    "forgetest": "forgetest ",
    "rustc": "",
    "cargo": "",
    "clippy": "",
    "sandbox": "sandbox ",
    "sandbox_version": "sandbox version ",
}


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


def _weaker(here: Guarantees, there: Guarantees) -> str:
    """Return which guarantee differs."""
    for name in Guarantees.model_fields:
        mine, its = getattr(here, name), getattr(there, name)
        if mine != its and name != "notes":
            return f"holds {name.replace('_', ' ')} as {mine}, the run's as {its}"
    return f"says {'; '.join(here.notes) or 'nothing'}, the run's {'; '.join(there.notes)}"


def process_name() -> str:
    """Return `HOST, process PID` of this process."""
    return f"{platform.node()}, process {os.getpid()}"
