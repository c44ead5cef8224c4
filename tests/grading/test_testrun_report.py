"""What becomes of a test, from how its two runs ended and what they reported."""

import dataclasses
import signal

import pytest

from forgetest.grading.testrun import by_harness
from forgetest.grading.verdict import TestOutcome, TestResult
from forgetest.sandbox.plan import PlannedTest, TestRan
from forgetest.system.process import MIB, CommandLimits, Exit

LIMITS = CommandLimits(wall_secs=5, cpu_secs=4, address_space=2048 * MIB)
TEST = PlannedTest("tests::adds", "1f" * 16, "2e" * 16)
GOOD = Exit(
    code=0, signal=None, timed_out=False, output_limited=False,
    stdout=f"{TEST.nonce} ok {TEST.name}\n".encode(), stderr=b"", secs=0.01, cpu_secs=0.01,
)  # fmt: skip
TRAP = dataclasses.replace(GOOD, stdout=f"{TEST.trap_nonce} trapped {TEST.name}\n".encode())


def result(first: Exit | None, trap: Exit | None = TRAP) -> TestResult:
    return by_harness(TEST, TestRan(TEST.name, first, trap), LIMITS, "module")[0]


def ended(first: Exit | None, trap: Exit | None = TRAP) -> TestOutcome:
    return result(first, trap).outcome


def said(run: Exit, word: str, nonce: str = TEST.nonce, code: int = 101) -> Exit:
    """Return a run that reported another word."""
    return dataclasses.replace(run, code=code, stdout=f"{nonce} {word} {TEST.name}\n".encode())


def killed(number: int, stderr: bytes = b"") -> Exit:
    """Return a run that a signal ended before it reported."""
    return dataclasses.replace(GOOD, code=None, signal=number, stdout=b"", stderr=stderr)


def test_a_pass_needs_both_runs() -> None:
    assert ended(GOOD) is TestOutcome.PASSED


@pytest.mark.parametrize("word", ["panicked", "returned_an_error", "did_not_panic"])
def test_a_word_of_failure_fails(word: str) -> None:
    assert ended(said(GOOD, word), None) is TestOutcome.FAILED


@pytest.mark.parametrize(
    "first",
    [
        said(GOOD, "tampered"),
        said(GOOD, "ok", nonce="00" * 16, code=0),
        dataclasses.replace(GOOD, stdout=GOOD.stdout * 2),
        dataclasses.replace(GOOD, stdout=b"ok\n"),
        dataclasses.replace(GOOD, stdout=GOOD.stdout.rstrip()),
        dataclasses.replace(GOOD, stdout=b"\xff\xfe"),
        said(GOOD, "trapped", code=0),
    ],
    ids=["self-check", "other nonce", "twice", "bare", "no newline", "no text", "trap's word"],
)
def test_a_report_that_the_harness_does_not_write_is_forged(first: Exit) -> None:
    assert ended(first) is TestOutcome.TAMPERED


def test_ok_in_the_trap_run_is_forged() -> None:
    forged = said(TRAP, "ok", nonce=TEST.trap_nonce, code=0)
    assert ended(GOOD, forged) is TestOutcome.TAMPERED


def test_a_test_that_passes_only_once_does_not_pass() -> None:
    again = said(TRAP, "panicked", nonce=TEST.trap_nonce)
    found = result(GOOD, again)
    assert found.outcome is TestOutcome.FAILED
    assert "it passed once and not the second time" in found.message


def test_no_report_and_exit_code_0_is_an_early_exit() -> None:
    assert ended(dataclasses.replace(GOOD, stdout=b""), None) is TestOutcome.EXITED_EARLY


def test_a_right_report_with_another_exit_code_is_no_pass() -> None:
    assert ended(dataclasses.replace(GOOD, code=3)) is not TestOutcome.PASSED


def test_signals_and_limits_have_their_names() -> None:
    assert ended(killed(signal.SIGSEGV), None) is TestOutcome.CRASHED
    starved = killed(signal.SIGABRT, b"memory allocation of 8589934592 bytes failed\n")
    assert ended(starved, None) is TestOutcome.MEMORY_LIMIT
    assert ended(dataclasses.replace(GOOD, timed_out=True)) is TestOutcome.TIMEOUT
    assert ended(dataclasses.replace(GOOD, output_limited=True)) is TestOutcome.OUTPUT_LIMIT


def test_a_test_without_time_is_late() -> None:
    assert ended(None, None) is TestOutcome.TIMEOUT
    assert ended(GOOD, None) is TestOutcome.TIMEOUT
    assert result(None, None).message == "the time for all tests of the sample was used up"
