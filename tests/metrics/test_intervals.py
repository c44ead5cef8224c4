"""Wilson intervals, standard errors and Student's t."""

from fractions import Fraction
from math import sqrt
from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_strategies import calm

from forgetest.metrics import (
    modified_wilson,
    se_population,
    se_rerun,
    student_t_quantile,
    var_pass_at_k_exact,
    wilson,
    z_of_level,
)

FIVE = [Fraction(c, 5) for c in (5, 4, 0, 3, 5)]
OUTCOMES, CLUSTERS = [1, 1, 0, 1, 0, 0, 1, 1], [1, 1, 2, 2, 3, 3, 4, 4]
CLOSE = {"rel": 0, "abs": 1e-12}

WILSON = [
    (10, 0, 0.0, 0.27753279986288925),
    (10, 7, 0.39677814746114532, 0.89220873259369898),
    (10, 10, 0.72246720013711075, 1.0),
    (20, 18, 0.6989663547715127, 0.97213351878623179),
    (30, 26, 0.70318673317963701, 0.94690344515945256),
    (164, 80, 0.41246302801082874, 0.56370495796769389),
    (164, 164, 0.97711257488057241, 1.0),
]


@pytest.mark.parametrize(("n", "c", "lower", "upper"), WILSON)
def test_wilson_intervals_of_the_specification(n: int, c: int, lower: float, upper: float) -> None:
    found = wilson(n, c)
    assert found is not None
    assert (found.mean, found.n_eff) == (Fraction(c, n), n)
    assert (found.lower, found.upper) == pytest.approx((lower, upper), **CLOSE)


@pytest.mark.parametrize(("n", "c", "lower", "upper"), WILSON)
def test_with_one_sample_a_case_the_modified_interval_is_the_plain_one(
    n: int, c: int, lower: float, upper: float
) -> None:
    found = modified_wilson([1] * c + [0] * (n - c), n)
    assert found is not None
    assert found.n_eff == n
    assert (found.lower, found.upper) == pytest.approx((lower, upper), **CLOSE)


@pytest.mark.parametrize(
    ("values", "samples", "mean", "n_eff", "lower", "upper"),
    [
        (FIVE, 25, "17/25", "340/43", 0.34798862044288238, 0.89429994744236947),
        ([Fraction(3, 5)] * 4, 20, "3/5", "20", 0.38658150076225316, 0.78119346762718296),
        ([1] * 6, 18, "1", "6", 0.60966571209783462, 1.0),
    ],
)
def test_modified_intervals_of_the_specification(
    values: list[Fraction], samples: int, mean: str, n_eff: str, lower: float, upper: float
) -> None:
    found = modified_wilson(values, samples)
    assert found is not None
    assert (found.mean, found.n_eff) == (Fraction(mean), Fraction(n_eff))
    assert (found.lower, found.upper) == pytest.approx((lower, upper), **CLOSE)


def test_the_ends_are_exact_where_nothing_or_everything_passes() -> None:
    nothing, everything = wilson(10, 0), modified_wilson([1.0, 1.0], 2)
    assert nothing is not None
    assert everything is not None
    assert (repr(nothing.lower), repr(everything.upper)) == ("0.0", "1.0")


def test_clusters_lower_the_effective_sample_size() -> None:
    found = modified_wilson(OUTCOMES, 8, clusters=CLUSTERS)
    assert found is not None
    spread = Fraction(3**2 + 1**2 + 5**2 + 3**2, 4**2 * 8**2)
    assert found.n_eff == Fraction(15, 64) / spread
    assert found.n_eff < 8


@pytest.mark.parametrize("value", [0, 1])
def test_clusters_that_agree_entirely_count_as_clusters(value: int) -> None:
    found = modified_wilson([value] * 6, 18, clusters=[1, 1, 2, 2, 3, 3])
    assert found is not None
    assert found.n_eff == 3


def test_the_effective_sample_size_is_never_more_than_the_samples() -> None:
    found = modified_wilson([0.5, 0.5, 0.500001], 15)
    assert found is not None
    assert found.n_eff == 15


def test_one_case_has_an_interval_but_no_population_error() -> None:
    found = modified_wilson([Fraction(3, 5)], 5)
    assert found is not None
    assert found.n_eff == 5
    assert se_population([Fraction(3, 5)]) is None


def test_equal_values_have_no_error_but_an_interval_with_width() -> None:
    found = modified_wilson([0.4] * 4, 20)
    assert se_population([0.4] * 4) == 0
    assert found is not None
    assert found.lower < 0.4 < found.upper


def test_no_cases_have_no_interval() -> None:
    assert wilson(0, 0) is None
    assert modified_wilson([], 0) is None


@calm
@given(
    values=st.lists(st.fractions(0, 1, max_denominator=10), min_size=1, max_size=12),
    spare=st.integers(0, 40),
    marks=st.lists(st.integers(0, 3), min_size=12, max_size=12),
)
def test_an_interval_holds_its_mean_within_0_to_1(
    values: list[Fraction], spare: int, marks: list[int]
) -> None:
    for clusters in (None, marks[: len(values)]):
        found = modified_wilson(values, len(values) + spare, clusters=clusters)
        assert found is not None
        assert 0 <= found.lower <= found.mean <= found.upper <= 1
        assert found.upper - found.lower > 0


