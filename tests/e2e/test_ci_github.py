"""The GitHub workflow asks a model: every step of its action, carried out in a clean clone."""

from pathlib import Path

import pytest
from ci_machine import (
    BROKEN,
    LOCAL,
    MARKER,
    PUSH,
    artifact_names,
    clone,
    github,
    good,
    home,
    installed,
    kept,
    machine,
    past,
    served,
    server,
    skipped,
    verdict,
    workflow,
)
from fake_forge import Forge
from fake_llm import Fail
from workflow_job import Machine, run_workflow

__all__ = ["clone", "good", "home", "installed", "kept", "machine", "past", "server"]  # fixtures
pytestmark = pytest.mark.cargo


@pytest.mark.local_llm
def test_the_workflow_runs_as_it_stands_and_its_run_is_the_baseline(
    machine: Machine, server: Forge
) -> None:
    content = workflow({"SAMPLES": "1"})
    inputs = content["jobs"]["forgetest"]["steps"][-1]["with"]
    options = inputs["run-options"].replace("--max-tokens 128", "--max-tokens 16")
    assert options != inputs["run-options"]
    inputs["run-options"] = options

    job = run_workflow(content, machine, PUSH, server)  # all else as it stands

    assert job.code == 0, job.log
    assert skipped(job) == {"Find the baseline", "Compare", "Comment"}
    assert artifact_names(server) == ["forgetest-baseline"]
    assert LOCAL in job.summary
    assert (job.outputs["verdict"], job.outputs["exit-code"]) == ("baseline", "0")


def test_a_model_that_did_not_change_passes(machine: Machine, kept: Forge) -> None:
    job = github(machine, kept)

    assert job.code == 0, job.log
    assert skipped(job) == set()
    assert set(artifact_names(kept)) == {"forgetest-baseline", "forgetest-run"}
    (comment,) = kept.comments
    assert "regress" not in verdict(comment["body"]).lower().replace("no regression", "")
    assert job.summary.count(MARKER) == 1


def test_a_broken_model_fails_and_the_comment_names_the_cases(
    machine: Machine, kept: Forge
) -> None:
    job = github(machine, kept, broken=BROKEN)

    assert job.code == 1, job.log
    failed = {name for name, outcome in job.outcomes.items() if outcome == "failure"}
    assert failed == {"Gate", "forgetest/forgetest@v1"}
    (comment,) = kept.comments
    assert "regress" in verdict(comment["body"]).lower()
    assert all(name in comment["body"] for name in BROKEN)
    assert "::error " in job.log
    assert artifact_names(kept) == ["forgetest-baseline", "forgetest-run"]


def test_unscored_samples_are_compared_and_make_no_baseline(
    machine: Machine, server: Forge, tmp_path: Path
) -> None:
    with served(tmp_path) as (model, changes):
        assert github(machine, server, PUSH, **changes).code == 0
        model.script(Fail(400, "no"))
        pull = github(machine, server, **changes)
        model.script(Fail(400, "no"))
        push = github(machine, server, PUSH, **changes)

    assert pull.outcomes["Compare"] == "success", pull.log
    assert (pull.code, push.code) == (3, 3), pull.log + push.log
    assert [run["conclusion"] for run in server.runs.values()] == ["success", "failure", "failure"]


def test_a_run_that_can_not_start_ends_red_with_a_comment(machine: Machine, server: Forge) -> None:
    job = github(machine, server, MODELS="openai/none")

    assert job.code == 2, job.log
    assert skipped(job) == {"Find the baseline", "Compare", "Gate"}
    (comment,) = server.comments
    assert verdict(comment["body"]).startswith("**forgetest could not compare this.**")


def test_several_eval_sets_and_options_are_passed_on(machine: Machine, server: Forge) -> None:
    job = github(
        machine,
        server,
        EVAL_SET="eval-sets/starter.toml eval-sets/rust-basics.toml",
        RUN_OPTIONS="--case add --case title-case",
        MODELS="reference/solution",
        SAMPLES="1",
    )

    assert job.code == 0, job.log
    assert "1 model x 2 cases x 1 sample" in job.log
