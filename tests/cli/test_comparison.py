"""What a comment in CI says of the job that made it."""

import json
from pathlib import Path

import pytest

from forgetest.cli.comparison import pipeline_origin
from forgetest.render.comparison.markdown import Origin

ON_GITHUB = {
    "GITHUB_ACTIONS": "true",
    "GITHUB_SERVER_URL": "https://forge.example",
    "GITHUB_REPOSITORY": "acme/widgets",
    "GITHUB_RUN_ID": "7",
    "GITHUB_SHA": "aaaaaaa",
}
LINK = "https://forge.example/acme/widgets/actions/runs/7"


def test_a_pull_request_is_named_by_its_head_and_not_by_its_merge(tmp_path: Path) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"pull_request": {"head": {"sha": "bbbbbbb"}}}))

    assert pipeline_origin({**ON_GITHUB, "GITHUB_EVENT_PATH": str(event)}) == Origin(
        "bbbbbbb", LINK
    )


@pytest.mark.parametrize("event", ["{}", "[]", '{"pull_request": 1}', "no JSON"])
def test_a_push_is_named_by_its_commit(tmp_path: Path, event: str) -> None:
    file = tmp_path / "event.json"
    file.write_text(event)

    assert pipeline_origin({**ON_GITHUB, "GITHUB_EVENT_PATH": str(file)}).commit == "aaaaaaa"
    assert pipeline_origin(ON_GITHUB) == Origin("aaaaaaa", LINK)


def test_gitlab_names_commit_and_job_and_a_desk_names_nothing() -> None:
    job = {"CI_COMMIT_SHA": "c0ffee1", "CI_JOB_URL": "https://lab.example/acme/-/jobs/3"}

    assert pipeline_origin(job) == Origin("c0ffee1", "https://lab.example/acme/-/jobs/3")
    assert pipeline_origin({}) == Origin()


@pytest.mark.parametrize("value", ["@octocat", "x](http://evil.example)", "javascript:x", "a b"])
def test_what_is_no_commit_and_no_address_is_not_shown(value: str) -> None:
    assert pipeline_origin({"CI_COMMIT_SHA": value, "CI_JOB_URL": value}) == Origin()
