"""Settles the samples of a run: each is one task that asks, journals, grades, journals.

The only place that turns a `Fault` into an event. After a final fault a source sends no more
requests, which stops its model but not the run; a `Halt` stops the run. Our own bugs become faults,
too, and their traceback is logged.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar

from forgetest.errors import Fault, first_cause
from forgetest.evalset.types import Case
from forgetest.extract.types import Extraction, Extractor
from forgetest.grading.graders import CodeGrader
from forgetest.grading.verdict import Verdict
from forgetest.run.events import Completed, Event, Faulted, Graded, apply
from forgetest.run.folder import RunDir
from forgetest.run.rounds import Ask, Done, Grade, next_step
from forgetest.runner.judging import EXTRACTING, guarded, in_two_tries, judge_completion
from forgetest.sampling.completion import CompletionSource
from forgetest.sampling.halt import Halt
from forgetest.sampling.plan import ModelSpec, Plan, Sample
from forgetest.sampling.prompt import draw_of

T = TypeVar("T")

AHEAD = 256  # samples of a model that are under way and not asked: they wait to be graded


@dataclass(frozen=True)
class Conductor:
    """Settles samples. The sources and the grader limit how many are under way at once."""

    plan: Plan
    rundir: RunDir
    sources: Mapping[str, CompletionSource]
    grader: CodeGrader
    extractor: Extractor
    halt: Halt
    listen: Callable[[Event], None]
    extracting: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(EXTRACTING))

    async def run(self) -> None:
        """Settle every sample that is not settled yet; ForgetestError when the run cannot go on."""
        cases = {case.key: case for eval_set in self.plan.eval_sets for case in eval_set.cases}
        try:
            async with asyncio.TaskGroup() as group:
                for model in self.plan.models:
                    group.create_task(self._feed(model, cases, group))
        except BaseExceptionGroup as group_error:
            raise first_cause(group_error) from None

    async def _feed(
        self, model: ModelSpec, cases: Mapping[str, Case], group: asyncio.TaskGroup
    ) -> None:
        """Begin one sample of a model after another, with few that only wait to be graded."""
        source = self.sources.get(str(model))
        under_way = asyncio.Semaphore(AHEAD + (source.concurrency if source else 0))
        asking = asyncio.Semaphore(source.concurrency if source else 1)
        for sample in self.plan.samples_of(model):
            if sample.key not in self.rundir.progress.settled:
                await under_way.acquire()
                case = cases[f"{sample.eval_set}/{sample.case}"]
                task = group.create_task(self._settle(sample, case, asking))
                task.add_done_callback(lambda _: under_way.release())

    async def _settle(self, sample: Sample, case: Case, asking: asyncio.Semaphore) -> None:
        """Take a sample from step to step; what each gives is on disk before the next begins."""
        record = self.rundir.progress.record(sample.key)
        variant = self.plan.variant(sample.model)
        while not isinstance(step := next_step(record, variant), Done):
            try:
                self.halt.demand_begin()
                event: Event = (
                    await self._ask(sample, case, step, asking)
                    if isinstance(step, Ask)
                    else await self._grade(sample, case, step)
                )
            except Fault as fault:
                self.halt.fault(f"{sample.eval_set}/{sample.case} #{sample.index + 1}", fault)
                await self._append(_faulted(sample, step, fault))
                return
            await self._append(event)
            record = apply(record, event)

    async def _ask(
        self, sample: Sample, case: Case, step: Ask, asking: asyncio.Semaphore
    ) -> Completed:
        draw = draw_of(self.plan, sample, case, step.later)
        async with asking:
            self.halt.demand_begin()
            answer = self.sources[str(sample.model)].complete(draw)
            completion = await guarded(answer, self.rundir.log)
        return Completed(
            sample=sample.key,
            at=_now(),
            round=step.round,
            feedback=step.feedback,
            completion=completion,
        )

    async def _grade(self, sample: Sample, case: Case, step: Grade) -> Graded:
        def note(fault: Fault) -> None:
            self.rundir.log(f"{_now()} {sample.key}: {fault}")

        def judge() -> Awaitable[tuple[Extraction, Verdict]]:
            return judge_completion(
                step.completion,
                case,
                grader=self.grader,
                extractor=self.extractor,
                extracting=self.extracting,
            )

        extraction, verdict = await in_two_tries(judge, note=note, log=self.rundir.log)
        return Graded(
            sample=sample.key,
            at=_now(),
            round=step.round,
            extraction=extraction,
            verdict=verdict,
        )

    async def _append(self, event: Event) -> None:
        await self.rundir.append_together(event)
        self.listen(event)


def _faulted(sample: Sample, step: Ask | Grade, fault: Fault) -> Faulted:
    return Faulted(
        sample=sample.key,
        at=_now(),
        round=step.round,
        stage="asking" if isinstance(step, Ask) else "grading",
        kind=fault.kind,
        message=fault.message,
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
