"""Which model leads, and what can be said of each other model relative to it.

The tests are those of the ranking; anchors, which are not models, have no part in them.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forgetest.compare.read import side_of
from forgetest.compare.side import Side
from forgetest.metrics import Counts, exact, minimum_detectable_difference, se_population
from forgetest.metrics.paired import paired_differences
from forgetest.rank.entrants import NotRankableError, common_cases, contestants, labelled
from forgetest.rank.rank import rank_models
from forgetest.rank.types import PairTest, Ranked, Ranking, RankOptions
from forgetest.report.files import ReportError
from forgetest.report.types import Report
from forgetest.sampling.plan import is_anchor


@dataclass(frozen=True, slots=True)
class Rival:
    """A model and the leader: the test of both, and what it could have seen."""

    higher: str  # names, as they are told
    lower: str
    test: PairTest
    higher_rate: float | None
    lower_rate: float | None
    detectable: float | None  # smallest difference at 80 % power; None where no case varies


@dataclass(frozen=True, slots=True)
class Leads:
    """What is known of the leader against each other model, and of each model's best variant."""

    models: tuple[Rival, ...]  # without the variants of the leader
    variants: Mapping[str, tuple[Rival, ...]]  # of each model that was asked in several


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
        sides = without_anchors([side_of(report, file=label) for label, report in reports])
        return sides, rank_models(sides, RankOptions())
    except (NotRankableError, ReportError):  # such as one that contradicts itself
        return None


def leads(sides: Sequence[Side], ranking: Ranking) -> Leads:
    """Return what is known of the models against the leader, and of variants against the best one.

    All tests are of one family, that of the ranking.
    """
    counts = _counts(sides)
    same: dict[tuple[str, str], list[Ranked]] = {}
    for model in ranking.models:
        same.setdefault((model.plain, model.run), []).append(model)
    first = ranking.models[0]
    own = same[first.plain, first.run]
    others = [first, *(model for model in ranking.models if model not in own)]
    return Leads(
        models=_rivals(others, ranking, counts, {model.name: model.name for model in others}),
        variants={
            ranked[0].title: _rivals(
                ranked, ranking, counts, {model.name: model.variant_shown for model in ranked}
            )
            for ranked in same.values()
            if len(ranked) > 1
        },
    )


def _counts(sides: Sequence[Side]) -> dict[str, list[Counts]]:
    """Return n and c of the common cases by the name of each ranked model."""
    runs = labelled(sides)
    scored, _ = contestants(runs)
    keys, _ = common_cases(runs, scored)
    return {entry.name: [entry.model.cases[key].counts for key in keys] for entry in scored}


def _rivals(
    models: Sequence[Ranked],
    ranking: Ranking,
    counts: Mapping[str, Sequence[Counts]],
    told: Mapping[str, str],
) -> tuple[Rival, ...]:
    """Return what is known of each model against the first; names are told as `told` says."""
    rates = {model.name: model.pass_rate.value for model in models}
    leader = models[0].name
    return tuple(
        Rival(
            higher=told[test.higher],
            lower=told[test.lower],
            test=test,
            higher_rate=rates[test.higher],
            lower_rate=rates[test.lower],
            detectable=_detectable(counts[test.lower], counts[test.higher], ranking.options),
        )
        for test in ranking.pairs
        if test.higher == leader and test.lower in rates
    )


def _detectable(
    lower: Sequence[Counts], higher: Sequence[Counts], options: RankOptions
) -> float | None:
    error = se_population(paired_differences(lower, higher))
    return minimum_detectable_difference(error, alpha=exact(options.alpha)) if error else None
