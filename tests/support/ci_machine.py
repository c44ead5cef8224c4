"""A machine for the workflows of examples/ci: a clean clone, a Python, recorded answers."""

import json
import shutil
import subprocess
import sysconfig
import venv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fake_forge import Forge, forge
from fake_llm import FakeLLM
from past_steps import RECORDED, Past
from program import ROOT
from sharing import shared
from workflow_job import Event, Job, Machine, read_yaml, run_workflow, runner_environ, zipped

from forgetest.evalset.load import load

ACTION = ROOT / "action.yml"
GITHUB = ROOT / "examples" / "ci" / "github.yml"
GITLAB = ROOT / "examples" / "ci" / "gitlab.yml"
MARKER = "<!-- forgetest-compare -->"
ANSWERS = "answers.jsonl"
BROKEN = ("add", "is-even")
BETTER, WORSE = (f"examples/comparison/temperature-{value}.json" for value in ("0.3", "0.9"))
PUSH = Event("push", "main")
LOCAL = "local/smollm2-135m"
VENV = "forgetest-venv"  # where the action installs, below RUNNER_TEMP


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Path:
    """Return a home folder whose cache has what takes long to build, and nothing else."""
    home = tmp_path_factory.mktemp("home")
    shared = pytestconfig.cache.mkdir("forgetest-crates")
    (home / ".cache" / "forgetest").mkdir(parents=True)
    for name in ("dependencies", "guard"):
        (shared / name).mkdir(exist_ok=True)
        (home / ".cache" / "forgetest" / name).symlink_to(shared / name)
    (home / ".curlrc").write_text("retry-max-time = 1\n")  # no test waits for a third try
    return home


@pytest.fixture(scope="session")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a clean clone of the repository."""
    folder = tmp_path_factory.mktemp("clone") / "widgets"
    subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
    return folder


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory, home: Path, clone: Path) -> Path:
    """Return a virtual environment with forgetest, installed once for all who test at once."""
    made = shared(tmp_path_factory, "installed", lambda temp: install(temp, home, clone))
    return made / VENV


def install(temp: Path, home: Path, clone: Path) -> None:
    """Have the action install forgetest from the clone, into a virtual environment of its own.

    What forgetest needs is already there, and the embedded model with it: beside this Python.
    """
    if missing := [name for name in ("bash", "curl", "jq") if shutil.which(name) is None]:
        pytest.skip(f"runners have {missing}, this machine does not")
    folder = temp / VENV
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "neighbour.pth").write_text(sysconfig.get_path("purelib"))
    own = {"RUNNER_TEMP": str(temp), "GITHUB_PATH": str(temp / "path"), "MODELS": LOCAL}
    done = subprocess.run(
        ["bash", clone / "action" / "install.sh"],
        env={**runner_environ(home), **own, "GITHUB_ACTION_PATH": str(clone)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (packages / "forgetest").is_dir()


@pytest.fixture(scope="session")
def past(tmp_path_factory: pytest.TempPathFactory) -> Past:
    """Return what steps have done on machines like this one."""
    return Past(shared(tmp_path_factory, "past", Path.mkdir))


@pytest.fixture(scope="session")
def good(
    installed: Path, home: Path, clone: Path, past: Past, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Return the files of a baseline: a run of the default branch, its model right in all cases."""

    def make(folder: Path) -> None:
        folder.mkdir()
        with forge() as server:
            (folder / VENV).symlink_to(installed)
            job = github(Machine(clone, folder, runner_environ(home), past), server, PUSH)
            names = [artifact["name"] for artifact in server.artifacts]
        assert (job.code, names) == (0, ["forgetest-baseline"]), job.log
        shutil.copytree(clone / "forgetest-out", folder / "forgetest-out")

    return shared(tmp_path_factory, "good", make) / "forgetest-out"


@pytest.fixture
def machine(installed: Path, home: Path, clone: Path, past: Past, tmp_path: Path) -> Machine:
    """Return a machine on which forgetest is installed from the clone."""
    _clean(clone)
    (tmp_path / VENV).symlink_to(installed)
    return Machine(clone, tmp_path, runner_environ(home), past)


@pytest.fixture
def server() -> Iterator[Forge]:
    """Return a forge of no runs and no comments."""
    with forge() as state:
        yield state


