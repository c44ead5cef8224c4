"""The stub of a solution: the same items, and nothing done by any of them.

A stub compiles and fails every test that calls it; it is the lower anchor of an eval set. Bodies
are replaced where the signature alone settles all types; elsewhere the body stays, behind a
`todo!()` that is always reached first.
"""

import re
from dataclasses import dataclass

_TODO = "todo!()"
_STRICT = re.compile(r"\b(?:deny|forbid)\b")


@dataclass(frozen=True, slots=True)
class _Edit:
    """Bytes to replace."""

    start: int
    end: int
    text: str


def stub(source: str) -> str:
    """Return `source` with every function body replaced by `todo!()`.

    Kept are `main`, functions that run at compile time, and macros. Lints that would refuse the
    stub for what it leaves unused become warnings.
    """
