"""The step that runs the built tests, each in a process of its own, and accounts for each.

All tests of a sample share one run box. Tests that need libtest run in compile boxes, one each.
The sandbox returns how the processes of each test ended (`TestRan`); from that and from what they
reported follows its `TestResult`, by pure functions at the end of this file.

A test passes when the harness says so on its private descriptor, repeating the nonce and saying
nothing else, exits with 0 by itself, and comes to the same end in the trap run. There the harness
never says so: an `ok` in the trap run is forged.
"""

import os
import re
import secrets
import signal
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from forgetest.errors import Fault, FaultKind
from forgetest.evalset.types import Case
from forgetest.grading.diagnostics import undisturbed
from forgetest.grading.harness import (
    PASSED,
    TAMPERED,
    TRAPPED,
    WORDS,
    TestReport,
    read_report,
)
from forgetest.grading.limits import ALL, Defences, Limits, Order
from forgetest.grading.verdict import TestOutcome, TestResult
from forgetest.grading.workspace import Workspace
from forgetest.rust.tests import TestFunction
from forgetest.sandbox.plan import PlannedTest, TestPlan, TestRan
from forgetest.sandbox.sandbox import Sandbox
from forgetest.sandbox.types import Held
from forgetest.system.process import CommandLimits, Exit, out_of_memory_kills, signal_name

_TRIES = 3
_SILENT_TRIES = 2  # of a test that ended without a report
_NONCE_BYTES = 16
_LIBTEST_PASSED = re.compile(rb"^test result: ok\. [1-9]\d* passed; 0 failed;", re.MULTILINE)
_LIBTEST_NONE = re.compile(rb"^test result: ok\. 0 passed; 0 failed; 0 ignored;", re.MULTILINE)
_LIBTEST_FAILED = 101  # the exit code
_MESSAGE_LINES = 6
_MESSAGE_KEPT = 800  # characters
_PANIC = re.compile(r"^thread '.*' (?:\(\d+\) )?panicked at ", re.MULTILINE)
_THREAD_ID = re.compile(r"(?m)^(thread '.*') \(\d+\)")
# What std says before it aborts. A sample may say it, too: then its crash has a milder name.
_OUT_OF_MEMORY = re.compile(rb"^memory allocation of \d+ bytes failed", re.MULTILINE)
_FORGED = "it reported what the harness did not say"
_TOO_LATE = "the time for all tests of the sample was used up"


