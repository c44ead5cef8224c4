"""The cases that all models have in common, and why the others are left out."""

from collections.abc import Sequence

from forgetest.manifest import CaseHashes
from forgetest.rank.entries import Entry, Labelled
from forgetest.rank.types import Gap, LeftOut


def common_cases(
    runs: Sequence[Labelled], entries: Sequence[Entry]
) -> tuple[list[str], tuple[LeftOut, ...]]:
    """Return `set/case` of what can be ranked by, in their order by name, and what can not.

    A case is common when every run asked the very same (equal hashes) and every model has a scored
    sample of it.
    """
    keys = sorted({key for one in entries for key in one.model.cases})
    gaps = {key: _gap(key, runs, entries) for key in keys}
    found = [key for key, gap in gaps.items() if gap is None]
    return found, tuple(gap for gap in gaps.values() if gap is not None)


def _gap(key: str, runs: Sequence[Labelled], entries: Sequence[Entry]) -> LeftOut | None:
    missing = tuple(run.label for run in runs if not _has(run, key))
    if parts := _changed(key, [run for run in runs if _has(run, key)]):
        return LeftOut(case=key, gap=Gap.CHANGED, parts=parts)
    if missing:
        return LeftOut(case=key, gap=Gap.MISSING, of=missing)
    unscored = tuple(sorted(one.name for one in entries if not _is_scored(one, key)))
    return LeftOut(case=key, gap=Gap.UNSCORED, of=unscored) if unscored else None


def _has(run: Labelled, key: str) -> bool:
    return any(key in model.cases for model in run.side.models.values())


def _is_scored(one: Entry, key: str) -> bool:
    case = one.model.cases.get(key)
    return case is not None and case.n > 0


def _changed(key: str, runs: Sequence[Labelled]) -> tuple[str, ...]:
    """Return the parts of a case that are not the same in all runs that have it."""
    hashes = [run.side.hashes.get(key) for run in runs]
    known = [one for one in hashes if one is not None]
    if len(known) < len(hashes):
        return ("content",) if known else ()
    return tuple(
        part for part in CaseHashes.model_fields if len({getattr(one, part) for one in known}) > 1
    )
