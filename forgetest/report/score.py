"""From a verdict to a number: the scoring profile, what counts as a lint, and who is better."""

from collections.abc import Sequence, Sized
from fractions import Fraction
from functools import cache
from typing import Protocol

from forgetest.grading.verdict import Outcome
from forgetest.metrics import STANDARD, Classification, Number, ScoringProfile, sample_score
from forgetest.run.events import Round
from forgetest.sampling.variant import ScoreRound

PROFILE = STANDARD.name
LINT_FREE = "Share of scored samples that compile without a clippy lint"
LINT_RULE = "clippy::all, forced, on the sample's own lines"  # what W counts


CLASS_OF: dict[Outcome, Classification] = {
    Outcome.PASSED: Classification.PASS,
    Outcome.REFUSED: Classification.REFUSAL,
    Outcome.EMPTY: Classification.WRONG_FORMAT,
    Outcome.NO_CODE: Classification.WRONG_FORMAT,
    Outcome.TRUNCATED: Classification.WRONG_FORMAT,
    Outcome.POLICY: Classification.POLICY_VIOLATION,
    Outcome.TAMPERED: Classification.POLICY_VIOLATION,
    Outcome.TESTS_FAILED: Classification.FAIL,
    Outcome.TEST_TIMEOUT: Classification.FAIL,
    Outcome.TEST_CRASHED: Classification.FAIL,
    Outcome.TEST_BUILD_FAILED: Classification.FAIL,
    Outcome.NO_TESTS_RAN: Classification.FAIL,
    Outcome.COMPILE_FAILED: Classification.FAIL,
    Outcome.COMPILE_TIMEOUT: Classification.FAIL,
    Outcome.WRONGLY_COMPILED: Classification.FAIL,
    Outcome.REQUIREMENT_FAILED: Classification.FAIL,
}


class Linted(Protocol):
    """The part of a verdict that says whether it is free of lints."""

    @property
    def compiled(self) -> bool:
        """Whether rustc took it."""

    @property
    def lints(self) -> Sized:
        """The lints, which are W of the score."""


class ScoredVerdict(Linted, Protocol):
    """The part of a verdict that its score rests on."""

    @property
    def outcome(self) -> Outcome:
        """How the sample ended."""

    @property
    def passed(self) -> bool:
        """Whether it is right."""

    @property
    def tests_passed(self) -> int:
        """P of the score."""

    @property
    def tests_failed(self) -> int:
        """F of the score."""


def verdict_score(verdict: ScoredVerdict, profile: ScoringProfile = STANDARD) -> Fraction:
    """Return the sample's score, an exact number from 0 to 1 where the weights sum to 1.

    0.4 compile + 0.5 tests + 0.1 clippy. A case whose code must not compile has no tests or lints
    to weigh: rejected as asked is 1, taken by rustc is 0.
    """
    if verdict.outcome is Outcome.WRONGLY_COMPILED:
        return Fraction(0)
    if verdict.passed and not verdict.compiled:
        return Fraction(1)
    return _weighed(
        verdict.compiled,
        verdict.tests_passed,
        verdict.tests_failed,
        len(verdict.lints),
        profile=profile,
    )


_weighed = cache(sample_score)  # a run has few different scores, and many samples of each


def scored_round(rounds: Sequence[Round], rule: ScoreRound) -> int:
    """Return the place of the round that a sample is scored by, from 0.

    Of equally good ones the first. Whether the sample passes does not depend on the rule: the round
    that passes is the last.
    """
    if rule is ScoreRound.LAST:
        return len(rounds) - 1
    return max(range(len(rounds)), key=lambda place: (_worth(rounds[place]), -place))


def _worth(answered: Round) -> tuple[bool, Fraction]:
    verdict = answered.verdict
    return (False, Fraction(0)) if verdict is None else (verdict.passed, verdict_score(verdict))


def did_as_asked(verdict: ScoredVerdict) -> bool:
    """Return whether the code did what the case asks of the compiler: mostly, to compile."""
    return verdict.compiled or verdict.passed


def lint_free(verdict: Linted) -> bool:
    """Return whether the sample counts as free of lints: it compiles, and clippy found nothing.

    All scored samples are the denominator, so a model that rarely compiles gets no credit for the
    few samples that do. Reports and comparisons share this definition.
    """
    return verdict.compiled and not verdict.lints


def tests_part(verdict: ScoredVerdict) -> Fraction:
    """Return P / (P + F); without tests, 1 for code that passes and 0 for any other."""
    total = verdict.tests_passed + verdict.tests_failed
    return Fraction(verdict.tests_passed, total) if total else Fraction(verdict.passed)


def ranking_key(
    pass_rate: Number | None, mean_score: Number | None, name: str
) -> tuple[Number, Number, str]:
    """Return the key that sorts models best first: by pass rate, then mean score, then name.

    A model without a value comes after all that have one. The one order of models, of the
    leaderboard as of a ranking.
    """
    return (
        1 if pass_rate is None else -pass_rate,
        1 if mean_score is None else -mean_score,
        name,
    )
