"""What is said of recorded verdicts beside ours."""

from forgetest.grading.verdict import Outcome
from forgetest.render.agreement import agreement_tables
from forgetest.render.columns import plain_text
from forgetest.report.agreement import Agreement, JudgedCompletion, agreement


def judged(recorded: str, outcome: Outcome | None, **more: bool) -> JudgedCompletion:
    passed = more.get("passed", recorded in {"OK", "pass"})
    ours = None if outcome is None else outcome is Outcome.PASSED
    return JudgedCompletion(
        model="tiny-1",
        case="set/case",
        sample=1,
        recorded_passed=passed,
        recorded=recorded,
        flaky=more.get("flaky", False),
        passed=ours,
        outcome=outcome,
        reason="tests::a failed",
    )


def found(*every: JudgedCompletion) -> Agreement:
    agreed = agreement(every)
    assert agreed is not None
    return agreed


def test_without_recorded_verdicts_there_is_nothing_to_agree_on() -> None:
    assert agreement([]) is None


def test_passing_is_what_is_compared() -> None:
    agreed = found(
        judged("OK", Outcome.PASSED),
        judged("OK", Outcome.TESTS_FAILED),
        judged("Exception", Outcome.TESTS_FAILED),
        judged("Exception", Outcome.PASSED),
    )

    assert (agreed.compared, agreed.agree) == (4, 2)
    assert [(one.recorded, one.ours) for one in agreed.disagreements] == [
        ("OK", Outcome.TESTS_FAILED),
        ("Exception", Outcome.PASSED),
    ]
    assert agreed.confusion == {
        "Exception": {"passed": 1, "tests_failed": 1},
        "OK": {"passed": 1, "tests_failed": 1},
    }


def test_flaky_and_unscored_ones_are_counted_apart() -> None:
    agreed = found(
        judged("pass", Outcome.TESTS_FAILED, flaky=True),
        judged("pass", Outcome.PASSED, flaky=True),
        judged("pass", None),
    )

    assert (agreed.compared, agreed.agree, agreed.flaky, agreed.unscored) == (0, 0, 2, 1)
    assert len(agreed.flaky_disagreements) == 1
    assert agreed.confusion == {}


def test_failing_in_another_way_is_agreement_with_a_remark() -> None:
    agreed = found(
        judged("SyntaxError", Outcome.COMPILE_FAILED),
        judged("SyntaxError", Outcome.TESTS_FAILED),
        judged("Exception", Outcome.TEST_CRASHED),
        judged("fail", Outcome.TEST_TIMEOUT),
    )

    assert (agreed.compared, agreed.agree) == (4, 4)
    assert [one.recorded for one in agreed.other_failures] == ["SyntaxError"]


def test_the_tables_name_each_disagreement_and_hide_nothing_that_moves_the_cursor() -> None:
    text = plain_text(
        agreement_tables(
            found(judged("OK", Outcome.PASSED), judged("\x1b[2JOK", Outcome.PASSED, passed=False))
        )
    )

    assert "recorded verdicts: 1 of 2 agree (50.0 %)" in text
    assert "set/case #1 tiny-1" in text
    assert "\x1b" not in text


def test_the_share_of_none_is_not_said() -> None:
    text = plain_text(agreement_tables(found(judged("pass", None))))

    assert "recorded verdicts: 0 of 0 agree; 1 unscored" in text
