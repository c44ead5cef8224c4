"""The program as its users start it: a process with arguments, an environment and a folder."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from graders import cache_of
from hypothesis import settings

if TYPE_CHECKING:
    from browsing import Browsing

ROOT = Path(__file__).resolve().parents[1]
TIMEOUT_SECS = 600
# How long an example takes says how busy the machine is, and nothing about the code.
settings.register_profile("calm", deadline=None)
settings.load_profile("calm")


@dataclass(frozen=True)
class Done:
    """A finished process."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Program:
    """Runs forgetest in a folder of its own, without any key of the outside."""

    folder: Path
    environ: Mapping[str, str] = field(default_factory=dict)

    def env(self, **more: str) -> dict[str, str]:
        """Return the environment of a run: no keys, no colours, 100 columns."""
        kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
        return {**kept, "COLUMNS": "100", "NO_COLOR": "1", **self.environ, **more}

    def argv(self, *arguments: str | Path) -> list[str]:
        """Return the command line."""
        return [sys.executable, "-m", "forgetest", *map(str, arguments)]

    def __call__(self, *arguments: str | Path, **environ: str) -> Done:
        """Run to the end."""
        done = subprocess.run(
            self.argv(*arguments),
            cwd=self.folder,
            env=self.env(**environ),
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_SECS,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str | Path, **environ: str) -> subprocess.Popen[str]:
        """Start without waiting."""
        return subprocess.Popen(
            self.argv(*arguments),
            cwd=self.folder,
            env=self.env(**environ),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=_as_in_a_terminal,  # noqa: PLW1509 - no thread of the tests holds a lock here
        )

    def run_folder(self) -> Path:
        """Return the one run folder below `runs`."""
        (folder,) = (self.folder / "runs").iterdir()
        return folder


def _as_in_a_terminal() -> None:
    """Let Ctrl-C work: what a shell starts in the background inherits an ignored SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def forgetest(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Program:
    """Return the program, in an empty folder, without verdicts of earlier tests."""
    return program_in(tmp_path, tmp_path_factory.mktemp("cache"), pytestconfig)


def program_in(folder: Path, home: Path, config: pytest.Config) -> Program:
    """Return the program in a folder, with `home` for its cache."""
    shared = config.cache.mkdir("forgetest-crates")
    (home / "forgetest").mkdir()
    for name in ("dependencies", "guard"):  # what takes long to build
        (shared / name).mkdir(exist_ok=True)
        (home / "forgetest" / name).symlink_to(shared / name)
    return Program(folder, {"XDG_CACHE_HOME": str(home)})


@pytest.fixture
def eval_sets() -> Path:
    """Return the folder of the shipped eval sets."""
    return ROOT / "eval-sets"


@pytest.fixture(scope="session")
def store(pytestconfig: pytest.Config) -> Path:
    """Return the folder where sandboxes keep the launcher, so that it is built once."""
    return cache_of(pytestconfig)


@pytest.fixture(scope="module")
def browsing() -> "Iterator[Browsing]":
    """Start a browser; its driver keeps an event loop, so it may not outlive its module."""
    from browsing import started  # noqa: PLC0415 - most tests need no browser

    with started() as browsing:
        yield browsing
