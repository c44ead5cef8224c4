"""Which model of the baseline stands against which of the current run, and on which cases."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from forgetest.compare.maps import Maps
from forgetest.compare.side import Side, SideCase, SideModel
from forgetest.compare.types import Gap, LeftOut
from forgetest.manifest import CaseHashes

CasePair: TypeAlias = tuple[SideCase, SideCase]
"""The same case in the baseline and in the current run."""


@dataclass(frozen=True, slots=True)
class ModelPair:
    """Two models on the cases that both have."""

    baseline: str
    current: str | None  # None: the current run does not have the model
    cases: tuple[CasePair, ...]  # compared
    left_out: tuple[LeftOut, ...]
    idle: tuple[CasePair, ...] = ()  # in both, but unscored in one
    removed: tuple[SideCase, ...] = ()


def only_current(current: Side, pairs: Sequence[ModelPair]) -> list[str]:
    """Return the models of the current run that nothing is compared with."""
    paired = {pair.current for pair in pairs}
    return [name for name in current.models if name not in paired]


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two runs, and how they are laid side by side."""

    baseline: Side
    current: Side
    maps: Maps
    force: bool  # whether cases that changed are compared too

    def models(self) -> list[ModelPair]:
        """Return every pair of models, mapped ones first.

        A model of the baseline that the current run does not have is a pair without cases.
        """
        mapped = {name for pair in self.maps.models for name in pair}
        names = [name for name in self.baseline.models if name not in mapped]
        same = [(name, name) for name in names if name in self.current.models]
        gone = [self.baseline.models[name] for name in names if name not in self.current.models]
        return [
            *(
                self._pair(self.baseline.models[old], self.current.models[new])
                for old, new in (*self.maps.models, *same)
            ),
            *(self._removed(model) for model in gone),
        ]

    def _pair(self, old: SideModel, new: SideModel) -> ModelPair:
        renamed = {self.maps.key(case): case for case in old.cases.values()}
        both = [(renamed[key], after) for key, after in new.cases.items() if key in renamed]
        met = [(pair, *self._gap(*pair)) for pair in both]
        removed = tuple(case for key, case in renamed.items() if key not in new.cases)
        added = [case for key, case in new.cases.items() if key not in renamed]
        return ModelPair(
            baseline=old.name,
            current=new.name,
            cases=tuple(pair for pair, gap, _ in met if gap is None or self._is_forced(gap)),
            left_out=(
                *(self._left_out(new, both[1], gap, parts) for both, gap, parts in met if gap),
                *(self._left_out(new, case, Gap.NEW) for case in added),
                *(self._left_out(old, case, Gap.REMOVED) for case in removed),
            ),
            idle=tuple(pair for pair, gap, _ in met if gap not in {None, Gap.CHANGED}),
            removed=removed,
        )

    def _removed(self, model: SideModel) -> ModelPair:
        removed = tuple(model.cases.values())
        gone = tuple(self._left_out(model, case, Gap.REMOVED) for case in removed)
        return ModelPair(model.name, None, cases=(), left_out=gone, removed=removed)

    def _gap(self, before: SideCase, after: SideCase) -> tuple[Gap | None, tuple[str, ...]]:
        """Return why two cases of one name are not compared, if so, and what of them changed."""
        match before.n > 0, after.n > 0:
            case True, True:
                parts = self._changed(before, after)
                return (Gap.CHANGED if parts else None), parts
            case True, False:
                return Gap.NEWLY_UNSCORED, ()
            case False, True:
                return Gap.NEWLY_SCORED, ()
        return Gap.UNSCORED, ()

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

    def _is_forced(self, gap: Gap) -> bool:
        return self.force and gap is Gap.CHANGED

    def _left_out(
        self, model: SideModel, case: SideCase, gap: Gap, parts: tuple[str, ...] = ()
    ) -> LeftOut:
        side = self.baseline if gap is Gap.REMOVED else self.current
        file, line = side.places.get(case.key, ("", None))
        return LeftOut(
            model=model.name,
            eval_set=case.eval_set,
            case=case.case,
            file=file,
            line=line,
            gap=gap,
            parts=parts,
            compared_anyway=self._is_forced(gap),
        )
