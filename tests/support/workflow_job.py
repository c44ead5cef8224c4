"""Carries out the one job of a GitHub workflow, step by step, as its runner would.

Shell steps run as they stand, in the workflow's own shell. Actions are stood in for by what they
do; an action, a name or a function that nobody said the meaning of is an error.
"""

import io
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from actions_expressions import Scope, Value, evaluate, fill, holds
from fake_forge import Forge
from forge_replies import GITHUB_TOKEN, REPOSITORY
from past_steps import RECORDED, Past, Step
from ruamel.yaml import YAML

ACTIONS = {
    "actions/checkout@v6": "the workspace is a clone already",
    "actions/setup-python@v6": "the virtual environment is on the path already",
    "actions/cache@v5": "nothing was cached yet",
    "actions/upload-artifact@v6": "handed to the forge",
}
PREPARING = {"Install forgetest", "Check the machine"}  # whatever the model answers


def read_yaml(file: Path) -> dict[str, Any]:
    """Return a YAML 1.2 file's content."""
    content: dict[str, Any] = YAML(typ="safe", pure=True).load(file.read_text(encoding="utf-8"))
    return content


@dataclass(frozen=True)
class Event:
    """What started the workflow."""

    name: str = "pull_request"
    branch: str = "broken-prompt"
    head: str = "c0ffee"

    def names(self) -> dict[str, Value]:
        """Return what the workflow can ask about it."""
        return {
            "github.event_name": self.name,
            "github.ref_name": "4/merge" if self.name == "pull_request" else self.branch,
            "github.ref": "refs/pull/4/merge"
            if self.name == "pull_request"
            else f"refs/heads/{self.branch}",
            "github.event.repository.default_branch": "main",
            "github.event.pull_request.number": "4",
            "github.event.pull_request.head.sha": self.head,
            "github.token": GITHUB_TOKEN,
            "runner.os": "Linux",
        }


@dataclass(frozen=True)
class Machine:
    """Where a job runs: a clone, a folder for temporary files, and its environment.

    Without a past, every step of every job is carried out.
    """

    workspace: Path
    temp: Path
    environ: Mapping[str, str]
    past: Past | None = None