def test_a_higher_level_gives_a_wider_interval() -> None:
    narrow, wide = wilson(20, 7, level=0.9), wilson(20, 7, level=0.99)
    assert narrow is not None
    assert wide is not None
    assert wide.lower < narrow.lower < narrow.upper < wide.upper


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, float("nan")])
def test_a_level_that_is_no_share_is_refused(level: float) -> None:
    for call in (lambda: wilson(5, 3, level=level), lambda: modified_wilson([1], 1, level=level)):
        with pytest.raises(ValueError, match=r"level|finite"):
            call()


@pytest.mark.parametrize(
    ("values", "samples", "clusters", "message"),
    [
        ([1.5], 1, None, "0 to 1"),
        ([float("nan")], 1, None, "finite"),
        ([1, 0], 1, None, "cannot rest on 1"),
        ([1, 0], 2, [1], "same length"),
    ],
)
def test_values_that_can_not_be_averaged_are_refused(
    values: list[float], samples: int, clusters: list[int] | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        modified_wilson(values, samples, clusters=clusters)


def test_population_errors_of_the_specification() -> None:
    assert se_population(FIVE) == pytest.approx(0.18547236990991408, rel=1e-15)
    assert se_population(FIVE) == sqrt(Fraction(43, 1250))


def test_clustered_errors_of_the_specification() -> None:
    plain, clustered = se_population(OUTCOMES), se_population(OUTCOMES, clusters=CLUSTERS)
    assert plain == sqrt(Fraction(15, 448)) == pytest.approx(0.18298126, abs=5e-9)
    assert clustered == pytest.approx(0.23935677693908453, rel=1e-15)
    assert clustered == sqrt(Fraction(11, 192))
    uncorrected = sqrt(Fraction(169, 3584))
    assert uncorrected == pytest.approx(0.21714975905384482, rel=1e-15)
    assert clustered > uncorrected


@calm
@given(st.lists(st.integers(0, 9), min_size=2, max_size=20))
def test_a_cluster_of_its_own_for_each_case_changes_nothing(values: list[int]) -> None:
    expected = stdev(values) / sqrt(len(values))
    assert se_population(values) == pytest.approx(expected, rel=1e-12)
    assert se_population(values, clusters=range(len(values))) == se_population(values)


def test_one_cluster_has_no_population_error() -> None:
    assert se_population([0, 1, 1], clusters=["a", "a", "a"]) is None


def test_clusters_of_another_number_are_refused() -> None:
    with pytest.raises(ValueError, match="same length"):
        se_population([0, 1], clusters=["a"])


def test_the_rerun_error_is_the_root_of_summed_variances() -> None:
    pairs = [(5, 5), (5, 4), (5, 5), (5, 0), (5, 3), (5, 3), (5, 2), (5, 5), (5, 0), (5, 4)]
    parts = [var_pass_at_k_exact(n, c, 1) or Fraction() for n, c in pairs]
    of_delta = [before + after for before, after in zip(parts[:5], parts[5:], strict=True)]
    assert se_rerun(of_delta) == pytest.approx(0.10198039027185571, rel=1e-15)


@pytest.mark.parametrize(
    ("variances", "expected"),
    [([], None), ([0.1, None], None), ([0, 0], 0.0), ([Fraction(1, 4)], 0.5)],
)
def test_the_rerun_error_needs_every_cases_variance(
    variances: list[float | None], expected: float | None
) -> None:
    assert se_rerun(variances) == expected


def test_a_negative_variance_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        se_rerun([0.1, -0.1])


@pytest.mark.parametrize(
    ("df", "t"),
    [
        (1, 12.706204736174705),
        (2, 4.3026527297494639),
        (4, 2.7764451051977944),
        (9, 2.2621571627982055),
        (19, 2.0930240544083098),
        (49, 2.0095752371292397),
        (163, 1.9746246209663613),
    ],
)
def test_quantiles_of_student_t(df: int, t: float) -> None:
    assert student_t_quantile(0.975, df) == pytest.approx(t, **CLOSE)
    assert student_t_quantile(0.025, df) == pytest.approx(-t, **CLOSE)


@calm
@given(p=st.fractions(Fraction(1, 10_000), Fraction(9999, 10_000)), df=st.integers(1, 60))
def test_quantiles_of_student_t_rise_with_p_and_are_symmetric(p: Fraction, df: int) -> None:
    t = student_t_quantile(p, df)
    assert student_t_quantile(1 - p, df) == pytest.approx(-t, rel=1e-9, abs=1e-12)
    assert student_t_quantile(p + Fraction(1, 100_000), df) > t


def test_many_degrees_of_freedom_come_near_the_normal_quantile() -> None:
    assert student_t_quantile(0.5, 7) == 0
    assert student_t_quantile(0.975, 20_000) == pytest.approx(z_of_level(0.95), abs=2e-4)
    assert z_of_level(0.95) == pytest.approx(1.9599639845400542, **CLOSE)


@pytest.mark.parametrize(
    ("p", "df"), [(0, 3), (1, 3), (1.5, 3), (float("nan"), 3), (0.9, 0), (0.9, 2.5), (0.9, True)]
)
def test_quantiles_that_are_not_there_are_refused(p: float, df: int) -> None:
    with pytest.raises(ValueError, match=r"p must|df must|finite"):
        student_t_quantile(p, df)
