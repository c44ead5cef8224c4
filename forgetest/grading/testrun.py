"""The step that runs the built tests, each in a process of its own, and accounts for each.

A test passes when the program says so on its private descriptor, repeating the nonce, and then
leaves with 0 by itself. Tests that need libtest have only its exit code and summary to go by.
"""

import re
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from forgetest.errors import Fault, FaultKind
from forgetest.evalset.types import Case
from forgetest.grading.harness import (
    ONLY,
    PASSED,
    REPORT,
    TAMPERED,
    TRAP,
    WORDS,
    report_word,
    request,
)
from forgetest.grading.limits import Limits
from forgetest.grading.verdict import TestOutcome, TestResult
from forgetest.grading.workspace import Workspace
from forgetest.process import CommandLimits, Exit, run, signal_name
from forgetest.rust.tests import TestFunction

_FORGED = "it says that it passed where only a forger would"
_TRIES = 2
_NONCE_BYTES = 16
_MESSAGE_LINES = 6
_MESSAGE_KEPT = 800  # characters
_PANIC = re.compile(r"^thread '.*' (?:\(\d+\) )?panicked at ", re.MULTILINE)
_THREAD_ID = re.compile(r"(?m)^(thread '.*') \(\d+\)")
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

    async def results(self) -> tuple[TestResult, ...]:
        """Run the expected tests in their order and return what became of each.

        Raises `Fault` when somebody else keeps killing a test.
        """
        tests = self.workspace.crate.tests
        deadline = time.monotonic() + self.limits.all_tests(self.case, len(tests))
        return tuple([await self._result(test, deadline) for test in tests])

    async def _result(self, test: TestFunction, deadline: float) -> TestResult:
        if test.ignored:
            return TestResult(name=test.name, outcome=TestOutcome.IGNORED)
        left = deadline - time.monotonic()
        if left <= 0:
            message = "the time for all tests of the sample was used up"
            return TestResult(name=test.name, outcome=TestOutcome.TIMEOUT, message=message)
        limits = self.limits.test(self.case, left)
        by = self._by_libtest if self.workspace.crate.libtest else self._by_harness
        ended, outcome, why = await by(test, limits)
        if outcome is TestOutcome.PASSED:
            return TestResult(name=test.name, outcome=outcome, secs=ended.secs)
        said = last_words(ended.stderr + ended.stdout, self.workspace.crate.module)
        parts = (why, how_it_ended(outcome, ended, limits), said)
        message = "\n".join(part for part in parts if part)[:_MESSAGE_KEPT]
        return TestResult(name=test.name, outcome=outcome, message=message, secs=ended.secs)

    async def _by_harness(
        self, test: TestFunction, limits: CommandLimits
    ) -> tuple[Exit, TestOutcome, str]:
        """Run the test, and once more in a trap when it passes."""
        ended, word = await self._ask(test, limits, REPORT)
        outcome = outcome_of(ended, passed=word == PASSED, failed=word is not None)
        if word == TAMPERED:
            outcome = TestOutcome.TAMPERED
        if outcome is TestOutcome.PASSED and await self._is_forged(test, limits):
            return ended, TestOutcome.TAMPERED, _FORGED
        return ended, outcome, WORDS.get(word or "", "")

    async def _is_forged(self, test: TestFunction, limits: CommandLimits) -> bool:
        """Tell whether a pass is reported where the program itself never reports one."""
        _, word = await self._ask(test, limits, TRAP)
        return word == PASSED

    async def _ask(
        self, test: TestFunction, limits: CommandLimits, mode: str
    ) -> tuple[Exit, str | None]:
        nonce = secrets.token_hex(_NONCE_BYTES)
        ended = await self._run((ONLY, test.name), limits, request(nonce, mode))
        word = report_word(ended.stdout, nonce=nonce, name=test.name)
        return replace(ended, stdout=b""), word

    async def _by_libtest(
        self, test: TestFunction, limits: CommandLimits
    ) -> tuple[Exit, TestOutcome, str]:
        """Run the test by its name, or else the family that a macro has made of it."""
        name = f"{self.workspace.crate.module}::{test.name}"
        ended = await self._run((name, "--exact", "--test-threads=1"), limits)
        if _LIBTEST_NONE.search(ended.stdout):
            ended = await self._run((f"{name}::", "--test-threads=1"), limits)
        passed = bool(_LIBTEST_PASSED.search(ended.stdout))
        failed = ended.code == _LIBTEST_FAILED or bool(_LIBTEST_NONE.search(ended.stdout))
        return ended, outcome_of(ended, passed=passed, failed=failed), ""

    async def _run(self, args: Sequence[str], limits: CommandLimits, stdin: bytes = b"") -> Exit:
        folder = self.workspace.folder / "case"  # where cargo runs the tests of a package
        env = {
            "PATH": "/usr/bin:/bin",
            "TMPDIR": str(self.workspace.scratch),
            "CARGO_MANIFEST_DIR": str(folder),
            "RUST_BACKTRACE": "0",
        }
        argv = [str(self.program), *args]
        for _ in range(_TRIES):
            ended = await run(argv, cwd=folder, env=env, limits=limits, stdin=stdin)
            if not ended.killed_by_others:
                return ended
        raise Fault(FaultKind.SANDBOX, f"test {args[-1]} was killed twice, and not by forgetest")


def outcome_of(ended: Exit, *, passed: bool, failed: bool) -> TestOutcome:
    """Return what became of a test that ended so and whose report said it passed, or failed."""
    if ended.timed_out:
        return TestOutcome.TIMEOUT
    if ended.output_limited:
        return TestOutcome.OUTPUT_LIMIT
    if ended.signal is not None:
        return TestOutcome.CRASHED
    if passed and ended.code == 0:
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


def how_it_ended(outcome: TestOutcome, ended: Exit, limits: CommandLimits) -> str:
    """Return in words what stopped a test; empty when it ended by itself as it should."""
    if outcome is TestOutcome.TIMEOUT:
        return f"stopped at {limits.wall_secs:g} s, or {limits.cpu_secs} s of CPU time"
    if outcome is TestOutcome.OUTPUT_LIMIT:
        return f"stopped after {limits.output_killed >> 20} MiB of output"
    if outcome is TestOutcome.CRASHED:
        return f"ended by {signal_name(ended.signal or 0)}"
    if outcome is TestOutcome.EXITED_EARLY:
        return f"left with exit code {ended.code} before it was done"
    return ""
