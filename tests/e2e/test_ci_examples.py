"""The workflows of examples/ci, as linters and published schemas see them, and their toolchain."""

import os
import subprocess
import sysconfig
from pathlib import Path

import pytest
from ci_machine import GITHUB, GITLAB, PUSH, step
from workflow_job import Event, concurrency, read_yaml


def tool(*argv: str | Path) -> tuple[int, str]:
    """Run a program of the virtual environment, with its neighbours on the path."""
    scripts = sysconfig.get_path("scripts")
    env = {**os.environ, "PATH": f"{scripts}:{os.environ['PATH']}", "NO_COLOR": "1"}
    argv = (Path(scripts) / argv[0], *argv[1:])
    done = subprocess.run(argv, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_actionlint_and_shellcheck_find_nothing_in_the_github_workflow() -> None:
    assert tool("actionlint", GITHUB) == (0, "")


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ('exit "$CODE"', "exit $CODE", "SC2086"),
        ('run: exit "$CODE"', "run: exit ${{ github.head_ref }}", "untrusted"),
        ("steps.run.outputs.code", "steps.rum.outputs.code", '"rum" is not defined'),
        ("  pull_request:\n", "  pull_requests:\n", "pull_requests"),
        ("overwrite: true", "overwrites: true", "overwrites"),
    ],
)
def test_actionlint_would_see(tmp_path: Path, right: str, wrong: str, said: str) -> None:
    text = GITHUB.read_text(encoding="utf-8")
    assert right in text
    file = tmp_path / "workflow.yml"
    file.write_text(text.replace(right, wrong))

    code, out = tool("actionlint", file)

    assert (code, said in out) == (1, True), out


@pytest.mark.parametrize(
    ("file", "schema"), [(GITHUB, "vendor.github-workflows"), (GITLAB, "vendor.gitlab-ci")]
)
def test_the_published_schemas_take_the_workflows(file: Path, schema: str) -> None:
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
    told = tmp_path / "env"
    told.touch()

    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", step("Set up Rust")["run"]],
        env={"PATH": str(stage), "RUST_TOOLCHAIN": "1.95.0", "GITHUB_ENV": str(told)},
        capture_output=True,
        text=True,
        check=True,
    )

    if there:
        said = "rustup toolchain install 1.95.0 --profile minimal --component clippy\n"
        assert (done.stdout, told.read_text()) == (said, "RUSTUP_TOOLCHAIN=1.95.0\n")
    else:
        assert done.stdout.startswith("::warning title=forgetest::Without rustup")
        assert "1.80.0" in done.stdout


def _script(file: Path, line: str) -> None:
    file.write_text(f"#!/bin/bash\n{line}\n")
    file.chmod(0o755)
