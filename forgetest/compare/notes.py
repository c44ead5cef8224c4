"""What a reader must know beside the numbers of a comparison, as sentences."""

from collections.abc import Iterator, Sequence

from forgetest.compare.maps import Maps
from forgetest.compare.pair import ModelPair, only_current
from forgetest.compare.side import Side, SideCase
from forgetest.compare.types import Coverage
from forgetest.words import count

FEWEST_SAMPLES = 5  # n below which one fully broken case can not be established (Fisher, Tarone)


def notes(
    baseline: Side, current: Side, pairs: Sequence[ModelPair], covered: Coverage, maps: Maps
) -> tuple[str, ...]:
    """Return every note, in the order of weight."""
    return tuple(_notes(baseline, current, pairs, covered, maps))


def _notes(
    baseline: Side, current: Side, pairs: Sequence[ModelPair], covered: Coverage, maps: Maps
) -> Iterator[str]:
    if (baseline.created, baseline.plan_digest) == (current.created, current.plan_digest):
        yield "both sides are the same run"
    elif baseline.created > current.created:
        yield "the baseline is newer than the current run: are they exchanged?"
    for name, side in (("baseline", baseline), ("current run", current)):
        yield from (f"{name}: {doubt}" for doubt in side.doubts)
    for old, new in maps.eval_sets.items():
        yield f"eval set {old} is mapped to {new}: its prompts are what is compared"
    missing = [pair.baseline for pair in pairs if pair.current is None]
    if missing:
        yield f"only in the baseline: {', '.join(missing)}"
    new_models = only_current(current, pairs)
    if new_models:
        yield f"only in the current run: {', '.join(new_models)}"
    yield from _about_samples(pairs, covered)
    for pair in pairs:
        yield from _served(pair)


def _about_samples(pairs: Sequence[ModelPair], covered: Coverage) -> Iterator[str]:
    if covered.unscored_baseline or covered.unscored_current:
        yield (
            f"unscored samples: {covered.unscored_baseline} of {covered.planned_baseline} in the"
            f" baseline, {covered.unscored_current} of {covered.planned_current} in the current run"
        )
    cases = [both for pair in pairs for both in pair.cases]
    unequal = sum(before.n != after.n for before, after in cases)
    if unequal:
        yield f"{unequal} of {len(cases)} cases have another number of scored samples than before"
    most = max((min(before.n, after.n) for before, after in cases), default=FEWEST_SAMPLES)
    if most < FEWEST_SAMPLES:
        yield (
            f"at most {count(most, 'sample')} a case: no single broken case can be told from"
            f" noise with fewer than {FEWEST_SAMPLES}"
        )


def _served(pair: ModelPair) -> Iterator[str]:
    """Say when a server answered under another name than before."""
    names = [_names(case for both in pair.cases for case in both[i : i + 1]) for i in (0, 1)]
    if all(names) and names[0] != names[1] and pair.baseline == pair.current:
        yield f"{pair.baseline} was served as {', '.join(names[0])}, now as {', '.join(names[1])}"


def _names(cases: Iterator[SideCase]) -> list[str]:
    return sorted(frozenset().union(*(case.purse.served for case in cases)))
