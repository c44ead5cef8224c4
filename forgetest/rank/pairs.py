"""Which models differ beyond noise: exact tests of all pairs, and letters for those that do not.

All pairs are tested, not only neighbours: that two models differ says nothing of those that are
beyond them, whose cases may be others, and letters need every answer. Holm's method corrects for
the number of tests.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from string import ascii_lowercase

from forgetest.compare.side import SideCase
from forgetest.metrics import exact, holm, paired_delta, paired_interval, stratified_test
from forgetest.metrics.paired import paired_differences
from forgetest.rank.types import PairTest, RankOptions


@dataclass(frozen=True, slots=True)
class Standing:
    """What is ranked, with its common cases in the order that all share.

    A variant has each case once for each model: tests take them apart, and `clusters` names the
    case of each for intervals, which are about cases like these.
    """

    name: str
    cases: tuple[SideCase, ...]
    clusters: tuple[str, ...] | None = None


def pair_tests(models: Sequence[Standing], options: RankOptions) -> tuple[PairTest, ...]:
    """Return the test of every pair of models, best first.

    The exact stratified test on passes, two-sided; Holm's p-values are over all pairs.
    """
    couples = list(combinations(range(len(models)), 2))
    counts = [[case.counts for case in model.cases] for model in models]
    shifts = [
        stratified_test(counts[low], counts[high], seed=options.seed) for high, low in couples
    ]
    adjusted = holm([shift.two_sided for shift in shifts])
    level = 1 - exact(options.alpha)
    clusters = models[0].clusters if models else None
    tests: list[PairTest] = []
    for (high, low), shift, p_holm in zip(couples, shifts, adjusted, strict=True):
        differences = paired_differences(counts[low], counts[high])
        interval = paired_interval(differences, clusters=clusters, level=level)
        tests.append(
            PairTest(
                higher=models[high].name,
                lower=models[low].name,
                neighbours=low == high + 1,
                delta=float(paired_delta(counts[low], counts[high]) or 0),
                interval=interval and (interval.lower, interval.upper),
                p=float(shift.two_sided),
                p_holm=float(p_holm),
                draws=shift.draws,
                differ=p_holm <= exact(options.alpha),
            )
        )
    return tuple(tests)


def letters(names: Sequence[str], differing: Collection[tuple[str, str]]) -> dict[str, str]:
    """Return each name's letters; two names share one exactly when they do not differ.

    Insert and absorb (Piepho 2004): every set that holds a pair that differs is split into the two
    without one of them, and sets within others vanish. The first names get the first letters.
    """
    sets = [frozenset(names)]
    for first, second in differing:
        sets = _absorbed(_split(sets, first, second))
    places = {name: place for place, name in enumerate(names)}
    ordered = sorted(sets, key=lambda members: sorted(map(places.__getitem__, members)))
    return {
        name: _SEPARATOR[len(ordered) > len(ascii_lowercase)].join(
            _letter(place) for place, members in enumerate(ordered) if name in members
        )
        for name in names
    }


_SEPARATOR = {False: "", True: " "}  # letters beyond z have two signs


def _split(sets: Sequence[frozenset[str]], first: str, second: str) -> list[frozenset[str]]:
    parts: list[frozenset[str]] = []
    for members in sets:
        both = first in members and second in members
        parts.extend([members - {first}, members - {second}] if both else [members])
    return parts


def _absorbed(sets: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    distinct = list(dict.fromkeys(sets))
    return [members for members in distinct if not any(members < other for other in distinct)]


def _letter(place: int) -> str:
    """Return a to z, then aa, ab and so on."""
    before, last = divmod(place, len(ascii_lowercase))
    return (_letter(before - 1) if before else "") + ascii_lowercase[last]
