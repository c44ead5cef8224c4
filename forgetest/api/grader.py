"""The grader for Python: answers in, results out, by the same guarded path as `forgetest run`.

What the machine does wrong is a value here. Only the user's own mistakes are exceptions.
"""

import asyncio
import logging
import os
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterable
from contextlib import aclosing
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from forgetest.api.flow import ended, mapped
from forgetest.api.result import Result
from forgetest.cluster.bench import open_bench
from forgetest.errors import ConfigError, EvalSetError, Fault, FaultKind, ToolchainError
from forgetest.evalset.types import Case, Dependency
from forgetest.extract.types import Extraction, ExtractionRule, Extractor
from forgetest.grading.verdict import Verdict
from forgetest.run.manifest import SandboxInfo, ToolchainInfo
from forgetest.run.settings import CacheTable, RunTable
from forgetest.runner.judging import EXTRACTING, in_two_tries, judge_completion
from forgetest.runner.session import Workbench, sandbox_info, toolchain_info
from forgetest.sampling.completion import Completion
from forgetest.sandbox.types import Requested

T = TypeVar("T")

Answer = str | Completion
Pair = tuple[Case, Answer]

LOG = logging.getLogger("forgetest")
WAITING = 2  # answers under way for each that is graded: the next ones are parsed meanwhile


class Grader:
    """Grades answers; an async context manager, for one event loop of one process.

    Opening it finds the toolchain, tries the sandbox and proves the grader on canaries; crates are
    built when a case first needs them. `parallelism` is how many are graded at once: by default
    one for each core, as far as memory allows. `cache` is the folder of crates and verdicts.
    Raises `ToolchainError` where nothing can be graded.
    """

    def __init__(  # noqa: PLR0913 - options, all of them keywords
        self,
        *,
        parallelism: int | None = None,
        sandbox: Requested | None = None,
        extractor: Extractor | str = Extractor.DEFINING,
        repeat_grading: int = 1,
        verdict_cache: bool = True,
        allow_custom_checks: bool = False,
        cache: Path | None = None,
        cluster: str | None = None,
    ) -> None:
        self._table = RunTable(
            parallelism=parallelism,
            sandbox=sandbox,
            repeat_grading=repeat_grading,
            verdict_cache=verdict_cache,
            extractor=Extractor(extractor),
            grade_on=cluster,
        )
        self._limits = CacheTable()
        self._allow_custom_checks = allow_custom_checks
        self._cache = cache
        self._extracting = asyncio.Semaphore(EXTRACTING)
        self._crates: dict[tuple[Dependency, ...], asyncio.Task[None]] = {}
        self._bench: Workbench | None = None
        self._home: tuple[int, asyncio.AbstractEventLoop] | None = None

    @classmethod
    def of(cls, table: RunTable, limits: CacheTable, *, allow_custom_checks: bool) -> Self:
        """Return a grader that grades as `[run]` says, with the cache that `[cache]` describes."""
        grader = cls(allow_custom_checks=allow_custom_checks)
        grader._table, grader._limits = table, limits
        return grader

    async def __aenter__(self) -> Self:
        """Prepare to grade."""
        self._bench = await open_bench(
            self._table,
            self._limits,
            cache=self._cache,
            allow_custom_checks=self._allow_custom_checks,
        )
        await self._bench.grader.prepare(())
        self._opened = self._bench.opened(LOG.info)
        self._grading = await self._opened.__aenter__()
        self._home = (os.getpid(), asyncio.get_running_loop())
        return self

    async def __aexit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        """Stop what is under way."""
        self._home = None
        await ended(self._crates.values())
        self._crates.clear()
        await self._opened.__aexit__(None, None, None)

    @property
    def parallelism(self) -> int:
        """How many answers are graded at once."""
        self._open()
        return self._grading.at_once

    @property
    def toolchain(self) -> ToolchainInfo:
        """The compiler that grades, as a report names it."""
        return toolchain_info(self._open().toolchain)

    @property
    def sandbox(self) -> SandboxInfo:
        """The sandbox that is used, and what it guarantees."""
        return sandbox_info(self._open().sandbox)

    async def grade(
        self, case: Case, reply: Answer | None = None, *, code: str | None = None
    ) -> Result:
        """Return the result of a model's reply, or of `code` as it is.

        Raises `ForgetestError` for a case that may not be graded.
        """
        if (reply is None) == (code is None):
            raise TypeError("grade() takes a reply or code=..., and not both")
        if code is not None:
            return await self._grade_code(case, code)
        return await self._grade_reply(0, case, reply or "")

    async def grade_many(
        self, pairs: Iterable[Pair] | AsyncIterable[Pair], *, ordered: bool = True
    ) -> AsyncGenerator[Result, None]:
        """Yield the result of each pair of a case and a reply, in order or as they come.

        Few pairs are read ahead, so that the input may be endless. `Result.index` says which pair
        it is.
        """

        async def graded(index: int, pair: Pair) -> Result:
            return await self._grade_reply(index, *pair)

        room = WAITING * self.parallelism
        async with aclosing(mapped(pairs, graded, room=room, ordered=ordered)) as results:
            async for result in results:
                yield result

    async def _grade_reply(self, index: int, case: Case, reply: Answer) -> Result:
        completion = Completion(text=reply) if isinstance(reply, str) else reply

        async def judge() -> tuple[Extraction, Verdict]:
            return await judge_completion(
                completion,
                case,
                grader=self._grading.grader,
                extractor=self._table.extractor or Extractor.DEFINING,
                extracting=self._extracting,
            )

        try:
            extraction, verdict = await self._judged(case, judge)
        except Fault as fault:
            return Result(case, index, completion, None, None, fault)
        return Result(case, index, completion, extraction, verdict)

    async def _grade_code(self, case: Case, code: str) -> Result:
        extraction = Extraction(code=code, rule=ExtractionRule.WHOLE, blocks=0)
        try:
            verdict = await self._judged(case, lambda: self._grading.grader.grade(case, code))
        except Fault as fault:
            return Result(case, 0, None, extraction, None, fault)
        return Result(case, 0, None, extraction, verdict)

    async def _judged(self, case: Case, judge: Callable[[], Awaitable[T]]) -> T:
        def note(fault: Fault) -> None:
            LOG.warning("%s: %s", case.key, fault)

        await self._prepared(case)
        return await in_two_tries(judge, note=note, log=LOG.error)

    async def _prepared(self, case: Case) -> None:
        """Wait until the crates of a case are built, once for all cases that need the same."""
        grader = self._open().grader
        task = self._crates.get(case.dependencies)
        if task is None:
            task = asyncio.create_task(grader.prepare_more([case]))
            self._crates[case.dependencies] = task
        try:
            await asyncio.shield(task)
        except ToolchainError as error:
            raise Fault(FaultKind.TOOLCHAIN, str(error), final=True) from None
        except EvalSetError:  # says something about this case, and nothing about the next one
            self._crates.pop(case.dependencies, None)
            raise

    def _open(self) -> Workbench:
        """Return what grades; ConfigError where this grader cannot be used."""
        if self._home is None or self._bench is None:
            raise ConfigError("this Grader is not open: use it inside `async with Grader() as ...`")
        process, loop = self._home
        if process != os.getpid():
            raise ConfigError("this Grader was opened before a fork: open one in each process")
        if loop is not asyncio.get_running_loop():
            raise ConfigError("this Grader belongs to another event loop: open one in each loop")
        return self._bench
