"""What `--map` says: which models and eval sets go by another name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from forgetest.compare.side import Side, SideCase
from forgetest.errors import ForgetestError

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
