"""What is told of an answer: the compiler's words, bounded, and nothing of machine or tests."""

import pytest

from forgetest.grading.verdict import Diagnostic, Outcome, TestOutcome, TestResult, Verdict
from forgetest.run.feedback import feedback_text
from forgetest.sampling.providers.contract import code_tokens
from forgetest.sampling.variant import FEEDBACK_TOKENS, Feedback

RENDERED = """error[E0277]: the trait bound `K: Hash` is not satisfied
  --> src/lib.rs:3:15
   |
 3 |     let path = "/etc/secret/file"; map.insert(k, 1);
   |                    ------ ^ the trait `Hash` is not implemented for `K`
   |
note: required by a bound in `HashMap::<K, V, S>::insert`
  --> /home/me/1.95/lib/rustlib/src/rust/library/std/src/collections/hash/map.rs:1203:5
note: required by a bound in `spawn`
  --> /home/me/cache/registry/src/index.crates.io-19/tokio-1.5.0/src/task/spawn.rs:10:1
   = note: the full name for the type has been written to '/var/sample-1/out/sample.long-type-1.txt'
"""


def error(code: str, message: str = "m", rendered: str = "") -> Diagnostic:
    return Diagnostic(level="error", code=code, message=message, rendered=rendered)


def broken(*errors: Diagnostic) -> Verdict:
    return Verdict(outcome=Outcome.COMPILE_FAILED, passed=False, errors=errors)


def after_tests(*tests: TestResult) -> Verdict:
    return Verdict(outcome=Outcome.TESTS_FAILED, passed=False, compiled=True, tests=tests)


def told(verdict: Verdict, kind: Feedback = Feedback.COMPILER) -> str:
    return feedback_text(verdict, kind) or ""


def test_no_folder_of_this_machine_is_told_and_the_code_stays_as_it_is() -> None:
    text = told(broken(error("E0277", rendered=RENDERED)))

    assert '3 |     let path = "/etc/secret/file"; map.insert(k, 1);' in text
    assert "--> library/std/src/collections/hash/map.rs:1203:5" in text
    assert "--> tokio-1.5.0/src/task/spawn.rs:10:1" in text
    assert "'sample.long-type-1.txt'" in text
    assert "/home" not in text
    assert "/var" not in text


def test_the_first_error_of_each_code_comes_first_and_the_rest_is_counted() -> None:
    errors = [error("E0308", rendered=f"a{i}") for i in range(9)] + [error("E0425", rendered="b")]

    text = told(broken(*errors))

    assert text.index("a0") < text.index("b") < text.index("a1")
    assert "a6" in text
    assert "a7" not in text
    assert "... and 2 more errors" in text


def test_what_is_told_has_a_bound() -> None:
    long = "".join(f"line {i} of it\n" for i in range(2000))

    for errors in ([long], ["short", long, long]):
        text = told(broken(*(error(f"E{i}", rendered=one) for i, one in enumerate(errors))))
        assert code_tokens(text) < FEEDBACK_TOKENS + 100


def test_clippy_is_quoted_only_where_the_variant_says_so() -> None:
    lint = Diagnostic(level="warning", code="clippy::x", message="m", rendered="warning: tidy up")
    verdict = after_tests(TestResult(name="t", outcome=TestOutcome.FAILED)).model_copy(
        update={"lints": (lint,)}
    )

    assert feedback_text(verdict, Feedback.COMPILER) is None
    assert "warning: tidy up" in told(verdict, Feedback.COMPILER_LINTS)
    assert "tidy up" not in told(verdict, Feedback.TESTS)


def test_of_failing_tests_names_and_messages_are_told_and_no_source() -> None:
    panic = "thread 'tests::pair' panicked at src/tests_ab.rs:7:5:\n"
    equal = f"{panic}assertion `left == right` failed: of 3\n  left: 1\n right: 2"
    plain = f"{panic}assertion failed: hidden(4) == \n    secret(5)"
    text = told(
        after_tests(
            TestResult(name="tests::pair", outcome=TestOutcome.FAILED, message=equal),
            TestResult(name="tests::odd", outcome=TestOutcome.FAILED, message=plain),
            TestResult(
                name="tests::slow", outcome=TestOutcome.TIMEOUT, message="stopped at 5 s\nx"
            ),
            TestResult(name="tests::wild", outcome=TestOutcome.CRASHED, message="SIGSEGV"),
            TestResult(name="tests::fine", outcome=TestOutcome.PASSED),
        ),
        Feedback.TESTS,
    )

    assert "4 of 5 tests fail" in text
    assert "tests::pair: assertion `left == right` failed: of 3\n  left: 1\n right: 2" in text
    assert "tests::odd: assertion failed\n" in text
    assert "tests::slow: it did not end in time" in text
    assert "tests::wild: it crashed" in text
    for secret in ("hidden", "secret", "tests_ab", "tests::fine"):
        assert secret not in text


def test_tests_that_do_not_build_are_told_in_words_and_not_in_source() -> None:
    meets = Diagnostic(
        level="error", code="E0061", message="this function takes 1 argument", rendered="hidden(1)"
    )
    verdict = Verdict(
        outcome=Outcome.TEST_BUILD_FAILED, passed=False, compiled=True, test_errors=(meets,)
    )

    assert "error[E0061]: this function takes 1 argument" in told(verdict, Feedback.TESTS)
    assert "hidden" not in told(verdict, Feedback.TESTS)
    assert feedback_text(verdict, Feedback.COMPILER) is None


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (Outcome.NO_CODE, "The answer holds no Rust code."),
        (Outcome.EMPTY, "The answer is empty."),
        (Outcome.COMPILE_TIMEOUT, "too long to compile"),
        (Outcome.POLICY, "refused before it is compiled:\nline 3"),
        (Outcome.COMPILE_FAILED, "The code does not compile.\nline 3"),
    ],
)
def test_where_rustc_says_nothing_it_is_said_in_words(outcome: Outcome, said: str) -> None:
    verdict = Verdict(outcome=outcome, passed=False, reasons=("line 3",))

    assert said in told(verdict)
    assert told(verdict).endswith("holds the complete code, and nothing else.")


def test_an_answer_of_several_files_is_asked_for_again_as_files() -> None:
    again = "Correct it, and hand in every file that you wrote or changed, in the same form."
    refused = Verdict(outcome=Outcome.NO_CODE, passed=False, reasons=("it lacks a file",))
    text = feedback_text(refused, Feedback.COMPILER, wrong_files="it lacks a file")
    assert text == f"it lacks a file\n\n{again}"
    assert (feedback_text(broken(error("E1")), Feedback.COMPILER, wrong_files="") or "").endswith(
        f"\n\n{again}"
    )
