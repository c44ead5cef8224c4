"""What became of one test, from how its process ended and what it reported: pure.

A test passes when the harness says so on its private descriptor, repeating the nonce and saying
nothing else, leaves with 0 by itself, and comes to the same end in the trap run, in which it never
says so: an `ok` there is forged.
"""

import re
import signal
from dataclasses import dataclass, replace
from typing import Self

from forgetest.grading.harness import PASSED, TAMPERED, TRAPPED, WORDS, report_word
from forgetest.grading.verdict import TestOutcome, TestResult
from forgetest.process import CommandLimits, Exit, signal_name
from forgetest.sandbox.plan import PlannedTest, TestRan

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
