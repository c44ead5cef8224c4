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
from forgetest.run.events import Completed, Event, Faulted, Graded, SampleRecord, apply, fold
from forgetest.run.folder import RunDir
from forgetest.run.rounds import Ask, Done, Grade, next_step, settled
from forgetest.runner.judging import EXTRACTING, guarded, in_two_tries, judge_completion
from forgetest.sampling.completion import CompletionSource
from forgetest.sampling.halt import Halt
from forgetest.sampling.plan import Plan, Sample, remaining
from forgetest.sampling.prompt import draw_of

T = TypeVar("T")


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
        records = fold(self.rundir.events)
        cases = {case.key: case for eval_set in self.plan.eval_sets for case in eval_set.cases}
        asking = {
            name: asyncio.Semaphore(source.concurrency) for name, source in self.sources.items()
        }
        try:
            async with asyncio.TaskGroup() as group:
                for sample in remaining(self.plan.samples(), settled(self.plan, records)):
                    record = records.get(sample.key, SampleRecord())
                    case = cases[f"{sample.eval_set}/{sample.case}"]
                    group.create_task(self._settle(sample, case, record, asking))
        except BaseExceptionGroup as group_error:
            raise first_cause(group_error) from None

    async def _settle(
        self,
        sample: Sample,
        case: Case,
        record: SampleRecord,
        asking: Mapping[str, asyncio.Semaphore],
    ) -> None:
        """Take a sample from step to step; what each gives is on disk before the next begins."""
        variant = self.plan.variant(sample.model)
        while not isinstance(step := next_step(record, variant), Done):
            try:
                self.halt.demand_begin()
                event: Event = (
                    await self._ask(sample, case, step, asking[str(sample.model)])
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
