"""The samples of a case, counted while a report is read.

A case is counted as soon as its last sample is parsed, so that a large report is never in memory
as objects.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from forgetest.compare.rows import CaseRow, CompletionRow, DiagnosticRow, TestRow, VerdictRow
from forgetest.compare.side import Judged, Mishap, Purse, SideCase
from forgetest.grading.verdict import CACHED, DUPLICATE, Outcome, TestOutcome
from forgetest.score import did_as_asked, lint_free, score

MESSAGE_KEPT = 300  # characters of a diagnostic's first line
TESTS_KEPT = 8  # names of failing tests
_OURS = frozenset({CACHED, DUPLICATE})
_FINE = (TestOutcome.PASSED, TestOutcome.IGNORED)


class CountedCase(SideCase):
    """A case of a report, counted."""

    __slots__ = ()

    @classmethod
    def of(cls, row: CaseRow) -> "CountedCase":
        """Return the counts of one case; ValueError when its samples contradict what it says."""
        verdicts = [sample.verdict for sample in row.samples if sample.verdict is not None]
        _check(row, verdicts)
        samples = tuple(
            _judged(sample.index, sample.verdict)
            for sample in row.samples
            if sample.verdict is not None
        )
        return cls(
            eval_set=row.eval_set,
            case=row.case,
            name=row.name,
            tags=row.tags,
            difficulty=row.difficulty and str(row.difficulty),
            planned=row.planned,
            samples=samples,
            c=row.c,
            compiled=sum(one.compiled for one in samples),
            lint_free=sum(map(lint_free, verdicts)),
            mean_score=_mean([one.score for one in samples]),
            mishaps=Counter(_mishap(one) for one in verdicts if not one.passed),
            error_codes=_each_once(one.errors for one in verdicts if _rejected(one)),
            lints=_each_once(one.lints for one in verdicts),
            flags=Counter(flag for one in verdicts for flag in set(one.flags) - _OURS),
            purse=_purse([sample.completion for sample in row.samples if sample.completion]),
        )

    @classmethod
    def __get_pydantic_core_schema__(cls, _: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the schema of a case's row, followed by counting."""
        return core_schema.no_info_after_validator_function(
            cls.of, handler.generate_schema(CaseRow)
        )


def _check(row: CaseRow, verdicts: list[VerdictRow]) -> None:
    indexes = {sample.index for sample in row.samples}
    if len(indexes) < len(row.samples):
        raise ValueError(f"case {row.case!r} holds a sample twice")
    found = (len(row.samples), len(verdicts), sum(one.passed for one in verdicts))
    if found != (row.planned, row.n, row.c):
        raise ValueError(
            f"case {row.case!r} says planned, n, c = {row.planned}, {row.n}, {row.c},"
            f" but its samples say {', '.join(map(str, found))}"
        )


def _mean(scores: list[Fraction]) -> Fraction:
    """Return the mean; equal scores, which most are, are multiplied and not added one by one."""
    sums = (score * count for score, count in Counter(scores).items())
    return sum(sums, Fraction()) / max(1, len(scores))


def _judged(draw: int, verdict: VerdictRow) -> Judged:
    return Judged(
        draw=draw,
        outcome=verdict.outcome,
        passed=verdict.passed,
        compiled=did_as_asked(verdict),
        score=score(verdict),
    )


def _rejected(verdict: VerdictRow) -> bool:
    return verdict.outcome is Outcome.COMPILE_FAILED


def _each_once(found: Iterable[tuple[DiagnosticRow, ...]]) -> Counter[str]:
    """Count each code once per sample that has it."""
    return Counter(code for row in found for code in {one.code for one in row if one.code})


def _mishap(verdict: VerdictRow) -> Mishap:
    said = verdict.errors or verdict.test_errors
    tests = [test for test in verdict.tests if test.outcome not in _FINE]
    message = said[0].message if said else next(_told(verdict, tests), "")
    return Mishap(
        outcome=verdict.outcome,
        code=said[0].code if said else None,
        message=message.split("\n", 1)[0][:MESSAGE_KEPT],
        tests=tuple(test.name for test in tests[:TESTS_KEPT]) if not said else (),
    )


def _told(verdict: VerdictRow, tests: list[TestRow]) -> Iterator[str]:
    yield from (test.message for test in tests if test.message)
    yield from verdict.reasons


def _purse(completions: list[CompletionRow]) -> Purse:
    prices = [one.cost.usd for one in completions if one.cost.usd is not None]
    return Purse(
        completions=len(completions),
        usd=sum(prices, Decimal(0)),
        unpriced=len(completions) - len(prices),
        price_sources=frozenset(one.cost.source for one in completions),
        input=sum(one.usage.input_tokens or 0 for one in completions),
        output=sum(one.usage.output_tokens or 0 for one in completions),
        reasoning=sum(one.usage.reasoning_tokens for one in completions),
        cache_read=sum(one.usage.cache_read_tokens for one in completions),
        unreported=sum(one.usage.output_tokens is None for one in completions),
        latencies=tuple(one.latency_secs for one in completions if one.latency_secs is not None),
        served=frozenset(one.served_model for one in completions if one.served_model),
    )
