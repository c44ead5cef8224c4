"""The step that runs the built tests, each in a process of its own, and accounts for each.

All tests of a sample share one run box. Tests that need libtest run in compile boxes, one each.

What became of one test, from how its process ended and what it reported: pure.

A test passes when the harness says so on its private descriptor, repeating the nonce and saying
nothing else, leaves with 0 by itself, and comes to the same end in the trap run, in which it never
says so: an `ok` there is forged.
"""

import os
import re
import secrets
import signal
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from forgetest.errors import Fault, FaultKind
from forgetest.evalset.types import Case
from forgetest.grading.diagnostics import undisturbed
from forgetest.grading.harness import PASSED, TAMPERED, TRAPPED, WORDS, report_word
from forgetest.grading.limits import ALL, Defences, Limits, Order
from forgetest.grading.verdict import TestOutcome, TestResult
from forgetest.grading.workspace import Workspace
from forgetest.rust.tests import TestFunction
from forgetest.sandbox.plan import PlannedTest, TestPlan, TestRan
from forgetest.sandbox.sandbox import Sandbox
from forgetest.sandbox.types import Held
from forgetest.system.process import CommandLimits, Exit, out_of_memory_kills, signal_name

_MESSAGE_LINES = 6
_MESSAGE_KEPT = 800  # characters
_PANIC = re.compile(r"^thread '.*' (?:\(\d+\) )?panicked at ", re.MULTILINE)
_THREAD_ID = re.compile(r"(?m)^(thread '.*') \(\d+\)")
# What std says before it aborts. A sample may say it, too: then its crash has a milder name.
_OUT_OF_MEMORY = re.compile(rb"^memory allocation of \d+ bytes failed", re.MULTILINE)
_FORGED = "it reported what the harness did not say"
_TOO_LATE = "the time for all tests of the sample was used up"


@dataclass(frozen=True, slots=True)
class Ended:
    """How one test came to its end; `exit` is None when there was no time left to start it."""

    name: str
    outcome: TestOutcome
    exit: Exit | None
    why: tuple[str, ...] = ()

    @classmethod
    def too_late(cls, name: str) -> Self:
        """Return the end of a test that was never started."""
        return cls(name, TestOutcome.TIMEOUT, None, (_TOO_LATE,))

    @classmethod
    def of(
        cls, name: str, ended: Exit, limits: CommandLimits, *, passed: bool, failed: bool
    ) -> Self:
        """Return the end of a test whose report says that it passed, or failed, or nothing."""
        outcome = outcome_of(ended, passed=passed, failed=failed)
        return cls(name, outcome, ended, (how_it_ended(outcome, ended, limits),))


def by_harness(
    test: PlannedTest, ran: TestRan, limits: CommandLimits, *, trap: bool = True
) -> Ended:
    """Return how a test of the guarded harness ended, its trap run included, unless told not to."""
    if ran.first is None:
        return Ended.too_late(test.name)
    first = _said(test.name, test.nonce, ran.first, limits, success=PASSED)
    if first.outcome is not TestOutcome.PASSED or not trap:
        return first
    if ran.trap is None:
        return Ended.too_late(test.name)
    again = _said(test.name, test.trap_nonce, ran.trap, limits, success=TRAPPED)
    if again.outcome is TestOutcome.PASSED:
        return first
    return replace(again, why=("it passed once and not the second time", *again.why))


def _said(name: str, nonce: str, ended: Exit, limits: CommandLimits, *, success: str) -> Ended:
    """Return what one run of a test says; whatever is no report of the harness's is forged."""
    word = report_word(ended.stdout, nonce=nonce, name=name)
    forged = word in (PASSED, TRAPPED) and word != success
    if word == TAMPERED or forged or (word is None and ended.stdout):
        why = WORDS[TAMPERED] if word == TAMPERED else _FORGED
        return Ended(name, TestOutcome.TAMPERED, replace(ended, stdout=b""), (why,))
    quiet = replace(ended, stdout=b"")
    found = Ended.of(name, quiet, limits, passed=word == success, failed=word is not None)
    return replace(found, why=(WORDS.get(word or "", ""), *found.why))