@dataclass
class Job:
    """A job under way and what became of it."""

    machine: Machine
    event: Event
    forge: Forge
    env: dict[str, str]
    run: int
    code: int = 0  # of the first step that failed
    log: str = ""
    outcomes: dict[str, str] = field(default_factory=dict)  # by name or action
    names: dict[str, Value] = field(default_factory=dict)  # what steps have set
    steps: set[str] = field(default_factory=set)

    @property
    def summary(self) -> str:
        """The step summary."""
        return self.file("SUMMARY").read_text(encoding="utf-8")

    def file(self, name: str) -> Path:
        """Return one of the files that steps write to tell the runner something."""
        path = self.machine.temp / f"github-{name.lower()}-{self.run}"
        path.touch()
        return path

    def scope(self, env: Mapping[str, str]) -> Scope:
        """Return what names mean now."""
        names = {f"env.{name}": value for name, value in env.items()}
        functions = {
            "always": lambda: True,
            "cancelled": lambda: False,
            "success": lambda: self.code == 0,
            "hashFiles": lambda *patterns: f"hash-of-{'-'.join(patterns)}",
        }
        return Scope(self.event.names() | names | self.names, functions, frozenset(self.steps))

    def carry_out(self, step: Mapping[str, Any], shell: str) -> None:
        """Carry out a step, unless its condition says no."""
        name = step.get("name") or step["uses"]
        env = dict(self.env)
        env |= {key: fill(value, self.scope(env)) for key, value in step.get("env", {}).items()}
        outcome = "skipped"
        if holds(step.get("if"), self.scope(env)):
            code = self.shell(step, shell, env) if "run" in step else self.action(step, env)
            self.code = self.code or code
            outcome = "failure" if code else "success"
        self.outcomes[name] = outcome
        self.remember(step.get("id"), outcome)

    def shell(self, step: Mapping[str, Any], shell: str, env: Mapping[str, str]) -> int:
        """Run a shell step; return its exit code."""
        script = step["run"]
        assert "${{" not in script, "what an expression holds could be run as code"
        file = self.machine.temp / "step.sh"
        file.write_text(script, encoding="utf-8")
        ready = Step(
            script,
            [str(file) if word == "{0}" else word for word in shell.split()],
            self.machine.workspace,
            {**self.machine.environ, **self.defaults(), **env},
            self.notes(),
        )
        recorded = step.get("name") == "Run" and env["MODELS"].startswith(RECORDED)
        if self.machine.past and (recorded or step.get("name") in PREPARING):
            code, said = self.machine.past.run(ready)
        else:
            code, said = ready.run()
        self.log += said
        return code

    def defaults(self) -> dict[str, str]:
        """Return the variables that a runner sets in each step."""
        return {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": self.forge.url,
            "GITHUB_SERVER_URL": "https://forge.example",
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_RUN_ID": str(self.run),
            "GITHUB_WORKSPACE": str(self.machine.workspace),
            "RUNNER_TEMP": str(self.machine.temp),
        }

    def notes(self) -> dict[str, Path]:
        """Return the files that steps write to, by their variables."""
        return {
            "GITHUB_ENV": self.file("ENV"),
            "GITHUB_OUTPUT": self.file("OUTPUT"),
            "GITHUB_STEP_SUMMARY": self.file("SUMMARY"),
        }

    def action(self, step: Mapping[str, Any], env: Mapping[str, str]) -> int:
        """Do what an action does; return 0."""
        assert step["uses"] in ACTIONS, step["uses"]
        given = {key: fill(value, self.scope(env)) for key, value in step.get("with", {}).items()}
        folder = self.machine.workspace / given.get("path", "")
        if "upload-artifact" in step["uses"] and folder.is_dir():
            self.forge.add_artifact(self.run, given["name"], zipped(folder))
        return 0

    def remember(self, step: str | None, outcome: str) -> None:
        """Take over what a step wrote for the steps after it."""
        self.env |= dict(_pairs(self.file("ENV")))
        outputs = _pairs(self.file("OUTPUT"))
        self.file("OUTPUT").write_text("")
        if step:
            self.steps.add(step)
            self.names |= {f"steps.{step}.outputs.{key}": value for key, value in outputs}
            self.names[f"steps.{step}.outcome"] = outcome


def _pairs(file: Path) -> list[tuple[str, str]]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return [(name, value) for name, sign, value in (line.partition("=") for line in lines) if sign]


def zipped(folder: Path, root: Path | None = None) -> bytes:
    """Return a zip file of a folder, with names as seen from `root`; hidden files are left out."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(root or folder)
            if path.is_file() and not any(part.startswith(".") for part in name.parts):
                archive.write(path, name)
    return buffer.getvalue()


def run_workflow(
    workflow: Mapping[str, Any], machine: Machine, event: Event, forge: Forge, **changes: str
) -> Job:
    """Run the workflow's one job, with `changes` to the variables at its top, to the end."""
    (spec,) = workflow["jobs"].values()
    run = forge.add_run(event.name, event.branch)
    job = Job(machine, event, forge, {}, run)
    given = {**workflow["env"], **changes}
    assert set(given) == set(workflow["env"])
    for key, value in [*given.items(), *spec["env"].items()]:
        job.env[key] = fill(value, job.scope({}))
    for step in spec["steps"]:
        job.carry_out(step, workflow["defaults"]["run"]["shell"])
    forge.end_run(run, "failure" if job.code else "success")
    return job


def concurrency(workflow: Mapping[str, Any], event: Event) -> tuple[str, Value]:
    """Return the group of a run, and whether a newer run of the group ends it."""
    scope = Scope(event.names(), {})
    asked = workflow["concurrency"]
    condition = asked["cancel-in-progress"].removeprefix("${{").removesuffix("}}")
    return fill(asked["group"], scope), evaluate(condition, scope)


def runner_environ(venv: Path, home: Path) -> dict[str, str]:
    """Return the environment of a machine with a Rust toolchain and a virtual environment."""
    user = Path.home()
    return {
        "PATH": f"{venv / 'bin'}:{os.environ['PATH']}",
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "CARGO_HOME": os.environ.get("CARGO_HOME", str(user / ".cargo")),
        "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(user / ".rustup")),
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
    }
