"""A sample as the project that a plain runner makes of it, and the cargo commands it runs there.

The case's tests stand in a module of their own behind the sample, so that private items, `fn main`
and tests that the sample brings are all judged rightly: this is the plain way without its mistakes.
"""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from forgetest.evalset.types import Case
from forgetest.system.toolchain import Toolchain
from speed.corpus import Sample

MODULE = "hidden::"  # of the case's tests, as libtest names it
LIB = "src/lib.rs"
AS_WRITTEN = ("-W", "clippy::all")
FORCED = ("--force-warn", "clippy::all")

_TIMEOUT_SECS = 600
_JSON = "--message-format=json"
_MANIFEST = """\
[package]
name = "eval_target"
version = "0.1.0"
edition = "{edition}"

[dependencies]
{dependencies}
"""
_HIDDEN = """
#[cfg(test)]
mod hidden {
    #[allow(unused_imports)]
    use super::*;
    include!("case.rs");
}
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    out: str


@dataclass(frozen=True, slots=True)
class Project:
    """A fresh project on disk, and the target folder that cargo is to use for it."""

    folder: Path
    target: Path
    toolchain: Toolchain

    @classmethod
    def write(
        cls, sample: Sample, folder: Path, target: Path, toolchain: Toolchain, lock: str = ""
    ) -> "Project":
        """Write the project of a sample, with the lock file of its dependencies."""
        (folder / "src").mkdir(parents=True)
        (folder / "Cargo.toml").write_text(_manifest(sample.case))
        (folder / LIB).write_text(sample.code + _HIDDEN)
        (folder / "src/case.rs").write_text(sample.case.expectations.test_file or "")
        if lock:
            (folder / "Cargo.lock").write_text(lock)
        return cls(folder, target, toolchain)

    def build(self) -> Ended:
        """Run `cargo build`."""
        return self._cargo("build")

    def test(self) -> Ended:
        """Run `cargo test`, doc tests included."""
        return self._cargo("test")

    def clippy(self, levels: Sequence[str]) -> Ended:
        """Run `cargo clippy` with the given levels of lints."""
        return self._cargo("clippy", _JSON, "--", *levels)

    def fetch(self) -> str:
        """Fetch the dependencies, from the network if need be, and return the lock file."""
        self._run((str(self.toolchain.cargo), "fetch"), dict(self.toolchain.network_env))
        return (self.folder / "Cargo.lock").read_text()

    def _cargo(self, command: str, *args: str) -> Ended:
        # The subcommand by its path: cargo would look for it among rustup's proxies.
        tool = self.toolchain.cargo_clippy if command == "clippy" else self.toolchain.cargo
        return self._run((str(tool), command, "--offline", *args), {})

    def _run(self, argv: Sequence[str], more: dict[str, str]) -> Ended:
        env = {
            "PATH": self.toolchain.search_path,
            "HOME": str(self.folder),
            "CARGO": str(self.toolchain.cargo),
            "CARGO_HOME": str(self.toolchain.cargo_home),
            "CARGO_TARGET_DIR": str(self.target),
            "CARGO_TERM_COLOR": "never",
        }
        ended = subprocess.run(
            argv,
            cwd=self.folder,
            env=env | more,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_TIMEOUT_SECS,
            check=False,
        )
        return Ended(ended.returncode, ended.stdout.decode(errors="replace"))


def _manifest(case: Case) -> str:
    lines = [
        f"{one.name} = {{ version = {json.dumps(one.version)}, "
        f"features = {json.dumps(list(one.features))} }}"
        for one in case.dependencies
    ]
    return _MANIFEST.format(edition=case.edition, dependencies="\n".join(lines))
