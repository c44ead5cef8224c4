"""Runs whose models are commands: the documented ones, resuming, and Ctrl-C."""

import json
import re
import signal
import time
from pathlib import Path

import pytest
from commands import is_running
from program import ROOT, Program
from tiny import RIGHT, SET

ASKED = """#!/bin/sh
prompt=$(cat)
echo x >> calls
test -e up || case "$prompt" in *triple*) echo "no credit" >&2; exit 1;; esac
case "$prompt" in *triple*) echo "{triple}";; *) echo "{even}";; esac
"""
HANGS = """#!/bin/sh
(setsid sh -c 'echo $$ >> pids; sleep 60' &)
echo $$ >> pids
sleep 60
"""


def documented(language: str) -> str:
    """Return the block of a language in the guide's part on commands."""
    text = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    part = text.partition("## A command as a model")[2]
    match = re.search(rf"```{language}\n(.*?)```", part, re.DOTALL)
    assert match
    return match[1]


def script(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text, encoding="utf-8")
    (folder / name).chmod(0o755)


@pytest.mark.cargo
def test_commands_answer_a_run_and_a_resumed_run_asks_only_what_is_missing(
    forgetest: Program,
) -> None:
    folder = forgetest.folder
    (folder / "tiny.toml").write_text(SET, encoding="utf-8")
    table = """
[providers.asked]
command = ["./asked.sh"]
input = "prompt"
concurrency = 1
"""
    (folder / "forgetest.toml").write_text(documented("toml") + table, encoding="utf-8")
    script(folder, "stub.sh", documented("sh"))
    even, triple = (RIGHT[name].strip() for name in ("is_even", "triple"))
    script(folder, "asked.sh", ASKED.replace("{even}", even).replace("{triple}", triple))

    first = forgetest("run", "-e", "tiny.toml", "-m", "exec/stub,exec/asked")
    calls = len((folder / "calls").read_text().split())
    (folder / "up").touch()
    resumed = forgetest("run", "--resume", forgetest.run_folder())
    report = json.loads((forgetest.run_folder() / "report.json").read_text(encoding="utf-8"))

    assert first.code == 3, first.err
    assert "exit code 1: no credit (gave up after 3 attempts)" in first.err
    assert calls == 1 + 3
    assert resumed.code == 0, resumed.err
    assert len((folder / "calls").read_text().split()) == calls + 1
    passed = {
        (model["model"]["model"], case["case"]): case["c"]
        for model in report["models"]
        for case in model["cases"]
    }
    assert passed == {
        ("stub", "is-even"): 0,
        ("stub", "triple"): 0,
        ("asked", "is-even"): 1,
        ("asked", "triple"): 1,
    }
    assert report["endpoints"]["exec/stub"] == "./stub.sh (workspace)"
    log = forgetest.run_folder() / "logs" / "exec" / "exec-stub" / "tiny-triple-1.log"
    assert "# Your task" in log.read_text(encoding="utf-8")


@pytest.mark.cargo
def test_ctrl_c_ends_a_command_and_what_it_started(forgetest: Program) -> None:
    folder, pids = forgetest.folder, forgetest.folder / "pids"
    (folder / "tiny.toml").write_text(SET, encoding="utf-8")
    (folder / "forgetest.toml").write_text(
        '[providers.slow]\ncommand = ["./slow.sh"]\nconcurrency = 1\n', encoding="utf-8"
    )
    script(folder, "slow.sh", HANGS)

    process = forgetest.start("run", "-e", "tiny.toml", "-m", "exec/slow", "--limit", "1")
    while not (pids.exists() and len(pids.read_text().split()) == 2):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)

    assert process.returncode == 130, err
    assert not is_running(pids)
