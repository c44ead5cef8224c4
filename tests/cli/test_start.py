"""What a command loads before it works: its start is most of what a short command costs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from compared import report

HEAVY = (
    "asyncio",
    "genai_prices",
    "httpx",
    "starlette",
    "tree_sitter",
    "tomli",
    "uvicorn",
)  # others' libraries
GRADING = tuple(
    f"forgetest.{room}" for room in ("check", "mutants", "runner.session", "grading.grader")
)
ALL_HELP = """
import sys
sys.argv[1:] = ["every", "--help"]
from forgetest.cli.commands import COMMANDS, load_command
for name in COMMANDS:
    command = load_command(name)
    for part in (command, *getattr(command, "commands", {}).values()):
        with part.make_context(name, [], resilient_parsing=True) as context:
            part.get_help(context)
print("\\n", *sys.modules)
"""
ONE = """
import sys
sys.argv[:] = ["forgetest", *sys.argv[1:]]
from forgetest.cli.boundary import run_to_exit_code
from forgetest.cli.commands import app
code = run_to_exit_code(lambda: app(standalone_mode=False))
print("\\n", *sys.modules)
sys.exit(code)
"""


def loaded(folder: Path, *arguments: str) -> set[str]:
    """Return the modules that a new Python has loaded when it ends."""
    argv = [sys.executable, "-c", *arguments]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


def below(modules: set[str], *roots: str) -> list[str]:
    """Return the modules that are one of `roots`, or in one of them."""
    return sorted(
        name for name in modules if any(f"{name}.".startswith(f"{root}.") for root in roots)
    )


def test_the_help_of_any_command_loads_options_alone(tmp_path: Path) -> None:
    modules = loaded(tmp_path, ALL_HELP)

    works = ("prepare", "configuration", "terminal", "launch", "comparison")
    rooms = ("value", "report", "run", "grading", "sampling", "compare", "rank", "runner")
    rooms += ("system.files", "system.process", "system.toolchain")
    assert not below(modules, *HEAVY, *GRADING)
    assert not below(modules, *(f"forgetest.{room}" for room in rooms))
    assert not below(modules, *(f"forgetest.cli.{chapter}" for chapter in works))


@pytest.mark.parametrize(
    ("line", "more"),
    [
        ("compare a.json a.json", ("forgetest.rank", "forgetest.runner", "forgetest.render.html")),
        ("rank a.json", ("forgetest.runner", "forgetest.render.leaderboard")),
        ("report a.json --format markdown", ("forgetest.rank", "forgetest.render.formats.sarif")),
        ("show a.json", ("forgetest.rank", "forgetest.grading.crate", "forgetest.system")),
        ("schema report", ("forgetest.compare", "forgetest.runner")),
    ],
)
def test_a_command_that_reads_a_report_loads_nothing_that_grades_or_asks(
    tmp_path: Path, line: str, more: tuple[str, ...]
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(report({"set/a": "PF"})), encoding="utf-8")

    assert not below(loaded(tmp_path, ONE, *line.split()), *HEAVY, *GRADING, *more)


def test_help_that_was_meant_as_a_value_is_refused(tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "forgetest", "show", "--model", "--help"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (2, "")
    assert "--help and -h cannot be the value of an option" in done.stderr
