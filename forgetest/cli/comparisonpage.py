"""Writes a comparison as an HTML page, for which it reads the whole reports of both sides."""

import sys
from collections.abc import Callable
from pathlib import Path

from forgetest.cli.printing import write_text
from forgetest.compare.opening import STANDARD_INPUT
from forgetest.compare.types import Comparison
from forgetest.errors import ConfigError
from forgetest.event import fold
from forgetest.manifest import MANIFEST, REPORT
from forgetest.render.html import Run, comparison_files
from forgetest.report.build import build
from forgetest.report.files import load, parse
from forgetest.rundir import read_events, read_manifest


def write_page(
    comparison: Comparison,
    names: tuple[str, str],
    output: Path | None,
    *,
    standard_input: Callable[[], bytes],
) -> None:
    """Write the page to a file, with what it loads beside it, or whole to standard output.

    `names` are those of baseline and current on the command line. Raises ReportError for a report
    that has not what a page shows, ConfigError for a file that can not be written.
    """
    baseline, current = (run_of(name, standard_input=standard_input) for name in names)
    if output is None:
        (page,) = comparison_files(comparison, baseline, current, budget=sys.maxsize).values()
        write_text(page)
        return
    _write(output, comparison_files(comparison, baseline, current, stem=output.stem))


def run_of(name: str, *, standard_input: Callable[[], bytes]) -> Run:
    """Return the whole report of a report.json, a run folder or `-`, and its eval sets if known."""
    if name == STANDARD_INPUT:
        text = standard_input().decode("utf-8", "replace")
        return Run(parse(text, file="standard input"), (), "standard input")
    path = Path(name)
    folder = path if path.is_dir() else path.parent
    if not (folder / MANIFEST).exists() or (path.is_file() and path.name != REPORT):
        return Run(load(path), (), name)
    manifest = read_manifest(folder)
    finished = (folder / REPORT).exists()
    report = load(folder) if finished else build(manifest, fold(read_events(folder)))
    return Run(report, manifest.plan.eval_sets, name)


def _write(output: Path, files: dict[str, str]) -> None:
    page, *beside = files
    targets = {output: files[page], **{output.with_name(name): files[name] for name in beside}}
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        for target, text in targets.items():
            target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{output}: can not be written: {error.strerror}") from None
