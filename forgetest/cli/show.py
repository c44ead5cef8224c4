"""Prints what the renderers made: results on standard output, everything else on standard error."""

import shutil
import sys

from rich.console import Console

from forgetest.errors import ConfigError
from forgetest.report.files import dump
from forgetest.report.types import Report

FORMATS = ("text", "json", "markdown")


def check_format(name: str) -> None:
    """Raise ConfigError for a format that does not exist."""
    if name not in FORMATS:
        raise ConfigError(f"--format {name} does not exist; choose {', '.join(FORMATS)}")


def print_report(report: Report, form: str) -> None:
    """Print a report to standard output in one of `FORMATS`."""
    match form:
        case "json":
            sys.stdout.write(dump(report))
        case "markdown":
            from forgetest.render.markdown import report_markdown

            sys.stdout.write(report_markdown(report))
        case _:
            from forgetest.render.tables import report_tables

            console = results()
            console.print(report_tables(report, width=console.width))


def results() -> Console:
    """Return the console of standard output; as wide as 100 columns where there is no terminal."""
    wide = shutil.get_terminal_size(fallback=(100, 24)).columns
    return Console(width=wide, highlight=False)