def outcome_of(ended: Exit, *, passed: bool, failed: bool) -> TestOutcome:
    """Return what became of a test that ended so and whose report said it passed, or failed."""
    if ended.timed_out:
        return TestOutcome.TIMEOUT
    if ended.output_limited:
        return TestOutcome.OUTPUT_LIMIT
    if ended.signal is not None:
        starved = ended.signal == signal.SIGABRT and _OUT_OF_MEMORY.search(ended.stderr)
        return TestOutcome.MEMORY_LIMIT if starved else TestOutcome.CRASHED
    if passed and ended.code == 0:
        return TestOutcome.PASSED
    return TestOutcome.FAILED if failed and not passed else TestOutcome.EXITED_EARLY


def result_of(ended: Ended, module: str) -> TestResult:
    """Return the result of a test; `module` is the random name to be left out of its message."""
    secs = ended.exit.secs if ended.exit else 0.0
    if ended.outcome is TestOutcome.PASSED:
        return TestResult(name=ended.name, outcome=ended.outcome, secs=secs)
    output = ended.exit.stderr + ended.exit.stdout if ended.exit else b""
    parts = (*ended.why, last_words(output, module))
    message = "\n".join(part for part in parts if part)[:_MESSAGE_KEPT]
    return TestResult(name=ended.name, outcome=ended.outcome, message=message, secs=secs)


def last_words(output: bytes, module: str) -> str:
    """Return the first panic in what a test printed, or else its last lines."""
    plain = output.decode(errors="replace").replace(module.removeprefix("tests"), "")
    text = _THREAD_ID.sub(r"\1", plain)
    panic = _PANIC.search(text)
    lines = [line.rstrip() for line in text[panic.start() if panic else 0 :].splitlines()]
    lines = [line for line in lines if line and not line.startswith("note: run with `RUST_BACKT")]
    return "\n".join(lines[:_MESSAGE_LINES] if panic else lines[-_MESSAGE_LINES:])


def how_it_ended(outcome: TestOutcome, ended: Exit, limits: CommandLimits) -> str:
    """Return in words what stopped a test; empty when it ended by itself as it should."""
    if outcome is TestOutcome.TIMEOUT:
        return f"stopped at {limits.wall_secs:g} s, or {limits.cpu_secs} s of CPU time"
    if outcome is TestOutcome.OUTPUT_LIMIT:
        return f"stopped after {limits.output_killed >> 20} MiB of output"
    if outcome is TestOutcome.MEMORY_LIMIT:
        return f"wanted more than {(limits.address_space or 0) >> 20} MiB of memory"
    if outcome is TestOutcome.CRASHED:
        return f"ended by {signal_name(ended.signal or 0)}"
    if outcome is TestOutcome.EXITED_EARLY:
        return f"left with exit code {ended.code} before it was done"
    return ""


_TRIES = 3
_SILENT_TRIES = 2  # of a test that ended without a report
_NONCE_BYTES = 16
_LIBTEST_PASSED = re.compile(rb"^test result: ok\. [1-9]\d* passed; 0 failed;", re.MULTILINE)
_LIBTEST_NONE = re.compile(rb"^test result: ok\. 0 passed; 0 failed; 0 ignored;", re.MULTILINE)
_LIBTEST_FAILED = 101  # the exit code


