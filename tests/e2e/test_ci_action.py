"""The GitHub action compares reports: its steps, carried out against a strict fake GitHub."""

import io
import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from ci_machine import (
    BETTER,
    MARKER,
    PUSH,
    WORSE,
    artifact_names,
    clone,
    home,
    installed,
    kept_report,
    machine,
    past,
    reported,
    server,
    skipped,
    verdict,
    workflow,
)
from fake_forge import Forge
from program import ROOT
from workflow_job import Event, Machine, run_workflow

__all__ = ["clone", "home", "installed", "kept_report", "machine", "past", "server"]  # fixtures
RAN = {"Install forgetest": {}, "Run": {"compare": "true", "code": "0"}}
COMPARED = RAN | {"Find the baseline": {"path": BETTER}, "Compare": {"code": "0"}}


def test_two_reports_are_compared_and_later_steps_are_told(machine: Machine, server: Forge) -> None:
    job = reported(machine, server, baseline=BETTER)

    assert job.code == 1, job.log
    assert job.outcomes["Gate"] == "failure"
    assert skipped(job) == {"Cache", "Set up Rust"}
    assert job.outputs == {
        "verdict": "regression",
        "exit-code": "1",
        "report": "forgetest-out/run/report.json",
        "sarif": "forgetest-out/run/sarif.json",
        "comparison": "forgetest-out/comparison.json",
        "page": "forgetest-out/comparison.html",
        "comment-url": server.comments[0]["html_url"],
    }
    with zipfile.ZipFile(io.BytesIO(server.stored[0])) as archive:
        names = set(archive.namelist())
    files = {job.outputs[key] for key in ("report", "sarif", "comparison", "page")}
    assert artifact_names(server) == ["forgetest-run"]
    assert {file.removeprefix("forgetest-out/") for file in files} <= names
    assert all((machine.workspace / file).is_file() for file in files)
    assert json.loads((machine.workspace / job.outputs["sarif"]).read_text())["runs"]
    (comment,) = server.comments
    assert "egress" in verdict(comment["body"])
    assert comment["body"].count("c0ffee1") == 1
    assert comment["body"].count(f"/actions/runs/{job.run}") == 1
    assert job.summary.count(MARKER) == 1
    assert "::error " in job.log


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"fail_on_regression": "true", "gate": "", "threshold": "1"}, 0),
        ({"compare_options": "--margin '1'\n--alpha 0.01"}, 0),
        ({"gate": "sometimes"}, 2),
    ],
)
def test_the_gate_is_the_one_that_is_asked_for(
    machine: Machine, server: Forge, changes: dict[str, str], code: int
) -> None:
    job = reported(machine, server, baseline=BETTER, **changes)

    assert (job.code, job.outputs["exit-code"]) == (code, str(code)), job.log
    (comment,) = server.comments
    assert ("could not compare" in verdict(comment["body"])) is (code == 2)


def test_without_a_gate_nothing_fails_and_a_notice_says_so(machine: Machine, server: Forge) -> None:
    job = reported(machine, server, baseline=BETTER, gate="", comment="false")

    assert (job.code, job.outputs["verdict"]) == (0, "passed"), job.log
    assert "::notice title=forgetest::No gate is set" in job.log
    assert server.comments == []
    assert server.asked == []


def test_a_run_below_its_minimum_fails_where_nothing_regressed(
    machine: Machine, server: Forge
) -> None:
    ran = {"Run": RAN["Run"] | {"code": "1"}}

    job = reported(machine, server, current=BETTER, baseline=BETTER, done=ran)

    assert (job.code, job.outputs["exit-code"], job.outputs["verdict"]) == (1, "1", "passed")
    assert "No regression, but the run is below its --fail-under" in job.log


