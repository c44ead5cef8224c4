"""A fake server in a process of its own, and runs against it that are stopped and resumed."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from program import ROOT, Program
from tiny import RIGHT, SET

CASES, SAMPLES = 2, 30
REMEMBERED = {"cached", "duplicate"}


REPLIES = [
    {"contains": name, "texts": [f"```rust\n{code}\n```", "```rust\nfn broken(\n```", "no idea"]}
    for name, code in RIGHT.items()
]


@contextmanager
def server(folder: Path, *, delay: float) -> Iterator[tuple[str, Path]]:
    """Run the fake server as a process of its own, so that its log outlives the killed client."""
    replies, log = folder / "replies.jsonl", folder / f"requests-{delay}.jsonl"
    replies.write_text("".join(json.dumps(row) + "\n" for row in REPLIES), encoding="utf-8")
    script = ROOT / "tests" / "support" / "fake_llm.py"
    argv = [sys.executable, str(script), f"--replies={replies}", f"--log={log}", f"--delay={delay}"]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[1], log
    finally:
        process.kill()
        process.communicate()


def configure(program: Program, url: str) -> tuple[str, ...]:
    """Write the configuration and return the arguments of the run."""
    (program.folder / "tiny.toml").write_text(SET, encoding="utf-8")
    config = f'[providers.chat]\npreset = "vllm"\nbase_url = "{url}/v1"\n'
    (program.folder / "forgetest.toml").write_text(config, encoding="utf-8")
    return ("run", "-e", "tiny.toml", "-m", "chat/a", "-n", str(SAMPLES), "--seed", "0")


def journal(folder: Path) -> list[dict[str, Any]]:
    """Return the whole lines of a run's journal."""
    raw = (folder / "journal.jsonl").read_bytes()
    return [json.loads(line) for line in raw.split(b"\n")[:-1]]


def wait_for_events(program: Program, count: int) -> Path:
    """Return the run folder as soon as its journal has so many events."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        runs = program.folder / "runs"
        for folder in runs.iterdir() if runs.exists() else ():
            if (folder / "journal.jsonl").exists() and len(journal(folder)) >= count:
                return folder
        time.sleep(0.02)
    pytest.fail(f"no journal reached {count} events")


def timeless(node: Any) -> Any:
    """Return a report without what differs between two equal runs: times, dates, addresses."""
    gone = {
        "created",
        "command",
        "timings",
        "latency",
        "latency_secs",
        "secs",
        "endpoints",
        "secs_per_solved",
    }
    gone |= {"request_id", "attempts", "recalled", "journal", "digest"}
    match node:
        case dict():
            kept = {key: value for key, value in node.items() if key not in gone}
            if "flags" in kept:  # which session graded first is a matter of time, too
                kept["flags"] = [flag for flag in kept["flags"] if flag not in REMEMBERED]
            return {key: timeless(value) for key, value in kept.items()}
        case list():
            return [timeless(item) for item in node]
        case _:
            return node
