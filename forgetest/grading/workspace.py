"""One sample's folder on disk: its crate, its own target folder, room for temporary files."""

from dataclasses import dataclass
from pathlib import Path

from forgetest.grading.crate import HARNESS_CRATE, Crate
from forgetest.grading.recipe import Recipe
from forgetest.rust.scan import Scan
from forgetest.toolchain import Toolchain

EMPTY = Scan()


@dataclass(frozen=True, slots=True)
class Prepared:
    """A set of dependencies, built: its folder, and how cargo compiles a crate that uses it."""

    folder: Path
    recipe: Recipe

    @property
    def target(self) -> Path:
        """Cargo's target folder of the set."""
        return self.folder / "target"

    @property
    def harness(self) -> Path:
        """The library that runs tests, built once for all of them."""
        return self.folder / f"lib{HARNESS_CRATE}.rlib"


@dataclass(frozen=True, slots=True)
class Workspace:
    """A crate that lies in `root`/crate, and the toolchain that builds it there."""

    root: Path
    crate: Crate
    toolchain: Toolchain
    prepared: Prepared | None = None  # None while the set itself is being made
    edition: str = "2021"
    scan: Scan = EMPTY  # what the sample's tokens say

    @property
    def folder(self) -> Path:
        """The crate's root package."""
        return self.root / "crate"

    @property
    def target(self) -> Path:
        """Cargo's target folder, never shared with another sample."""
        return self.folder / "target"

    @property
    def out(self) -> Path:
        """Where the compilers put what they make when they are called directly."""
        return self.root / "out"

    @property
    def fixtures(self) -> Path:
        """The case's context files alone, where its tests run."""
        return self.root / "fixtures"

    @property
    def scratch(self) -> Path:
        """Where a process may write what is not part of the crate."""
        return self.root / "scratch"

    def write(self) -> None:
        """Write the crate and make the other folders."""
        self.crate.write(self.folder)
        self.crate.write_context(self.fixtures)
        self.out.mkdir()
        self.scratch.mkdir()
