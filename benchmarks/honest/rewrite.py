"""What a rewrite is: a program to another of the same meaning, or None where it does not apply.

That the meaning is the same is not proven here: plain cargo is asked, and a rewrite that does not
pass there as its original did is left out.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

from honest.source import Source, Unit

Apply = Callable[[Source, Random], str | None]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A rewrite with its name; those of one family have a reason to go wrong in common."""

    name: str
    family: str
    apply: Apply
    of_tests: bool = False  # whether it rewrites the test file, and so the case

    def __call__(self, code: str, draw: Random) -> str | None:
        """Return the program rewritten; None when it is of no use here."""
        rewritten = self.apply(Source(code), draw)
        return None if rewritten == code else rewritten


class Family:
    """Collects the rewrites of a family: its instances decorate functions."""

    def __init__(self, name: str, *, of_tests: bool = False) -> None:
        self.name = name
        self.of_tests = of_tests
        self.rewrites: list[Rewrite] = []

    def __call__(self, apply: Apply) -> Apply:
        """Add a rewrite that is called as its function is."""
        name = apply.__name__.replace("_", "-")
        self.rewrites.append(Rewrite(name, self.name, apply, self.of_tests))
        return apply


def joined(units: Iterable[Unit]) -> str:
    """Return items as one text."""
    return "\n\n".join(unit.text for unit in units)


def some(units: list[Unit], draw: Random) -> list[Unit]:
    """Return one or more of some items, in their order."""
    if not units:
        return []
    kept = [unit for unit in units if draw.random() < 0.6]
    return kept or [draw.choice(units)]
