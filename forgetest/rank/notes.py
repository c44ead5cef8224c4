"""What a reader must know beside the numbers of a ranking, as sentences."""

import itertools
from collections.abc import Iterator, Sequence

from forgetest.compare.side import SideCase
from forgetest.rank.entries import Labelled
from forgetest.rank.types import PairTest

_NAMED = 3


def notes(
    runs: Sequence[Labelled],
    cases: Sequence[Sequence[SideCase]],
    tests: Sequence[PairTest],
    silent: Sequence[str],
) -> tuple[str, ...]:
    """Return every note; `cases` are each model's common ones, `silent` the models without any."""
    return tuple(_notes(runs, cases, tests, silent))


def _notes(
    runs: Sequence[Labelled],
    cases: Sequence[Sequence[SideCase]],
    tests: Sequence[PairTest],
    silent: Sequence[str],
) -> Iterator[str]:
    for first, second in itertools.pairwise(runs):
        if (first.side.created, first.side.plan_digest) == (
            second.side.created,
            second.side.plan_digest,
        ):
            yield f"{first.label} and {second.label} are the same run"
    for run in runs:
        yield from (f"{run.label}: {doubt}" for doubt in run.side.doubts)
    unfinished = [run.label for run in runs if not run.side.complete]
    if unfinished:
        yield f"not all samples are scored: {_some(unfinished)}"
    if silent:
        yield f"left out, for no sample of theirs is scored: {_some(sorted(silent))}"
    sizes = {case.n for own in cases for case in own}
    if len(sizes) > 1:
        yield f"cases have {min(sizes)} to {max(sizes)} scored samples"
    if any(one.draws for one in tests):
        yield "some p-values are drawn by lot, for exact ones would take minutes"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
