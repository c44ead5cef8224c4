"""Which models and cases of two runs are compared with each other, and which are left out.

`--map` pairs models and eval sets that go by another name. `coverage` says how much of both runs a
comparison rests on.
"""

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TypeAlias

from forgetest.compare.side import Side, SideCase, SideModel
from forgetest.compare.types import Coverage, UncomparedCase, UncomparedReason
from forgetest.errors import ForgetestError
from forgetest.run.manifest import CaseHashes
from forgetest.sampling.plan import unsaid

_SHOWN_TO_THE_MODEL = frozenset({"prompt", "context"})


class PairingError(ForgetestError):
    """Names that --map gives are in neither run."""


@dataclass(frozen=True, slots=True)
class Maps:
    """What `--map` pairs: baseline's names and current's, of models and of eval sets."""

    models: tuple[tuple[str, str], ...] = ()
    eval_sets: Mapping[str, str] = field(default_factory=dict)

    def key(self, case: SideCase) -> str:
        """Return the name that a case of the baseline has in the current run."""
        return f"{self.eval_set(case.eval_set)}/{case.case}"

    def eval_set(self, name: str) -> str:
        """Return the name that an eval set of the baseline has in the current run."""
        return self.eval_sets.get(name, name)

    def parts(self, eval_set: str) -> frozenset[str]:
        """Return which parts of a case may differ: mapping a set says that prompts do."""
        mapped = eval_set in self.eval_sets
        return _SHOWN_TO_THE_MODEL if mapped else frozenset()


def sort_maps(given: Sequence[tuple[str, str]], baseline: Side, current: Side) -> Maps:
    """Return the maps, told apart by what their names are; PairingError for an unknown name."""
    sets = {item.id for item in baseline.eval_sets}, {item.id for item in current.eval_sets}
    models: list[tuple[str, str]] = []
    eval_sets: dict[str, str] = {}
    for old, new in _unsaid(given):
        if old in baseline.models and new in current.models:
            models.append((old, new))
        elif old in sets[0] and new in sets[1]:
            eval_sets[old] = new
        else:
            raise PairingError(_unknown(old, new, baseline, current))
    return Maps(tuple(models), eval_sets)


def _unsaid(names: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(unsaid(old), unsaid(new)) for old, new in names]


def _unknown(old: str, new: str, baseline: Side, current: Side) -> str:
    known_old = [*baseline.models, *(item.id for item in baseline.eval_sets)]
    known_new = [*current.models, *(item.id for item in current.eval_sets)]
    name, side, known = (
        (old, baseline, known_old) if old not in known_old else (new, current, known_new)
    )
    if name in known:
        return f"--map {old}={new}: map a model to a model, or an eval set to an eval set"
    close = get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"it has {', '.join(known) or 'none'}"
    return f"--map {old}={new}: {side.file} has no model or eval set {name!r}; {hint}"


def can_map(pair: tuple[str, str], baseline: Side, current: Side) -> bool:
    """Tell whether both names are those of models, or both those of eval sets."""
    ((old, new),) = _unsaid([pair])
    models = old in baseline.models and new in current.models
    sets = {item.id for item in baseline.eval_sets}, {item.id for item in current.eval_sets}
    return models or (old in sets[0] and new in sets[1])


def sides_between(
    run: Side, names: tuple[str, str]
) -> tuple[Side, Side, tuple[tuple[str, str], ...]]:
    """Return the two sides that one run is, and which models of them are compared.

    The names are those of two models, or of two variants: then every model that was asked in both
    is compared with itself. Raises PairingError for names that are neither.
    """
    (pair,) = _unsaid([names])
    pairs = [pair] if set(pair) <= run.models.keys() else _asked_in_both(run, names)
    if not pairs:
        raise PairingError(f"--between {' '.join(names)}: {_not_between(run, names)}")
    return _only(run, [old for old, _ in pairs]), _only(run, [new for _, new in pairs]), (*pairs,)


def _asked_in_both(run: Side, variants: tuple[str, str]) -> list[tuple[str, str]]:
    """Return the names of each model that was asked in both variants."""
    asked: dict[str, dict[str, str]] = {}
    for name, model in run.models.items():
        asked.setdefault(model.spec.plain, {})[model.spec.variant_shown] = name
    old, new = variants
    return [(by[old], by[new]) for by in asked.values() if old in by and new in by]


