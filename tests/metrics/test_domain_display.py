"""Percentages as a person sees them."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metrics_strategies import calm

from forgetest.metrics import percent


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0.0 %"),
        (Fraction(1, 10**9), "<0.1 %"),
        (Fraction(1, 2000), "<0.1 %"),
        (Fraction(1, 1999), "0.1 %"),
        (0.0005, "<0.1 %"),
        (Fraction(1, 1000), "0.1 %"),
        (Fraction(79137, 190120), "41.6 %"),
        (0.4162476330738481, "41.6 %"),
        (Fraction(1, 16), "6.2 %"),
        (Fraction(3, 16), "18.8 %"),
        (Fraction(247, 2000), "12.4 %"),
        (0.1235, "12.4 %"),
        (Fraction(249, 2000), "12.4 %"),
        (0.7, "70.0 %"),
        (Fraction(2, 3), "66.7 %"),
        (Fraction(999, 1000), "99.9 %"),
        (Fraction(1998, 1999), "99.9 %"),
        (Fraction(1999, 2000), ">99.9 %"),
        (1 - Fraction(1, 10**9), ">99.9 %"),
        (1, "100.0 %"),
        (1.0, "100.0 %"),
    ],
)
def test_a_percentage_has_one_decimal_and_never_rounds_to_none_or_all(
    value: float, text: str
) -> None:
    assert percent(value) == text


@calm
@given(st.fractions(0, 1))
def test_a_percentage_is_within_half_of_its_last_digit(value: Fraction) -> None:
    text = percent(value)
    shown = Fraction(text.strip("<>% ")) / 100
    assert abs(shown - value) <= (Fraction(1, 1000) if text[0] in "<>" else Fraction(1, 2000))
    assert (text in ("0.0 %", "100.0 %")) == (value in (0, 1))


@pytest.mark.parametrize("value", [-0.001, 1.001, float("nan"), float("inf")])
def test_what_is_no_share_has_no_percentage(value: float) -> None:
    with pytest.raises(ValueError, match=r"0 to 1|finite"):
        percent(value)
