"""Prints a comparison in the form that was asked for."""

import sys
from collections.abc import Mapping
from pathlib import Path

from forgetest.cli.printing import print_tables, write_out, write_tables
from forgetest.compare.selfcheck import SelfCheck
from forgetest.compare.types import Comparison
from forgetest.errors import ConfigError

FORMS = ("text", "json", "markdown", "html", "github")
SUMMARY = "GITHUB_STEP_SUMMARY"  # the file that GitHub shows beside a job
WORKSPACE = "GITHUB_WORKSPACE"  # the repository's folder there


def write_comparison(
    comparison: Comparison, form: str, output: Path | None, *, environ: Mapping[str, str]
) -> None:
    """Write a comparison in one of `FORMS` to a file or to standard output."""
    match form:
        case "json":
            write_out(comparison.model_dump_json(indent=1) + "\n", output)
        case "markdown":
            from forgetest.render.comparison.markdown import comparison_markdown

            write_out(comparison_markdown(comparison), output)
        case "github":
            _write_github(comparison, output, environ)
        case _:
            from forgetest.render.comparison.terminal import comparison_tables

            write_tables(lambda width: comparison_tables(comparison, width=width), output)


def _write_github(comparison: Comparison, output: Path | None, environ: Mapping[str, str]) -> None:
    """Write annotations to standard output, markdown to the file and the step's summary."""
    from forgetest.render.comparison.github import annotations
    from forgetest.render.comparison.markdown import comparison_markdown

    text = comparison_markdown(comparison)
    summary = environ.get(SUMMARY)
    if summary:
        _append(Path(summary), text)
    if output is not None or not summary:
        write_out(text, output)
    root = environ.get(WORKSPACE)
    sys.stdout.write(annotations(comparison, root=Path(root) if root else None, here=Path.cwd()))


def write_self_check(found: SelfCheck, form: str, output: Path | None) -> None:
    """Write a self-check as text, JSON or markdown to a file or to standard output."""
    from forgetest.render.comparison.terminal import self_check_markdown, self_check_table

    if form == "json":
        write_out(found.model_dump_json(indent=1) + "\n", output)
    elif form == "markdown" or output is not None:
        write_out(self_check_markdown(found), output)
    else:
        print_tables(lambda _: self_check_table(found))


def _append(file: Path, text: str) -> None:
    try:
        with file.open("a", encoding="utf-8") as summary:
            summary.write(text)
    except OSError as error:
        raise ConfigError(f"{file}: can not be written: {error.strerror}") from None