def _only(run: Side, names: Sequence[str]) -> Side:
    return dataclasses.replace(run, models={name: run.models[name] for name in names})


def _not_between(run: Side, names: tuple[str, str]) -> str:
    """Return why the names pair no models of a run."""
    variants = sorted({model.spec.variant_shown for model in run.models.values()})
    known = [*run.models, *(variants if len(variants) > 1 else ())]
    for name in names:
        if unsaid(name) not in known:
            close = get_close_matches(name, known, n=1)
            hint = f"did you mean {close[0]}?" if close else f"it has {', '.join(known)}"
            return f"{run.file} has no model {name!r}; {hint}"
    if set(names) <= set(variants):
        return f"{run.file} asked no model in both variants"
    return "name two models, or two variants"


def suggested_maps(baseline: Side, current: Side, maps: Maps) -> tuple[tuple[str, str], ...]:
    """Return the names to map if each run has one model, or one eval set, that the other has not.

    Eval sets are suggested only if they have a case of one id.
    """
    mapped = [name for pair in maps.models for name in pair]
    models = _odd_ones(
        [name for name in baseline.models if name not in mapped],
        [name for name in current.models if name not in mapped],
    )
    cases = [
        {info.id: {case.id for case in info.cases} for info in side.eval_sets}
        for side in (baseline, current)
    ]
    renamed = {maps.eval_set(name): ids for name, ids in cases[0].items()}
    sets = _odd_ones(renamed, cases[1])
    return (*models, *((old, new) for old, new in sets if renamed[old] & cases[1][new]))


def _odd_ones(old: Collection[str], new: Collection[str]) -> tuple[tuple[str, str], ...]:
    gone, added = (
        [name for name in old if name not in new],
        [name for name in new if name not in old],
    )
    return ((gone[0], added[0]),) if len(gone) == len(added) == 1 else ()


CasePair: TypeAlias = tuple[SideCase, SideCase]
"""The same case in the baseline and in the current run."""


@dataclass(frozen=True, slots=True)
class ModelPair:
    """Two models on the cases that both have."""

    baseline: str
    current: str | None  # None: the current run does not have the model
    cases: tuple[CasePair, ...]  # compared
    left_out: tuple[UncomparedCase, ...]
    idle: tuple[CasePair, ...] = ()  # in both, but unscored in one
    removed: tuple[SideCase, ...] = ()


def only_current(current: Side, pairs: Sequence[ModelPair]) -> list[str]:
    """Return the models of the current run that nothing is compared with."""
    paired = {pair.current for pair in pairs}
    return [name for name in current.models if name not in paired]


