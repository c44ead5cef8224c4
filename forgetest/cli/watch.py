"""Who looks on while a run goes: bars on a terminal, a line per sample elsewhere, or nobody."""

import time
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType

from rich.console import Console, RenderableType
from rich.live import Live

from forgetest.event import Event
from forgetest.plan import Plan
from forgetest.render.live import live_table, plain_line
from forgetest.render.plan import plan_line
from forgetest.render.safe import one_line
from forgetest.tally import Tallies

REFRESH_PER_SEC = 4


class Watch(AbstractContextManager["Watch"]):
    """Shows a run on standard error; what it shows is made in `render`."""

    def __init__(self, console: Console, *, quiet: bool) -> None:
        self.path: Path | None = None
        self._console = console
        self._quiet = quiet
        self._tallies = Tallies({})
        self._started = time.monotonic()
        self._live: Live | None = None

    def begin(self, plan: Plan, path: Path, earlier: list[Event]) -> None:
        """Say where the run is, and start the bars when there is a terminal to draw them on."""
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
        """Count an event, and say it in a line where there are no bars."""
        self._tallies.add(event)
        if self._quiet or self._live is not None:
            return
        line = plain_line(event, self._tallies)
        if line is not None:
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def say(self, line: str) -> None:
        """Print a line, above the bars where there are any."""
        if not self._quiet:
            self._console.print(one_line(line), markup=False, highlight=False, soft_wrap=True)

    def _draw(self) -> RenderableType:
        return live_table(self._tallies, elapsed=time.monotonic() - self._started)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the last state of the bars on the screen."""
        if self._live is not None:
            self._live.stop()
            self._live = None
            self._console.print()

    def settled(self) -> tuple[int, int]:
        """Return how many samples are graded, and how many were planned."""
        tallies = self._tallies.by_model.values()
        return sum(tally.graded for tally in tallies), sum(tally.planned for tally in tallies)
