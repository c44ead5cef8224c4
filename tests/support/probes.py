"""Ask cargo what the probes are: does the library compile, with which errors and which lints.

    python tests/support/probes.py    compare probes.json with this toolchain
    python tests/support/probes.py --reference    write it anew

Each probe is built by plain cargo in a target folder of its own.
"""

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from program import ROOT

FOLDER = ROOT / "tests" / "corpus" / "probes"
REFERENCE = FOLDER / "probes.json"
# The same profile that samples are built with; it changes speed, and the name that they ask for.
_MANIFEST = """
[package]
name = "sample"
version = "0.0.0"
edition = "2021"

[lib]
path = "src/lib.rs"

[workspace]
"""

Found = dict[str, Any]


def probes() -> list[Path]:
    """Return the probes, sorted by name."""
    return sorted(FOLDER.glob("*.rs"))


def ask(probe: Path) -> Found:
    """Return what cargo says of one probe."""
    with tempfile.TemporaryDirectory(prefix="probe-") as folder:
        crate = Path(folder)
        (crate / "src").mkdir()
        (crate / "Cargo.toml").write_text(_MANIFEST)
        (crate / "src" / "lib.rs").write_bytes(probe.read_bytes())
        built = _cargo(crate, "build", "--lib")
        found: Found = {"compiles": built.returncode == 0, "errors": sorted(_errors(built))}
        if found["compiles"]:
            linted = _cargo(crate, "clippy", "--lib", last=("--", "-W", "clippy::all"))
            found["lints"] = sorted(_lints(linted))
            forced = _cargo(crate, "clippy", "--lib", last=("--", "--force-warn", "clippy::all"))
            found["forced"] = sorted(_lints(forced))
        return found


def reference() -> dict[str, Found]:
    """Return what cargo says of all probes."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(ask, probes())
        return {probe.stem: one for probe, one in zip(probes(), found, strict=True)}


def _cargo(
    crate: Path, command: str, *args: str, last: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    argv = ["cargo", command, "--offline", *args, "--message-format=json", *last]
    env = {name: value for name, value in os.environ.items() if not name.startswith("RUSTFLAGS")}
    env["CARGO_TARGET_DIR"] = str(crate / "-".join(("target", command, *last[1:2])))
    return subprocess.run(argv, cwd=crate, env=env, capture_output=True, text=True, check=False)


def _messages(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    lines = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    return [line["message"] for line in lines if line["reason"] == "compiler-message"]


def _code(message: dict[str, Any]) -> str:
    return (message["code"] or {}).get("code", "")


def _errors(done: subprocess.CompletedProcess[str]) -> list[str]:
    errors = (message for message in _messages(done) if message["level"] == "error")
    return [_code(message) for message in errors if message["spans"]]


def _lints(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the lints of clippy, whatever their level, once for each place."""
    found = {
        (_code(message), json.dumps(message["spans"]), message["message"])
        for message in _messages(done)
        if _code(message).startswith("clippy::")
    }
    return [code.removeprefix("clippy::") for code, _, _ in found]


def main(arguments: list[str]) -> int:
    """Write the reference, or say which probes this toolchain judges otherwise."""
    found = reference()
    if "--reference" in arguments:
        REFERENCE.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
        return 0
    stored = json.loads(REFERENCE.read_text())
    wrong = sorted(name for name in {*found, *stored} if found.get(name) != stored.get(name))
    sys.stdout.write("".join(f"{name}: {found.get(name)}\n" for name in wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
