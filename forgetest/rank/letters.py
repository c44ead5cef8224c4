"""Compact letters: models that share one are not told apart."""

from collections.abc import Collection, Sequence
from string import ascii_lowercase


def letters(names: Sequence[str], differing: Collection[tuple[str, str]]) -> dict[str, str]:
    """Return each name's letters; two names share one exactly when they do not differ.

    Insert and absorb (Piepho 2004): every set that holds a pair that differs is split into the two
    without one of them, and sets within others vanish. The first names get the first letters.
    """
    sets = [frozenset(names)]
    for one, other in differing:
        sets = _absorbed(_split(sets, one, other))
    places = {name: place for place, name in enumerate(names)}
    ordered = sorted(sets, key=lambda members: sorted(map(places.__getitem__, members)))
    return {
        name: _SEPARATOR[len(ordered) > len(ascii_lowercase)].join(
            _letter(place) for place, members in enumerate(ordered) if name in members
        )
        for name in names
    }


_SEPARATOR = {False: "", True: " "}  # letters beyond z have two signs


def _split(sets: Sequence[frozenset[str]], one: str, other: str) -> list[frozenset[str]]:
    found: list[frozenset[str]] = []
    for members in sets:
        both = one in members and other in members
        found.extend([members - {one}, members - {other}] if both else [members])
    return found


def _absorbed(sets: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    distinct = list(dict.fromkeys(sets))
    return [members for members in distinct if not any(members < other for other in distinct)]


def _letter(place: int) -> str:
    """Return a to z, then aa, ab and so on."""
    before, last = divmod(place, len(ascii_lowercase))
    return (_letter(before - 1) if before else "") + ascii_lowercase[last]
