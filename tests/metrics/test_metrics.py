"""The library as others use it: complete, documented, exact about its input, light to import."""

import inspect
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import pytest

from forgetest import metrics

FUNCTIONS = [
    getattr(metrics, name) for name in metrics.__all__ if inspect.isfunction(getattr(metrics, name))
]


def test_everything_public_is_named_once_and_is_there() -> None:
    assert len(metrics.__all__) == len(set(metrics.__all__))
    assert all(hasattr(metrics, name) for name in metrics.__all__)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_every_function_says_what_it_returns(function: object) -> None:
    assert inspect.getdoc(function)
    assert "Return" in (inspect.getdoc(function) or "")


def test_the_library_needs_nothing_but_the_standard_library() -> None:
    program = (
        "import sys, forgetest.metrics\n"
        "tops = {name.partition('.')[0] for name in sys.modules}\n"
        "print(*sorted(tops & {'pydantic', 'httpx', 'rich', 'typer', 'numpy', 'scipy'}))"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == ""


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (0.05, Fraction(1, 20)),
        (0.1, Fraction(1, 10)),
        (1e-12, Fraction(1, 10**12)),
        (Decimal("0.07"), Fraction(7, 100)),
        (Fraction(5, 6), Fraction(5, 6)),
        (3, Fraction(3)),
        (-0.5, Fraction(-1, 2)),
    ],
)
def test_a_number_is_read_as_what_it_prints_as(given: float, expected: Fraction) -> None:
    assert metrics.exact(given) == expected


@pytest.mark.parametrize(
    "given", [float("nan"), float("inf"), -float("inf"), Decimal("NaN"), Decimal("Infinity")]
)
def test_a_number_without_end_is_refused(given: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        metrics.exact(given)


def test_the_reasons_are_the_words_that_reports_use() -> None:
    assert [str(reason) for reason in metrics.Reason] == [
        "unscored",
        "insufficient_samples",
        "needs_2k_samples",
        "empty",
    ]
