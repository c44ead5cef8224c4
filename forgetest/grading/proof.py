"""Prove, before anything is paid for, that this machine can grade: canaries through the whole path.

The direct calls must return the verdicts on small canaries that cargo is known to give. If they do
not, because the toolchain is of an unknown kind, cargo itself is called for every sample.
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
    # One test passes and one fails, so a harness that always says yes or always no is found out.
    Canary(
        "#![allow(clippy::all)]\npub fn canary(x: u32) -> u32 { return x + 1; }\n",
        Outcome.TESTS_FAILED,
        lints=("clippy::needless_return",),
    ),
    # An error that appears only when code is generated for a function.
    Canary(
        "const fn one<T>() -> usize { 1 / (std::mem::size_of::<T>() - 1) }\n"
        "struct Divided<T>(T);\nimpl<T> Divided<T> { const BY: usize = one::<T>(); }\n"
        "pub fn canary(x: u32) -> u32 { x + Divided::<u8>::BY as u32 }\n",
        Outcome.COMPILE_FAILED,
        errors=("E0080",),
    ),
)


def _codes(diagnostics: tuple[Diagnostic, ...]) -> tuple[str, ...]:
    return tuple(sorted({diagnostic.code for diagnostic in diagnostics if diagnostic.code}))


Grade = Callable[[Case, str], Awaitable[Verdict]]


async def disagreement(grade: Grade) -> str | None:
    """Return why `grade` cannot be trusted; None when it judges every canary rightly."""
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


def cannot_grade(why: str) -> ToolchainError:
    """Return the error for a machine on which a canary gets a wrong verdict."""
    return ToolchainError(f"this machine cannot grade: {why}; run forgetest doctor")
