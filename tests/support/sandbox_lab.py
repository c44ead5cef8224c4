"""Boxes to try: each backend of this machine, and the program that tries to leave them."""

import asyncio
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest
from program import ROOT
from surroundings import children

from forgetest.errors import ToolchainError
from forgetest.sandbox.choose import choose
from forgetest.sandbox.plan import PlannedTest, TestPlan, TestRan
from forgetest.sandbox.sandbox import Sandbox
from forgetest.system.process import GIB, MIB, CommandLimits, Exit
from forgetest.system.toolchain import Toolchain

SOURCE = ROOT / "tests" / "corpus" / "sandbox_probe.rs"
LIMITS = CommandLimits(
    wall_secs=20, cpu_secs=10, address_space=2 * GIB, file_size=16 * MIB, output_kept=64 * 1024
)
ALL_SECS = 120.0


@cache
def toolchain() -> Toolchain:
    return Toolchain.resolve(os.environ)


@cache
def opened(backend: str, store: Path) -> Sandbox | str:
    """Return the sandbox, or why this machine has none of that kind."""
    try:
        return asyncio.run(choose(backend, toolchain=toolchain(), cache=store))
    except ToolchainError as error:
        return str(error)


def require(backend: str, store: Path) -> Sandbox:
    """Return the sandbox; skip the test, by the backend's name, where it does not work."""
    found = opened(backend, store)
    if isinstance(found, str):
        pytest.skip(f"{backend}: {found}")
    return found


@cache
def probe_program(folder: Path) -> Path:
    """Return the probe, built once below `folder`."""
    program = folder / "bin" / "probe"
    program.parent.mkdir()
    argv = [toolchain().rustc, "--edition=2021", "-Aunused", "-Cprefer-dynamic", SOURCE]
    subprocess.run([*argv, "-o", program], check=True, timeout=120)
    return program


@dataclass(frozen=True)
class Lab:
    """A sandbox, the probe, and folders of the host around them.

    `earlier`: the children that this process had before, such as servers of other tests.
    """

    sandbox: Sandbox
    program: Path
    folder: Path
    earlier: frozenset[str]

    @property
    def cwd(self) -> Path:
        return self.folder / "cwd"

    def has_no_children(self) -> bool:
        """Tell whether this process has no child that the test began, not even a zombie."""
        return children() <= self.earlier

    def plan(
        self,
        names: Sequence[str],
        *,
        probe: object = "",
        limits: CommandLimits = LIMITS,
        all_secs: float = ALL_SECS,
    ) -> TestPlan:
        tests = [PlannedTest(name, f"nonce{at}", f"trap{at}") for at, name in enumerate(names)]
        return TestPlan(
            program=self.program,
            cwd=self.cwd,
            env=self.env(probe),
            reads=[self.cwd, *toolchain().runtime_libraries],
            tests=tests,
            limits=limits,
            all_secs=all_secs,
        )

    def env(self, probe: object) -> Mapping[str, str]:
        return {"LD_LIBRARY_PATH": str(toolchain().library_folder), "PROBE": str(probe)}

    def run(self, *names: str, probe: object = "", **more: object) -> tuple[TestRan, ...]:
        plan = replace(self.plan(names, probe=probe), **more)
        return asyncio.run(self.sandbox.run_tests(plan))

    def ended(self, name: str, probe: object = "", limits: CommandLimits = LIMITS) -> Exit:
        """Return how one attempt ended."""
        (ran,) = self.run(name, probe=probe, limits=limits)
        assert ran.first is not None
        return ran.first

    def says(self, name: str, probe: object = "") -> str:
        """Return the answer of one attempt, which must end well."""
        ended = self.ended(name, probe)
        assert (ended.code, ended.timed_out) == (0, False), ended
        return ended.stdout.decode()

    def compiler_says(self, name: str, probe: object = "") -> str:
        """Return the answer of an attempt in the compile box."""
        ended = asyncio.run(
            self.sandbox.compile(
                [str(self.program), "--only", name],
                cwd=self.cwd,
                env={**self.env(probe), "TMPDIR": str(self.folder / "out")},
                limits=LIMITS,
                reads=[self.cwd, self.program],
                writes=[self.folder / "out"],
            )
        )
        assert (ended.code, ended.timed_out) == (0, False), ended
        return ended.stdout.decode()


def lab(sandbox: Sandbox, program: Path, folder: Path) -> Lab:
    """Return the sandbox with folders to use and one with a secret, outside."""
    for name in ("cwd", "out", "outside"):
        (folder / name).mkdir()
    (folder / "cwd" / "fixture").write_text("for the tests")
    (folder / "outside" / "secret").write_text("canary")
    return Lab(sandbox, program, folder, children())
