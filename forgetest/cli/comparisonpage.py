"""Writes a comparison as an HTML page, for which it reads the whole reports of both sides."""

import sys
from pathlib import Path

from forgetest.cli.printing import write_out
from forgetest.cli.wholeruns import open_whole
from forgetest.compare.types import Comparison
from forgetest.render.html import comparison_files


def write_page(
    comparison: Comparison,
    names: tuple[str, str],
    output: Path | None,
) -> None:
    """Write the page to a file, with what it loads beside it, or whole to standard output.

    `names` are those of baseline and current on the command line. Raises ReportError for a report
    that has not what a page shows, ConfigError for a file that can not be written.
    """
    baseline, current = map(open_whole, names)
    if output is None:
        (page,) = comparison_files(comparison, baseline, current, budget=sys.maxsize).values()
        write_out(page, None)
        return
    _write(output, comparison_files(comparison, baseline, current, stem=output.stem))


def _write(output: Path, files: dict[str, str]) -> None:
    page, *beside = files
    targets = {output: files[page], **{output.with_name(name): files[name] for name in beside}}
    for target, text in targets.items():
        write_out(text, target)
