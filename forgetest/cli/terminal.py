"""Prints what `render` makes: results on standard output, everything else on standard error.

`Watch` follows a run: bars on a terminal, a line per sample elsewhere, nothing with --quiet.
"""

import contextlib
import itertools
import os
import shutil
import sys
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from rich.console import Console, RenderableType
from rich.live import Live

from forgetest.cli.streams import write_document
from forgetest.errors import ConfigError
from forgetest.evalset.forms import choices
from forgetest.render.live import live_view, plain_line, wait_line
from forgetest.render.markdown import report_markdown
from forgetest.render.run import plan_line
from forgetest.render.safe import one_line, without_commands
from forgetest.render.tables import FILE_WIDTH, plain_text, report_tables
from forgetest.report.files import dump_report
from forgetest.report.types import Report
from forgetest.run.events import Event
from forgetest.run.tally import Tallies
from forgetest.sampling.plan import Plan

if TYPE_CHECKING:  # few who print a run ask servers
    from forgetest.sampling.transport import Wait

T = TypeVar("T")
FORMATS = ("text", "json", "markdown")
WARNING = 1000  # characters of a warning


def check_format(name: str, formats: Collection[str] = FORMATS) -> None:
    """Raise ConfigError for a format that does not exist."""
    if name not in formats:
        raise ConfigError(f"--format {name} does not exist; {choices(name, formats)}")


def print_report(report: Report, form: str) -> None:
    """Print a report to standard output in one of `FORMATS`."""
    match form:
        case "json":
            write_document(dump_report(report))
        case "markdown":
            write_out(report_markdown(report), None)
        case _:
            print_tables(lambda width: report_tables(report, width=width))


def print_tables(tables: Callable[[int], RenderableType]) -> None:
    """Print to standard output the tables for its width in columns."""
    console = results()
    with console.capture() as printed:
        console.print(tables(console.width))
    write_text(printed.get())


def write_tables(tables: Callable[[int], RenderableType], output: Path | None) -> None:
    """Print the tables, or write them to a file as plain text."""
    if output is None:
        print_tables(tables)
        return
    write_out(plain_text(tables(FILE_WIDTH)), output)


def write_text(text: str) -> None:
    """Write text for people to standard output, in the characters of their terminal."""
    sys.stdout.write(_no_commands(text))
    sys.stdout.flush()


def _no_commands(text: str) -> str:
    """Return the text; in a GitHub workflow, without lines that would be commands."""
    if os.environ.get("GITHUB_ACTIONS"):
        return without_commands(text)
    return text


def write_out(text: str, output: Path | None) -> None:
    """Write a document to a file, or to standard output as UTF-8.

    Raises ConfigError when the file cannot be written; no half-written new file stays.
    """
    if output is None:
        write_document(_no_commands(text))
        return
    write_files({output: text})


def write_files(texts: Mapping[Path, str]) -> None:
    """Write all files; if one fails, remove the new ones and raise ConfigError, which names it."""
    new = [path for path in texts if not path.exists()]
    for path, text in texts.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            for unfinished in new:
                with contextlib.suppress(OSError):
                    unfinished.unlink()
            raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None


def say_doubts(name: str, doubts: Iterable[str]) -> None:
    """Warn on standard error of each reason why a report may differ from what its run wrote."""
    console = Console(stderr=True, highlight=False)
    for doubt in doubts:
        console.print(f"warning: {name}: {doubt}", markup=False, soft_wrap=True)


def warn(lines: Iterable[str]) -> None:
    """Print each line as a warning on standard error."""
    console = Console(stderr=True, highlight=False)
    for line in lines:
        console.print(f"warning: {one_line(line, WARNING)}", markup=False, soft_wrap=True)


def results() -> Console:
    """Return the console of standard output, 100 columns wide where there is no terminal."""
    width = shutil.get_terminal_size(fallback=(100, 24)).columns
    return Console(width=width, highlight=False)


def counter(total: int, line: Callable[[T], str], *, quiet: bool) -> Callable[[T], None]:
    """Return a function that prints `[n/total]` and a line on standard error for each result."""
    console = Console(stderr=True, highlight=False, quiet=quiet)
    numbers = itertools.count(1)

    def print_result(result: T) -> None:
        text = f"[{next(numbers)}/{total}] {line(result)}"
        console.print(text, markup=False, soft_wrap=True)

    return print_result


REFRESH_PER_SEC = 4
LONG_WAIT_SECS = 5.0  # worth a line of a log


class Watch(AbstractContextManager["Watch"]):
    """Shows the progress of a run on standard error."""

    def __init__(self, console: Console, *, quiet: bool) -> None:
        self.path: Path | None = None
        self._console = console
        self._quiet = quiet
        self._tallies = Tallies({})
        self._started = time.monotonic()
        self._live: Live | None = None
        self._waits: dict[str, tuple[str, float]] = {}  # by provider: why, and until when

    def begin(self, plan: Plan, path: Path, earlier: list[Event]) -> None:
        """Print where the run is, and start the bars on a terminal."""
        self.path = path
        self._tallies = Tallies.of(plan)
        self._tallies.resume(earlier)
        self._started = time.monotonic()
        if self._quiet:
            return
        self._console.print(f"{plan_line(plan)} -> {path}", highlight=False, soft_wrap=True)
        if self._console.is_terminal:
            self._live = Live(
                get_renderable=self._draw,
                console=self._console,
                refresh_per_second=REFRESH_PER_SEC,
                transient=False,
            )
            self._live.start()

    def event(self, event: Event) -> None:
        """Count an event, and print a line for it where there are no bars."""
        is_settled = self._tallies.add(event)
        if self._quiet or self._live is not None or not is_settled:
            return
        line = plain_line(event, self._tallies)
        if line is not None:
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def say(self, line: str) -> None:
        """Print a line, above the bars where there are any."""
        if not self._quiet:
            self._console.print(one_line(line), markup=False, highlight=False, soft_wrap=True)

    def waits(self, wait: "Wait") -> None:
        """Show for how long a provider is not asked; where there are no bars, only long waits."""
        self._waits[wait.provider] = (wait.why, time.monotonic() + wait.secs)
        if self._live is None and wait.secs >= LONG_WAIT_SECS:
            self.say(wait_line(wait.provider, wait.why, wait.secs))

    def _draw(self) -> RenderableType:
        now = time.monotonic()
        waits = [
            wait_line(provider, why, until - now)
            for provider, (why, until) in self._waits.items()
            if until > now
        ]
        elapsed = now - self._started
        return live_view(self._tallies, waits, elapsed=elapsed, width=self._console.width)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the last state of the bars on the screen."""
        self._waits.clear()
        if self._live is not None:
            self._live.stop()
            self._live = None
            self._console.print()

    def settled(self) -> tuple[int, int]:
        """Return how many samples are graded, and how many were planned."""
        tallies = self._tallies.by_model.values()
        return sum(tally.graded for tally in tallies), sum(tally.planned for tally in tallies)
