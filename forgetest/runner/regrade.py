"""Grading again what a run recorded: the old completions, a new folder, no model asked."""

from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from forgetest.completion import Completion
from forgetest.errors import Fault, FaultKind
from forgetest.event import Completed
from forgetest.manifest import Manifest
from forgetest.rundir import RunDir, create, read_journal, read_manifest
from forgetest.source import Draw, Source


@dataclass(frozen=True, slots=True)
class Unanswered:
    """The source of samples that the old run has no completion of."""

    path: Path
    concurrency: int = 1

    async def complete(self, draw: Draw) -> Completion:
        """Raise `Fault`: nobody is asked when a run is graded again."""
        message = f"{self.path} holds no completion of {draw.sample.key}"
        raise Fault(FaultKind.PROVIDER, message)


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """The sources of a run that is graded again."""

    path: Path

    @asynccontextmanager
    async def opened(
        self, models: Collection[str], say: Callable[[str], None]
    ) -> AsyncIterator[dict[str, Source]]:
        """Yield a source that has nothing for each model that still owes a completion."""
        del say
        yield {model: Unanswered(self.path) for model in models}


@contextmanager
def create_from(old: Path, root: Path, manifest: Manifest) -> Iterator[RunDir]:
    """Make a new run folder whose journal begins with the completions of an old run."""
    events = read_journal(old, read_manifest(old).plan).events
    completions = [event for event in events if isinstance(event, Completed)]
    with create(root, manifest) as rundir:
        for event in completions:
            rundir.append(event)
        yield rundir
