"""Evidence for single cases and for many tests at once."""

from fractions import Fraction
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_strategies import calm

from forgetest.metrics import (
    Counts,
    Tarone,
    benjamini_hochberg,
    fisher_one_sided,
    fisher_p_min,
    holm,
    sign_e_value,
    tarone,
)

p_values = st.lists(st.fractions(0, 1, max_denominator=200), max_size=9)


@pytest.mark.parametrize(
    ("baseline", "current", "p"),
    [
        ((5, 5), (5, 5), "1"),
        ((3, 3), (3, 0), "1/20"),
        ((4, 4), (4, 0), "1/70"),
        ((5, 5), (5, 0), "1/252"),
        ((5, 5), (5, 1), "1/42"),
        ((5, 4), (5, 1), "13/126"),
        ((10, 10), (10, 5), "21/1292"),
        ((10, 9), (10, 3), "83/8398"),
        ((5, 3), (5, 4), "11/12"),
    ],
)
def test_fishers_p_values_of_the_specification(baseline: Counts, current: Counts, p: str) -> None:
    assert fisher_one_sided(baseline, current) == Fraction(p)


@pytest.mark.parametrize(
    ("baseline", "current", "p"),
    [
        ((5, 4), (5, 1), "1/252"),
        ((10, 9), (10, 3), "3/8398"),
        ((5, 5), (5, 5), "1"),
        ((5, 0), (5, 0), "1"),
        ((2, 0), (5, 1), "2/7"),
    ],
)
def test_the_least_p_values_that_cases_can_reach(baseline: Counts, current: Counts, p: str) -> None:
    assert fisher_p_min(baseline, current) == Fraction(p)


@calm
@given(
    baseline=st.tuples(st.integers(1, 6), st.integers(0, 6)),
    current=st.tuples(st.integers(1, 6), st.integers(0, 6)),
)
def test_fishers_p_value_is_a_share_of_all_relabellings(baseline: Counts, current: Counts) -> None:
    (n_a, c_a), (n_b, c_b) = ((n, min(n, c)) for n, c in (baseline, current))
    pool = [1] * (c_a + c_b) + [0] * (n_a + n_b - c_a - c_b)
    dealt = [sum(deal) for deal in combinations(pool, n_b)]
    expected = Fraction(sum(c <= c_b for c in dealt), len(dealt))
    least = Fraction(dealt.count(min(dealt)), len(dealt))
    assert fisher_one_sided((n_a, c_a), (n_b, c_b)) == expected
    assert fisher_p_min((n_a, c_a), (n_b, c_b)) == least <= expected


@pytest.mark.parametrize(
    ("baseline", "current"),
    [((0, 0), (5, 1)), ((5, 1), (0, 0)), ((5, 6), (5, 1)), ((5, 1.0), (5, 1))],
)
def test_cases_without_counts_are_refused(baseline: Counts, current: Counts) -> None:
    for test in (fisher_one_sided, fisher_p_min):
        with pytest.raises(ValueError, match=r"scored samples in both|0 <= c <= n"):
            test(baseline, current)


@pytest.mark.parametrize(
    ("smallest", "expected"),
    [
        (["1/252", "1/12", "1", "1", "1"], Tarone(1, Fraction(1, 40))),
        (["1/252"] * 5 + ["1"] * 15, Tarone(5, Fraction(1, 200))),
        (["1/252"] * 10, Tarone(7, Fraction(1, 280))),
        ([], Tarone(1, Fraction(1, 40))),
    ],
)
@pytest.mark.parametrize("alpha", [0.025, Fraction(1, 40)])
def test_tarone_corrects_only_for_cases_that_could_be_decided(
    smallest: list[str], expected: Tarone, alpha: float
) -> None:
    assert tarone([Fraction(p) for p in smallest], alpha) == expected


