"""What is ranked, and by which cases: the models of runs, or variants over several models.

Runs get labels, models of one name get their run's, and the cases are those that every run asked
alike and that every entrant has a scored sample of. Variants are ranked on the same models, too, so
that none gains by a strong model or an easy case.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from forgetest.compare.side import Side, SideModel
from forgetest.errors import ExitCode, ForgetestError
from forgetest.rank.pairs import Standing
from forgetest.rank.types import UnrankedCase, UnrankedReason
from forgetest.run.manifest import REPORT, CaseHashes
from forgetest.sampling.plan import ModelSpec
from forgetest.sampling.variant import DEFAULT_NAME


@dataclass(frozen=True, slots=True)
class AskedWays:
    """The variants in which models were asked, the default one first, and who was asked in all."""

    variants: tuple[str, ...]
    models: tuple[str, ...]  # without variants, asked in every one of them
    others: tuple[str, ...]  # asked in some of them only

    @classmethod
    def of(cls, specs: Iterable[ModelSpec]) -> "AskedWays":
        """Return the ways of these models; anchors and recordings have none."""
        asked = [spec for spec in specs if spec.is_asked]
        names = dict.fromkeys(spec.variant_shown for spec in asked)
        variants = sorted(names, key=lambda name: name != DEFAULT_NAME)
        pairs = {(spec.plain, spec.variant_shown) for spec in asked}
        plain = dict.fromkeys(spec.plain for spec in asked)
        in_all = [name for name in plain if all((name, variant) in pairs for variant in variants)]
        return cls(
            variants=tuple(variants),
            models=tuple(in_all),
            others=tuple(name for name in plain if name not in in_all),
        )


def in_variant(specs: Sequence[ModelSpec], ways: AskedWays, variant: str) -> list[int]:
    """Return the places of the ranked models that were asked in a variant, in one order for all."""
    return [
        place
        for model in ways.models
        for place, spec in enumerate(specs)
        if (spec.plain, spec.variant_shown) == (model, variant)
    ]


NAMED = 3  # runs, models or cases that a sentence names


@dataclass(frozen=True, slots=True)
class Labelled:
    """A run and its label."""

    label: str
    side: Side


@dataclass(frozen=True, slots=True)
class Contestant:
    """A model of a run."""

    name: str
    run: Labelled
    model: SideModel


@dataclass(frozen=True, slots=True)
class Entrant:
    """What has a place in the ranking: a model of a run, or a variant by all of its models."""

    name: str
    model: str  # its name in its run; of a variant, those of all models
    spec: ModelSpec | None  # of a model that is asked in a variant
    members: tuple[Contestant, ...]

    def standing(self, keys: Sequence[str]) -> Standing:
        """Return its results of the common cases."""
        cases = tuple(member.model.cases[key] for key in keys for member in self.members)
        several = len(self.members) > 1
        clusters = tuple(key for key in keys for _ in self.members) if several else None
        return Standing(self.name, cases, clusters)


class NotRankableError(ForgetestError):
    """Runs have no case in common, or numbers that do not mean the same."""

    code = ExitCode.UNSCORED


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


def contestants(runs: Sequence[Labelled]) -> tuple[list[Contestant], list[str]]:
    """Return the models that have a scored sample, and the names of those that have none."""
    times = Counter(name for run in runs for name in run.side.models)
    models = [
        Contestant(name if times[name] == 1 else f"{name} @ {run.label}", run, model)
        for run in runs
        for name, model in run.side.models.items()
    ]
    scored = [model for model in models if any(case.n for case in model.model.cases.values())]
    return scored, [model.name for model in models if model not in scored]


def common_cases(
    runs: Sequence[Labelled], contestants: Sequence[Contestant]
) -> tuple[list[str], tuple[UnrankedCase, ...]]:
    """Return `set/case` of what can be ranked by, in their order by name, and what cannot.

    A case is common when every run asked the very same (equal hashes) and every model has a scored
    sample of it.
    """
    keys = sorted({key for contestant in contestants for key in contestant.model.cases})
    gaps = {key: _gap(key, runs, contestants) for key in keys}
    common = [key for key, gap in gaps.items() if gap is None]
    return common, tuple(gap for gap in gaps.values() if gap is not None)


def _gap(
    key: str, runs: Sequence[Labelled], contestants: Sequence[Contestant]
) -> UnrankedCase | None:
    missing = tuple(run.label for run in runs if not _has(run, key))
    if parts := _changed(key, [run for run in runs if _has(run, key)]):
        return UnrankedCase(case=key, gap=UnrankedReason.CHANGED, parts=parts)
    if missing:
        return UnrankedCase(case=key, gap=UnrankedReason.MISSING, of=missing)
    unscored = tuple(sorted(model.name for model in contestants if not _is_scored(model, key)))
    return UnrankedCase(case=key, gap=UnrankedReason.UNSCORED, of=unscored) if unscored else None


def _has(run: Labelled, key: str) -> bool:
    return any(key in model.cases for model in run.side.models.values())


def _is_scored(contestant: Contestant, key: str) -> bool:
    case = contestant.model.cases.get(key)
    return case is not None and case.n > 0


def _changed(key: str, runs: Sequence[Labelled]) -> tuple[str, ...]:
    """Return the parts of a case that are not the same in all runs that have it."""
    hashes = [run.side.hashes.get(key) for run in runs]
    known = [parts for parts in hashes if parts is not None]
    if len(known) < len(hashes):
        return ("content",) if known else ()
    return tuple(
        part
        for part in CaseHashes.model_fields
        if len({getattr(parts, part) for parts in known}) > 1
    )


def model_entrants(contestants: Sequence[Contestant]) -> list[Entrant]:
    """Return the models of the runs, each of which stands for itself."""
    return [
        Entrant(entry.name, entry.model.name, entry.model.varied, (entry,)) for entry in contestants
    ]


def variant_entrants(
    runs: Sequence[Labelled], contestants: Sequence[Contestant], ways: AskedWays
) -> list[Entrant]:
    """Return the variants, each with the models that were asked in all, in one order.

    Raises NotRankableError for fewer than two variants, without such a model, and for a variant or
    a model that stands for two things in several runs.
    """
    _refuse_too_few(ways)
    _refuse_two_meanings(runs, contestants)
    specs = [contestant.model.spec for contestant in contestants]
    models = ", ".join(ways.models)
    return [
        Entrant(
            variant,
            models,
            None,
            tuple(contestants[place] for place in in_variant(specs, ways, variant)),
        )
        for variant in ways.variants
    ]


def _refuse_too_few(ways: AskedWays) -> None:
    if len(ways.variants) < 2:  # noqa: PLR2004 - nothing to rank
        variants = ways.variants[0] if ways.variants else "none"
        raise NotRankableError(
            f"all models were asked in one variant, {variants}: ask them in several, with"
            " forgetest run --variant default,NAME"
        )
    if not ways.models:
        raise NotRankableError(
            f"no model was asked in all variants ({', '.join(ways.variants)}):"
            f" {some_names(ways.others)}"
        )


def _refuse_two_meanings(runs: Sequence[Labelled], contestants: Sequence[Contestant]) -> None:
    times = Counter(contestant.model.name for contestant in contestants)
    for name, number in times.items():
        if number > 1:
            raise NotRankableError(
                f"{name} is in {number} runs: rank variants of one run, or of runs that asked"
                " in different ones"
            )
    if changed := changed_variants(runs):
        raise NotRankableError(f"not the same variant in all runs: {some_names(changed)}")


def changed_variants(runs: Sequence[Labelled]) -> list[str]:
    """Return the variants of one name that ask in different ways."""
    hashes: dict[str, set[str]] = {}
    for run in runs:
        for name, variant in run.side.variants.items():
            hashes.setdefault(name, set()).add(variant.hash)
    return [name for name, different in hashes.items() if len(different) > 1]


def some_names(names: Sequence[str]) -> str:
    """Return the first few names, and how many more there are."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
