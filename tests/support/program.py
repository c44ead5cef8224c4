"""The program as its users start it: a process with arguments, an environment and a folder."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from warm import warm

ROOT = Path(__file__).resolve().parents[2]


TIMEOUT_SECS = 600


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
        env = self.env(**environ)
        if warm().suits(env):
            words = list(map(str, arguments))
            return Done(*warm().run(words, cwd=self.folder, env=env, timeout=TIMEOUT_SECS))
        done = subprocess.run(
            self.argv(*arguments),
            cwd=self.folder,
            env=env,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_SECS,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def in_shell(
        self, line: str, *arguments: str | Path, afresh: bool = False, **environ: str
    ) -> Done:
        """Run where `"$@"` stands in a line of bash, such as `ulimit -n 64; "$@" >/dev/full`.

        A Python of its own is started `afresh`; otherwise the program is loaded already.
        """
        env = self.env(**environ)
        done = (
            subprocess.run(
                ["bash", "-c", line, "bash", *self.argv(*arguments)],
                cwd=self.folder,
                env=env,
                capture_output=True,
                check=False,
                timeout=TIMEOUT_SECS,
            )
            if afresh
            else warm(env).run_in_shell(
                line, list(map(str, arguments)), cwd=self.folder, env=env, timeout=TIMEOUT_SECS
            )
        )
        texts = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
        return Done(done.returncode, *texts)

    def start(self, *arguments: str | Path, **environ: str) -> subprocess.Popen[str]:
        """Start without waiting."""
        return subprocess.Popen(
            self.argv(*arguments),
            cwd=self.folder,
            env=self.env(**environ),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=as_in_a_terminal,  # noqa: PLW1509 - no thread of the tests holds a lock here
        )

    def run_folder(self) -> Path:
        """Return the one run folder below `runs`."""
        (folder,) = (self.folder / "runs").iterdir()
        return folder


def as_in_a_terminal() -> None:
    """Let signals work: a shell's background ignores SIGINT, and what nohup starts SIGHUP."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def program_in(folder: Path, home: Path, config: pytest.Config) -> Program:
    """Return the program in a folder, with `home` for its cache."""
    shared = config.cache.mkdir("forgetest-crates")
    (home / "forgetest").mkdir()
    for name in ("dependencies", "guard"):  # what takes long to build
        (shared / name).mkdir(exist_ok=True)
        (home / "forgetest" / name).symlink_to(shared / name)
    return Program(folder, {"XDG_CACHE_HOME": str(home)})