@dataclass(frozen=True, slots=True)
class TestRun:
    """The program and the limits that the tests of one sample run in."""

    __test__ = False  # not a test class

    workspace: Workspace
    program: Path
    limits: Limits
    case: Case
    sandbox: Sandbox
    defences: Defences = ALL
    order: Order = Order.WRITTEN
    until_failure: bool = False  # end with the first test that does not pass; nothing runs twice

    async def results(self) -> tuple[TestResult, ...]:
        """Run the expected tests and return the result of each, in their order.

        Raises `Fault` when something else keeps killing a test.
        """
        wanted = [test for test in self.workspace.crate.tests if not test.ignored]
        run = self._under_libtest if self.workspace.crate.libtest else self._in_run_boxes
        results = {result.name: result for result in await run(self._ordered(wanted))}
        return tuple(
            results.get(test.name) or TestResult(name=test.name, outcome=TestOutcome.IGNORED)
            for test in self.workspace.crate.tests
        )

    def _ordered(self, tests: list[TestFunction]) -> list[TestFunction]:
        return tests[::-1] if self.order is Order.REVERSED else tests

    async def _in_run_boxes(self, tests: list[TestFunction]) -> list[TestResult]:
        if self.order is not Order.ALONE:
            return await self._in_run_box(tests)
        return [result for test in tests for result in await self._in_run_box([test])]

    async def _in_run_box(self, tests: list[TestFunction]) -> list[TestResult]:
        """Run tests in one box, and those again that something may have cut short.

        A sealed test cannot send SIGKILL, so where that came and no end of its own follows, the
        machine is to blame. Where tests are not sealed the sample is, unless the kernel ran out of
        memory meanwhile.
        """
        results: dict[str, TestResult] = {}
        killed: set[str] = set()
        cut: set[str] = set()
        starved = out_of_memory_kills()
        names = [test.name for test in tests]
        for tried in range(1, _TRIES + 1):
            plan = self._plan(names)
            ran = await self.sandbox.run_tests(plan) if names else ()
            killed |= {test.name for test in ran if _was_killed(test)}
            cut -= set(names)
            for planned, runs in zip(plan.tests, ran, strict=True):
                results[planned.name], decisive = self._result(planned, runs, plan.limits)
                if decisive is not None and decisive.cut_by is not None:
                    cut.add(planned.name)
            names = self._again(ran, tried)
            if not names:
                break
        still = [test.name for test in tests if test.name in killed & cut]
        sealed = self.sandbox.guarantees.process_tree is Held.ENFORCED
        if still and (sealed or out_of_memory_kills() != starved):
            message = f"test {still[0]} was killed {_TRIES} times, and not by forgetest"
            raise Fault(FaultKind.SANDBOX, message)
        return [results[test.name] for test in tests]

    def _again(self, ran: Sequence[TestRan], tried: int) -> list[str]:
        """Return the tests to run once more; until a failure also those that one of them stopped.

        A signal may come from anywhere, and so may an end without a report: something that a
        process needs to start may have been missing. What a sample does to itself it does again.
        """
        doubtful = [test.name for test in ran if _is_doubtful(test, tried)]
        if not (self.until_failure and doubtful):
            return doubtful
        names = [test.name for test in ran]
        return names[names.index(doubtful[0]) :]

    def _result(
        self, test: PlannedTest, ran: TestRan, limits: CommandLimits
    ) -> tuple[TestResult, Exit | None]:
        trap = self.defences.trap and not self.until_failure
        return by_harness(test, ran, limits, self.workspace.crate.module, trap=trap)

    def _plan(self, names: list[str]) -> TestPlan:
        left = self.limits.all_tests(self.case, len(names))
        return TestPlan(
            program=self.program,
            cwd=self.workspace.fixtures,
            env=self._env(),
            reads=(self.workspace.fixtures, *self.workspace.toolchain.runtime_libraries),
            tests=tuple(PlannedTest(name, self._nonce(), self._nonce()) for name in names),
            limits=self.limits.test(self.case, left),
            all_secs=left,
            until_failure=self.until_failure,
        )

    def _env(self) -> dict[str, str]:
        others = {} if self.defences.environment else dict(os.environ)
        return {
            **others,
            "PATH": "/usr/bin:/bin",
            "CARGO_MANIFEST_DIR": str(self.workspace.fixtures),
            "LD_LIBRARY_PATH": str(self.workspace.toolchain.library_folder),
            "RUST_BACKTRACE": "0",
        }

    def _nonce(self) -> str:
        return secrets.token_hex(_NONCE_BYTES) if self.defences.nonce else "0" * (2 * _NONCE_BYTES)

    async def _under_libtest(self, tests: list[TestFunction]) -> list[TestResult]:
        deadline = time.monotonic() + self.limits.all_tests(self.case, len(tests))
        results: list[TestResult] = []
        for test in tests:
            if self.until_failure and results and results[-1].outcome is not TestOutcome.PASSED:
                results.append(_too_late(test.name))
            else:
                results.append(await self._by_libtest(test, deadline - time.monotonic()))
        return results

    async def _by_libtest(self, test: TestFunction, left_secs: float) -> TestResult:
        """Run the test by its name, or the tests that a macro made of it."""
        if left_secs <= 0:
            return _too_late(test.name)
        limits = self.limits.test(self.case, left_secs)
        name = f"{self.workspace.crate.module}::{test.name}"
        run = await self._libtest((name, "--exact", "--test-threads=1"), limits)
        if _LIBTEST_NONE.search(run.stdout):
            run = await self._libtest((f"{name}::", "--test-threads=1"), limits)
        passed = bool(_LIBTEST_PASSED.search(run.stdout))
        failed = run.code == _LIBTEST_FAILED or bool(_LIBTEST_NONE.search(run.stdout))
        outcome = outcome_of(run, passed=passed, failed=failed)
        why = (how_it_ended(outcome, run, limits),)
        return _result(test.name, outcome, run, why, self.workspace.crate.module)

    async def _libtest(self, args: tuple[str, ...], limits: CommandLimits) -> Exit:
        scratch = self._scratch()

        async def attempt() -> Exit:
            return await self.sandbox.compile(
                [str(self.program), *args],
                cwd=self.workspace.fixtures,
                env={**self._env(), "TMPDIR": str(scratch)},
                limits=limits,
                reads=(self.workspace.folder, self.workspace.fixtures, self.program),
                writes=(scratch,),
            )

        return await undisturbed(attempt, f"test {args[0]}", trusted=False)

    def _scratch(self) -> Path:
        """Return where a test under libtest may write: the sample's folder, or one of its own."""
        shared = self.workspace.scratch
        return Path(tempfile.mkdtemp(dir=shared)) if self.order is Order.ALONE else shared


def _is_doubtful(ran: TestRan, tried: int) -> bool:
    """Tell whether a test may end in another way when it is tried again."""
    return any(tried < _tries(run) for run in (ran.first, ran.trap) if run is not None)


def _tries(run: Exit) -> int:
    if run.cut_by is not None:
        return _SILENT_TRIES if run.cut_by == signal.SIGABRT else _TRIES
    limited = run.timed_out or run.output_limited
    return _SILENT_TRIES if run.code is not None and not (run.stdout or limited) else 1


def _was_killed(ran: TestRan) -> bool:
    return any(run is not None and run.killed_by_others for run in (ran.first, ran.trap))


