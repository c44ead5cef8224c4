"""Prints a comparison in the form that was asked for."""

import sys
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

from rich.console import Console

from forgetest.cli.printing import print_tables, write_text
from forgetest.compare.selfcheck import SelfCheck
from forgetest.compare.types import Comparison
from forgetest.errors import ConfigError
from forgetest.render.comparison.github import annotations
from forgetest.render.comparison.markdown import comparison_markdown
from forgetest.render.comparison.selfcheck import self_check_markdown, self_check_table
from forgetest.render.comparison.tables import comparison_tables

FORMS = ("text", "json", "markdown", "html", "github")
SELF_CHECK_FORMS = ("text", "json", "markdown")
SUMMARY = "GITHUB_STEP_SUMMARY"  # the file that GitHub shows beside a job
WORKSPACE = "GITHUB_WORKSPACE"  # the repository's folder there
_FILE_WIDTH = 120


def check_form(name: str, *, self_check: bool) -> None:
    """Raise ConfigError for a format that does not exist."""
    forms = SELF_CHECK_FORMS if self_check else FORMS
    if name not in forms:
        raise ConfigError(f"--format {name} does not exist; choose {', '.join(forms)}")


def write_comparison(
    comparison: Comparison, form: str, output: Path | None, *, environ: Mapping[str, str]
) -> None:
    """Write a comparison in one of `FORMS` to a file or to standard output."""
    match form:
        case "json":
            _write(comparison.model_dump_json(indent=1) + "\n", output)
        case "markdown":
            _write(comparison_markdown(comparison), output)
        case "github":
            _write_github(comparison, output, environ)
        case _ if output is None:
            print_tables(lambda width: comparison_tables(comparison, width=width))
        case _:
            page = Console(file=StringIO(), width=_FILE_WIDTH, highlight=False, no_color=True)
            page.print(comparison_tables(comparison, width=_FILE_WIDTH))
            _write(_text_of(page), output)


def _text_of(page: Console) -> str:
    return page.file.getvalue() if isinstance(page.file, StringIO) else ""


def _write_github(comparison: Comparison, output: Path | None, environ: Mapping[str, str]) -> None:
    """Write annotations to standard output, markdown to the file and the step's summary."""
    text = comparison_markdown(comparison)
    summary = environ.get(SUMMARY)
    if summary:
        _append(Path(summary), text)
    if output is not None or not summary:
        _write(text, output)
    root = environ.get(WORKSPACE)
    sys.stdout.write(annotations(comparison, root=Path(root) if root else None, here=Path.cwd()))


def write_self_check(found: SelfCheck, form: str, output: Path | None) -> None:
    """Write a self-check as text, JSON or markdown to a file or to standard output."""
    if form == "json":
        _write(found.model_dump_json(indent=1) + "\n", output)
    elif form == "markdown" or output is not None:
        _write(self_check_markdown(found), output)
    else:
        print_tables(lambda _: self_check_table(found))


def _write(text: str, output: Path | None) -> None:
    if output is None:
        write_text(text)
        return
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{output}: can not be written: {error.strerror}") from None


def _append(file: Path, text: str) -> None:
    try:
        with file.open("a", encoding="utf-8") as summary:
            summary.write(text)
    except OSError as error:
        raise ConfigError(f"{file}: can not be written: {error.strerror}") from None
