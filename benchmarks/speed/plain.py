"""The plain contestants: the three cargo commands that everybody would run.

A shared target folder is right for one worker only: cargo would take one sample's result for
another's. With more workers each sample gets a folder of its own.
"""

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from forgetest.evalset.types import Dependency
from forgetest.system.toolchain import Toolchain
from speed.contest import Answers
from speed.corpus import Sample
from speed.judged import Judged
from speed.messages import ended_tests, lints_in
from speed.project import AS_WRITTEN, LIB, MODULE, Project

_RAN = "running "  # libtest says it before anything else


@dataclass(frozen=True, slots=True)
class Plain:
    """Runs build, test and clippy in a fresh project for every sample."""

    name: str
    toolchain: Toolchain
    work: Path
    workers: int = 1
    shared_target: bool = True
    locks: dict[tuple[Dependency, ...], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.shared_target and self.workers > 1:
            raise ValueError("a shared target folder gives wrong verdicts with several workers")

    async def grade(self, block: Sequence[Sample]) -> Answers:
        """Run the commands for each sample of a block."""
        limit = asyncio.Semaphore(self.workers)

        async def one(sample: Sample) -> Judged:
            async with limit:
                return await asyncio.to_thread(self._grade, sample)

        judged = await asyncio.gather(*map(one, block))
        return lambda: judged

    def fetch(self, samples: Sequence[Sample]) -> None:
        """Fetch what samples depend on, so that nothing needs the network later."""
        for sample in samples:
            with self._folder() as folder:
                project = Project.write(sample, Path(folder, "project"), self.work, self.toolchain)
                self.locks[sample.case.dependencies] = project.fetch()

    def _grade(self, sample: Sample) -> Judged:
        with self._folder() as folder:
            home = self.work if self.shared_target else Path(folder)
            lock = self.locks.get(sample.case.dependencies, "")
            target = home / f"{self.name}-target"
            project = Project.write(sample, Path(folder, "project"), target, self.toolchain, lock)
            return judge(project)

    def _folder(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(dir=self.work, prefix=f"{self.name}-")


def judge(project: Project) -> Judged:
    """Run the three commands, and stop when the first says that the sample does not compile."""
    if project.build().code != 0:
        return Judged(compiles=False, written=())
    tests = project.test()
    return Judged(
        compiles=True,
        tests=ended_tests(tests.out, MODULE) if _RAN in tests.out else None,
        written=lints_in(project.clippy(AS_WRITTEN).out, LIB),
    )
