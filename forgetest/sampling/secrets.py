"""What must not be shown: keys and other values that messages, logs and reports leave out."""

from collections.abc import Iterable
from dataclasses import dataclass, field

SHORTEST_SECRET = 6  # shorter values are words, and hiding them would garble messages


@dataclass(frozen=True, slots=True)
class Secrets:
    """The key of a provider and what else must not be shown."""

    key: str | None = field(repr=False)
    values: tuple[str, ...] = field(repr=False)

    def hide(self, text: str) -> str:
        """Return the text with every secret replaced."""
        for value in self.values:
            text = text.replace(value, "[hidden]")
        return text


def secrets_of(hidden: Iterable[str], *, key: str | None = None) -> Secrets:
    """Return what keeps these values secret; short ones are words."""
    longest_first = sorted({value for value in hidden if len(value) >= SHORTEST_SECRET}, key=len)
    return Secrets(key=key, values=tuple(reversed(longest_first)))
