"""The grader: it takes a sample through all steps, to a verdict or to a `Fault`.

A `Fault` means that the machine is the cause; every sample is tried twice before one is raised.
"""

import asyncio
import contextlib
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from forgetest.errors import EvalSetError, Fault, Problem, ToolchainError
from forgetest.evalset.types import Case, Dependency
from forgetest.grading.cargo import CargoCompilers
from forgetest.grading.compile_fail import UseBuilds, uses_not_built
from forgetest.grading.compilers import Built
from forgetest.grading.dependencies import Dependencies
from forgetest.grading.depository import BUDGET
from forgetest.grading.identity import identity_of
from forgetest.grading.limits import ALL, Defences, Limits, Order
from forgetest.grading.probe import Probe, probe
from forgetest.grading.proof import cannot_grade, disagreement
from forgetest.grading.requirement import (
    check_argv,
    failed_check,
    forbidden_items,
    missing_items,
    too_many_lints,
    unseen_items,
)
from forgetest.grading.rules import (
    Findings,
    judge,
    judge_policy,
    judge_rejection,
    judge_wrongly_compiled,
    not_built,
    too_long,
    with_integrity,
)
from forgetest.grading.stages import Linting, TestBuild, build_tests, compile_sample, lint_sample
from forgetest.grading.testrun import TestRun
from forgetest.grading.verdict import Layout, TestResult, Verdict, scan_of
from forgetest.grading.workshop import Workshop
from forgetest.grading.workspace import Workspace
from forgetest.rust.scan import Scan
from forgetest.rust.tests import uncounted, unmeasured
from forgetest.sandbox.sandbox import Sandbox
from forgetest.system.toolchain import Toolchain


class SampleGrader:
    """Grades samples; safe to use for several at once.

    `cache` keeps prepared dependencies between runs; `temp` holds the samples' folders, by default
    the system's; `dependency_budget` is in bytes. Only tests set `layout` and `defences`. Unless
    `direct`, cargo is called for every sample.
    """

    def __init__(  # noqa: PLR0913 - a grader is made in one place
        self,
        toolchain: Toolchain,
        *,
        cache: Path,
        limits: Limits | None = None,
        temp: Path | None = None,
        sandbox: Sandbox,
        allow_custom_checks: bool = False,
        dependency_budget: int = BUDGET,
        layout: Layout | None = None,
        defences: Defences = ALL,
        direct: bool = True,
    ) -> None:
        self.toolchain = toolchain
        self.limits = limits or Limits()
        self.sandbox = sandbox
        self._dependencies = Dependencies(toolchain, cache, self.limits, budget=dependency_budget)
        self.workshop = Workshop(
            toolchain,
            self._dependencies,
            self.limits,
            sandbox=sandbox,
            temp=temp,
            layout=layout,
            defences=defences,
            direct=direct,
        )
        self._allow_custom_checks = allow_custom_checks
        self._proven = False

    @property
    def identity(self) -> str:
        """Everything outside case and code that a verdict depends on, but for locked crates.

        `prepare` settles it, because it may have to choose another way to call the compilers.
        """
        box = self.sandbox
        guarded = (box.backend, box.version, box.guarantees.model_dump_json())
        way = type(self.workshop.compilers).__name__
        return identity_of(self.toolchain, self.limits, *guarded, way)

    def lock_of(self, case: Case) -> str | None:
        """Return what the case's crates were resolved to, None before `prepare`."""
        return self._dependencies.lock_of(case)

    def lock_file(self, case: Case) -> bytes | None:
        """Return the lock file of the case's crates, None before `prepare`."""
        return self._dependencies.lock_file(case)

    async def prepare(self, cases: Iterable[Case]) -> None:
        """Fetch and build what the cases depend on, once before any sample.

        Raises `ToolchainError` for crates that cannot be fetched or built, and `EvalSetError` for
        a custom check that cannot or may not run.
        """
        wanted = await self._begin(cases)
        for dependencies in wanted:
            await self._dependencies.prepare(dependencies)
        await self._prove(wanted)

    async def prepare_more(self, cases: Iterable[Case], *, lock: bytes | None = None) -> None:
        """Do the same for more cases, with a grader that is proven already.

        With `lock`, their crates are what this lock file says.
        """
        for_cargo = self.workshop.compilers.needs_artifacts
        for dependencies in await self._begin(cases):
            if lock is not None:
                self._dependencies.pin(dependencies, lock)
            await self._dependencies.prepare(dependencies, for_cargo=for_cargo)

    async def prepare_available(
        self, cases: Iterable[Case]
    ) -> dict[tuple[Dependency, ...], ToolchainError]:
        """Do the same, and return the error of each set of crates that cannot be prepared."""
        missing: dict[tuple[Dependency, ...], ToolchainError] = {}
        wanted = await self._begin(cases)
        for dependencies in wanted:
            try:
                await self._dependencies.prepare(dependencies)
            except ToolchainError as error:
                missing[dependencies] = error
        await self._prove(wanted.keys() - missing.keys())
        return missing

    async def _begin(self, cases: Iterable[Case]) -> dict[tuple[Dependency, ...], None]:
        """Check that the cases may be graded, and return the sets of crates to prepare."""
        cases = tuple(cases)
        for case in cases:
            self._check_allowed(case)
        await asyncio.to_thread(self.workshop.clear_leftovers)
        return dict.fromkeys(case.dependencies for case in cases)

    async def _prove(self, wanted: Iterable[tuple[Dependency, ...]]) -> None:
        """Check once that canaries get their known verdicts: directly, or else through cargo.

        For cargo, more is built of the crates that the cases want.
        """
        if not self._proven and await disagreement(self.grade) is not None:
            self.workshop.compilers = CargoCompilers(self.sandbox)
            if why := await disagreement(self.grade):
                raise cannot_grade(why)
        self._proven = True
        if self.workshop.compilers.needs_artifacts:
            for dependencies in wanted:
                await self._dependencies.prepare(dependencies, for_cargo=True)

    async def grade(self, case: Case, code: str, *, order: Order = Order.WRITTEN) -> Verdict:
        """Return the verdict on `code`; raise `Fault` when it could not be judged, tried twice."""
        self._check_allowed(case)
        size = len(code.encode("utf-8", "surrogatepass"))
        if size > self.limits.source_bytes:
            return too_long(size, self.limits.source_bytes)
        clock = _Clock()
        scan = await asyncio.to_thread(scan_of, case, code)
        if self.workshop.defences.scan and (refused := judge_policy(case, scan)):
            return refused
        try:
            verdict = await self._judged(case, code, scan, clock, order)
        except Fault:  # a passing trouble must not cost the sample its verdict
            verdict = await self._judged(case, code, scan, clock, order)
        verdict = with_integrity(verdict, scan)
        return verdict.model_copy(update={"timings": clock.timings()})

    async def _judged(
        self, case: Case, code: str, scan: Scan, clock: "_Clock", order: Order
    ) -> Verdict:
        async with self.workshop.open(case, code, scan) as workspace:
            clock.lap("prepare")
            sample = _Grading(self.workshop, workspace, case, code, clock, order)
            return await sample.verdict()

    async def probe(self, case: Case, code: str) -> Probe:
        """Return whether the case's tests notice `code`; raise `Fault` when the machinery fails."""
        return await probe(self.workshop, case, code)

    def _check_allowed(self, case: Case) -> None:
        tests = case.expectations.test_file or ""
        why = uncounted(tests) or (unmeasured(tests) if case.expectations.counts else "")
        if why:
            message = f"case {case.id!r}: test_file: {why}; write each as a #[test] function"
            raise EvalSetError((Problem(case.file, case.line, message),))
        if check_argv(case) and not self._allow_custom_checks:
            message = f"case {case.id!r}: custom_check runs only with --allow-custom-checks"
            raise EvalSetError((Problem(case.file, case.line, message),))