@pytest.mark.parametrize(
    ("n", "p_min", "undecided"),
    [
        (3, "1/20", 0),
        (4, "1/70", 1),
        (5, "1/252", 6),
        (6, "1/924", 23),
        (7, "1/3432", 85),
        (8, "1/12870", 321),
        (10, "1/184756", 4618),
    ],
)
def test_how_many_cases_may_be_undecided_beside_a_broken_one(
    n: int, p_min: str, undecided: int
) -> None:
    p = fisher_one_sided((n, n), (n, 0))
    assert p == Fraction(1, comb(2 * n, n)) == Fraction(p_min)
    assert (p <= tarone([p] * max(1, undecided), 0.025).threshold) == (undecided > 0)
    assert p > tarone([p] * (undecided + 1), 0.025).threshold


@calm
@given(smallest=p_values, alpha=st.fractions(Fraction(1, 100), 1))
def test_tarone_never_lets_more_through_than_it_corrects_for(
    smallest: list[Fraction], alpha: Fraction
) -> None:
    found = tarone(smallest, alpha)
    assert sum(p <= found.threshold for p in smallest) <= found.tests <= max(1, len(smallest))


def test_the_adjusted_p_values_of_the_specification() -> None:
    raw = [0.01, 0.04, 0.03, 0.005]
    assert [float(p) for p in holm(raw)] == [0.03, 0.06, 0.06, 0.02]
    assert [float(p) for p in benjamini_hochberg(raw)] == [0.02, 0.04, 0.04, 0.02]
    assert holm(raw)[0] == Fraction(3, 100)


@calm
@given(p_values)
def test_adjusted_p_values_keep_their_order_and_their_bounds(raw: list[Fraction]) -> None:
    for adjusted in (holm(raw), benjamini_hochberg(raw)):
        assert all(p <= q <= min(1, p * len(raw)) for p, q in zip(raw, adjusted, strict=True))
        by_raw = [q for _, q in sorted(zip(raw, adjusted, strict=True))]
        assert by_raw == sorted(adjusted)
    assert all(p >= q for p, q in zip(holm(raw), benjamini_hochberg(raw), strict=True))


@calm
@given(raw=p_values, alpha=st.fractions(Fraction(1, 100), Fraction(1, 2)))
def test_holm_rejects_what_its_steps_reject(raw: list[Fraction], alpha: Fraction) -> None:
    rejected = 0
    for step, p in enumerate(sorted(raw)):
        if p > alpha / (len(raw) - step):
            break
        rejected += 1
    assert sum(p <= alpha for p in holm(raw)) == rejected


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg, lambda ps: tarone(ps, 0.05)])
@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_p_values_outside_0_to_1_are_refused(adjust: type[list[float]], wrong: float) -> None:
    with pytest.raises(ValueError, match=r"0 to 1|finite"):
        adjust([0.5, wrong])


@pytest.mark.parametrize("alpha", [0, -0.1, 1.1])
def test_an_alpha_that_allows_nothing_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="alpha"):
        tarone([0.5], alpha)


@pytest.mark.parametrize(
    ("b", "c", "expected"),
    [
        (0, 0, 1),
        (1, 0, 1),
        (8, 4, 0.4443359375),
        (10, 0, 180.42578125),
        (20, 5, 19.485280752182007),
    ],
)
def test_sign_e_values_of_the_specification(b: int, c: int, expected: float) -> None:
    assert float(sign_e_value(b, c)) == float(sign_e_value(c, b)) == expected


@calm
@given(b=st.integers(0, 30), c=st.integers(0, 30))
def test_a_sign_e_value_is_a_fair_bet(b: int, c: int) -> None:
    following = (sign_e_value(b + 1, c) + sign_e_value(b, c + 1)) / 2
    assert following == sign_e_value(b, c)


@pytest.mark.parametrize(("b", "c"), [(-1, 0), (0, -1), (1.0, 0), (True, 0)])
def test_pairs_that_are_not_counted_are_refused(b: int, c: int) -> None:
    with pytest.raises(ValueError, match="counted"):
        sign_e_value(b, c)
