"""How much of two runs a comparison rests on."""

from collections.abc import Sequence

from forgetest.compare.pair import ModelPair
from forgetest.compare.types import Coverage


def coverage(pairs: Sequence[ModelPair]) -> Coverage:
    """Return the counts of samples and cases, those gone since the baseline among them."""
    met = [both for pair in pairs for both in (*pair.cases, *pair.idle)]
    gone = sum(case.planned for pair in pairs for case in pair.removed)
    planned = [sum(both[i].planned for both in met) for i in (0, 1)]
    unscored = [planned[i] - sum(both[i].n for both in met) for i in (0, 1)]
    shares = _share(unscored[0], planned[0]), _share(unscored[1] + gone, planned[1] + gone)
    return Coverage(
        compared=sum(len(pair.cases) for pair in pairs),
        left_out=tuple(one for pair in pairs for one in pair.left_out),
        unscored_baseline=unscored[0],
        unscored_current=unscored[1],
        planned_baseline=planned[0],
        planned_current=planned[1],
        unscored_share=max(shares),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