@dataclass(slots=True)
class _Clock:
    """Seconds by phase."""

    laps: dict[str, float] = field(default_factory=dict)
    started: float = field(default_factory=time.monotonic)
    last: float = field(default_factory=time.monotonic)

    def lap(self, phase: str) -> None:
        now = time.monotonic()
        self.laps[phase] = now - self.last
        self.last = now

    def timings(self) -> dict[str, float]:
        return {**self.laps, "total": time.monotonic() - self.started}


@dataclass(frozen=True, slots=True)
class _Grading:
    """The steps of one sample; the first that settles the verdict is the last."""

    workshop: Workshop
    workspace: Workspace
    case: Case
    code: str
    clock: _Clock
    order: Order

    async def verdict(self) -> Verdict:
        compilation = await compile_sample(self.workshop, self.workspace, self.case)
        self.clock.lap("compile")
        if compilation.built is None:
            unseen = map(str, unseen_items(self.case, self.code))
            unmet = (*unseen, *forbidden_items(self.case, self.code))
            return judge_rejection(self.case, compilation, unmet)
        linting = await lint_sample(self.workshop, self.workspace, self.case, compilation.built)
        self.clock.lap("clippy")
        if not self.case.expectations.should_compile:
            return judge_wrongly_compiled(linting)
        return judge(self.case, await self._findings(linting, compilation.built))

    async def _findings(self, linting: Linting, built: Built) -> Findings:
        test_build = await self._test_build(built)
        tests = (*await self._tests(test_build), *await self._uses(test_build))
        unmet = await self._unmet(linting, test_build)
        return Findings(linting, test_build, tests, unmet, libtest=self.workspace.crate.libtest)

    async def _test_build(self, built: Built) -> TestBuild | None:
        if not (self.workspace.crate.tests and self.case.expectations.should_pass_tests):
            return None
        with self._timed("test_build"):
            return await build_tests(self.workshop, self.workspace, self.case, built)

    async def _tests(self, build: TestBuild | None) -> tuple[TestResult, ...]:
        if build is None:
            return ()
        if build.program is None:
            return not_built(self.workspace.crate.tests)
        shop = self.workshop
        run = TestRun(
            build.workspace,
            build.program,
            shop.limits,
            self.case,
            shop.sandbox,
            shop.defences,
            self.order,
        )
        with self._timed("tests"):
            return await run.results()

    async def _uses(self, build: TestBuild | None) -> tuple[TestResult, ...]:
        """Return the compile-fail tests; where the others are not built, neither are they."""
        if build is None or not self.case.expectations.compile_fail:
            return ()
        if build.program is None:
            return uses_not_built(self.case)
        deadline = time.monotonic() + self.workshop.limits.all_uses(self.case)
        with self._timed("compile_fail"):
            return await UseBuilds(self.workshop, self.workspace, self.case, deadline).results()

    async def _unmet(self, linting: Linting, build: TestBuild | None) -> tuple[str, ...]:
        proven = build.proven if build else frozenset[str]()
        missing = await missing_items(self.workshop, self.case, self.code, proven)
        limits = self.workshop.limits.compile(self.case)
        return (
            *map(str, missing),
            *forbidden_items(self.case, self.code),
            *too_many_lints(self.case, len(linting.lints)),
            *await failed_check(self.case, self.code, self.workspace, limits),
        )

    @contextlib.contextmanager
    def _timed(self, phase: str) -> Iterator[None]:
        yield
        self.clock.lap(phase)
