"""How far verdicts of ours agree with those that came with recorded completions.

Passing is what is compared. Failures that both sides name differently are told apart: recorders
stop at the first assert that fails, so that their kind of failure is not always ours.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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
# What recorders' words for failures may be called here; words that are not here may be any failure.
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

    model: str
    case: str
    sample: int
    recorded: str
    ours: Outcome
    reason: str


class Agreement(Value):
    """What became of all recorded verdicts; those said to be flaky are counted apart."""

    compared: int
    agree: int  # both pass or both fail
    disagreements: tuple[Disagreement, ...] = ()
    other_failures: tuple[Disagreement, ...] = ()  # agree, but failed in another way
    flaky: int = 0
    flaky_disagreements: tuple[Disagreement, ...] = ()
    unscored: int = 0
    confusion: dict[str, dict[str, int]]  # recorded -> ours -> completions, without flaky ones


def agreement(judged: Iterable[JudgedCompletion]) -> Agreement | None:
    """Return the agreement of all verdicts, None when there is no recorded one."""
    every = tuple(judged)
    if not every:
        return None
    scored = [one for one in every if one.passed is not None]
    steady = [one for one in scored if not one.flaky]
    differing = [one for one in steady if one.passed != one.recorded_passed]
    return Agreement(
        compared=len(steady),
        agree=len(steady) - len(differing),
        disagreements=_differences(differing),
        other_failures=_differences([one for one in steady if _fails_otherwise(one)]),
        flaky=len(scored) - len(steady),
        flaky_disagreements=_differences(
            [one for one in scored if one.flaky and one.passed != one.recorded_passed]
        ),
        unscored=len(every) - len(scored),
        confusion=_confusion(steady),
    )


def _fails_otherwise(one: JudgedCompletion) -> bool:
    meant = _MEANINGS.get(one.recorded.lower())
    return not (one.passed or one.recorded_passed or meant is None or one.outcome in meant)


def _differences(judged: Iterable[JudgedCompletion]) -> tuple[Disagreement, ...]:
    return tuple(
        Disagreement(
            model=one.model,
            case=one.case,
            sample=one.sample,
            recorded=one.recorded,
            ours=one.outcome,
            reason=one.reason,
        )
        for one in judged
        if one.outcome is not None
    )


def _confusion(judged: Sequence[JudgedCompletion]) -> dict[str, dict[str, int]]:
    counts = Counter((one.recorded, str(one.outcome)) for one in judged)
    found: dict[str, dict[str, int]] = {}
    for (recorded, ours), count in sorted(counts.items()):
        found.setdefault(recorded, {})[ours] = count
    return found
