"""Ways of asking as what is ranked: which variants there are, and which models were asked in all.

Variants are ranked on the same models and the same cases, so that none gains by a strong model or
an easy case.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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