def test_the_first_pull_request_passes_and_hears_how_a_baseline_comes_to_be(
    machine: Machine, server: Forge
) -> None:
    job = reported(machine, server)

    assert (job.code, job.outputs["verdict"]) == (0, "no baseline"), job.log
    assert "Compare" in skipped(job)
    assert artifact_names(server) == ["forgetest-run"]
    (comment,) = server.comments
    assert verdict(comment["body"]).startswith("**forgetest: no baseline yet**")
    assert "The next green run on `main` makes one" in comment["body"]
    assert "no baseline yet" in job.summary


def test_two_reports_gate_the_default_branch_too(machine: Machine, server: Forge) -> None:
    job = reported(machine, server, PUSH, baseline=BETTER)

    assert (job.code, server.comments) == (1, []), job.log
    assert "Comment" in skipped(job)
    assert artifact_names(server) == ["forgetest-run"]


def test_gates_of_other_names_have_comments_and_baselines_of_their_own(
    machine: Machine, server: Forge
) -> None:
    server.add_comment(f"{MARKER}\nof the other gate", "Bot")

    push = reported(machine, server, PUSH, name="nightly", current=BETTER)
    pull = reported(machine, server, name="nightly")

    assert (push.code, pull.code) == (0, 1), push.log + pull.log
    assert (push.outputs["verdict"], push.outputs["exit-code"]) == ("baseline", "0")
    assert artifact_names(server) == ["nightly-baseline", "nightly-run"]
    other, ours = [comment["body"] for comment in server.comments]
    assert other == f"{MARKER}\nof the other gate"
    assert "egress" in verdict(ours, "<!-- forgetest-compare nightly -->")
    assert pull.outputs["report"] == "nightly-out/run/report.json"


def test_one_comment_is_rewritten_and_no_other_touched(machine: Machine, server: Forge) -> None:
    words = [f"word {number}" for number in range(150)]
    for text in [*words, f"{MARKER}\nsomebody's own words", f"a quote of {MARKER}"]:
        server.add_comment(text)
    before = [comment["body"] for comment in server.comments]
    reported(machine, server, done=COMPARED)
    server.head = "d00d1e5"

    job = reported(machine, server, Event(head="d00d1e5"), done=COMPARED)

    assert job.code == 0, job.log
    *others, ours = [comment["body"] for comment in server.comments]
    assert others == before
    assert (
        f"Commit d00d1e5, [run](https://forge.example/acme/widgets/actions/runs/{job.run})" in ours
    )


def test_a_token_of_a_person_rewrites_that_persons_comment(machine: Machine, server: Forge) -> None:
    server.login = "octocat"
    server.add_comment(f"{MARKER}\nof a bot", "Bot")
    server.add_comment(f"{MARKER}\nof an earlier run", "User")

    job = reported(machine, server, done=COMPARED)

    assert job.code == 0, job.log
    bots, persons = [comment["body"] for comment in server.comments]
    assert bots == f"{MARKER}\nof a bot"
    assert "earlier run" not in persons


def test_an_older_run_does_not_write_over_a_newer_one(machine: Machine, server: Forge) -> None:
    server.head = "d00d1e5"
    server.add_comment(f"{MARKER}\nof the newer commit", "Bot")

    job = reported(machine, server, Event(head="c0ffee1"), done=COMPARED)

    assert job.code == 0, job.log
    assert [comment["body"] for comment in server.comments] == [f"{MARKER}\nof the newer commit"]
    assert "newer commits" in job.log


@pytest.mark.parametrize("code", [0, 1])
def test_a_fork_that_may_not_comment_is_warned_and_judged_all_the_same(
    machine: Machine, server: Forge, code: int
) -> None:
    server.may_write = False

    job = reported(machine, server, done=COMPARED | {"Compare": {"code": str(code)}})

    assert job.code == code, job.log
    assert "::warning title=forgetest::This token may not comment" in job.log
    assert server.comments == []