@dataclass(frozen=True, slots=True)
class TestRun:
    """The program and the limits that the tests of one sample run in."""

    __test__ = False  # no test class, whatever its name

    workspace: Workspace
    program: Path
    limits: Limits
    case: Case
    sandbox: Sandbox
    defences: Defences = ALL
    order: Order = Order.WRITTEN
    until_failure: bool = False  # end with the first test that does not pass; nothing runs twice

    async def results(self) -> tuple[TestResult, ...]:
        """Run the expected tests and return what became of each, in their order.

        Raises `Fault` when somebody else keeps killing a test.
        """
        wanted = [test for test in self.workspace.crate.tests if not test.ignored]
        run = self._under_libtest if self.workspace.crate.libtest else self._in_run_boxes
        ended = {one.name: one for one in await run(self._ordered(wanted))}
        module = self.workspace.crate.module
        return tuple(
            result_of(ended[test.name], module)
            if test.name in ended
            else TestResult(name=test.name, outcome=TestOutcome.IGNORED)
            for test in self.workspace.crate.tests
        )

    def _ordered(self, tests: list[TestFunction]) -> list[TestFunction]:
        return tests[::-1] if self.order is Order.REVERSED else tests

    async def _in_run_boxes(self, tests: list[TestFunction]) -> list[Ended]:
        if self.order is not Order.ALONE:
            return await self._in_run_box(tests)
        return [one for test in tests for one in await self._in_run_box([test])]

    async def _in_run_box(self, tests: list[TestFunction]) -> list[Ended]:
        """Run tests in one box; again those that did not come to an end of their own.

        A sealed test cannot send SIGKILL, so where that came and no end of its own follows, the
        machine is to blame. Where tests are not sealed the sample is, unless the kernel ran out of
        memory meanwhile.
        """
        found: dict[str, Ended] = {}
        killed: set[str] = set()
        starved = out_of_memory_kills()
        names = [test.name for test in tests]
        for tried in range(1, _TRIES + 1):
            plan = self._plan(names)
            ran = await self.sandbox.run_tests(plan) if names else ()
            pairs = list(zip(plan.tests, ran, strict=True))
            found |= {test.name: self._ended(test, one, plan.limits) for test, one in pairs}
            killed |= {test.name for test, one in pairs if _was_killed(one)}
            names = self._again([(test.name, one) for test, one in pairs], tried)
            if not names:
                break
        ended = [found[test.name] for test in tests]
        still = [one.name for one in ended if one.name in killed and _was_cut(one)]
        sealed = self.sandbox.guarantees.process_tree is Held.ENFORCED
        if still and (sealed or out_of_memory_kills() != starved):
            message = f"test {still[0]} was killed {_TRIES} times, and not by forgetest"
            raise Fault(FaultKind.SANDBOX, message)
        return ended

    def _again(self, ran: list[tuple[str, TestRan]], tried: int) -> list[str]:
        """Return the tests to run once more; until a failure also those that one of them stopped.

        A signal may be anybody's, and so may an end without a report: whatever a process needs to
        start may have been missing. What a sample does to itself it does again.
        """
        doubtful = [name for name, one in ran if _is_doubtful(one, tried)]
        if not (self.until_failure and doubtful):
            return doubtful
        names = [name for name, _ in ran]
        return names[names.index(doubtful[0]) :]

    def _ended(self, test: PlannedTest, ran: TestRan, limits: CommandLimits) -> Ended:
        trap = self.defences.trap and not self.until_failure
        return by_harness(test, ran, limits, trap=trap)

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

    async def _under_libtest(self, tests: list[TestFunction]) -> list[Ended]:
        deadline = time.monotonic() + self.limits.all_tests(self.case, len(tests))
        found: list[Ended] = []
        for test in tests:
            if self.until_failure and found and found[-1].outcome is not TestOutcome.PASSED:
                found.append(Ended.too_late(test.name))
            else:
                found.append(await self._by_libtest(test, deadline - time.monotonic()))
        return found

    async def _by_libtest(self, test: TestFunction, left_secs: float) -> Ended:
        """Run the test by its name, or else the family that a macro has made of it."""
        if left_secs <= 0:
            return Ended.too_late(test.name)
        limits = self.limits.test(self.case, left_secs)
        name = f"{self.workspace.crate.module}::{test.name}"
        ended = await self._libtest((name, "--exact", "--test-threads=1"), limits)
        if _LIBTEST_NONE.search(ended.stdout):
            ended = await self._libtest((f"{name}::", "--test-threads=1"), limits)
        passed = bool(_LIBTEST_PASSED.search(ended.stdout))
        failed = ended.code == _LIBTEST_FAILED or bool(_LIBTEST_NONE.search(ended.stdout))
        return Ended.of(test.name, ended, limits, passed=passed, failed=failed)

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
    """Tell whether a test may end otherwise when it is tried again."""
    return any(tried < _tries(ended) for ended in (ran.first, ran.trap) if ended is not None)


def _tries(ended: Exit) -> int:
    if ended.cut_by is not None:
        return _SILENT_TRIES if ended.cut_by == signal.SIGABRT else _TRIES
    limited = ended.timed_out or ended.output_limited
    return _SILENT_TRIES if ended.code is not None and not (ended.stdout or limited) else 1


def _was_cut(ended: Ended) -> bool:
    return ended.exit is not None and ended.exit.cut_by is not None


def _was_killed(ran: TestRan) -> bool:
    return any(ended is not None and ended.killed_by_others for ended in (ran.first, ran.trap))
