"""Which model leads, and what can be said of each other model beside it.

The tests are those of the ranking; anchors, which are no models, have no part in them.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from forgetest.compare.read import read_side
from forgetest.compare.side import Side
from forgetest.metrics import exact, minimum_detectable_difference, se_population
from forgetest.metrics.paired import paired_differences
from forgetest.rank.rank import NotRankableError, common_cases, contestants, labelled, rank_models
from forgetest.rank.types import PairTest, Ranking, RankOptions
from forgetest.report.files import ReportError, dump_report
from forgetest.report.types import Report
from forgetest.sampling.plan import is_anchor


@dataclass(frozen=True, slots=True)
class Rival:
    """A model beside the leader: the test of both, and what it could have seen."""

    test: PairTest
    higher_rate: float | None
    lower_rate: float | None
    detectable: float | None  # smallest difference at 80 % power; None where no case varies


def without_anchors(sides: Sequence[Side]) -> list[Side]:
    """Return the runs without their anchors; as they are where nothing else was asked."""
    if all(is_anchor(name) for side in sides for name in side.models):
        return list(sides)
    return [
        dataclasses.replace(
            side,
            models={name: model for name, model in side.models.items() if not is_anchor(name)},
        )
        for side in sides
    ]


def ranking_of(reports: Sequence[tuple[str, Report]]) -> tuple[list[Side], Ranking] | None:
    """Return labelled reports as sides without anchors, and their ranking.

    Returns None where fewer than two models were asked, or where they cannot be ranked.
    """
    names = [str(model.model) for _, report in reports for model in report.models]
    if sum(not is_anchor(name) for name in names) < 2:  # noqa: PLR2004 - a leader needs a rival
        return None
    try:
        sides = without_anchors(
            [read_side(dump_report(report).encode(), file=label) for label, report in reports]
        )
        return sides, rank_models(sides, RankOptions())
    except (NotRankableError, ReportError):  # such as one that contradicts itself
        return None


def rivals(sides: Sequence[Side], ranking: Ranking) -> tuple[Rival, ...]:
    """Return what is known of each model beside the leader, best first."""
    runs = labelled(sides)
    scored, _ = contestants(runs)
    keys, _ = common_cases(runs, scored)
    counts = {entry.name: [entry.model.cases[key].counts for key in keys] for entry in scored}
    rates = {model.name: model.pass_rate.value for model in ranking.models}
    leader = ranking.models[0].name
    return tuple(
        Rival(
            test=test,
            higher_rate=rates[test.higher],
            lower_rate=rates[test.lower],
            detectable=_detectable(counts[test.lower], counts[test.higher], ranking.options),
        )
        for test in ranking.pairs
        if test.higher == leader
    )


def _detectable(
    lower: Sequence[tuple[int, int]], higher: Sequence[tuple[int, int]], options: RankOptions
) -> float | None:
    error = se_population(paired_differences(lower, higher))
    return minimum_detectable_difference(error, alpha=exact(options.alpha)) if error else None
