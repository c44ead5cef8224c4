"""How many samples are under way at once, and that no model waits for another."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from records import case as a_case
from records import manifest, verdict

from forgetest.evalset.types import Case
from forgetest.extract.types import Extractor
from forgetest.grading.verdict import Verdict
from forgetest.run.events import Completed, Event, Graded
from forgetest.run.folder import create, resume
from forgetest.run.manifest import Manifest
from forgetest.runner.conductor import AHEAD, Conductor
from forgetest.sampling.completion import Completion, CompletionSource, Draw
from forgetest.sampling.halt import Halt

REPLY = "```rust\npub fn a() {}\n```"


@dataclass
class Source:
    """A model that answers at once, or only when it may."""

    concurrency: int = 4
    may_answer: asyncio.Event | None = None
    asked: list[str] = field(default_factory=list)
    under_way: int = 0
    most: int = 0

    async def complete(self, draw: Draw) -> Completion:
        self.asked.append(draw.sample.key)
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        if self.may_answer is not None:
            await self.may_answer.wait()
        await asyncio.sleep(0)
        self.under_way -= 1
        return Completion(text=REPLY)


@dataclass
class Grader:
    """A grader that passes everything, once it may."""

    may_grade: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: int = 0

    async def grade(self, case: Case, code: str) -> Verdict:
        del case, code
        self.waiting += 1
        await self.may_grade.wait()
        return verdict("P")


async def conduct(
    folder: Path,
    made: Manifest,
    sources: Mapping[str, CompletionSource],
    grader: Grader,
    heard: list[Event],
) -> None:
    """Settle the samples of a new run in a folder."""
    with create(folder, made) as rundir:
        await Conductor(
            plan=made.plan,
            rundir=rundir,
            sources=sources,
            grader=grader,
            extractor=Extractor.DEFINING,
            halt=Halt(),
            listen=heard.append,
        ).run()


async def until(heard: list[Event], kind: type[Completed | Graded], count: int) -> None:
    """Return when so many events of a kind were heard, and a moment later."""
    async with asyncio.timeout(60):
        while sum(isinstance(event, kind) for event in heard) < count:  # noqa: ASYNC110 - it is cheap
            await asyncio.sleep(0.005)
    for _ in range(20):
        await asyncio.sleep(0.005)


def test_a_run_asks_only_so_far_ahead_of_its_grader(tmp_path: Path) -> None:
    made, heard = manifest([a_case("a")], n=2 * AHEAD), list[Event]()

    async def run() -> tuple[int, int, int]:
        source, grader = Source(), Grader()
        work = asyncio.create_task(conduct(tmp_path, made, {"p/m": source}, grader, heard))
        await until(heard, Completed, AHEAD + source.concurrency)
        ahead, tasks = len(source.asked), len(asyncio.all_tasks())
        grader.may_grade.set()
        await work
        return ahead, tasks, source.most

    ahead, tasks, most = asyncio.run(run())
    assert ahead == AHEAD + 4
    assert tasks < AHEAD + 20
    assert most == 4
    assert sum(isinstance(event, Graded) for event in heard) == 2 * AHEAD


def test_a_model_that_does_not_answer_holds_up_no_other(tmp_path: Path) -> None:
    made, heard = manifest([a_case("a")], models=("p/slow", "p/m"), n=20), list[Event]()

    async def run() -> tuple[set[str], list[str]]:
        slow, quick, grader = Source(may_answer=asyncio.Event()), Source(), Grader()
        grader.may_grade.set()
        sources = {"p/slow": slow, "p/m": quick}
        work = asyncio.create_task(conduct(tmp_path, made, sources, grader, heard))
        await until(heard, Graded, 20)
        graded = {event.sample for event in heard if isinstance(event, Graded)}
        assert slow.may_answer is not None
        slow.may_answer.set()
        await work
        return graded, quick.asked

    graded, asked = asyncio.run(run())
    assert graded == {f"p/m|set/a|{index}" for index in range(20)}
    assert asked == [f"p/m|set/a|{index}" for index in range(20)]  # in the order of the plan
    assert len({event.sample for event in heard if isinstance(event, Graded)}) == 40


def test_answers_that_nobody_graded_are_graded_and_not_asked_for_again(tmp_path: Path) -> None:
    made, heard = manifest([a_case("a")], n=8), list[Event]()

    async def stopped() -> None:
        work = asyncio.create_task(conduct(tmp_path, made, {"p/m": Source()}, Grader(), heard))
        await until(heard, Completed, 8)
        work.cancel()
        await asyncio.wait([work])

    async def resumed(folder: Path) -> list[str]:
        source, grader = Source(), Grader()
        grader.may_grade.set()
        with resume(folder) as rundir:
            assert len(rundir.progress.begun) == 8
            await Conductor(
                plan=made.plan,
                rundir=rundir,
                sources={"p/m": source},
                grader=grader,
                extractor=Extractor.DEFINING,
                halt=Halt(),
                listen=heard.append,
            ).run()
            assert (len(rundir.progress.settled), rundir.progress.begun) == (8, {})
        return source.asked

    asyncio.run(stopped())
    assert [type(event) for event in heard] == [Completed] * 8
    (folder,) = tmp_path.iterdir()
    assert asyncio.run(resumed(folder)) == []
