"""The progress of a run: bars on a terminal, a line per sample elsewhere, nothing with --quiet."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.live import Live

from forgetest.render.live import live_view, plain_line, wait_line
from forgetest.render.run import plan_line
from forgetest.render.safe import one_line
from forgetest.run.events import Event
from forgetest.run.tally import Tallies
from forgetest.sampling.plan import Plan

if TYPE_CHECKING:  # few who print a run ask servers
    from forgetest.sampling.transport import Wait

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
        self._machines: Callable[[], str] | None = None
        self._waits: dict[str, tuple[str, float]] = {}  # by provider: why, and until when

    def begin(self, plan: Plan, path: Path, earlier: Tallies) -> None:
        """Print where the run is, and start the bars on a terminal."""
        self.path = path
        self._tallies = earlier
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

    def grades_on(self, status: Callable[[], str]) -> None:
        """Show below the bars what grades."""
        self._machines = status

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
        machines = self._machines() if self._machines else ""
        return live_view(
            self._tallies, waits, elapsed=elapsed, width=self._console.width, machines=machines
        )

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
