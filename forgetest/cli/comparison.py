"""Writes a comparison, or a run compared with itself, in the format that was asked for.

A page of a comparison names the CI job that made it: the commit it tests, and its own address.
"""

import json
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from forgetest.cli.output import open_page
from forgetest.cli.runs import open_whole
from forgetest.cli.terminal import print_tables, write_out, write_tables
from forgetest.compare.selfcheck import SelfCheck
from forgetest.compare.types import Comparison
from forgetest.errors import ConfigError
from forgetest.render.comparison.github import annotations
from forgetest.render.comparison.markdown import Origin, comparison_markdown
from forgetest.render.comparison.terminal import (
    comparison_tables,
    self_check_markdown,
    self_check_table,
)
from forgetest.value import readable

FORMS = {  # with the ending of a file
    "text": ".txt",
    "json": ".json",
    "markdown": ".md",
    "html": ".html",
    "github": ".md",
}
SUMMARY = "GITHUB_STEP_SUMMARY"  # the file that GitHub shows next to a job
WORKSPACE = "GITHUB_WORKSPACE"  # the repository's folder there
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_LINK = re.compile(r"https?://[\w.:/-]+")


def write_comparison(comparison: Comparison, form: str, output: Path | None) -> None:
    """Write a comparison in one of `FORMS`, but for HTML, to a file or to standard output."""
    match form:
        case "json":
            write_out(comparison.model_dump_json(indent=1) + "\n", output)
        case "markdown":
            write_out(comparison_markdown(comparison, origin=pipeline_origin(os.environ)), output)
        case "github":
            _write_github(comparison, output)
        case _:
            write_tables(lambda width: comparison_tables(comparison, width=width), output)


def _write_github(comparison: Comparison, output: Path | None) -> None:
    """Write annotations to standard output, markdown to the file and the step's summary."""
    text = comparison_markdown(comparison, origin=pipeline_origin(os.environ))
    summary = os.environ.get(SUMMARY)
    if summary:
        _append(Path(summary), text)
    if output is not None or not summary:
        write_out(text, output)
    root = os.environ.get(WORKSPACE)
    sys.stdout.write(annotations(comparison, root=Path(root) if root else None, here=Path.cwd()))


def _append(file: Path, text: str) -> None:
    try:
        with file.open("a", encoding="utf-8") as summary:
            summary.write(text)
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written: {error.strerror}") from None


def write_page(
    comparison: Comparison,
    names: tuple[str, str],
    output: Path | None,
    *,
    show: bool,
) -> None:
    """Write the HTML page to a file, with what it loads next to it, or whole to standard output.

    `names` are those of baseline and current on the command line, whose samples the page shows.
    Standard error says where the file is; `show` opens the page.
    """
    from forgetest.render.html import comparison_files

    baseline, current = map(open_whole, names)
    if output is None:
        (page,) = comparison_files(comparison, baseline, current, budget=sys.maxsize).values()
        write_out(page, None)
        return
    files = comparison_files(comparison, baseline, current, stem=output.stem)
    page_name, *others = files
    write_out(files[page_name], output)
    for name in others:
        write_out(files[name], output.with_name(name))
    sys.stderr.write(f"html: {readable(str(output))}\n")
    if show:
        open_page(output)


def write_self_check(result: SelfCheck, form: str, output: Path | None) -> None:
    """Write how often the gates fail between halves of one run: text, markdown or JSON."""
    if form == "json":
        write_out(result.model_dump_json(indent=1) + "\n", output)
    elif form == "markdown" or output is not None:
        write_out(self_check_markdown(result), output)
    else:
        print_tables(lambda _: self_check_table(result))


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
    """Return the head of the pull request; GITHUB_SHA is its merge, which was never pushed."""
    try:
        text = Path(environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8")
        return str(json.loads(text)["pull_request"]["head"]["sha"])
    except (KeyError, TypeError, OSError, ValueError):
        return environ.get("GITHUB_SHA", "")
