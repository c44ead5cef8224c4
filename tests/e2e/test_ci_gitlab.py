"""The script of the GitLab job, carried out in a clean clone against a strict fake GitLab."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from ci_machine import (
    ANSWERS,
    BROKEN,
    GITLAB,
    MARKER,
    VENV,
    clone,
    good,
    home,
    installed,
    kept,
    machine,
    past,
    prepare,
    served,
    server,
)
from fake_forge import Forge
from fake_llm import Fail
from forge_replies import JOB_TOKEN, PROJECT_TOKEN
from past_steps import RECORDED, Step
from workflow_job import Machine, read_yaml, zipped

__all__ = ["clone", "good", "home", "installed", "kept", "machine", "past", "server"]  # fixtures
pytestmark = pytest.mark.cargo
PREPARING = 3  # lines of the script: install, the embedded model, doctor; the next is the run
TOKEN = {"FORGETEST_TOKEN": PROJECT_TOKEN}


@dataclass(frozen=True)
class Done:
    """How a job ended."""

    code: int
    log: str


def gitlab(
    machine: Machine,
    server: Forge,
    *,
    merge_request: bool = True,
    broken: tuple[str, ...] = (),
    given: Mapping[str, str] = TOKEN,
) -> Done:
    """Run the job's script as GitLab's runner does: one script of all its lines, in bash.

    Where the machine has a past, what prepares it and the run are scripts of their own.
    """
    prepare(machine, broken)
    job = read_yaml(GITLAB)["forgetest"]
    replaced = {"FORGETEST": "forgetest", "MODELS": f"{RECORDED}{ANSWERS}", "RUN_OPTIONS": ""}
    own = {name: value for name, value in job["variables"].items() if "$CI" not in value}
    request = {"CI_MERGE_REQUEST_IID": "4"} if merge_request else {}
    path = {"PATH": f"{machine.temp / VENV / 'bin'}:{machine.environ['PATH']}"}
    env = {**machine.environ, **path, **own, **replaced, **_predefined(server), **request, **given}
    done = _carried_out(machine, job["script"], env)
    if not (merge_request or done.code):
        server.kept["main"] = zipped(machine.workspace / "forgetest-out", machine.workspace)
    return done


def _carried_out(machine: Machine, lines: list[str], env: Mapping[str, str]) -> Done:
    if machine.past is None:
        return Done(*_step(machine, lines, env).run())
    prepared = Done(*machine.past.run(_step(machine, lines[:PREPARING], env)))
    if prepared.code:
        return prepared
    first, *rest = lines[PREPARING:]
    if not env["MODELS"].startswith(RECORDED):
        return Done(*_step(machine, [first, *rest], env).run())
    ran = Done(*machine.past.run(_step(machine, [first, 'echo "code=$code"'], env)))
    *_, last = ran.log.splitlines()
    return Done(*_step(machine, [last, *rest], env).run()) if last.startswith("code=") else ran


def _step(machine: Machine, lines: list[str], env: Mapping[str, str]) -> Step:
    script = "set -eo pipefail\n" + "\n".join(lines)
    return Step(script, ["bash", "-c", script], machine.workspace, env)


def _predefined(server: Forge) -> dict[str, str]:
    return {
        "CI": "true",
        "CI_API_V4_URL": f"{server.url}/api/v4",
        "CI_PROJECT_ID": "1",
        "CI_DEFAULT_BRANCH": "main",
        "CI_JOB_NAME": "forgetest",
        "CI_JOB_TOKEN": JOB_TOKEN,
        "CI_JOB_URL": "https://forge.example/jobs/9",
        "CI_COMMIT_SHA": "c0ffee7",
    }


def test_the_first_merge_request_passes_and_hears_how_a_baseline_comes_to_be(
    machine: Machine, server: Forge
) -> None:
    done = gitlab(replace(machine, past=None), server)  # in one piece

    assert done.code == 0, done.log
    (note,) = server.comments
    assert note["body"].startswith(f"{MARKER}\n**forgetest: no baseline yet**")


@pytest.mark.parametrize("given", [TOKEN, {}])
def test_a_model_that_did_not_change_passes(
    machine: Machine, kept: Forge, given: Mapping[str, str]
) -> None:
    done = gitlab(machine, kept, given=given)

    assert done.code == 0, done.log
    assert len(kept.comments) == len(given)
    assert "no baseline yet" not in done.log


def test_a_broken_model_fails_and_the_one_note_names_the_cases(
    machine: Machine, kept: Forge
) -> None:
    for number in range(120):
        kept.add_comment(f"{MARKER if number == 3 else 'word'} {number}")
    gitlab(machine, kept)

    done = gitlab(machine, kept, broken=BROKEN)

    assert done.code == 1, done.log
    *_, note = kept.comments
    assert len(kept.comments) == 121
    assert all(name in note["body"] for name in BROKEN)
    assert "Exit code 1" in note["body"]
    assert [note["body"].count(once) for once in ("c0ffee7", "jobs/9")] == [1, 1]


@pytest.mark.parametrize("broken", ["/download$", "/user$", "GET .*/notes$", "POST .*/notes$"])
def test_a_server_that_fails_makes_no_job_green(machine: Machine, kept: Forge, broken: str) -> None:
    kept.broken = broken

    assert gitlab(machine, kept).code != 0
    assert kept.comments == []


def test_a_token_that_may_not_fetch_the_baseline_is_told(machine: Machine, kept: Forge) -> None:
    done = gitlab(machine, kept, given={"CI_JOB_TOKEN": "of another tier"})

    assert done.code == 1
    assert "GitLab Free needs FORGETEST_TOKEN" in done.log


def test_a_run_of_the_default_branch_makes_the_baseline_unless_samples_are_unscored(
    machine: Machine, server: Forge, tmp_path: Path
) -> None:
    with served(tmp_path) as (model, changes):
        model.script(Fail(400, "no"))
        spoiled = gitlab(machine, server, merge_request=False, given=changes)
        assert (spoiled.code, server.kept) == (3, {}), spoiled.log
        done = gitlab(machine, server, merge_request=False, given=changes)

    assert (done.code, set(server.kept)) == (0, {"main"}), done.log
