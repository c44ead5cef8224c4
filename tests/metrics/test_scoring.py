"""The score of a sample, what passes, thresholds, and means over cases and eval sets."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_strategies import calm

from forgetest.metrics import (
    STANDARD,
    ScoringProfile,
    case_score,
    change,
    macro,
    micro,
    nearest_rank,
    sample_score,
    score_sd,
    var_case_score,
)

tally = st.integers(0, 40)


@pytest.mark.parametrize(
    ("compiled", "passed", "failed", "warnings", "exact", "double"),
    [
        (True, 10, 0, 0, "1", 1.0),
        (True, 10, 0, 1, "99/100", 0.99),
        (True, 10, 0, 10, "9/10", 0.9),
        (True, 10, 0, 11, "9/10", 0.9),
        (True, 0, 10, 0, "1/2", 0.5),
        (True, 0, 0, 0, "1/2", 0.5),
        (True, 0, 0, 12, "2/5", 0.4),
        (True, 7, 3, 2, "83/100", 0.83),
        (True, 9, 1, 15, "17/20", 0.85),
        (True, 2, 1, 0, "5/6", 0.8333333333333334),
        (True, 1, 2, 1, "197/300", 0.6566666666666666),
        (True, 99, 1, 0, "199/200", 0.995),
        (True, 1, 6, 4, "93/175", 0.5314285714285715),
        (False, 10, 0, 0, "0", 0.0),
    ],
)
def test_the_scores_of_the_specification(
    *, compiled: bool, passed: int, failed: int, warnings: int, exact: str, double: float
) -> None:
    score = sample_score(compiled, passed, failed, warnings)
    assert score == Fraction(exact)
    assert float(score) == double


@pytest.mark.parametrize(
    ("passed", "failed", "warnings", "literal"),
    [
        (10, 0, 1, 0.99),
        (7, 3, 2, 0.8300000000000001),
        (9, 1, 15, 0.8500000000000001),
        (2, 1, 0, 0.8333333333333334),
        (1, 2, 1, 0.6566666666666666),
        (1, 6, 4, 0.5314285714285714),
    ],
)
def test_the_formula_in_floats_misses_some_scores_by_their_last_digit(
    passed: int, failed: int, warnings: int, literal: float
) -> None:
    in_floats = 0.4 + 0.5 * (passed / (passed + failed)) + 0.1 * (max(0, 10 - warnings) / 10)
    score = sample_score(True, passed, failed, warnings)  # noqa: FBT003 - its place says what it is
    assert in_floats == literal
    assert float(score) == pytest.approx(literal, abs=2e-16)


@calm
@given(passed=tally, failed=tally, warnings=tally)
def test_a_score_is_the_integer_formula(passed: int, failed: int, warnings: int) -> None:
    tests, clippy = passed + failed, max(0, 10 - warnings)
    expected = (
        Fraction(40 * tests + 50 * passed + tests * clippy, 100 * tests)
        if tests
        else Fraction(40 + clippy, 100)
    )
    assert sample_score(compiled=True, passed=passed, failed=failed, warnings=warnings) == expected


@calm
@given(passed=tally, failed=tally, warnings=tally)
def test_a_score_never_leaves_0_to_1_and_more_is_never_worse(
    passed: int, failed: int, warnings: int
) -> None:
    score = sample_score(True, passed, failed, warnings)  # noqa: FBT003 - its place says what it is
    assert 0 <= score <= 1
    assert sample_score(True, passed + 1, failed, warnings) >= score  # noqa: FBT003 - as above
    assert sample_score(True, passed, failed, warnings + 1) <= score  # noqa: FBT003 - as above


def test_a_profile_has_a_name_and_its_own_weights() -> None:
    tests_only = ScoringProfile("tests", Fraction(), Fraction(1), Fraction(), most_warnings=1)
    assert STANDARD.name == "standard"
    weights = (STANDARD.compile_weight, STANDARD.tests_weight, STANDARD.clippy_weight)
    assert weights == (Fraction(2, 5), Fraction(1, 2), Fraction(1, 10))
    score = sample_score(compiled=True, passed=1, failed=2, warnings=9, profile=tests_only)
    assert score == Fraction(1, 3)


@pytest.mark.parametrize("wrong", [-1, 1.0, True, None])
def test_a_score_of_no_counts_is_refused(wrong: int) -> None:
    for place in range(3):
        tallies = [wrong if i == place else 1 for i in range(3)]
        with pytest.raises(ValueError, match="counts"):
            sample_score(True, *tallies)  # noqa: FBT003 - its place says what it is


@pytest.mark.parametrize(
    ("baseline", "current", "expected"),
    [
        ("1.00", "0.95", "same"),
        ("0.95", "0.90", "same"),
        ("0.90", "0.85", "same"),
        ("0.70", "0.65", "same"),
        ("1.00", "0.9499", "regression"),
        ("0.65", "0.7001", "improvement"),
        ("0.50", "0.47", "same"),
        ("0.65", "0.70", "same"),
    ],
)
@pytest.mark.parametrize("read", [Fraction, Decimal, float])
@pytest.mark.parametrize("threshold", [0.05, Decimal("0.05"), Fraction(1, 20)])
def test_only_more_than_the_threshold_is_a_change(
    baseline: str, current: str, expected: str, read: type[Fraction], threshold: Fraction
) -> None:
    assert change(read(baseline), read(current), threshold) == expected
    assert change(read(baseline), read(current)) == expected


def test_floats_that_stand_for_thirds_do_not_regress_by_their_last_digit() -> None:
    assert change(5 / 6, 47 / 60, 0.05) == "same"
    assert change(Fraction(5, 6), 47 / 60, 0.05) == "same"
    assert change(Fraction(5, 6), Fraction(47, 60), 0.05) == "same"
    assert change(Fraction(5, 6), Fraction(47, 60) - Fraction(1, 10**12), 0.05) == "regression"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.2, 0.5, 0.05), "baseline"),
        ((0.5, -0.1, 0.05), "current"),
        ((0.5, 0.5, -0.05), "threshold"),
        ((float("nan"), 0.5, 0.05), "finite"),
    ],
)
def test_a_change_of_no_scores_is_refused(arguments: tuple[float, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        change(*arguments)


def test_a_case_score_is_the_mean_and_never_the_best() -> None:
    assert case_score([1, Fraction(83, 100), 0]) == Fraction(61, 100)
    assert case_score([0.1, 0.2, 0.3]) == Fraction(1, 5)
    assert case_score([]) is None


def test_the_spread_of_a_cases_scores() -> None:
    assert score_sd([1, 0]) == pytest.approx(0.5**0.5, rel=1e-15)
    assert var_case_score([1, 0]) == Fraction(1, 4)
    assert var_case_score([1, Fraction(1, 2), 0]) == Fraction(1, 12)
    assert (score_sd([1]), var_case_score([1]), var_case_score([])) == (None, None, None)


def test_macro_and_micro_rates_of_two_eval_sets() -> None:
    assert macro([Fraction(18, 20), Fraction(8, 10)]) == Fraction(17, 20)
    assert micro([(20, 18), (10, 8)]) == Fraction(13, 15)


def test_nothing_has_neither_a_macro_nor_a_micro_rate() -> None:
    assert (macro([]), micro([]), micro([(0, 0)])) == (None, None, None)


@pytest.mark.parametrize("aggregate", [case_score, score_sd, var_case_score, macro])
@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan"), float("inf")])
def test_aggregates_of_no_scores_are_refused(aggregate: type[float], wrong: float) -> None:
    with pytest.raises(ValueError, match=r"0 to 1|finite"):
        aggregate([0.5, wrong])


def test_a_pooled_rate_of_no_counts_is_refused() -> None:
    with pytest.raises(ValueError, match="0 <= c <= n"):
        micro([(3, 4)])


@pytest.mark.parametrize(
    ("values", "quantile", "expected"),
    [
        (range(1, 21), 0.5, 10),
        (range(1, 21), 0.95, 19),
        (range(1, 101), 0.07, 7),
        (range(20, 0, -1), 1, 20),
        ([3.5], 0.01, 3.5),
        ([1, 2, 3], 0.5, 2),
        ([], 0.5, None),
    ],
)
def test_a_percentile_is_one_of_the_values(
    values: list[float], quantile: float, expected: float | None
) -> None:
    assert nearest_rank(values, quantile) == expected


@pytest.mark.parametrize(
    ("values", "quantile"), [([1.0], 0), ([1.0], 1.01), ([1.0], -1), ([float("nan"), 1.0], 0.5)]
)
def test_a_percentile_that_is_not_there_is_refused(values: list[float], quantile: float) -> None:
    with pytest.raises(ValueError, match=r"quantile|finite"):
        nearest_rank(values, quantile)
