"""The models that a machine offers to somebody who named none, as a numbered list."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from forgetest.render.safe import one_line


@dataclass(frozen=True, slots=True)
class Offer:
    """A model that can be asked; where `model` is empty, a provider with models to pick from."""

    provider: str
    model: str
    why: str  # why it is offered: what was found here, and what is missing

    @property
    def name(self) -> str:
        """The model as the command line takes it, with a placeholder for a model not chosen."""
        return f"{self.provider}/{self.model or 'MODEL'}"


def offer_table(offers: Sequence[Offer]) -> Table:
    """Return one numbered row per offer."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(justify="right")
    for _ in ("model", "why"):
        table.add_column(overflow="fold")
    for number, offer in enumerate(offers, start=1):
        table.add_row(str(number), one_line(offer.name), one_line(offer.why))
    return table


def chosen_line(models: Sequence[str]) -> str:
    """Return how to say the same next time without being asked."""
    return f"next time: add --models {','.join(models)}, or set models in forgetest.toml"
