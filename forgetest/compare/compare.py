"""Two sides to a comparison."""

from forgetest import __version__
from forgetest.compare.attribution import attributed
from forgetest.compare.comparability import differences, run_info
from forgetest.compare.coverage import coverage
from forgetest.compare.findings import gravest
from forgetest.compare.gate import gate
from forgetest.compare.maps import sort_maps
from forgetest.compare.model import model_comparisons
from forgetest.compare.notes import notes
from forgetest.compare.pair import Pairing
from forgetest.compare.side import Side
from forgetest.compare.types import Comparison, Finding, Options, Rule


def compare(
    baseline: Side, current: Side, options: Options, *, graded_then: Side | None = None
) -> Comparison:
    """Return what changed from baseline to current, how sure that is, and what the gate says.

    Where the baseline was graded again, `graded_then` is what it was before: then the difference
    is split into what the model did and what its surroundings did. Raises PairingError for a map
    that names nothing.
    """
    maps = sort_maps(options.maps, baseline, current)
    found = differences(baseline, current, maps)
    refused = any(one.refuses for one in found)
    force = options.allow_incomparable
    pairs = [] if refused and not force else Pairing(baseline, current, maps, force).models()
    covered = coverage(pairs)
    models = model_comparisons(pairs, baseline, current, options)
    if graded_then is not None:
        models = attributed(models, pairs, then=graded_then, now=baseline)
    forced = refused or any(one.compared_anyway for one in covered.left_out)
    finding = gravest(one.finding for one in models)
    by_rule = {
        Rule.THRESHOLD: gravest(one.by_threshold for one in models),
        Rule.EVIDENCE: gravest(one.by_evidence for one in models),
    }
    return Comparison(
        forgetest=__version__,
        baseline=run_info(baseline),
        current=run_info(current),
        options=options,
        finding=Finding.NOT_COMPARABLE if forced else finding,
        by_threshold=by_rule[Rule.THRESHOLD],
        by_evidence=by_rule[Rule.EVIDENCE],
        gate=gate(by_rule, found, covered, options),
        differences=found,
        coverage=covered,
        notes=notes(baseline, current, pairs, covered, maps),
        models=models,
    )
