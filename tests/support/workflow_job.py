"""Carries out the one job of a GitHub workflow, step by step, as its runner would.

Shell steps run as they stand, and so do those of forgetest's own action. GitHub's actions are stood
in for by what they do; an action, a name or a function that nobody said the meaning of is an error.
"""

import io
import json
import os
import re
import subprocess
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from actions_expressions import Scope, Value, evaluate, fill, holds
from fake_forge import Forge
from forge_replies import GITHUB_TOKEN, REPOSITORY
from past_steps import RECORDED, Past, Step
from ruamel.yaml import YAML

OURS = "forgetest/forgetest"  # the action of the workspace's own repository
ACTIONS = {
    "actions/checkout@v6": "the workspace is a clone already, of forgetest",
    "actions/cache@v5": "nothing was cached yet",
    "actions/upload-artifact@v6": "handed to the forge",
}
SHELLS = {"bash": "bash --noprofile --norc -eo pipefail {0}"}


def read_yaml(file: Path) -> dict[str, Any]:
    """Return a YAML 1.2 file's content."""
    content: dict[str, Any] = YAML(typ="safe", pure=True).load(file.read_text(encoding="utf-8"))
    return content


@dataclass(frozen=True)
class Event:
    """What started the workflow."""

    name: str = "pull_request"
    branch: str = "broken-prompt"
    head: str = "c0ffee1"

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
    done: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # steps' outputs
    action_path: Path | None = None  # of the composite action whose steps these are
    code: int = 0  # of the first step that failed
    log: str = ""
    outcomes: dict[str, str] = field(default_factory=dict)  # by name or action
    names: dict[str, Value] = field(default_factory=dict)  # what steps have set
    outputs: dict[str, str] = field(default_factory=dict)  # of the composite action
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

    def carry_out(self, step: Mapping[str, Any]) -> None:
        """Carry out a step, unless its condition says no."""
        name = step.get("name") or step["uses"]
        env = dict(self.env)
        env |= {key: fill(value, self.scope(env)) for key, value in step.get("env", {}).items()}
        outcome = "skipped"
        if name in self.done:
            outcome = "success"
            self.tell_outputs(self.done[name])
        elif holds(step.get("if"), self.scope(env)):
            code = self.shell(step, env) if "run" in step else self.action(step, env)
            self.code = self.code or code
            outcome = "failure" if code else "success"
        self.outcomes[name] = outcome
        self.remember(step.get("id"), outcome)

    def shell(self, step: Mapping[str, Any], env: Mapping[str, str]) -> int:
        """Run a shell step; return its exit code."""
        script, shell = step["run"], SHELLS[step.get("shell", "bash")]
        assert "${{" not in script, "what an expression holds could be run as code"
        file = self.machine.temp / "step.sh"
        file.write_text(script, encoding="utf-8")
        ready = Step(
            self.scripts(script),
            [str(file) if word == "{0}" else word for word in shell.split()],
            self.machine.workspace,
            {**self.machine.environ, **self.defaults(), **env, "PATH": self.path()},
            self.notes(),
        )
        known = env.get("CURRENT") or env.get("MODELS", "").startswith(RECORDED)
        if self.machine.past and known and step.get("name") == "Run":
            code, said = self.machine.past.run(ready)
        else:
            code, said = ready.run()
        self.log += said
        return code

    def scripts(self, script: str) -> str:
        """Return the text of a step with that of the action's scripts which it calls."""
        files = re.findall(r"\$GITHUB_ACTION_PATH/([\w/.]+)", script) if self.action_path else ()
        texts = ((self.action_path / file).read_text(encoding="utf-8") for file in files)
        return "\n".join([script, *texts])

    def path(self) -> str:
        """Return where programs are looked for, with what earlier steps have added in front."""
        added = self.file("PATH").read_text(encoding="utf-8").splitlines()
        return ":".join([*reversed(added), self.machine.environ["PATH"]])

    def defaults(self) -> dict[str, str]:
        """Return the variables that a runner sets in each step."""
        own = {"GITHUB_ACTION_PATH": str(self.action_path)} if self.action_path else {}
        event = {"pull_request": {"head": {"sha": self.event.head}}}
        place = self.file("EVENT")
        place.write_text(json.dumps(event if self.event.name == "pull_request" else {}))
        return own | {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": self.forge.url,
            "GITHUB_SERVER_URL": "https://forge.example",
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_RUN_ID": str(self.run),
            "GITHUB_SHA": "5eed5eed",
            "GITHUB_EVENT_PATH": str(place),
            "GITHUB_WORKSPACE": str(self.machine.workspace),
            "RUNNER_TEMP": str(self.machine.temp),
        }

    def notes(self) -> dict[str, Path]:
        """Return the files that steps write to, by their variables."""
        return {
            "GITHUB_ENV": self.file("ENV"),
            "GITHUB_PATH": self.file("PATH"),
            "GITHUB_OUTPUT": self.file("OUTPUT"),
            "GITHUB_STEP_SUMMARY": self.file("SUMMARY"),
        }

    def action(self, step: Mapping[str, Any], env: Mapping[str, str]) -> int:
        """Do what an action does; return its exit code."""
        uses = step["uses"]
        given = {key: fill(value, self.scope(env)) for key, value in step.get("with", {}).items()}
        folder = self.machine.workspace / given.get("path", "")
        if uses.startswith("./"):
            return self.composite(self.machine.workspace / uses, given, env)
        if uses.partition("@")[0] == OURS:
            return self.composite(self.machine.workspace, given, env)
        assert uses in ACTIONS, uses
        if "upload-artifact" in uses and folder.is_dir():
            self.forge.add_artifact(self.run, given["name"], zipped(folder))
        elif "checkout" in uses and given.get("repository") == OURS:
            subprocess.run(["git", "clone", "--quiet", self.machine.workspace, folder], check=True)
        return 0

    def composite(self, folder: Path, given: Mapping[str, str], env: Mapping[str, str]) -> int:
        """Carry out a composite action, whose steps see its inputs; hand over its outputs."""
        action = read_yaml(folder / "action.yml")
        assert set(given) <= set(action["inputs"]), "GitHub would only warn"
        inputs = {
            f"inputs.{name}": given.get(name, fill(spec.get("default", ""), self.scope(env)))
            for name, spec in action["inputs"].items()
        }
        inner = replace(self, env=dict(env), action_path=folder, code=0, names=inputs, steps=set())
        for step in action["runs"]["steps"]:
            inner.carry_out(step)
        self.log = inner.log
        self.outputs = {
            name: fill(spec["value"], inner.scope(env)) for name, spec in action["outputs"].items()
        }
        self.tell_outputs(self.outputs)
        return inner.code

    def tell_outputs(self, outputs: Mapping[str, str]) -> None:
        """Write outputs as a step does."""
        lines = [f"{name}={value}\n" for name, value in outputs.items()]
        self.file("OUTPUT").write_text("".join(lines), encoding="utf-8")

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
    workflow: Mapping[str, Any],
    machine: Machine,
    event: Event,
    forge: Forge,
    done: Mapping[str, Mapping[str, str]] | None = None,
) -> Job:
    """Run the workflow's one job to the end; steps that are `done` only leave their outputs."""
    (spec,) = workflow["jobs"].values()
    run = forge.add_run(event.name, event.branch)
    job = Job(machine, event, forge, {}, run, done=done or {})
    for step in spec["steps"]:
        job.carry_out(step)
    forge.end_run(run, "failure" if job.code else "success")
    return job


def concurrency(workflow: Mapping[str, Any], event: Event) -> tuple[str, Value]:
    """Return the group of a run, and whether a newer run of the group ends it."""
    scope = Scope(event.names(), {})
    asked = workflow["concurrency"]
    condition = asked["cancel-in-progress"].removeprefix("${{").removesuffix("}}")
    return fill(asked["group"], scope), evaluate(condition, scope)


def runner_environ(home: Path) -> dict[str, str]:
    """Return the environment of a machine with a Rust toolchain."""
    user = Path.home()
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "CARGO_HOME": os.environ.get("CARGO_HOME", str(user / ".cargo")),
        "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(user / ".rustup")),
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
    }
