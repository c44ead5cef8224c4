"""The workflows of examples/ci and the action, as linters and published schemas see them."""

import os
import re
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from ci_machine import ACTION, GITHUB, GITLAB, PUSH
from program import ROOT
from ruamel.yaml import YAML
from workflow_job import Event, concurrency, read_yaml

SCRIPTS = sorted((ROOT / "action").glob("*.sh"))


def tool(*argv: str | Path) -> tuple[int, str]:
    """Run a program of the virtual environment, with its neighbours on the path."""
    scripts = sysconfig.get_path("scripts")
    env = {**os.environ, "PATH": f"{scripts}:{os.environ['PATH']}", "NO_COLOR": "1"}
    argv = (Path(scripts) / argv[0], *argv[1:])
    done = subprocess.run(argv, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def repository(folder: Path, workflow: str, action: str) -> Path:
    """Return the file of a workflow in a repository whose own action it uses."""
    (folder / ".git").mkdir()
    (folder / "action.yml").write_text(action)
    file = folder / ".github" / "workflows" / "forgetest.yml"
    file.parent.mkdir(parents=True)
    file.write_text(workflow.replace("forgetest/forgetest@v1", "./"))
    return file


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ("", "", None),
        ("  pull_request:\n", "  pull_requests:\n", "pull_requests"),
        ("gate:", "gates:", '"gates" is not defined'),
        ("${{ github.ref }}", "${{ github.reff }}", '"reff" is not defined'),
    ],
)
def test_actionlint_holds_the_github_workflow_to_what_the_action_takes(
    tmp_path: Path, right: str, wrong: str, words: str | None
) -> None:
    workflow = GITHUB.read_text(encoding="utf-8")
    assert right in workflow
    action = ACTION.read_text(encoding="utf-8")

    code, out = tool("actionlint", repository(tmp_path, workflow.replace(right, wrong), action))

    assert (code, out) == (0, "") if words is None else (code, words in out) == (1, True), out


def steps_as_a_job(action: dict[str, Any]) -> dict[str, Any]:
    """Return a workflow with the steps of the action, whose own steps actionlint does not read."""
    inputs = {
        name: {"type": "string", "required": False} for name in action["inputs"] if name != "token"
    }
    call = {"inputs": inputs, "secrets": {"token": {"required": True}}}
    job = {"runs-on": "ubuntu-latest", "steps": action["runs"]["steps"]}
    outputs = {name: output["value"] for name, output in action["outputs"].items()}
    return {"on": {"workflow_call": call}, "jobs": {"forgetest": job | {"outputs": outputs}}}


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ("", "", None),
        ('exit "$CODE"', "exit $CODE", "SC2086"),
        ('exit "$CODE"', "exit ${{ github.head_ref }}", "untrusted"),
        ("steps.run.outputs.code", "steps.rum.outputs.code", '"rum" is not defined'),
        ("overwrite: true", "overwrites: true", "overwrites"),
        ("inputs.samples", "inputs.sample", '"sample" is not defined'),
    ],
)
def test_actionlint_holds_the_steps_of_the_action(
    tmp_path: Path, right: str, wrong: str, words: str | None
) -> None:
    text = ACTION.read_text(encoding="utf-8").replace("inputs.token", "secrets.token")
    assert right in text
    (tmp_path / "action.yml").write_text(text.replace(right, wrong))
    file = tmp_path / "workflow.yml"
    YAML(typ="safe").dump(steps_as_a_job(read_yaml(tmp_path / "action.yml")), file)

    code, out = tool("actionlint", file)

    assert (code, out) == (0, "") if words is None else (code, words in out) == (1, True), out


def test_shellcheck_finds_nothing_in_the_scripts_of_the_action(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)  # where the scripts say that their common part is

    assert SCRIPTS
    assert tool("shellcheck", "--external-sources", "--shell=bash", *SCRIPTS) == (0, "")


