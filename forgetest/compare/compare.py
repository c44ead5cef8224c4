"""Two sides to a comparison: pair, compare each model, judge, and note what a reader must know."""

from collections.abc import Iterator, Sequence

from forgetest.compare.comparability import (
    declared_differences,
    run_info,
    variant_differences,
    with_attribution,
)
from forgetest.compare.gate import gate, gravest
from forgetest.compare.model import model_comparisons
from forgetest.compare.pair import (
    Maps,
    ModelPair,
    Pairing,
    coverage,
    is_named,
    only_current,
    sort_maps,
    suggested_maps,
)
from forgetest.compare.side import Side, SideCase
from forgetest.compare.types import (
    CompareOptions,
    Comparison,
    ComparisonVerdict,
    Coverage,
    Difference,
    Rule,
    UncomparedReason,
)
from forgetest.value import count
from forgetest.version import __version__


def compare_sides(
    baseline: Side, current: Side, options: CompareOptions, *, graded_then: Side | None = None
) -> Comparison:
    """Return what changed from baseline to current, how sure that is, and what the gate says.

    Where the baseline was graded again, `graded_then` is the baseline as it was graded before, and
    the change is split into the model's part and the environment's. Raises PairingError for a map
    that names nothing.
    """
    maps = sort_maps(options.maps, baseline, current)
    asked = variant_differences(baseline, current, maps)
    declared = _gravest_first((*declared_differences(baseline, current, maps), *asked))
    refused = any(difference.refuses for difference in declared)
    force = options.allow_incomparable
    pairing = Pairing(baseline, current, maps, force, options.allow_removed)
    pairs = [] if refused and not force else pairing.models()
    covered = coverage(pairs)
    models = model_comparisons(pairs, baseline, current, options)
    if graded_then is not None:
        models = with_attribution(models, pairs, then=graded_then, now=baseline)
    forced = refused or any(case.compared_anyway for case in covered.left_out)
    verdict = gravest(model.finding for model in models)
    by_rule = {
        Rule.THRESHOLD: gravest(model.by_threshold for model in models),
        Rule.EVIDENCE: gravest(model.by_evidence for model in models),
    }
    by_evidence = options.model_copy(update={"rule": Rule.EVIDENCE})
    return Comparison(
        forgetest=__version__,
        baseline=run_info(baseline),
        current=run_info(current),
        options=options,
        finding=ComparisonVerdict.NOT_COMPARABLE if forced else verdict,
        by_threshold=by_rule[Rule.THRESHOLD],
        by_evidence=by_rule[Rule.EVIDENCE],
        gate=gate(by_rule, declared, covered, options),
        evidence_gate=gate(by_rule, declared, covered, by_evidence).result
        if options.rule is Rule.THRESHOLD
        else None,
        suggested_maps=suggested_maps(baseline, current, maps),
        differences=declared,
        coverage=covered,
        notes=(
            *comparison_notes(baseline, current, pairs, covered, maps),
            *_useless_allowances(covered, options),
        ),
        models=models,
    )


def _gravest_first(differences: Sequence[Difference]) -> tuple[Difference, ...]:
    return tuple(sorted(differences, key=lambda difference: not difference.refuses))


FEWEST_SAMPLES = 5  # n below which one fully broken case cannot be established (Fisher, Tarone)


def comparison_notes(
    baseline: Side, current: Side, pairs: Sequence[ModelPair], covered: Coverage, maps: Maps
) -> tuple[str, ...]:
    """Return every note, in the order of weight."""
    return tuple(_comparison_notes(baseline, current, pairs, covered, maps))


def _comparison_notes(
    baseline: Side, current: Side, pairs: Sequence[ModelPair], covered: Coverage, maps: Maps
) -> Iterator[str]:
    same_run = (baseline.created, baseline.plan_digest) == (current.created, current.plan_digest)
    if same_run and baseline.models.keys() & current.models.keys():
        yield "both sides are the same run"
    elif baseline.created > current.created:
        yield "the baseline is newer than the current run: did you swap them?"
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


def _useless_allowances(covered: Coverage, options: CompareOptions) -> Iterator[str]:
    gone = [case for case in covered.left_out if case.gap is UncomparedReason.REMOVED]
    for name in options.allow_removed:
        if not any(is_named(case, name) for case in gone):
            yield f"--allow-removed {name}: no case of that name was removed"


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
    before = _served_names(before for before, _ in pair.cases)
    after = _served_names(after for _, after in pair.cases)
    if before and after and before != after and pair.baseline == pair.current:
        yield f"{pair.baseline} was served as {', '.join(before)}, now as {', '.join(after)}"


def _served_names(cases: Iterator[SideCase]) -> list[str]:
    return sorted(frozenset().union(*(case.usage.served for case in cases)))
