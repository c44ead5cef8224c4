"""A copy of the package to be extended, run as its users run the program."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from program import ROOT, Done


@dataclass(frozen=True)
class PackageCopy:
    """The package in a folder of its own; what is changed here is not changed anywhere else."""

    folder: Path

    def write(self, path: str, text: str) -> None:
        """Add a file."""
        place = self.folder / path
        assert not place.exists(), f"{path} is there already"
        place.write_text(text, encoding="utf-8")

    def insert(self, path: str, before: str, text: str) -> None:
        """Put text in front of the one line of a file that is `before`."""
        place = self.folder / path
        whole = place.read_text(encoding="utf-8")
        assert whole.count(f"\n{before}\n") == 1, f"{path} has no single line {before!r}"
        place.write_text(whole.replace(f"\n{before}\n", f"\n{text}{before}\n"), encoding="utf-8")

    def forgetest(self, *arguments: str | Path, **environ: str) -> Done:
        """Run the copy's program."""
        return self.python("-m", "forgetest", *arguments, **environ)

    def python(self, *arguments: str | Path, **environ: str) -> Done:
        """Run Python where `forgetest` is the copy."""
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.folder), "COLUMNS": "120", **environ},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        return Done(done.returncode, done.stdout, done.stderr)


def package_copy(folder: Path) -> PackageCopy:
    """Return a copy of the package and its documentation below a folder."""
    # What Python has compiled holds for a copy, too, once it is written.
    ignored = shutil.ignore_patterns("*.pyc.*")
    for name in ("forgetest", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    return PackageCopy(folder)
