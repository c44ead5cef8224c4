"""What asking again was worth, in numbers: by round, on the same samples, by error."""

from decimal import Decimal
from fractions import Fraction
from math import comb

import pytest
from conversations import RUN, report

from forgetest.render.columns import plain_text
from forgetest.render.markdown import report_markdown
from forgetest.render.tables import report_tables
from forgetest.report.types import ModelReport, RoundsReport
from forgetest.sampling.variant import Feedback, ScoreRound, Variant


@pytest.fixture(scope="module")
def model() -> ModelReport:
    return report(RUN).models[0]


@pytest.fixture(scope="module")
def rounds(model: ModelReport) -> RoundsReport:
    assert model.rounds is not None
    return model.rounds


def test_after_each_round_all_count_that_passed_by_then(rounds: RoundsReport) -> None:
    assert [after.asked for after in rounds.after] == [9, 7 - 1, 4]
    assert [after.passed for after in rounds.after] == [2, 4, 5]
    rates = [after.pass_rate.value for after in rounds.after]
    assert rates == [float(Fraction(2, 9)), float(Fraction(4, 9)), float(Fraction(5, 9))]
    assert all(after.pass_rate.ci95 for after in rounds.after)


def test_the_last_round_is_what_the_model_is_scored_by(
    model: ModelReport, rounds: RoundsReport
) -> None:
    assert model.overall.pass_rate.value == rounds.after[-1].pass_rate.value
    assert model.overall.samples_passed == 5


def test_cost_and_time_are_of_all_rounds_so_far(model: ModelReport, rounds: RoundsReport) -> None:
    first, _, last = rounds.after

    assert (first.usd, last.usd) == (Decimal("0.009"), Decimal("0.019"))
    assert last.usd_per_solved == Decimal("0.019") / 5
    assert (first.secs, last.secs_per_solved) == (4.5, 9.5 / 5)
    assert (model.cost.usd, model.tokens.output) == (last.usd, 20 * 19)


def test_the_gain_is_paired_and_its_test_exact(rounds: RoundsReport) -> None:
    assert rounds.gain is not None
    assert rounds.gain.repaired == 3
    assert rounds.gain.delta == float(Fraction(3, 9))
    assert rounds.gain.p_value == 2 * comb(3, 3) / 2**3
    low, high = rounds.gain.ci95 or (0, 0)
    assert low < rounds.gain.delta < high


def test_an_error_is_repaired_where_the_last_round_compiles(rounds: RoundsReport) -> None:
    # YBY: E0308 is gone, and E0425 is back: that repaired nothing.
    assert rounds.codes["E0308"].model_dump() == {"samples": 5, "repaired": 3, "remained": 0}
    assert rounds.codes["E0425"].model_dump() == {"samples": 3, "repaired": 0, "remained": 3}


def test_errors_without_a_code_count_too() -> None:
    (model,) = report({"a": ["SP", "SBS", "P"]}).models

    assert model.rounds is not None
    assert model.rounds.codes["uncoded"].model_dump() == {
        "samples": 2,
        "repaired": 1,
        "remained": 1,
    }


def test_a_conversation_under_way_is_unscored_and_what_it_cost_counts() -> None:
    made = report({"a": ["B!", "P", "BBB"]})
    (sample, *_), model = made.models[0].cases[0].samples, made.models[0]

    assert (sample.scored, sample.fault, sample.verdict) == (False, "too dear", None)
    assert [answered.outcome for answered in sample.rounds] == ["compile_failed"]
    assert model.overall.samples_unscored == 1
    assert model.cost.usd == Decimal("0.005")
    assert not made.complete


def test_the_best_round_scores_where_the_variant_says_so() -> None:
    best = Variant(rounds=2, feedback=Feedback.TESTS, score_round=ScoreRound.BEST)
    cases = {"a": ["FB", "BF", "BP"]}
    by_last, by_best = (
        report(cases, variant).models[0].cases[0].samples
        for variant in (best.model_copy(update={"score_round": ScoreRound.LAST}), best)
    )

    assert [sample.scored_round for sample in by_last] == [2, 2, 2]
    assert [sample.scored_round for sample in by_best] == [1, 2, 2]
    assert [sample.outcome for sample in by_best] == ["tests_failed", "tests_failed", "passed"]
    assert [sample.passed for sample in by_best] == [sample.passed for sample in by_last]


def test_hidden_tests_that_were_spoken_of_are_declared() -> None:
    told = report({"a": ["P"] * 3}, Variant(rounds=2, feedback=Feedback.TESTS))
    text, markdown = plain_text(report_tables(told, width=120)), report_markdown(told)

    for shown in (text, markdown):
        assert "hidden tests were spoken of" in shown
    assert not any("spoken of" in warning for warning in report(RUN).warnings)


def test_terminal_and_markdown_say_what_repair_gained() -> None:
    made = report(RUN)
    text = " ".join(plain_text(report_tables(made, width=100)).split())

    assert "p/m fix 2 6 4 44.4 %" in text
    assert "up to 3 rounds, feedback compiler · repair gained +33.3 points" in text
    assert "in 3 samples, p = 0.25 · repaired E0308 3 of 5 · not repaired E0425 0 of 3" in text
    assert "not repaired E0425 0 of 3" in report_markdown(made)


def test_without_rounds_a_report_says_nothing_of_them() -> None:
    made = report({"a": ["P", "B", "F"]}, Variant(temperature=1.0))

    assert "rounds" not in made.models[0].model_dump_json()
    assert "time/solved" not in plain_text(report_tables(made, width=120))
