"""What --fail-under found, in words: one line for each number that falls short."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from forgetest.metrics import percent
from forgetest.render.safe import one_line
from forgetest.report.minimum import Shortfall
from forgetest.value import count

SCORES = ("score", "mean_score")  # numbers from 0 to 1 that are not shares


def minimum_lines(missed: Sequence[Shortfall], *, demanded: int, models: int) -> Iterator[str]:
    """Yield what falls short, then what cannot be judged; one line where all is met."""
    for shortfall in missed:
        subject = f"{one_line(shortfall.model)}: {one_line(shortfall.metric)}"
        if shortfall.value is None:
            yield f"fail-under: {subject} cannot be judged: {shortfall.reason or 'no value'}"
        else:
            yield f"fail-under: {subject} is {_below(shortfall.value, shortfall)}"
    if not missed:
        yield f"fail-under: {count(models, 'model')} met {count(demanded, 'minimum')}"


def _below(value: float, shortfall: Shortfall) -> str:
    """Return `62.5 %, below 80.0 %`, with as many digits as tell the two apart."""
    if shortfall.metric in SCORES:
        shown, least = f"{value:.3f}", f"{shortfall.least:.3f}"
    else:
        shown, least = percent(value), percent(shortfall.least)
    if shown == least:
        shown, least = f"{Decimal(str(value)):f}", f"{shortfall.least:f}"
    return f"{shown}, below {least}"