@pytest.fixture
def kept(server: Forge, good: Path) -> Forge:
    """Return a forge with a baseline."""
    run = server.add_run("push", "main")
    server.add_artifact(run, "forgetest-baseline", zipped(good))
    server.end_run(run, "success")
    server.kept["main"] = zipped(good, good.parent)
    return server


@pytest.fixture
def kept_report(server: Forge, clone: Path, tmp_path: Path) -> Forge:
    """Return a forge whose baseline is the better one of two reports."""
    folder = tmp_path / "baseline" / "run"
    folder.mkdir(parents=True)
    shutil.copy(clone / BETTER, folder / "report.json")
    run = server.add_run("push", "main")
    server.add_artifact(run, "forgetest-baseline", zipped(folder.parent))
    server.end_run(run, "success")
    return server


def rust_version() -> str:
    """Return the version of the installed rustc."""
    return subprocess.check_output(["rustc", "--version"], text=True).split()[1]


def prepare(machine: Machine, broken: tuple[str, ...] = ()) -> None:
    """Clean the clone; record what the model answers: reference solutions, but for broken cases."""
    _clean(machine.workspace)
    (starter,) = load([ROOT / "eval-sets" / "starter.toml"])
    rows = []
    for case in starter.cases:
        code = "pub fn wrong() {}" if case.id in broken else case.reference_solution
        rows += 5 * [{"case_id": case.id, "completion": f"```rust\n{code}\n```"}]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (machine.workspace / ANSWERS).write_text(text, encoding="utf-8")


def workflow(changes: Mapping[str, str]) -> dict[str, Any]:
    """Return the GitHub workflow with changes to the inputs of its action, as RUN_OPTIONS."""
    content = read_yaml(GITHUB)
    inputs = content["jobs"]["forgetest"]["steps"][-1]["with"]
    inputs["rust"] = rust_version()
    inputs |= {name.lower().replace("_", "-"): value for name, value in changes.items()}
    return content


def github(
    machine: Machine,
    server: Forge,
    event: Event | None = None,
    broken: tuple[str, ...] = (),
    **changes: str,
) -> Job:
    """Run the workflow on a model that answers cases wrong; forgetest is installed already."""
    prepare(machine, broken)
    changes = {"MODELS": f"{RECORDED}{ANSWERS}", "RUN_OPTIONS": ""} | changes
    return run_workflow(workflow(changes), machine, event or Event(), server)


def reported(
    machine: Machine,
    server: Forge,
    event: Event | None = None,
    done: Mapping[str, Mapping[str, str]] | None = None,
    **changes: str,
) -> Job:
    """Run the workflow's action on a report, the worse one of two; no model is asked."""
    _clean(machine.workspace)
    content = workflow({"current": WORSE} | changes)
    return run_workflow(content, machine, event or Event(), server, done)


def verdict(comment: str, marker: str = MARKER) -> str:
    """Return the line of a comment that says how the comparison ended."""
    first, line = comment.splitlines()[:2]
    assert first == marker
    return line


def skipped(job: Job) -> set[str]:
    """Return the steps of a job whose condition said no."""
    return {name for name, outcome in job.outcomes.items() if outcome == "skipped"}


def artifact_names(server: Forge) -> list[str]:
    """Return what runs have uploaded."""
    return [artifact["name"] for artifact in server.artifacts]


@contextmanager
def served(folder: Path) -> Iterator[tuple[FakeLLM, dict[str, str]]]:
    """Yield a model server that answers right, and what to change in a workflow to ask it."""
    (starter,) = load([ROOT / "eval-sets" / "starter.toml"])
    answers = {
        case.prompt.strip(): f"```rust\n{case.reference_solution}\n```" for case in starter.cases
    }
    with FakeLLM(lambda ask: next(answers[key] for key in answers if key in ask.prompt)) as fake:
        config = folder / "forgetest.toml"
        config.write_text(f'[providers.chat]\npreset = "vllm"\nbase_url = "{fake.openai_url}"\n')
        yield fake, {"MODELS": "chat/m", "SAMPLES": "1", "RUN_OPTIONS": f"--config {config}"}


def _clean(workspace: Path) -> None:
    subprocess.run(["git", "clean", "-ffdxq"], cwd=workspace, check=True)
    subprocess.run(["git", "checkout", "--quiet", "."], cwd=workspace, check=True)
