"""How numbers are written, the same everywhere: never a rounding that hides a difference."""

from collections.abc import Sequence
from decimal import Decimal

from forgetest.metrics import percent
from forgetest.report.types import CostSum

CENT = Decimal("0.01")
TINY = Decimal("0.0001")
MINUTE = 60


def interval(bounds: tuple[float, float] | None) -> str:
    """Return `12.3 – 45.6 %`, or a dash where there is no interval."""
    if bounds is None:
        return "–"
    low, high = (percent(bound) for bound in bounds)
    return f"{low.removesuffix(' %')} – {high}"


def dollars(usd: Decimal) -> str:
    """Return US dollars with cents, and with four decimals below one cent."""
    if usd == 0:
        return "$0"
    if usd < TINY:
        return "<$0.0001"
    return f"${usd:.4f}" if usd < CENT else f"${usd:,.2f}"


def money(cost: CostSum) -> str:
    """Return a sum; `?` says that some completions have no known price."""
    if cost.usd is not None:
        return dollars(cost.usd)
    return f"{dollars(cost.known_usd)} + ?" if cost.known_usd else "?"


def passed_of(passed: int, scored: int, planned: int) -> str:
    """Return `c/n`, a dash where nothing is scored, and how many samples are unscored.

    Every view of a case shows this, so that none hides what could not be judged.
    """
    share = f"{passed}/{scored}" if scored else "–"
    return f"{share}{unscored_mark(scored, planned)}"


def unscored_mark(scored: int, planned: int) -> str:
    """Return ` (2 unscored)`, and nothing where all planned samples are scored."""
    missing = planned - scored
    return f" ({missing} unscored)" if missing > 0 else ""


def seconds(secs: float) -> str:
    """Return a duration in the unit a person would choose."""
    if secs < 1:
        return f"{secs * 1000:.0f} ms"
    if secs < MINUTE:
        return f"{secs:.1f} s"
    minutes, rest = divmod(round(secs), MINUTE)
    if minutes < MINUTE:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(minutes, MINUTE)
    return f"{hours} h {minutes:02d} min"


def and_more(names: Sequence[str], most: int, *, noun: str = "") -> str:
    """Return the first names, as in `a, b and 3 more`."""
    shown = ", ".join(names[:most])
    return f"{shown}{' ' if shown else ''}{more(len(names) - most, noun)}".rstrip()


def more(rest: int, noun: str = "", plural: str = "") -> str:
    """Return `and 3 more` or, with a noun, `and 3 more cases`; nothing where nothing is left."""
    if rest <= 0:
        return ""
    if not noun:
        return f"and {rest:,} more"
    return f"and {rest:,} more {noun if rest == 1 else plural or f'{noun}s'}"
