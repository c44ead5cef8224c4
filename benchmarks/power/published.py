"""The false alarms of the threshold rule as the specification has them, in percent."""

from typing import NamedTuple

from power.models import SETTINGS


class Row(NamedTuple):
    """How often at least one of so many unchanged cases seems to regress, for each setting."""

    cases: int
    samples: int
    percent: tuple[float, ...]


TABLE = (
    Row(10, 1, (84, 55, 41)),
    Row(20, 1, (95, 78, 64)),
    Row(20, 5, (99.6, 96, 71)),
    Row(20, 10, (98, 94, 66)),
    Row(50, 5, (100, 100, 95)),
    Row(100, 10, (100, 100, 99.7)),
)


def published(setting: str, cases: int, samples: int) -> float | None:
    """Return the percentage of the table; None where it has none."""
    place = list(SETTINGS).index(setting)
    found = {(row.cases, row.samples): row.percent[place] for row in TABLE}
    return found.get((cases, samples))
