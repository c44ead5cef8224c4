"""How a number of things is written in a sentence."""


def count(number: int, noun: str, plural: str = "") -> str:
    """Return `1 case`, `2 cases`, `3,000 cases`."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
