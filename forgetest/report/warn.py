"""What a reader must know before believing a number, as sentences."""

from collections.abc import Iterator, Sequence

from forgetest.manifest import LeftOut
from forgetest.plan import Plan
from forgetest.report.types import ModelReport
from forgetest.seal import JournalMark
from forgetest.words import count

NAMED = 5  # samples named in a warning


def warnings(plan: Plan, models: Sequence[ModelReport]) -> tuple[str, ...]:
    """Return every warning, in the order of weight."""
    found: list[str] = []
    for model in models:
        found.extend(f"{model.model}: {text}" for text in _of(model))
    if plan.samples_per_case > 1 and plan.samples_per_case == max(plan.pass_k):
        k = max(plan.pass_k)
        found.append(
            f"n = k = {k}: pass@{k} only says whether any of the {k} samples passed;"
            f" {2 * k} samples would give it an error bar"
        )
    return tuple(found)


def journal_warnings(journal: JournalMark | None) -> tuple[str, ...]:
    """Return a sentence where a journal has lines without a checksum, of an older forgetest."""
    if journal is None or not journal.unsealed:
        return ()
    bare = f"{journal.unsealed} of {count(journal.lines, 'line')} of the journal"
    return (f"{bare} have no checksum, of an older forgetest: damage to them would go unnoticed",)


def left_out_warnings(left_out: Sequence[LeftOut]) -> tuple[str, ...]:
    """Return a sentence for each broken case that was not asked, the first few with the reason."""
    found = [f"case {one.case} is broken and left out: {one.reason}" for one in left_out[:NAMED]]
    if len(left_out) > NAMED:
        found.append(f"{len(left_out) - NAMED} more broken cases are left out; see the manifest")
    return tuple(found)


def _of(model: ModelReport) -> Iterator[str]:
    block = model.overall
    if block.samples_unscored:
        unscored = f"{block.samples_unscored} of {block.samples} samples are unscored"
        yield unscored + _first_fault(model)
    if model.cheated:
        yield f"{count(len(model.cheated), 'sample')} cheated: {_some(model.cheated)}"
    truncated = _flagged(model, "truncated")
    if truncated:
        yield f"{count(truncated, 'completion')} cut by the token limit; raise --max-tokens"
    if model.dropped_params:
        yield f"asked without {', '.join(model.dropped_params)}, which the model does not take"
    same = [case.case for case in model.cases if case.n > 1 and case.distinct_completions == 1]
    if same and not _deterministic(model):
        yield (
            f"all completions of {len(same)} of {len(model.cases)} cases are identical:"
            " their pass@k rests on one sample"
        )
    if model.tokens.unreported and model.tokens.output:
        yield f"{model.tokens.unreported} completions came without token counts"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _deterministic(model: ModelReport) -> bool:
    """Anchors repeat themselves by design."""
    return model.model.provider == "reference"


def _flagged(model: ModelReport, flag: str) -> int:
    return sum(flag in sample.flags for case in model.cases for sample in case.samples)


def _first_fault(model: ModelReport) -> str:
    for case in model.cases:
        for sample in case.samples:
            if sample.fault:
                return f" (first fault: {sample.fault})"
    return ""
