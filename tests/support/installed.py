"""forgetest as users have it: built, and installed from what was built, away from the checkout."""

import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message
from email.policy import default
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from program import ROOT, Done
from sharing import shared


@dataclass(frozen=True)
class Built:
    """What is released: the source distribution, and the wheel that was built from it."""

    sdist: Path
    wheel: Path

    @property
    def metadata(self) -> Message:
        """What a package index shows, and what an installer reads."""
        with zipfile.ZipFile(self.wheel) as archive:
            (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
            return message_from_bytes(archive.read(name), policy=default)


def build(folder: Path) -> Built:
    """Build both; the wheel is made from the source distribution, as installers make it."""
    folder.mkdir(exist_ok=True)
    _checked(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return Built(sdist, wheel)


@dataclass(frozen=True)
class Installed:
    """forgetest in a virtual environment that has nothing but what it depends on."""

    home: Path

    @property
    def package(self) -> Path:
        """The installed package."""
        return _site_packages(self.home) / "forgetest"

    def __call__(self, *arguments: str | Path, cwd: Path, **environ: str) -> Done:
        """Run the installed program in a folder."""
        return self.run(self.home / "bin" / "forgetest", *arguments, cwd=cwd, **environ)

    def python(self, code: str, *, cwd: Path, stdin: str = "", **environ: str) -> Done:
        """Run code in the environment's Python."""
        python = self.home / "bin" / "python"
        return self.run(python, "-c", code, cwd=cwd, stdin=stdin, **environ)

    def run(self, *argv: str | Path, cwd: Path, stdin: str = "", **environ: str) -> Done:
        """Run a program as somebody who has no checkout and no keys."""
        kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
        kept.pop("PYTHONPATH", None)
        done = subprocess.run(
            [*map(str, argv)],
            cwd=cwd,
            env={**kept, "COLUMNS": "100", "NO_COLOR": "1", **environ},
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)


def install(built: Built, file: Path, home: Path) -> Installed:
    """Install one of what was built into a new virtual environment."""
    venv.create(home, symlinks=True)
    _link_dependencies(built.metadata.get_all("Requires-Dist", []), home)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", home]
    options = ["--no-index", "--no-deps", "--no-compile"]
    environ = {}
    if file.suffix != ".whl":  # what builds it is not installed beside it
        options += ["--no-build-isolation", "--ignore-installed"]
        environ = {"PYTHONPATH": str(_site_packages(Path(sys.prefix)))}
    _checked(*pip, "install", *options, file, cwd=home, **environ)
    return Installed(home)


def built_once(factory: pytest.TempPathFactory) -> Built:
    """Return what is released, built for the first worker that wants it."""
    folder = shared(factory, "dist", build)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return Built(sdist, wheel)


def installed_once(factory: pytest.TempPathFactory) -> Installed:
    """Return the wheel, installed for the first worker that wants it."""
    built = built_once(factory)
    return Installed(shared(factory, "wheel", lambda home: install(built, built.wheel, home)))


def _link_dependencies(requirements: Iterable[str], home: Path) -> None:
    """Lend the environment what is required, and what that requires, from ours."""
    for needed in _closure(requirements, {}):
        for name in {path.parts[0] for path in needed.files or ()} - {"..", "__pycache__"}:
            link = _site_packages(home) / name
            if not link.exists():
                link.symlink_to(Path(str(needed.locate_file(name))))


def _closure(requirements: Iterable[str], seen: dict[str, None]) -> Iterator[Distribution]:
    for line in requirements:
        requirement = Requirement(line)
        wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if wanted and requirement.name not in seen:
            seen[requirement.name] = None
            needed = distribution(requirement.name)
            yield needed
            yield from _closure(needed.requires or (), seen)


def _site_packages(home: Path) -> Path:
    return home / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"


def _checked(*argv: str | Path, cwd: Path, **environ: str) -> None:
    done = subprocess.run(
        [*map(str, argv)],
        cwd=cwd,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
