"""Prove, before anything is paid for, that this machine grades: a canary through the whole path.

The direct calls must say of small canaries what cargo is known to say. Where they do not, because
the toolchain is of a kind that nobody has seen, cargo itself is called for every sample.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from forgetest.errors import Fault, ToolchainError
from forgetest.evalset.types import Case
from forgetest.grading.verdict import Diagnostic, Outcome, Verdict

_TESTS = """
#[test]
fn sings() { assert_eq!(canary(3), 4); }
#[test]
fn falls_silent() { assert_eq!(canary(3), 5); }
"""


@dataclass(frozen=True, slots=True)
class Canary:
    """Code with a known verdict: outcome, codes of rustc's errors, names of clippy's lints."""

    code: str
    outcome: Outcome
    errors: tuple[str, ...] = ()
    lints: tuple[str, ...] = ()

    def agrees(self, verdict: Verdict) -> bool:
        """Tell whether a verdict is the known one."""
        return (verdict.outcome, _codes(verdict.errors), _codes(verdict.lints)) == (
            self.outcome,
            self.errors,
            self.lints,
        )


CANARIES = (
    # One test passes and one fails: neither a harness that says yes to all nor one that says no.
    Canary(
        "#![allow(clippy::all)]\npub fn canary(x: u32) -> u32 { return x + 1; }\n",
        Outcome.TESTS_FAILED,
        lints=("clippy::needless_return",),
    ),
    # An error that shows when code is made for a function, and not before.
    Canary(
        "const fn one<T>() -> usize { 1 / (std::mem::size_of::<T>() - 1) }\n"
        "struct Divided<T>(T);\nimpl<T> Divided<T> { const BY: usize = one::<T>(); }\n"
        "pub fn canary(x: u32) -> u32 { x + Divided::<u8>::BY as u32 }\n",
        Outcome.COMPILE_FAILED,
        errors=("E0080",),
    ),
)


def _codes(diagnostics: tuple[Diagnostic, ...]) -> tuple[str, ...]:
    return tuple(sorted({one.code for one in diagnostics if one.code}))


Grade = Callable[[Case, str], Awaitable[Verdict]]


async def disagreement(grade: Grade) -> str | None:
    """Return why `grade` cannot be trusted; None when it knows every canary."""
    case = canary_case()
    for canary in CANARIES:
        try:
            verdict = await grade(case, canary.code)
        except Fault as fault:
            return fault.message
        if not canary.agrees(verdict):
            return f"a canary was found {verdict.outcome}: {'; '.join(verdict.reasons)}"
    return None


def canary_case() -> Case:
    """Return the case of the canaries."""
    return Case.model_validate(
        {
            "id": "canary",
            "eval_set": "canary",
            "name": "canary",
            "prompt": "canary",
            "reference_solution": "pub fn canary(x: u32) -> u32 { x + 1 }\n",
            "expectations": {"test_file": _TESTS},
        }
    )


def unusable(why: str) -> ToolchainError:
    """Return the error of a machine on which no canary sings."""
    return ToolchainError(f"this machine cannot grade: {why}; run forgetest doctor")
