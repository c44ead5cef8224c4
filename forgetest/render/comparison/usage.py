"""Cost, tokens and latency of both sides, and how much they changed."""

from collections.abc import Iterator

from forgetest.compare.types import Spent, Usage
from forgetest.render.comparison.numbers import NONE, share_change
from forgetest.render.numbers import money, seconds
from forgetest.render.safe import one_line


def usage_rows(usage: Usage) -> Iterator[list[str]]:
    """Return name, baseline, current and relative change; what neither side has is left out."""
    before, after = usage.baseline, usage.current
    yield _counted("completions", before.completions, after.completions)
    yield ["cost", money(before.cost), money(after.cost), _cost_change(before, after)]
    yield from _tokens(before, after)
    if before.latency and after.latency:
        yield _timed("latency p50", before.latency.p50, after.latency.p50)
        yield _timed("latency p95", before.latency.p95, after.latency.p95)
    if before.served != after.served:
        yield ["served as", _served(before), _served(after), ""]


def usage_line(usage: Usage) -> str:
    """Return cost, and what else changed, in one line."""
    rows = [row for row in usage_rows(usage) if row[0] == "cost" or row[1] != row[2]]
    told = [(f"{name} {before} -> {after}", change) for name, before, after, change in rows]
    return " · ".join(f"{words} ({change})" if change else words for words, change in told)


def _counted(name: str, before: int, after: int) -> list[str]:
    return [name, f"{before:,}", f"{after:,}", share_change(before, after)]


def _timed(name: str, before: float, after: float) -> list[str]:
    return [name, seconds(before), seconds(after), share_change(before, after)]


def _cost_change(before: Spent, after: Spent) -> str:
    if before.cost.usd is None or after.cost.usd is None:
        return NONE
    return share_change(float(before.cost.usd), float(after.cost.usd))


def _tokens(before: Spent, after: Spent) -> Iterator[list[str]]:
    for name in ("input", "output", "reasoning", "cache_read", "unreported"):
        counts = (getattr(before.tokens, name), getattr(after.tokens, name))
        if any(counts):
            label = "no token count" if name == "unreported" else f"tokens {name.replace('_', ' ')}"
            yield _counted(label, *counts)


def _served(side: Spent) -> str:
    return one_line(", ".join(side.served)) or NONE
