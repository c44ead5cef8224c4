"""How far our verdicts agree with those that came with recorded completions.

What is compared is whether a sample passes. Failures of different kinds are listed on their own:
recorders stop at the first assert that fails, so their kind of failure is not always ours.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import Field

from forgetest.grading.verdict import Outcome
from forgetest.value import Value

_O = Outcome
_COMPILE = frozenset(
    {_O.COMPILE_FAILED, _O.COMPILE_TIMEOUT, _O.TEST_BUILD_FAILED, _O.POLICY}
    | {_O.EMPTY, _O.REFUSED, _O.TRUNCATED, _O.NO_CODE, _O.REQUIREMENT_FAILED}
)
_TESTS = frozenset({_O.TESTS_FAILED})
_CRASH = frozenset({_O.TEST_CRASHED, _O.TAMPERED})
_TIMEOUT = frozenset({_O.TEST_TIMEOUT})
# Our outcomes that a recorder's word for a failure can mean; any other word fits every failure.
_MEANINGS: dict[str, frozenset[Outcome]] = {
    "compile_error": _COMPILE,
    "syntaxerror": _COMPILE,
    "test_fail": _TESTS,
    "exception": _TESTS | _CRASH,
    "crash": _CRASH,
    "timeout": _TIMEOUT,
    "timed out": _TIMEOUT,
}


@dataclass(frozen=True, slots=True)
class JudgedCompletion:
    """One completion with the verdict that came with it, and ours."""

    model: str
    case: str  # `set/case`
    sample: int  # counted from 1
    recorded_passed: bool
    recorded: str  # in the recorder's words
    flaky: bool
    passed: bool | None  # None: not scored
    outcome: Outcome | None
    reason: str = ""


class Disagreement(Value):
    """One completion on which the two verdicts differ."""

    model: str = Field(description="Model that the completion is of.")
    case: str = Field(description="The case, as `set/case`.")
    sample: int = Field(description="Number of the sample, from 1.")
    recorded: str = Field(description="The recorded verdict, in the recorder's words.")
    ours: Outcome = Field(description="Our outcome.")
    reason: str = Field(description="Why the sample does not pass here.")


class Agreement(Value):
    """Recorded verdicts against ours; unsteady ones, by the recorder's word, are counted apart."""

    compared: int = Field(
        description="Completions with a recorded verdict, without unsteady and unscored ones."
    )
    agree: int = Field(description="Completions that pass in both, or fail in both.")
    disagreements: tuple[Disagreement, ...] = Field(
        (), description="Completions that pass in one and fail in the other."
    )
    other_failures: tuple[Disagreement, ...] = Field(
        (), description="Completions that fail in both, in different ways."
    )
    flaky: int = Field(0, description="Completions whose recorded verdict is unsteady.")
    flaky_disagreements: tuple[Disagreement, ...] = Field(
        (), description="Disagreements about unsteady recorded verdicts."
    )
    unscored: int = Field(
        0, description="Completions with a recorded verdict that are not scored here."
    )
    confusion: dict[str, dict[str, int]] = Field(
        description="Recorded verdict to ours to number of completions, without unsteady ones."
    )


def agreement(judged: Iterable[JudgedCompletion]) -> Agreement | None:
    """Return the agreement of all verdicts, None when there is no recorded one."""
    every = tuple(judged)
    if not every:
        return None
    scored = [sample for sample in every if sample.passed is not None]
    steady = [sample for sample in scored if not sample.flaky]
    differing = [sample for sample in steady if sample.passed != sample.recorded_passed]
    return Agreement(
        compared=len(steady),
        agree=len(steady) - len(differing),
        disagreements=_disagreements(differing),
        other_failures=_disagreements([sample for sample in steady if _fails_otherwise(sample)]),
        flaky=len(scored) - len(steady),
        flaky_disagreements=_disagreements(
            [
                sample
                for sample in scored
                if sample.flaky and sample.passed != sample.recorded_passed
            ]
        ),
        unscored=len(every) - len(scored),
        confusion=_confusion(steady),
    )


def _fails_otherwise(sample: JudgedCompletion) -> bool:
    if sample.passed or sample.recorded_passed:
        return False
    meant = _MEANINGS.get(sample.recorded.lower())
    return meant is not None and sample.outcome not in meant


def _disagreements(samples: Iterable[JudgedCompletion]) -> tuple[Disagreement, ...]:
    return tuple(
        Disagreement(
            model=sample.model,
            case=sample.case,
            sample=sample.sample,
            recorded=sample.recorded,
            ours=sample.outcome,
            reason=sample.reason,
        )
        for sample in samples
        if sample.outcome is not None
    )


def _confusion(samples: Sequence[JudgedCompletion]) -> dict[str, dict[str, int]]:
    counts = Counter((sample.recorded, str(sample.outcome)) for sample in samples)
    confusion: dict[str, dict[str, int]] = {}
    for (recorded, ours), count in sorted(counts.items()):
        confusion.setdefault(recorded, {})[ours] = count
    return confusion
