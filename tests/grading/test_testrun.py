"""What a sample does while its tests run: one bad test costs that test alone, and nothing stays."""

import os
from pathlib import Path

import pytest
from graders import (
    ADD,
    CASES,
    cache_of,
    grade,
    grade_together,
    make_case,
    make_grader,
    outcomes,
    sandbox_of,
)
from program import ROOT

from forgetest.grading.verdict import TestResult, Verdict
from forgetest.sandbox.backends import Backend

pytestmark = pytest.mark.cargo

SLEEP_SECS = 31415  # of daemons that must not be left; found by this number

CORPUS = ROOT / "tests" / "corpus" / "running"

EXPECTED = {
    "first": "passed",
    "spins": "timeout",
    "sleeps": "timeout",
    "overflows": "crashed",
    "aborts": "crashed",
    "leaves": "exited_early",
    "leaves_as_if_failed": "exited_early",
    "forges": "tampered",
    "panics": "failed",
    "panics_with_a_number": "failed",
    "should_panic_and_does": "passed",
    "should_panic_so": "passed",
    "should_panic_otherwise": "failed",
    "should_panic_and_does_not": "failed",
    "returns_an_error": "failed",
    "floods": "output_limit",
    "chatters": "passed",
    "stdin_is_empty": "passed",
    "leaves_a_thread": "passed",
    "starts_daemons": "failed",
    "grabs_memory": "memory_limit",
    "fills_the_disk": "crashed",
    "sees_no_key": "passed",
    "ignored": "ignored",
    "last": "passed",
}


def sleepers() -> list[str]:
    """Return the command lines of daemons that a sample started."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = entry.read_bytes()
        except OSError:
            continue
        if str(SLEEP_SECS).encode() in text and b"sleep" in text:
            found.append(text.decode(errors="replace"))
    return found


@pytest.fixture(scope="module")
def verdict(pytestconfig: pytest.Config) -> Verdict:
    """Return the verdict on the sample that misbehaves in every way at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "canary-value")
        patch.setenv("CARGO_HOME", os.environ.get("CARGO_HOME", str(Path.home() / ".cargo")))
        grader = make_grader(pytestconfig, test_wall_secs=2, test_cpu_secs=1)
        code, tests = (CORPUS / name for name in ("sample.rs", "tests.rs"))
        case = make_case("behaviours", tests.read_text(), code.read_text())
        return grade(grader, case, code.read_text())


def message(verdict: Verdict, name: str) -> str:
    found: TestResult = next(t for t in verdict.tests if t.name == f"tests::{name}")
    return found.message


def test_each_test_is_accounted_for_by_itself(verdict: Verdict) -> None:
    assert outcomes(verdict) == EXPECTED
    assert [test.name for test in verdict.tests] == [f"tests::{name}" for name in EXPECTED]
    assert (str(verdict.outcome), verdict.passed) == ("tampered", False)
    passed = list(EXPECTED.values()).count("passed")
    assert (verdict.tests_passed, verdict.tests_failed) == (passed, len(EXPECTED) - passed - 1)


def test_no_daemon_of_a_test_is_left(verdict: Verdict) -> None:
    assert sleepers() == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("panics", "thread 'main' panicked at case/tests/tests.rs:12:24:\na certain text"),
        ("spins", "stopped at 2 s, or 1 s of CPU time"),
        ("aborts", "ended by SIGABRT (Aborted)"),
        ("overflows", "ended by SIG"),
        ("leaves", "left with exit code 0 before it was done"),
        ("floods", "stopped after 8 MiB of output"),
        ("fills_the_disk", "SIGXFSZ"),
        ("returns_an_error", 'it returned an error\nError: "refused"'),
        ("should_panic_and_does_not", "it should have panicked, and did not"),
        ("should_panic_otherwise", "it panicked without the expected text"),
    ],
)
def test_the_message_says_how_a_test_ended(verdict: Verdict, name: str, text: str) -> None:
    assert text in message(verdict, name)


def test_reasons_name_the_tests_by_how_they_ended(verdict: Verdict) -> None:
    beginnings = [reason.partition(":")[0] for reason in verdict.reasons]
    assert beginnings == [
        "1 of 24 tests were tampered with",
        "2 of 24 tests ran out of time",
        "3 of 24 tests crashed",
        "2 of 24 tests left early",
        "1 of 24 tests ran out of memory",
        "1 of 24 tests printed without end",
        "6 of 24 tests failed",
    ]
    assert verdict.reasons[1].endswith(": tests::spins, tests::sleeps")


def test_without_a_limit_of_the_case_all_tests_share_one(pytestconfig: pytest.Config) -> None:
    tests = "".join(f"#[test] fn waits_{n}() {{ wait() }}\n" for n in range(6))
    code = "pub fn wait() { std::thread::sleep(std::time::Duration::from_millis(1200)) }"
    case = make_case("slow", tests, code)

    verdict = grade(make_grader(pytestconfig, tests_wall_secs=2.0), case, code)

    assert list(outcomes(verdict).values()) == ["passed", *["timeout"] * 5]
    assert "was used up" in verdict.tests[-1].message


def test_tests_that_a_macro_makes_run_under_libtest_and_are_flagged(
    pytestconfig: pytest.Config,
) -> None:
    tests = """
        macro_rules! proptest { ($($all:tt)*) => { $($all)* } }
        #[cfg(test)]
        mod tests {
            use super::*;
            proptest! {
                #[test] fn adds() { assert_eq!(add(2, 2), 4); }
                #[test] fn subtracts() { assert_eq!(add(2, -2), 1); }
            }
            #[test] fn hangs() { loop {} }
            #[test] fn leaves() { std::process::exit(0) }
            #[test] #[ignore] fn is_ignored() {}
        }
    """
    broken = "#[cfg(test)]\nmod tests { use super::missing; }\n"
    grader = make_grader(pytestconfig, test_wall_secs=1)

    verdict = grade(grader, make_case("generated", tests, ADD), ADD + broken)

    assert outcomes(verdict) == {
        "adds": "passed",
        "subtracts": "failed",
        "hangs": "timeout",
        "leaves": "exited_early",
        "is_ignored": "ignored",
    }
    assert verdict.flags == ("libtest",)


def test_several_samples_at_once_get_the_same_verdicts(pytestconfig: pytest.Config) -> None:
    codes = (ADD, ADD.replace("+", "-"), "fn add() {}", ADD + "broken")
    samples = [(CASES["add"], code) for code in codes * 2]
    grader = make_grader(pytestconfig)

    alone = [grade(grader, case, code) for case, code in samples[: len(codes)]]
    together = grade_together(grader, samples)

    def timeless(verdict: Verdict) -> Verdict:
        tests = tuple(test.model_copy(update={"secs": 0.0}) for test in verdict.tests)
        return verdict.model_copy(update={"timings": {}, "tests": tests})

    assert [timeless(v) for v in together] == [timeless(v) for v in alone * 2]


def test_without_a_sandbox_a_test_that_kills_itself_is_no_fault(
    pytestconfig: pytest.Config,
) -> None:
    tests = "#[test] fn dies() { die() }\n#[test] fn lives() {}\n"
    code = """
        extern "C" { fn getpid() -> i32; fn kill(process: i32, signal: i32) -> i32; }
        pub fn die() { unsafe { kill(getpid(), 9); } }
    """
    sandbox = sandbox_of(Backend.NONE, cache_of(pytestconfig))
    case = make_case("dies", tests, code)

    verdict = grade(make_grader(pytestconfig, sandbox=sandbox), case, code)

    assert outcomes(verdict) == {"dies": "crashed", "lives": "passed"}
