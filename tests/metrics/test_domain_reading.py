"""Numbers as they come: Python's and numpy's of every width, and one line for what is no number."""

import inspect
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_strategies import calm

from forgetest import metrics

WHOLE = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
BROKEN = ["float16", "float32", "float64", "longdouble"]
DTYPES = [*WHOLE, *BROKEN, "bool", "object"]

R = [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]
GRADED = [[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]
RUNS = [[5, 4], [5, 0], [6, 3]]
AFTER = [[5, 3], [4, 1], [6, 1]]
PAIRS = [(5, 4), (5, 0), (6, 3)]
AFTERS = [(5, 3), (4, 1), (6, 1)]

OF_A_MATRIX: dict[str, Callable[[Any], object]] = {
    "counts": metrics.counts,
    "short_cases": lambda rows: metrics.short_cases(rows, 6),
    "missing_mean_reason": lambda rows: metrics.missing_mean_reason(rows, 6),
    "mean_pass_at_k": lambda rows: metrics.mean_pass_at_k(rows, 2),
    "mean_pass_hat_k": lambda rows: metrics.mean_pass_hat_k(rows, 2),
    "mean_pass_at_k_naive": lambda rows: metrics.mean_pass_at_k_naive(rows, 2),
    "mean_pass_to_the_k": lambda rows: metrics.mean_pass_to_the_k(rows, 2),
    "mean_g_pass_at_k_tau": lambda rows: metrics.mean_g_pass_at_k_tau(rows, 3, 2 / 3),
    "mean_mg_pass_at_k": lambda rows: metrics.mean_mg_pass_at_k(rows, 3),
    "avg": metrics.avg,
    "bayes": lambda rows: metrics.bayes(rows, [0, 1]),
    "permutation_test": lambda rows: metrics.permutation_test(rows, rows[::-1], seed=1, draws=20),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("metric", OF_A_MATRIX.values(), ids=OF_A_MATRIX)
def test_a_matrix_of_any_numeric_type_is_read_as_the_list_of_its_rows(
    metric: Callable[[Any], object], dtype: str
) -> None:
    assert metric(np.array(R, dtype=dtype)) == metric(R)
    assert metric([np.array(row, dtype=dtype) for row in R]) == metric(R)
    assert metric([[np.dtype(dtype).type(x) for x in row] for row in R]) == metric(R)


@pytest.mark.parametrize("number", [Decimal, Fraction, float, bool, str])
def test_rows_of_pythons_other_numbers_count_and_words_do_not(number: Callable[[int], Any]) -> None:
    rows = [[number(x) for x in row] for row in R]
    if number is str:
        with pytest.raises(ValueError, match="0 and 1 only"):
            metrics.mean_pass_at_k(rows, 2)
    else:
        assert metrics.mean_pass_at_k(rows, 2) == metrics.mean_pass_at_k(R, 2)


@pytest.mark.parametrize("dtype", [*WHOLE, *BROKEN])
def test_graded_outcomes_weights_and_earlier_ones_are_arrays_too(dtype: str) -> None:
    prior = [[0, 2], [1, 2]]
    found = metrics.bayes(
        np.array(GRADED, dtype=dtype), np.array([0, 0.5, 1]), np.array(prior, dtype=dtype)
    )
    assert found == metrics.bayes(GRADED, [0, 0.5, 1], prior)


OF_COUNTS: dict[str, Callable[[Any, Any, Any], object]] = {
    "pass_at_k": metrics.pass_at_k,
    "pass_at_k_exact": metrics.pass_at_k_exact,
    "pass_hat_k": metrics.pass_hat_k,
    "pass_hat_k_exact": metrics.pass_hat_k_exact,
    "g_pass_at_k_tau": lambda n, c, k: metrics.g_pass_at_k_tau(n, c, k, 0.5),
    "mg_pass_at_k": metrics.mg_pass_at_k,
    "var_pass_at_k": metrics.var_pass_at_k,
    "var_pass_hat_k": metrics.var_pass_hat_k,
    "missing_reason": lambda n, _, k: metrics.missing_reason(n, k),
    "missing_variance_reason": lambda n, _, k: metrics.missing_variance_reason(n, k),
    "bayes_mean": lambda n, c, _: metrics.bayes_mean(n, c),
    "flaky": lambda n, c, _: metrics.flaky(n, c),
    "flakiness_percent": lambda n, c, _: metrics.flakiness_percent(n, c),
    "wilson": lambda n, c, _: metrics.wilson(n, c),
    "sample_score": lambda n, c, k: metrics.sample_score(n > 0, c, n, k),
    "fisher_one_sided": lambda n, c, k: metrics.fisher_one_sided((n, c), (n, k)),
    "sign_e_value": lambda n, c, _: metrics.sign_e_value(n, c),
    "student_t_quantile": lambda n, *_: metrics.student_t_quantile(0.975, n),
}


@pytest.mark.parametrize("dtype", [*WHOLE, *BROKEN])
@pytest.mark.parametrize("metric", OF_COUNTS.values(), ids=OF_COUNTS)
def test_counts_of_any_width_are_counts_and_never_overflow(
    metric: Callable[[Any, Any, Any], object], dtype: str
) -> None:
    scalar = np.dtype(dtype).type
    for n, c, k in [(5, 4, 2), (100, 60, 55), (127, 127, 64)]:
        found = metric(scalar(n), scalar(c), scalar(k))
        assert found == metric(n, c, k)
        assert type(found) is type(metric(n, c, k))


@pytest.mark.parametrize("dtype", [*WHOLE, *BROKEN])
@pytest.mark.parametrize(
    "metric",
    [
        metrics.paired_differences,
        metrics.paired_delta,
        metrics.exact_stratified_test,
        metrics.case_evidence,
        metrics.between_case_variance,
        metrics.samples_to_settle,
        lambda before, after: (metrics.micro(before), metrics.micro(after)),
    ],
)
def test_runs_of_counts_are_arrays_of_two_columns(
    metric: Callable[[Any, Any], object], dtype: str
) -> None:
    found = metric(np.array(RUNS, dtype=dtype), np.array(AFTER, dtype=dtype))
    assert found == metric(PAIRS, AFTERS)


OF_SHARES: dict[str, Callable[[Any], object]] = {
    "case_score": metrics.case_score,
    "score_sd": metrics.score_sd,
    "var_case_score": metrics.var_case_score,
    "macro": metrics.macro,
    "nearest_rank": lambda values: metrics.nearest_rank(values, 0.5),
    "competition_ranks": metrics.competition_ranks,
    "modified_wilson": lambda values: metrics.modified_wilson(values, 20),
    "se_population": metrics.se_population,
    "se_rerun": metrics.se_rerun,
    "paired_interval": metrics.paired_interval,
    "holm": metrics.holm,
    "benjamini_hochberg": metrics.benjamini_hochberg,
    "tarone": lambda values: metrics.tarone(values, 0.025),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "longdouble", "object"])
@pytest.mark.parametrize("metric", OF_SHARES.values(), ids=OF_SHARES)
def test_shares_in_an_array_mean_the_decimals_that_they_print_as(
    metric: Callable[[Any], object], dtype: str
) -> None:
    array = np.array(["0.95", "0.87", "0.05", "0.5"], dtype="float64").astype(dtype)
    if dtype == "longdouble":
        array = np.array([np.longdouble(word) for word in ("0.95", "0.87", "0.05", "0.5")])
    assert metric(array) == metric([0.95, 0.87, 0.05, 0.5])
    assert metric(tuple(array)) == metric([0.95, 0.87, 0.05, 0.5])


@pytest.mark.parametrize("metric", OF_SHARES.values(), ids=OF_SHARES)
def test_a_generator_is_read_once_as_a_list(metric: Callable[[Any], object]) -> None:
    assert metric(x / 10 for x in (3, 5, 9)) == metric([0.3, 0.5, 0.9])


NUMBERS = [0.05, 0.07, 0.5, 1.0, 0.0, 1 / 4]


@pytest.mark.parametrize("dtype", ["float32", "float64", "longdouble"])
@pytest.mark.parametrize("number", NUMBERS)
def test_one_number_of_any_width_is_read_as_the_decimal_that_it_prints_as(
    number: float, dtype: str
) -> None:
    scalar = np.longdouble(str(number)) if dtype == "longdouble" else np.dtype(dtype).type(number)
    assert metrics.exact(scalar) == metrics.exact(number)
    assert metrics.exact(np.array(scalar)) == metrics.exact(number)
    assert metrics.percent(scalar) == metrics.percent(number)
    assert metrics.pass_at_k_naive(scalar, 3) == metrics.pass_at_k_naive(number, 3)
    assert metrics.change(scalar, 0.0) == metrics.change(number, 0.0)
    assert metrics.change(0.5, 0.45, scalar) == metrics.change(0.5, 0.45, number)


@calm
@given(st.floats(0, 1, width=32))
def test_a_single_comes_back_from_the_rational_that_it_was_read_as(value: float) -> None:
    assert np.float32(float(metrics.exact(np.float32(value)))) == np.float32(value)


def test_trials_and_clusters_are_arrays_too() -> None:
    trials = np.array([True, True, False, True, True])
    assert metrics.multi_trial(trials) == metrics.multi_trial([True, True, False, True, True])
    assert metrics.multi_trial(trials.astype("uint8")) == metrics.multi_trial(trials)
    values, groups = [1, 1, 0, 1], ["a", "a", "b", "b"]
    found = metrics.se_population(np.array(values), clusters=np.array(groups))
    assert found == metrics.se_population(values, clusters=groups)


JUNK: list[Any] = [
    "0.5",
    b"1",
    None,
    object(),
    1 + 2j,
    np.complex64(1),
    np.datetime64("2026-01-01"),
    np.str_("1"),
    {"a": 1},
    float("nan"),
    float("inf"),
    Decimal("NaN"),
    np.float32("nan"),
    np.float16("inf"),
    np.ma.masked,
    [0.5],
    (0.5, 0.5),
    np.array([0.5, 0.5]),
]
TAKERS: dict[str, Callable[[Any], object]] = {
    "exact": metrics.exact,
    "percent": metrics.percent,
    "tau": lambda junk: metrics.tau_threshold(5, junk),
    "rate": lambda junk: metrics.pass_to_the_k(junk, 2),
    "score": lambda junk: metrics.case_score([0.5, junk]),
    "rank": lambda junk: metrics.competition_ranks([0.5, junk]),
    "latency": lambda junk: metrics.nearest_rank([0.5, junk], 0.5),
    "k": lambda junk: metrics.pass_at_k(5, 3, junk),
    "n": lambda junk: metrics.pass_at_k(junk, 0, 1),
    "count": lambda junk: metrics.micro([(5, junk)]),
    "pair": lambda junk: metrics.paired_delta([(5, 4)], [junk]),
    "entry": lambda junk: metrics.mean_pass_at_k([[1, junk]], 1),
    "outcome": lambda junk: metrics.bayes([[1, junk]], [0, 1]),
    "outcome without weights": lambda junk: metrics.bayes([[1, junk]]),
    "weight": lambda junk: metrics.bayes([[1, 0]], [0, junk]),
    "average": lambda junk: metrics.avg([[1, junk]]),
    "trial": lambda junk: metrics.multi_trial([True, junk]),
    "df": lambda junk: metrics.student_t_quantile(0.9, junk),
    "level": metrics.z_of_level,
}


@pytest.mark.parametrize("junk", JUNK, ids=lambda junk: repr(junk).partition(" at 0x")[0][:30])
@pytest.mark.parametrize("taker", TAKERS.values(), ids=TAKERS)
def test_what_is_no_number_is_refused_in_one_line(
    taker: Callable[[Any], object], junk: object
) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        taker(junk)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


SEQUENCES = [
    (function, name)
    for function in (getattr(metrics, name) for name in metrics.__all__)
    if inspect.isfunction(function)
    for name, parameter in inspect.signature(function).parameters.items()
    if str(parameter.annotation).startswith("collections.abc.Sequence")
]


@pytest.mark.parametrize("junk", [5, "words", {0: 1}, {1, 0}, 0.5, object(), np.float64(1), b"10"])
@pytest.mark.parametrize(
    ("function", "name"), SEQUENCES, ids=[f"{f.__name__}-{name}" for f, name in SEQUENCES]
)
def test_what_is_no_list_is_refused_by_the_parameters_name(
    function: Callable[..., object], name: str, junk: object
) -> None:
    given: dict[str, Any] = {
        other: [] if "Sequence" in str(parameter.annotation) else 1
        for other, parameter in inspect.signature(function).parameters.items()
        if parameter.default is inspect.Parameter.empty
    }
    with pytest.raises(ValueError, match=f"^{name} must be a list or an array, not ") as caught:
        function(**{**given, name: junk})
    assert "\n" not in str(caught.value)


def test_a_large_array_in_the_wrong_place_does_not_fill_the_message() -> None:
    large = np.arange(10_000).reshape(100, 100)
    for refused in (
        lambda: metrics.exact(large),
        lambda: metrics.pass_at_k(large, 1, 1),
        lambda: metrics.mean_pass_at_k(large, 1),
        lambda: metrics.mean_pass_at_k([tuple(range(1000))], 1),
    ):
        with pytest.raises(ValueError, match=r".") as caught:
            refused()
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 200


@pytest.mark.parametrize("k", [2.0, True, np.bool_("x"), np.float64(2.5), "2", np.float32("nan")])
def test_a_k_that_is_no_integer_is_refused(k: object) -> None:
    with pytest.raises(ValueError, match="whole number"):
        metrics.pass_at_k(5, 3, k)