def paired_models(baseline: Side, current: Side, maps: Maps) -> list[tuple[SideModel, SideModel]]:
    """Return the models that are compared with each other: those mapped, then those of one name."""
    mapped = {name for pair in maps.models for name in pair}
    same = [
        (name, name) for name in baseline.models if name in current.models and name not in mapped
    ]
    return [(baseline.models[old], current.models[new]) for old, new in (*maps.models, *same)]


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two runs, and how they are laid side by side."""

    baseline: Side
    current: Side
    maps: Maps
    force: bool  # whether cases that changed are compared too
    allow_removed: tuple[str, ...] = ()

    def models(self) -> list[ModelPair]:
        """Return every pair of models, mapped ones first.

        A model of the baseline that the current run does not have is a pair without cases.
        """
        paired = paired_models(self.baseline, self.current, self.maps)
        known = {name for pair in self.maps.models for name in pair} | self.current.models.keys()
        gone = [model for name, model in self.baseline.models.items() if name not in known]
        return [
            *(self._pair(old, new) for old, new in paired),
            *(self._removed(model) for model in gone),
        ]

    def _pair(self, old: SideModel, new: SideModel) -> ModelPair:
        renamed = {self.maps.key(case): case for case in old.cases.values()}
        both = [(renamed[key], after) for key, after in new.cases.items() if key in renamed]
        shared = [(pair, *self._gap(*pair)) for pair in both]
        removed = tuple(case for key, case in renamed.items() if key not in new.cases)
        added = [case for key, case in new.cases.items() if key not in renamed]
        return ModelPair(
            baseline=old.name,
            current=new.name,
            cases=tuple(pair for pair, gap, _ in shared if gap is None or self._is_forced(gap)),
            left_out=(
                *(self._left_out(new, pair[1], gap, parts) for pair, gap, parts in shared if gap),
                *(self._left_out(new, case, UncomparedReason.NEW) for case in added),
                *(self._left_out(old, case, UncomparedReason.REMOVED) for case in removed),
            ),
            idle=tuple(
                pair for pair, gap, _ in shared if gap not in {None, UncomparedReason.CHANGED}
            ),
            removed=removed,
        )

    def _removed(self, model: SideModel) -> ModelPair:
        removed = tuple(model.cases.values())
        gone = tuple(self._left_out(model, case, UncomparedReason.REMOVED) for case in removed)
        return ModelPair(model.name, None, cases=(), left_out=gone, removed=removed)

    def _gap(
        self, before: SideCase, after: SideCase
    ) -> tuple[UncomparedReason | None, tuple[str, ...]]:
        """Return why two cases of one name are not compared, if so, and what of them changed."""
        match before.n > 0, after.n > 0:
            case True, True:
                parts = self._changed(before, after)
                return (UncomparedReason.CHANGED if parts else None), parts
            case True, False:
                return UncomparedReason.NEWLY_UNSCORED, ()
            case False, True:
                return UncomparedReason.NEWLY_SCORED, ()
        return UncomparedReason.UNSCORED, ()

    def _changed(self, before: SideCase, after: SideCase) -> tuple[str, ...]:
        """Return the parts of a case that are not what they were, and were not said to be."""
        old, new = self.baseline.hashes.get(before.key), self.current.hashes.get(after.key)
        if old is None or new is None:
            return ("content",) if old != new else ()
        allowed = self.maps.parts(before.eval_set)
        return tuple(
            part
            for part in CaseHashes.model_fields
            if part not in allowed and getattr(old, part) != getattr(new, part)
        )

    def _is_forced(self, gap: UncomparedReason) -> bool:
        return self.force and gap is UncomparedReason.CHANGED

    def _left_out(
        self, model: SideModel, case: SideCase, gap: UncomparedReason, parts: tuple[str, ...] = ()
    ) -> UncomparedCase:
        side = self.baseline if gap is UncomparedReason.REMOVED else self.current
        file, line = side.places.get(case.key, ("", None))
        return UncomparedCase(
            model=model.name,
            eval_set=case.eval_set,
            case=case.case,
            file=file,
            line=line,
            gap=gap,
            parts=parts,
            compared_anyway=self._is_forced(gap),
            allowed=gap is UncomparedReason.REMOVED and self._may_be_gone(case),
        )

    def _may_be_gone(self, case: SideCase) -> bool:
        return any(is_named(case, name) for name in self.allow_removed)


def is_named(case: SideCase | UncomparedCase, name: str) -> bool:
    """Tell whether a name, which may be a glob, is the id or `set/case` of a case."""
    return fnmatchcase(case.case, name) or fnmatchcase(case.key, name)


def coverage(pairs: Sequence[ModelPair]) -> Coverage:
    """Return the counts of samples and cases, those gone since the baseline among them."""
    shared = [cases for pair in pairs for cases in (*pair.cases, *pair.idle)]
    left_out = tuple(case for pair in pairs for case in pair.left_out)
    allowed = {case.key for case in left_out if case.allowed}
    gone = sum(case.planned for pair in pairs for case in pair.removed if case.key not in allowed)
    planned = [sum(cases[i].planned for cases in shared) for i in (0, 1)]
    unscored = [planned[i] - sum(cases[i].n for cases in shared) for i in (0, 1)]
    shares = _share(unscored[0], planned[0]), _share(unscored[1] + gone, planned[1] + gone)
    return Coverage(
        compared=sum(len(pair.cases) for pair in pairs),
        left_out=left_out,
        unscored_baseline=unscored[0],
        unscored_current=unscored[1],
        planned_baseline=planned[0],
        planned_current=planned[1],
        unscored_share=max(shares),
        missing_models=tuple(pair.baseline for pair in pairs if pair.current is None),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
