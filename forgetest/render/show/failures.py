"""How the samples of a case fail: counted by outcome, and the commonest way in words."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from forgetest.grading.verdict import TestOutcome, Verdict
from forgetest.render.safe import one_line
from forgetest.report.files import Picked

FINE = (TestOutcome.PASSED, TestOutcome.IGNORED)
CODES = 3  # error codes named for one outcome
_T = TypeVar("_T")


class Way(NamedTuple):
    """A way to fail."""

    outcome: str
    code: str | None  # rustc's; safe to print, as is the message
    message: str  # one line


def way_of(verdict: Verdict) -> Way:
    """Return how a sample fails: by the first error, or else the first test, or the reason."""
    said = verdict.errors or verdict.test_errors
    if said:
        code = said[0].code
        return Way(verdict.outcome, code and one_line(code, 40), one_line(said[0].message))
    test = next((one for one in verdict.tests if one.outcome not in FINE), None)
    if test is not None:
        return Way(verdict.outcome, None, one_line(f"{test.name}: {told(test.message)}"))
    return Way(verdict.outcome, None, one_line(verdict.reasons[0] if verdict.reasons else ""))


def told(message: str) -> str:
    """Return what a panic says, without the line that says where."""
    first, _, rest = message.partition("\n")
    return rest if " panicked at " in first and rest else message


def breakdown(samples: Sequence[Picked]) -> str:
    """Return `compile_failed 4 (E0425 3, E0308 1) · tests_failed 1`, unscored samples last."""
    failing = [one for one in samples if one.failed and one.sample.outcome]
    outcomes = Counter(str(one.sample.outcome) for one in failing)
    parts = [
        f"{outcome} {count}{_codes(failing, outcome)}" for outcome, count in _ordered(outcomes)
    ]
    unscored = sum(not one.sample.scored for one in samples)
    return " · ".join([*parts, f"unscored {unscored}"] if unscored else parts)


def _codes(failing: Sequence[Picked], outcome: str) -> str:
    verdicts = [one.sample.verdict for one in failing if one.sample.outcome == outcome]
    ways = [way_of(verdict) for verdict in verdicts if verdict is not None]
    named = _ordered(Counter(way.code for way in ways if way.code))
    shown = ", ".join(f"{code} {count}" for code, count in named[:CODES])
    more = ", …" if len(named) > CODES else ""
    return f" ({shown}{more})" if shown else ""


def commonest(samples: Sequence[Picked]) -> str:
    """Return the message of the commonest failure, with how often; nothing where none failed."""
    verdicts = [one.sample.verdict for one in samples if one.failed]
    ways = Counter(way_of(verdict) for verdict in verdicts if verdict is not None)
    if not ways:
        return ""
    way, count = _ordered(ways)[0]
    often = f"{count} of {len(verdicts)}: " if len(verdicts) > 1 else ""
    return f"{often}{way.message or way.outcome}"


def _ordered(counts: Counter[_T]) -> list[tuple[_T, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
