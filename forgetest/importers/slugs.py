"""Names of tests, made from what they check."""

import re
from collections.abc import Iterable

_WORD = re.compile(r"[A-Za-z0-9]+")
_MINUS = re.compile(r"(?<![A-Za-z0-9_)\]] )(?<![A-Za-z0-9_)\]])-(?=\s*[0-9])")
_LONGEST = 48  # characters of what a name says


def test_names(checks: Iterable[str]) -> tuple[str, ...]:
    """Return a name for each test of a list: `case_2_largest_3_minus_1` for `largest(&[3, -1])`."""
    return tuple(f"case_{n}{_said(text)}" for n, text in enumerate(checks, start=1))


def _said(text: str) -> str:
    said = ""
    for word in _WORD.findall(_MINUS.sub(" minus ", text)):
        if len(said) + len(word) >= _LONGEST:
            break
        said += f"_{word.lower()}"
    return said
