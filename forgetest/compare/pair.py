"""Which model of the baseline stands against which of the current run, and on which cases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from forgetest.compare.side import Side, SideCase, SideModel
from forgetest.compare.types import Gap, LeftOut
from forgetest.errors import ForgetestError
from forgetest.manifest import CaseHashes

CasePair: TypeAlias = tuple[SideCase, SideCase]
"""The same case in the baseline and in the current run."""

_SHOWN_TO_THE_MODEL = frozenset({"prompt", "context"})


class PairingError(ForgetestError):
    """Names that --map gives are in neither run."""


@dataclass(frozen=True, slots=True)
class Maps:
    """What `--map` pairs: baseline's names and current's, of models and of eval sets."""

    models: tuple[tuple[str, str], ...] = ()
    eval_sets: Mapping[str, str] | None = None

    def key(self, case: SideCase) -> str:
        """Return the name that a case of the baseline has in the current run."""
        return f"{self.eval_set(case.eval_set)}/{case.case}"

    def eval_set(self, name: str) -> str:
        """Return the name that an eval set of the baseline has in the current run."""
        return (self.eval_sets or {}).get(name, name)

    def parts(self, eval_set: str) -> frozenset[str]:
        """Return which parts of a case may differ: mapping a set says that prompts do."""
        mapped = eval_set in (self.eval_sets or {})
        return _SHOWN_TO_THE_MODEL if mapped else frozenset()


@dataclass(frozen=True, slots=True)
class ModelPair:
    """Two models on the cases that both have."""

    baseline: str
    current: str | None  # None: the current run does not have the model
    cases: tuple[CasePair, ...]  # compared
    left_out: tuple[LeftOut, ...]
    idle: tuple[CasePair, ...] = ()  # in both, but unscored in one
    removed: tuple[SideCase, ...] = ()


def sort_maps(given: Sequence[tuple[str, str]], baseline: Side, current: Side) -> Maps:
    """Return the maps, told apart by what their names are; PairingError for an unknown name."""
    sets = {item.id for item in baseline.eval_sets}, {item.id for item in current.eval_sets}
    models: list[tuple[str, str]] = []
    eval_sets: dict[str, str] = {}
    for old, new in given:
        if old in baseline.models and new in current.models:
            models.append((old, new))
        elif old in sets[0] and new in sets[1]:
            eval_sets[old] = new
        else:
            raise PairingError(_unknown(old, new, baseline, current))
    return Maps(tuple(models), eval_sets)


def _unknown(old: str, new: str, baseline: Side, current: Side) -> str:
    known_old = [*baseline.models, *(item.id for item in baseline.eval_sets)]
    known_new = [*current.models, *(item.id for item in current.eval_sets)]
    name, side, known = (
        (old, baseline, known_old) if old not in known_old else (new, current, known_new)
    )
    return (
        f"--map {old}={new}: {side.file} has no model or eval set {name!r};"
        f" it has {', '.join(known) or 'none'}; map a model to a model, a set to a set"
    )


def model_pairs(baseline: Side, current: Side, maps: Maps, *, force: bool) -> list[ModelPair]:
    """Return every pair of models, mapped ones first; with `force`, changed cases are compared.

    A model of the baseline that the current run does not have is a pair without cases.
    """
    said = {name for pair in maps.models for name in pair}
    same = [(name, name) for name in baseline.models if name not in said]
    pairs = [*maps.models, *(pair for pair in same if pair[1] in current.models)]
    found = [
        _pair(baseline, baseline.models[old], current, current.models[new], maps, force=force)
        for old, new in pairs
    ]
    gone = [old for old, _ in same if old not in current.models]
    return [*found, *(_removed(baseline.models[name]) for name in gone)]


def only_current(current: Side, pairs: Sequence[ModelPair]) -> list[str]:
    """Return the models of the current run that nothing is compared with."""
    paired = {pair.current for pair in pairs}
    return [name for name in current.models if name not in paired]


def _pair(
    baseline: Side, old: SideModel, current: Side, new: SideModel, maps: Maps, *, force: bool
) -> ModelPair:
    renamed = {maps.key(case): case for case in old.cases.values()}
    met = [(renamed[key], after) for key, after in new.cases.items() if key in renamed]
    gaps = [_Gap.between(baseline, before, current, after, maps) for before, after in met]
    removed = tuple(case for key, case in renamed.items() if key not in new.cases)
    added = [case for key, case in new.cases.items() if key not in renamed]
    judged = list(zip(met, gaps, strict=True))
    return ModelPair(
        baseline=old.name,
        current=new.name,
        cases=tuple(pair for pair, gap in judged if gap.gap is None or gap.is_forced(force=force)),
        left_out=(
            *(
                _left_out(new.name, pair[1], gap.gap, parts=gap.parts, force=force)
                for pair, gap in judged
                if gap.gap is not None
            ),
            *(_left_out(new.name, case, Gap.NEW) for case in added),
            *(_left_out(old.name, case, Gap.REMOVED) for case in removed),
        ),
        idle=tuple(pair for pair, gap in judged if gap.gap not in (None, Gap.CHANGED)),
        removed=removed,
    )


@dataclass(frozen=True, slots=True)
class _Gap:
    """Why two cases of one name are not compared, if so."""

    gap: Gap | None
    parts: tuple[str, ...] = ()

    @classmethod
    def between(
        cls, baseline: Side, before: SideCase, current: Side, after: SideCase, maps: Maps
    ) -> "_Gap":
        match before.n > 0, after.n > 0:
            case True, True:
                parts = _changed(baseline, before, current, after, maps)
                return cls(Gap.CHANGED if parts else None, parts)
            case True, False:
                return cls(Gap.NEWLY_UNSCORED)
            case False, True:
                return cls(Gap.NEWLY_SCORED)
        return cls(Gap.UNSCORED)

    def is_forced(self, *, force: bool) -> bool:
        return force and self.gap is Gap.CHANGED


def _changed(
    baseline: Side, before: SideCase, current: Side, after: SideCase, maps: Maps
) -> tuple[str, ...]:
    """Return the parts of a case that are not what they were, and were not said to be."""
    old, new = baseline.hashes.get(before.key), current.hashes.get(after.key)
    if old is None or new is None:
        return ("content",) if old != new else ()
    allowed = maps.parts(before.eval_set)
    return tuple(
        part
        for part in CaseHashes.model_fields
        if part not in allowed and getattr(old, part) != getattr(new, part)
    )


def _left_out(
    model: str, case: SideCase, gap: Gap, *, parts: tuple[str, ...] = (), force: bool = False
) -> LeftOut:
    return LeftOut(
        model=model,
        eval_set=case.eval_set,
        case=case.case,
        gap=gap,
        parts=parts,
        compared_anyway=force and gap is Gap.CHANGED,
    )


def _removed(model: SideModel) -> ModelPair:
    gone = tuple(_left_out(model.name, case, Gap.REMOVED) for case in model.cases.values())
    removed = tuple(model.cases.values())
    return ModelPair(model.name, None, cases=(), left_out=gone, removed=removed)
