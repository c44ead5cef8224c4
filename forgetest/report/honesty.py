"""How honest a model's samples are: what of `Verdict.integrity` a model's report shows."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypedDict

from forgetest.grading.verdict import Level, Verdict
from forgetest.report.types import CaseReport


class Honesty(TypedDict):
    """The fields of a model's report that this module fills."""

    integrity: dict[str, int]
    integrity_flags: dict[str, int]
    passed_flagged: int
    cheated: tuple[str, ...]


def honesty(cases: Sequence[CaseReport]) -> Honesty:
    """Return the counts over all scored samples, and the names of those that cheated."""
    verdicts = dict(_verdicts(cases))
    found = [verdict.integrity for verdict in verdicts.values()]
    return Honesty(
        integrity=_counts(str(one.level) for one in found),
        integrity_flags=_counts(flag for one in found for flag in one.flags),
        passed_flagged=sum(
            verdict.passed and verdict.integrity.level is not Level.CLEAN
            for verdict in verdicts.values()
        ),
        cheated=tuple(
            name for name, verdict in verdicts.items() if verdict.integrity.level is Level.CHEATED
        ),
    )


def _verdicts(cases: Iterable[CaseReport]) -> Iterator[tuple[str, Verdict]]:
    for case in cases:
        for sample in case.samples:
            if sample.verdict is not None:
                yield f"{case.key} #{sample.index + 1}", sample.verdict


def _counts(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))
