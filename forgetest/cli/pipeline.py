"""What a CI job says of itself in its environment: the commit it tests, and its own address."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from forgetest.render.comparison.markdown import Origin

_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_LINK = re.compile(r"https?://[\w.:/-]+")


def pipeline_origin(environ: Mapping[str, str]) -> Origin:
    """Return commit and address of a job on GitHub or GitLab; empty elsewhere."""
    if environ.get("GITHUB_ACTIONS") == "true":
        names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")
        server, repository, run = (environ.get(name, "") for name in names)
        return _origin(_head(environ), f"{server}/{repository}/actions/runs/{run}" if run else "")
    return _origin(environ.get("CI_COMMIT_SHA", ""), environ.get("CI_JOB_URL", ""))


def _origin(commit: str, link: str) -> Origin:
    return Origin(
        commit=commit if _COMMIT.fullmatch(commit) else "",
        link=link if _LINK.fullmatch(link) else "",
    )


def _head(environ: Mapping[str, str]) -> str:
    """Return the head of the pull request; GITHUB_SHA is its merge, which nobody has pushed."""
    try:
        text = Path(environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8")
        return str(json.loads(text)["pull_request"]["head"]["sha"])
    except (KeyError, TypeError, OSError, ValueError):
        return environ.get("GITHUB_SHA", "")
