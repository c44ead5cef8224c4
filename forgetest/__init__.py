"""forgetest: an eval runner for Rust code generation.

import forgetest

cases = forgetest.load("rust-basics")
async with forgetest.Grader() as grader:
    result = await grader.grade(cases["clamp-sum"], reply)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from forgetest.version import __version__

if TYPE_CHECKING:
    from forgetest.api.blocking import grade_many
    from forgetest.api.cases import Cases, load
    from forgetest.api.grader import Grader
    from forgetest.api.result import Result, Weights
    from forgetest.errors import Fault, FaultKind, ForgetestError

__all__ = [
    "Cases",
    "Fault",
    "FaultKind",
    "ForgetestError",
    "Grader",
    "Result",
    "Weights",
    "__version__",
    "grade_many",
    "load",
]

# Where the names stand: a program that starts loads none of them.
_HOMES = {
    "Cases": "api.cases",
    "Fault": "errors",
    "FaultKind": "errors",
    "ForgetestError": "errors",
    "Grader": "api.grader",
    "Result": "api.result",
    "Weights": "api.result",
    "grade_many": "api.blocking",
    "load": "api.cases",
}


def __getattr__(name: str) -> Any:
    """Return a name of the API; AttributeError for any other."""
    if name not in _HOMES:
        raise AttributeError(f"module 'forgetest' has no attribute {name!r}")
    return getattr(import_module(f"forgetest.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
