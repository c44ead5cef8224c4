"""Which models differ beyond noise: exact tests of all pairs, corrected by Holm's method.

All pairs and not only neighbours: that two models differ says nothing of those that stand beyond
them, whose cases may be others, and groups need every answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from forgetest.compare.side import SideCase
from forgetest.metrics import exact, holm, paired_delta, paired_interval, stratified_test
from forgetest.metrics.paired import paired_differences
from forgetest.rank.types import Options, PairTest


@dataclass(frozen=True, slots=True)
class Standing:
    """A model's name and its common cases, in the order that all models share."""

    name: str
    cases: tuple[SideCase, ...]


def pair_tests(models: Sequence[Standing], options: Options) -> tuple[PairTest, ...]:
    """Return the test of every pair of models, which stand best first.

    The exact stratified test on passes, two-sided; Holm's p-values are over all pairs.
    """
    couples = list(combinations(range(len(models)), 2))
    counts = [[case.counts for case in model.cases] for model in models]
    found = [stratified_test(counts[low], counts[high], seed=options.seed) for high, low in couples]
    adjusted = holm([one.two_sided for one in found])
    level = 1 - exact(options.alpha)
    tests: list[PairTest] = []
    for (high, low), one, p_holm in zip(couples, found, adjusted, strict=True):
        interval = paired_interval(paired_differences(counts[low], counts[high]), level=level)
        tests.append(
            PairTest(
                higher=models[high].name,
                lower=models[low].name,
                neighbours=low == high + 1,
                delta=float(paired_delta(counts[low], counts[high]) or 0),
                interval=interval and (interval.lower, interval.upper),
                p=float(one.two_sided),
                p_holm=float(p_holm),
                draws=one.draws,
                differ=p_holm <= exact(options.alpha),
            )
        )
    return tuple(tests)
