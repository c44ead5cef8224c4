"""Every step of the GitHub workflow, carried out in a clean clone against a strict fake GitHub."""

from dataclasses import replace
from pathlib import Path

import pytest
from ci_machine import (
    BROKEN,
    GITHUB,
    MARKER,
    PUSH,
    clone,
    github,
    good,
    home,
    installed,
    kept,
    machine,
    past,
    rust_version,
    served,
    server,
)
from fake_forge import Forge
from fake_llm import Fail
from workflow_job import Event, Job, Machine, read_yaml, run_workflow

__all__ = ["clone", "good", "home", "installed", "kept", "machine", "past", "server"]  # fixtures
pytestmark = pytest.mark.cargo


def verdict(comment: str) -> str:
    """Return the line that says how the comparison ended."""
    marker, line = comment.splitlines()[:2]
    assert marker == MARKER
    return line


def skipped(job: Job) -> set[str]:
    return {name for name, outcome in job.outcomes.items() if outcome == "skipped"}


def artifact_names(server: Forge) -> list[str]:
    return [artifact["name"] for artifact in server.artifacts]


@pytest.mark.local_llm
def test_the_workflow_runs_as_it_stands_and_its_run_is_the_baseline(
    machine: Machine, server: Forge
) -> None:
    workflow = read_yaml(GITHUB)
    options = workflow["env"]["RUN_OPTIONS"].replace("--max-tokens 128", "--max-tokens 16")
    assert options != workflow["env"]["RUN_OPTIONS"]
    given = {"SAMPLES": "1", "RUN_OPTIONS": options, "RUST_TOOLCHAIN": rust_version()}

    # All else as it stands.
    job = run_workflow(workflow, replace(machine, past=None), PUSH, server, **given)

    assert job.code == 0, job.log
    assert skipped(job) == {"Fetch the baseline", "Compare", "Comment"}
    assert artifact_names(server) == ["forgetest-baseline"]
    assert "local/smollm2-135m" in job.summary


def test_the_first_pull_request_passes_and_hears_how_a_baseline_comes_to_be(
    machine: Machine, server: Forge
) -> None:
    job = github(machine, server)

    assert job.code == 0, job.log
    assert skipped(job) == {"Compare"}
    assert artifact_names(server) == ["forgetest-run"]
    (comment,) = server.comments
    assert verdict(comment["body"]).startswith("**forgetest: no baseline yet**")
    assert "The next green run on `main` makes one" in comment["body"]
    assert "no baseline yet" in job.summary


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
    assert failed == {"Gate"}
    (comment,) = kept.comments
    assert "regress" in verdict(comment["body"]).lower()
    assert all(name in comment["body"] for name in BROKEN)
    assert "::error " in job.log
    assert artifact_names(kept) == ["forgetest-baseline", "forgetest-run"]


def test_one_comment_is_rewritten_and_no_other_touched(machine: Machine, server: Forge) -> None:
    words = [f"word {number}" for number in range(150)]
    for text in [*words, f"{MARKER}\nsomebody's own words", f"a quote of {MARKER}"]:
        server.add_comment(text)
    before = [comment["body"] for comment in server.comments]
    github(machine, server)
    server.head = "d00d1e"

    job = github(machine, server, Event(head="d00d1e"))

    assert job.code == 0, job.log
    *others, ours = [comment["body"] for comment in server.comments]
    assert others == before
    assert (
        f"Commit d00d1e, [run](https://forge.example/acme/widgets/actions/runs/{job.run})" in ours
    )


def test_an_older_run_does_not_write_over_a_newer_one(machine: Machine, server: Forge) -> None:
    server.head = "d00d1e"
    server.add_comment(f"{MARKER}\nof the newer commit", "Bot")

    job = github(machine, server, Event(head="c0ffee"))

    assert job.code == 0, job.log
    assert [comment["body"] for comment in server.comments] == [f"{MARKER}\nof the newer commit"]
    assert "newer commits" in job.log


def test_a_fork_that_may_not_comment_is_warned_and_judged_all_the_same(
    machine: Machine, kept: Forge
) -> None:
    kept.may_write = False

    good, bad = github(machine, kept), github(machine, kept, broken=BROKEN)

    assert (good.code, bad.code) == (0, 1), good.log + bad.log
    assert "::warning title=forgetest::This token may not comment" in good.log
    assert kept.comments == []


@pytest.mark.parametrize(
    ("broken", "failing"),
    [
        ("GET .*/artifacts$", "Fetch the baseline"),
        ("GET .*/runs/", "Fetch the baseline"),
        ("GET .*/zip$", "Fetch the baseline"),
        ("GET .*/comments$", "Comment"),
        ("POST .*/comments$", "Comment"),
    ],
)
def test_a_server_that_fails_makes_no_run_green(
    machine: Machine, kept: Forge, broken: str, failing: str
) -> None:
    kept.broken = broken

    job = github(machine, kept)

    assert job.code != 0
    assert job.outcomes[failing] == "failure"
    if failing == "Fetch the baseline":
        (comment,) = kept.comments
        assert verdict(comment["body"]).startswith("**forgetest could not compare this.**")


def test_the_newest_green_run_of_the_default_branch_is_the_baseline(
    machine: Machine, kept: Forge
) -> None:
    (good,) = kept.stored
    for event, branch, fork, conclusion in [
        ("push", "main", False, "failure"),
        ("pull_request_target", "main", True, "success"),
        ("pull_request", "main", False, "success"),
        ("workflow_dispatch", "release", False, "success"),
    ]:
        run = kept.add_run(event, branch)
        kept.add_artifact(run, "forgetest-baseline", b"not a zip file", fork=fork)
        kept.end_run(run, conclusion)
    expired = kept.add_run("push", "main")
    kept.add_artifact(expired, "forgetest-baseline", good)
    kept.artifacts[-1]["expired"] = True
    kept.end_run(expired, "success")

    job = github(machine, kept)

    assert job.outcomes["Fetch the baseline"] == "success", job.log
    assert [one.path for one in kept.asked if one.path.endswith("zip")] == [
        "/repos/acme/widgets/actions/artifacts/0/zip"
    ]


def test_a_baseline_in_the_repository_is_taken_before_any_other(
    machine: Machine, server: Forge
) -> None:
    job = github(machine, server, BASELINE="examples/no-such-report.json")

    assert job.code == 2, job.log
    assert not [one for one in server.asked if "/actions/" in one.path]
    assert "no-such-report.json" in job.log


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
    assert skipped(job) == {"Fetch the baseline", "Compare", "Gate"}
    (comment,) = server.comments
    assert verdict(comment["body"]).startswith("**forgetest could not compare this.**")


def test_several_eval_sets_and_options_are_passed_on(machine: Machine, server: Forge) -> None:
    job = github(
        machine,
        server,
        EVAL_SETS="eval-sets/starter.toml eval-sets/rust-basics.toml",
        RUN_OPTIONS="--case add --case title-case",
        MODELS="reference/solution",
        SAMPLES="1",
    )

    assert job.code == 0, job.log
    assert "1 model x 2 cases x 1 sample" in job.log
