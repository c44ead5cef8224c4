"""docs/tutorial.md works as it is written: its commands run, in its order."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from program import ROOT, TIMEOUT_SECS, Program

TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
RUN = re.compile(r"runs/\d{4}-\d\d-\d\d-\d{6}-[0-9a-f]{6}(?:-\d+)?")


def blocks(*, offline: bool) -> list[str]:
    """Return the shell blocks of the tutorial that need no network, or those that do."""
    found = re.findall(r"(<!-- network -->\n)?```sh\n(.*?)```\n", TUTORIAL, re.DOTALL)
    return [commands for network, commands in found if offline is not bool(network)]


def run_folders(folder: Path) -> list[str]:
    """Return the run folders in the order in which they were made."""
    made = sorted(
        (folder / "runs").glob("*"), key=lambda run: (run / "manifest.json").stat().st_ctime_ns
    )
    return [f"runs/{run.name}" for run in made]


def written_run_folders() -> list[str]:
    """Return the run folders that the tutorial names, in the order of their first mention."""
    return list(dict.fromkeys(RUN.findall(TUTORIAL)))


def with_run_folders(commands: str, folder: Path) -> str:
    """Return commands with the run folders of this machine for those of the tutorial."""
    real = dict(zip(written_run_folders(), run_folders(folder), strict=False))
    return RUN.sub(lambda name: real[name[0]], commands)


def test_only_installing_and_real_models_need_the_network() -> None:
    first, *asking = blocks(offline=False)

    assert "pip install" in first
    assert asking
    for commands in asking:
        assert re.search(r"--models (openai|ollama|local)/", commands), commands


@pytest.mark.cargo
def test_the_commands_of_the_tutorial_run_from_top_to_bottom(forgetest: Program) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    for commands in blocks(offline=True):
        done = subprocess.run(
            ["bash", "-e", "-c", with_run_folders(commands, forgetest.folder)],
            cwd=forgetest.folder,
            env=forgetest.env(PATH=path),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=TIMEOUT_SECS,
        )
        assert done.returncode == 0, (commands, done.stdout)

    assert len(written_run_folders()) == len(run_folders(forgetest.folder))