@pytest.mark.parametrize(
    ("broken", "failing"),
    [
        ("GET .*/artifacts$", "Find the baseline"),
        ("GET .*/runs/", "Find the baseline"),
        ("GET .*/zip$", "Find the baseline"),
        ("GET .*/comments$", "Comment"),
        ("POST .*/comments$", "Comment"),
    ],
)
def test_a_server_that_fails_makes_no_run_green(
    machine: Machine, kept_report: Forge, broken: str, failing: str
) -> None:
    kept_report.broken = broken

    job = reported(machine, kept_report, done=RAN if "Find" in failing else COMPARED)

    assert job.code != 0
    assert job.outcomes[failing] == "failure"
    if failing == "Find the baseline":
        (comment,) = kept_report.comments
        assert verdict(comment["body"]).startswith("**forgetest could not compare this.**")
        assert (job.outputs["verdict"], job.outputs["exit-code"]) == ("", "")


def test_the_newest_green_run_of_the_default_branch_is_the_baseline(
    machine: Machine, kept_report: Forge
) -> None:
    (good,) = kept_report.stored
    for event, branch, fork, conclusion in [
        ("push", "main", False, "failure"),
        ("pull_request_target", "main", True, "success"),
        ("pull_request", "main", False, "success"),
        ("workflow_dispatch", "release", False, "success"),
    ]:
        run = kept_report.add_run(event, branch)
        kept_report.add_artifact(run, "forgetest-baseline", b"not a zip file", fork=fork)
        kept_report.end_run(run, conclusion)
    expired = kept_report.add_run("push", "main")
    kept_report.add_artifact(expired, "forgetest-baseline", good)
    kept_report.artifacts[-1]["expired"] = True
    kept_report.end_run(expired, "success")

    job = reported(machine, kept_report, done=RAN | {"Compare": {"code": "0"}})

    assert job.outcomes["Find the baseline"] == "success", job.log
    assert [request.path for request in kept_report.asked if request.path.endswith("zip")] == [
        "/repos/acme/widgets/actions/artifacts/0/zip"
    ]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"baseline": "no-such-report.json"}, "no-such-report.json"),
        ({"current": "no-such-report.json"}, "current: there is no no-such-report.json"),
        ({"baseline": BETTER, "compare_options": "--map 'a=b"}, "lack a quote: --map 'a=b"),
        ({"name": "a b"}, "name must be letters, digits, dots and dashes, got a b"),
    ],
)
def test_a_mistake_is_told_in_a_line_and_ends_with_2(
    machine: Machine, server: Forge, changes: dict[str, str], words: str
) -> None:
    job = reported(machine, server, **changes)

    assert job.code == 2, job.log
    assert words in job.log


def test_a_checkout_of_forgetest_is_the_action_where_no_other_is_allowed(
    machine: Machine, server: Forge
) -> None:
    content = workflow({"current": WORSE, "baseline": BETTER})
    steps = content["jobs"]["forgetest"]["steps"]
    steps[-1]["uses"] = "./.forgetest"
    where = {"repository": "forgetest/forgetest", "ref": "v1", "path": ".forgetest"}
    steps.insert(-1, {"uses": "actions/checkout@v6", "with": where})

    job = run_workflow(content, machine, Event(), server)

    assert (job.code, job.outputs["verdict"]) == (1, "regression"), job.log
    shutil.rmtree(machine.workspace / ".forgetest")


def test_a_python_that_is_too_old_is_told_before_anything_is_installed(tmp_path: Path) -> None:
    python = tmp_path / "python3"
    python.write_text('#!/bin/bash\n[ "$1" = --version ] && echo Python 3.9.2\nexit 1\n')
    python.chmod(0o755)

    done = subprocess.run(
        ["bash", ROOT / "action" / "install.sh"],
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "RUNNER_TEMP": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert done.stdout == (
        "::error title=forgetest::Python 3.11 or later is needed, found Python 3.9.2:"
        " run actions/setup-python before this step\n"
    )
