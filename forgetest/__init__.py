"""forgetest: an eval runner for Rust code generation.

    import forgetest

    cases = forgetest.load("rust-basics")
    async with forgetest.Grader() as grader:
        result = await grader.grade(cases["days-in-month"], reply)

Type checkers read `__init__.pyi`. No room is imported here: whoever imports a file of the package
imports this one, too.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from forgetest.version import __version__

# Where the names are: a program that starts loads none of them.
_HOMES = {
    "Cases": "api.cases:Cases",
    "Comparison": "api.comparisons:RunComparison",
    "Fault": "errors:Fault",
    "FaultKind": "errors:FaultKind",
    "ForgetestError": "errors:ForgetestError",
    "Grader": "api.grader:Grader",
    "Progress": "api.runs:Progress",
    "Report": "api.reports:RunReport",
    "Result": "api.result:Result",
    "Weights": "api.result:Weights",
    "compare": "api.comparisons:compare",
    "grade_many": "api.blocking:grade_many",
    "load": "api.cases:load",
    "run": "api.runs:run",
}
# One file for each tool of others; those that lack the tool say what to install.
_INTEGRATIONS = ("inspect", "lm_eval", "trl", "verifiers")
__all__ = [*_HOMES, "__version__"]  # noqa: PLE0604 - names, all of them


def __getattr__(name: str) -> Any:
    """Return a name of the API; AttributeError for any other."""
    if name in _INTEGRATIONS:
        return import_module(f"forgetest.integrations.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'forgetest' has no attribute {name!r}")
    home, _, attribute = _HOMES[name].partition(":")
    return getattr(import_module(f"forgetest.{home}"), attribute)


def __dir__() -> list[str]:
    return sorted(__all__)


class _Package(ModuleType):
    """This package, in which `run` and `compare` are functions although rooms have these names.

    Importing a room would put it in their place.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
