"""forgetest: an eval runner for Rust code generation.

    import forgetest

    cases = forgetest.load("rust-basics")
    async with forgetest.Grader() as grader:
        result = await grader.grade(cases["days-in-month"], reply)

Type checkers read `__init__.pyi`. No room is imported here: whoever imports a file of the package
imports this one, too.
"""

from importlib import import_module
from typing import Any

from forgetest.version import __version__

# Where the names live: a program that starts loads none of them.
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
# One file for each tool of others; those that lack the tool say what to install.
_INTEGRATIONS = ("inspect", "lm_eval", "trl", "verifiers")
__all__ = [*_HOMES, "__version__"]  # noqa: PLE0604 - names, all of them


def __getattr__(name: str) -> Any:
    """Return a name of the API; AttributeError for any other."""
    if name in _INTEGRATIONS:
        return import_module(f"forgetest.integrations.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'forgetest' has no attribute {name!r}")
    return getattr(import_module(f"forgetest.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
