"""What grading asks of the compilers, however they are called.

There are two ways: directly, with the arguments that cargo would give (`direct`), and through cargo
itself (`cargo`), for a toolchain that behaves differently from what its cargo shows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from forgetest.grading.diagnostics import BuildRun
from forgetest.grading.workspace import Workspace
from forgetest.system.process import CommandLimits

# Every lint of `clippy::all`, silenced or not: no attribute overrides this flag.
FORCED = ("--force-warn", "clippy::all")
# Capped, because a denied lint would end the pass before it has seen everything.
AS_WRITTEN = ("-W", "clippy::all", "--cap-lints", "warn")

NO_LINTS = ("--cap-lints", "allow")
ALL_CODE = ("-C", "link-dead-code")  # also of functions that nothing calls


@dataclass(frozen=True, slots=True)
class Built:
    """The library of a sample: the run that says whether it compiles, and what came with it."""

    library: BuildRun
    linted: BuildRun | None = None  # a complete pass with FORCED, if there was one already
    spliced: BuildRun | None = None  # the build of the copy that holds the tests


class Compilers(Protocol):
    """The calls that the steps of grading make."""

    @property
    def needs_artifacts(self) -> bool:
        """Whether a workspace must hold copies of what its dependencies were built to."""
        ...

    async def build(self, workspace: Workspace, limits: CommandLimits) -> Built:
        """Compile the sample exactly as `cargo build` compiles a library."""
        ...

    async def build_bare(self, workspace: Workspace, limits: CommandLimits) -> Built:
        """Compile no more of the sample than its tests are linked with, and lint nothing."""
        ...

    async def clippy(
        self, workspace: Workspace, levels: Sequence[str], limits: CommandLimits
    ) -> BuildRun:
        """Lint the sample with the given lint levels."""
        ...

    async def build_tests(
        self, workspace: Workspace, built: Built, limits: CommandLimits
    ) -> BuildRun:
        """Build the program that runs the case's tests against the built sample."""
        ...

    async def build_uses(
        self, workspace: Workspace, limits: CommandLimits, *, code: bool
    ) -> BuildRun:
        """Compile the crate of uses at `crate.USES_FILE` against the built sample; no lint counts.

        With `code` it is generated for every function, which evaluates generic constants.
        """
        ...