def test_every_script_of_the_action_is_a_step_and_every_variable_is_given() -> None:
    steps = [step for step in read_yaml(ACTION)["runs"]["steps"] if "run" in step]
    used = {name: step["env"] for step in steps for name in re.findall(r"\w+\.sh", step["run"])}

    assert {script.name for script in SCRIPTS} == {*used, "common.sh"}
    for name, env in used.items():
        text = (ROOT / "action" / name).read_text(encoding="utf-8")
        asked = set(re.findall(r"\$\{?([A-Z][A-Z_]+)\b", text))
        given = {variable for variable in asked if not variable.startswith(("GITHUB_", "RUNNER_"))}
        assert given <= set(env), name


def test_the_documentation_has_every_input_and_output_of_the_action() -> None:
    action = read_yaml(ACTION)
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    _, inputs, outputs = re.split(r"\| (?:input|output) \| .*\n\|---.*\n", page)

    for table, names in ((inputs, action["inputs"]), (outputs, action["outputs"])):
        rows = table.partition("\n\n")[0]
        assert re.findall(r"^\| `([\w-]+)`", rows, re.MULTILINE) == list(names)


@pytest.mark.parametrize(
    ("file", "schema"),
    [
        (GITHUB, "vendor.github-workflows"),
        (ACTION, "vendor.github-actions"),
        (GITLAB, "vendor.gitlab-ci"),
    ],
)
def test_the_published_schemas_take_the_workflows_and_the_action(file: Path, schema: str) -> None:
    code, out = tool("check-jsonschema", "--builtin-schema", schema, file)

    assert code == 0, out


def test_shellcheck_finds_nothing_in_the_gitlab_job(tmp_path: Path) -> None:
    job = read_yaml(GITLAB)["forgetest"]
    script = tmp_path / "job.sh"
    script.write_text("#!/bin/bash\n" + "\n".join([*job["before_script"], *job["script"]]))

    assert tool("shellcheck", script) == (0, "")


def test_the_github_workflow_may_do_only_what_it_needs() -> None:
    workflow = read_yaml(GITHUB)

    assert workflow["permissions"] == {
        "contents": "read",
        "actions": "read",
        "pull-requests": "write",
    }
    assert "permissions" not in workflow["jobs"]["forgetest"]


def test_a_newer_run_ends_the_older_of_a_pull_request_and_none_of_the_default_branch() -> None:
    workflow = read_yaml(GITHUB)

    assert concurrency(workflow, Event()) == ("forgetest-refs/pull/4/merge", True)
    assert concurrency(workflow, PUSH) == ("forgetest-refs/heads/main", False)


@pytest.mark.parametrize("there", [True, False])
def test_rust_is_set_up_with_rustup_where_it_is(tmp_path: Path, there: bool) -> None:
    stage = tmp_path / "bin"
    stage.mkdir()
    for name in ("bash", "cut"):
        (stage / name).symlink_to(f"/usr/bin/{name}")
    _script(stage / "rustc", "echo 'rustc 1.80.0 (made up)'")
    if there:
        _script(stage / "rustup", 'echo "rustup $*"')
    told = tmp_path / "output"
    told.touch()

    done = subprocess.run(
        ["bash", ROOT / "action" / "rust.sh"],
        env={"PATH": str(stage), "RUST": "1.95.0", "GITHUB_OUTPUT": str(told)},
        capture_output=True,
        text=True,
        check=True,
    )

    if there:
        said = "rustup toolchain install 1.95.0 --profile minimal --component clippy\n"
        assert (done.stdout, told.read_text()) == (said, "toolchain=1.95.0\n")
    else:
        assert done.stdout.startswith("::warning title=forgetest::Without rustup")
        assert "1.80.0" in done.stdout


def _script(file: Path, line: str) -> None:
    file.write_text(f"#!/bin/bash\n{line}\n")
    file.chmod(0o755)
