"""Who is ranked: every model of every run that has a scored sample, under a name of its own."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from forgetest.compare.side import Side, SideModel
from forgetest.manifest import REPORT


@dataclass(frozen=True, slots=True)
class Labelled:
    """A run and its label."""

    label: str
    side: Side


@dataclass(frozen=True, slots=True)
class Entry:
    """A model of a run."""

    name: str
    run: Labelled
    model: SideModel


def labelled(sides: Sequence[Side]) -> list[Labelled]:
    """Return the runs in an order of their own, each with the shortest label that is its alone."""
    ordered = sorted(sides, key=lambda side: (side.created, side.plan_digest, side.file))
    short = [_short(side.file) for side in ordered]
    labels = [
        name if short.count(name) == 1 else side.file
        for name, side in zip(short, ordered, strict=True)
    ]
    return [Labelled(_numbered(labels, place), side) for place, side in enumerate(ordered)]


def _short(file: str) -> str:
    path = Path(file)
    return (path.parent.name if path.name == REPORT else path.name) or file


def _numbered(labels: Sequence[str], place: int) -> str:
    """Return a label with its number where the same run was given several times."""
    before = labels[:place].count(labels[place])
    return f"{labels[place]} #{before + 1}" if before else labels[place]


def entries(runs: Sequence[Labelled]) -> tuple[list[Entry], list[str]]:
    """Return the models that have a scored sample, and the names of those that have none."""
    times = Counter(name for run in runs for name in run.side.models)
    found = [
        Entry(name if times[name] == 1 else f"{name} @ {run.label}", run, model)
        for run in runs
        for name, model in run.side.models.items()
    ]
    scored = [one for one in found if any(case.n for case in one.model.cases.values())]
    return scored, [one.name for one in found if one not in scored]
