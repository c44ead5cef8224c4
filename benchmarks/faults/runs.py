"""Kill whole runs at random moments; each must come, resumed, to the report of an unbroken one."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

_ROOT = Path(__file__).resolve().parents[2]
_SET = '''
[eval_set]
id = "tiny"
name = "Tiny"

[[cases]]
id = "triple"
name = "Triple"
prompt = "Write `pub fn triple(n: i32) -> i32`."
reference_solution = "pub fn triple(n: i32) -> i32 { n * 3 }"
[cases.expectations]
test_file = """
#[test]
fn two() { assert_eq!(triple(2), 6); }
"""
'''
_SAMPLES = 9
_TEXTS = (
    "```rust\npub fn triple(n: i32) -> i32 { n * 3 }\n```",
    "```rust\nfn broken(\n```",
    "none",
)
_DELAY_SECS = 0.05  # of each answer
_RUN = ("run", "-e", "tiny.toml", "-m", "chat/a", "-n", str(_SAMPLES), "--seed", "0", "--quiet")
_FRESH = 0.15  # of the trials begin with an empty cache: what they grade with has to be built
_AGAIN = 0.3  # chance that what is resumed is killed, too
_DEATHS = 4  # at most
_PATIENCE_SECS = 300
# What differs between two runs that are equal: times, dates, addresses, who graded a twin first.
_CHANCE = frozenset({
    "created", "command", "timings", "latency", "latency_secs", "secs", "endpoints", "request_id",
    "attempts", "recalled", "journal", "digest",
})  # fmt: skip
_REMEMBERED = frozenset({"cached", "duplicate"})


@dataclass(frozen=True)
class Broken:
    """A run that was killed: how often, after how many events of its journal, and what came."""

    deaths: tuple[int, ...]  # events in the journal by then; -1 where there was no run folder yet
    fresh: bool  # whether the cache was empty
    trouble: str = ""  # empty when the report is that of the unbroken run


@dataclass
class Runs:
    """Runs in folders of their own, with what takes long to build borrowed from `cache`."""

    cache: Path
    url: str
    whole: Any = None  # the report of an unbroken run
    secs: float = field(default=0.0)  # that it took

    def measure(self) -> None:
        """Make the unbroken run."""
        with tempfile.TemporaryDirectory(prefix="whole-run-") as name:
            folder = self._folder(Path(name), fresh=False)
            started = time.monotonic()
            ended = self._start(folder, *_RUN)
            _, err = ended.communicate(timeout=_PATIENCE_SECS)
            self.secs = time.monotonic() - started
            if ended.returncode:
                raise RuntimeError(err)
            self.whole = _report(_run_folder(folder))

    def broken(self, random: Random, *, fresh: bool | None = None) -> Broken:
        """Kill a run at random moments, resume it, and compare the reports.

        A fresh one begins with an empty cache; it is drawn unless it is said.
        """
        fresh = random.random() < _FRESH if fresh is None else fresh
        deaths: list[int] = []
        with tempfile.TemporaryDirectory(prefix="broken-run-") as name:
            folder = self._folder(Path(name), fresh=fresh)
            most = self.secs * (3 if fresh else 1)
            while len(deaths) < _DEATHS and (not deaths or random.random() < _AGAIN):
                process = self._start(folder, *self._next(folder))
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.communicate(timeout=random.uniform(0, most))
                process.kill()
                process.communicate()
                if process.returncode == -signal.SIGKILL:
                    deaths.append(_events(folder))
                elif deaths:
                    break
            process = self._start(folder, *self._next(folder))
            _, err = process.communicate(timeout=_PATIENCE_SECS)
            return Broken(tuple(deaths), fresh, self._trouble(folder, process.returncode, err))

    def _trouble(self, folder: Path, code: int, err: str) -> str:
        if code:
            return f"exit code {code}: {err.strip()[-300:]}"
        if _report(_run_folder(folder)) != self.whole:
            return "another report than that of the unbroken run"
        left = sorted(path.name for path in (folder / "temp").iterdir())
        return f"left behind: {left}" if left else ""

    def _next(self, folder: Path) -> tuple[str, ...]:
        """Return the command that goes on where a run stands, or begins one."""
        with contextlib.suppress(FileNotFoundError, ValueError):
            run = _run_folder(folder)
            if (run / "manifest.json").exists():
                return ("run", "--resume", str(run), "--quiet")
            run.rename(folder / f"unborn-{time.monotonic_ns()}")  # killed before it had a plan
        return _RUN

    def _folder(self, folder: Path, *, fresh: bool) -> Path:
        cache = folder / "cache" / "forgetest"
        cache.mkdir(parents=True)
        (folder / "temp").mkdir()
        for name in () if fresh else ("dependencies", "guard"):
            (self.cache / name).mkdir(parents=True, exist_ok=True)
            (cache / name).symlink_to(self.cache / name)
        (folder / "tiny.toml").write_text(_SET, encoding="utf-8")
        config = f'[providers.chat]\npreset = "vllm"\nbase_url = "{self.url}/v1"\n'
        (folder / "forgetest.toml").write_text(config, encoding="utf-8")
        return folder

    def _start(self, folder: Path, *arguments: str) -> "subprocess.Popen[str]":
        places = {"XDG_CACHE_HOME": str(folder / "cache"), "TMPDIR": str(folder / "temp")}
        return subprocess.Popen(
            [sys.executable, "-m", "forgetest", *arguments],
            cwd=folder,
            env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100", **places},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )


@contextlib.contextmanager
def runs(cache: Path) -> Iterator[Runs]:
    """Give runs that ask a server of their own, the unbroken one made already."""
    script = _ROOT / "tests" / "support" / "fake_llm.py"
    with tempfile.TemporaryDirectory(prefix="fake-llm-") as name:
        replies = Path(name, "replies.jsonl")
        replies.write_text(json.dumps({"contains": "triple", "texts": _TEXTS}) + "\n")
        argv = [sys.executable, str(script), f"--replies={replies}", f"--delay={_DELAY_SECS}"]
        with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as server:
            try:
                if server.stdout is None:
                    raise AssertionError("it is a pipe")
                found = Runs(cache, server.stdout.readline().split()[1])
                found.measure()
                yield found
            finally:
                server.kill()


def _run_folder(folder: Path) -> Path:
    (run,) = (folder / "runs").iterdir()
    return run


def _events(folder: Path) -> int:
    try:
        return (_run_folder(folder) / "journal.jsonl").read_bytes().count(b"\n")
    except (FileNotFoundError, ValueError):
        return -1


def _report(run: Path) -> Any:
    return _lasting(json.loads((run / "report.json").read_text(encoding="utf-8")))


def _lasting(node: Any) -> Any:
    """Return a report without what differs between two equal runs."""
    match node:
        case dict():
            kept = {key: value for key, value in node.items() if key not in _CHANCE}
            if "flags" in kept:
                kept["flags"] = [flag for flag in kept["flags"] if flag not in _REMEMBERED]
            return {key: _lasting(value) for key, value in kept.items()}
        case list():
            return [_lasting(item) for item in node]
        case _:
            return node