def by_harness(
    test: PlannedTest, ran: TestRan, limits: CommandLimits, module: str, *, trap: bool = True
) -> tuple[TestResult, Exit | None]:
    """Return the result of a test of the guarded harness, and the run that decided it.

    That is the trap run for a test that passed before, unless `trap` is off; None when the time was
    used up before the run.
    """
    run = ran.first
    if run is None:
        return _too_late(test.name), None
    report = read_report(run.stdout, nonce=test.nonce, name=test.name)
    outcome, why = _by_report(run, report, limits, success=PASSED)
    if outcome is TestOutcome.PASSED and trap:
        if ran.trap is None:
            return _too_late(test.name), None
        trapped = read_report(ran.trap.stdout, nonce=test.trap_nonce, name=test.name)
        again, why_not = _by_report(ran.trap, trapped, limits, success=TRAPPED)
        if again is not TestOutcome.PASSED:
            outcome, run = again, ran.trap
            why = ("it passed once and not the second time", *why_not)
    result = _result(test.name, outcome, replace(run, stdout=b""), why, module)
    return _with_counts(result, report), run


def _with_counts(result: TestResult, report: TestReport | None) -> TestResult:
    """Return a test's result with what its first run counted."""
    if report is None or report.allocations is None:
        return result
    counts = {"allocations": report.allocations, "peak_bytes": report.peak_bytes}
    return result.model_copy(update=counts)


def _by_report(
    run: Exit, report: TestReport | None, limits: CommandLimits, *, success: str
) -> tuple[TestOutcome, tuple[str, ...]]:
    """Return what one run shows and why; a report that the harness does not write is forged."""
    word = report.word if report else None
    forged = word in (PASSED, TRAPPED) and word != success
    if word == TAMPERED or forged or (word is None and run.stdout):
        return TestOutcome.TAMPERED, (WORDS[TAMPERED] if word == TAMPERED else _FORGED,)
    outcome = outcome_of(run, passed=word == success, failed=word is not None)
    return outcome, (report.why if report else "", how_it_ended(outcome, run, limits))


def _too_late(name: str) -> TestResult:
    """Return the result of a test that was never started."""
    return TestResult(name=name, outcome=TestOutcome.TIMEOUT, message=_TOO_LATE)


def _result(
    name: str, outcome: TestOutcome, run: Exit, why: tuple[str, ...], module: str
) -> TestResult:
    """Return a test's result; `module` is the random name to be left out of its message."""
    if outcome is TestOutcome.PASSED:
        return TestResult(name=name, outcome=outcome, secs=run.secs)
    parts = (*why, last_words(run.stderr + run.stdout, module))
    message = "\n".join(part for part in parts if part)[:_MESSAGE_KEPT]
    return TestResult(name=name, outcome=outcome, message=message, secs=run.secs)


def outcome_of(run: Exit, *, passed: bool, failed: bool) -> TestOutcome:
    """Return the outcome of a test, given its run and whether its report says passed or failed."""
    if run.timed_out:
        return TestOutcome.TIMEOUT
    if run.output_limited:
        return TestOutcome.OUTPUT_LIMIT
    if run.signal is not None:
        starved = run.signal == signal.SIGABRT and _OUT_OF_MEMORY.search(run.stderr)
        return TestOutcome.MEMORY_LIMIT if starved else TestOutcome.CRASHED
    if passed and run.code == 0:
        return TestOutcome.PASSED
    return TestOutcome.FAILED if failed and not passed else TestOutcome.EXITED_EARLY


def last_words(output: bytes, module: str) -> str:
    """Return the first panic in what a test printed, or else its last lines."""
    plain = output.decode(errors="replace").replace(module.removeprefix("tests"), "")
    text = _THREAD_ID.sub(r"\1", plain)
    panic = _PANIC.search(text)
    lines = [line.rstrip() for line in text[panic.start() if panic else 0 :].splitlines()]
    lines = [line for line in lines if line and not line.startswith("note: run with `RUST_BACKT")]
    return "\n".join(lines[:_MESSAGE_LINES] if panic else lines[-_MESSAGE_LINES:])


def how_it_ended(outcome: TestOutcome, run: Exit, limits: CommandLimits) -> str:
    """Return in words what stopped a test; empty when it ended by itself as it should."""
    if outcome is TestOutcome.TIMEOUT:
        return f"stopped at {limits.wall_secs:g} s, or {limits.cpu_secs} s of CPU time"
    if outcome is TestOutcome.OUTPUT_LIMIT:
        return f"stopped after {limits.output_killed >> 20} MiB of output"
    if outcome is TestOutcome.MEMORY_LIMIT:
        return f"wanted more than {(limits.address_space or 0) >> 20} MiB of memory"
    if outcome is TestOutcome.CRASHED:
        return f"ended by {signal_name(run.signal or 0)}"
    if outcome is TestOutcome.EXITED_EARLY:
        return f"left with exit code {run.code} before it was done"
    return ""
