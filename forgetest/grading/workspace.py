"""One sample's folder on disk: its crate, its own target folder, room for temporary files."""

from dataclasses import dataclass
from pathlib import Path

from forgetest.grading.crate import Crate
from forgetest.toolchain import Toolchain


@dataclass(frozen=True, slots=True)
class Workspace:
    """A crate that lies in `root`/crate, and the toolchain that builds it there."""

    root: Path
    crate: Crate
    toolchain: Toolchain

    @property
    def folder(self) -> Path:
        """The crate's root package."""
        return self.root / "crate"

    @property
    def target(self) -> Path:
        """Cargo's target folder, never shared with another sample."""
        return self.folder / "target"

    @property
    def scratch(self) -> Path:
        """Where a process may write what is not part of the crate."""
        return self.root / "scratch"

    def write(self) -> None:
        """Write the crate and make the other folders."""
        self.crate.write(self.folder)
        self.scratch.mkdir()
