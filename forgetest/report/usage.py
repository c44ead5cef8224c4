"""What completions cost in dollars, tokens and seconds: the one sum of reports, comparisons, ranks.

A sum of completions can be added to others, so that a comparison counts each case once and then
sums over models, eval sets and tags. An unknown price or token count is counted, never taken as 0.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from forgetest.metrics import nearest_rank
from forgetest.report.types import CostSum, Latency, TokenSum
from forgetest.sampling.completion import Cost, Usage


class Billed(Protocol):
    """What of a completion is summed."""

    @property
    def usage(self) -> Usage:
        """Its tokens."""

    @property
    def cost(self) -> Cost:
        """Its price."""

    @property
    def latency_secs(self) -> float | None:
        """The time of the successful request."""

    @property
    def served_model(self) -> str | None:
        """The name under which the server answered."""


@dataclass(frozen=True, slots=True)
class UsageTotals:
    """The sums over some completions, or over several such sums."""

    completions: int
    usd: Decimal  # of those with a known price
    unpriced: int
    price_sources: frozenset[str]
    input: int
    output: int
    reasoning: int
    cache_read: int
    unreported: int  # completions without token counts
    latencies: tuple[float, ...]
    served: frozenset[str]  # names under which servers answered

    @classmethod
    def of(cls, completions: Sequence[Billed]) -> "UsageTotals":
        """Return the totals of some completions."""
        usages = [completion.usage for completion in completions]
        prices = [completion.cost.usd for completion in completions]
        times = (completion.latency_secs for completion in completions)
        return cls(
            completions=len(completions),
            usd=sum((usd for usd in prices if usd is not None), Decimal(0)),
            unpriced=prices.count(None),
            price_sources=frozenset(completion.cost.source for completion in completions),
            input=sum(usage.input_tokens or 0 for usage in usages),
            output=sum(usage.output_tokens or 0 for usage in usages),
            reasoning=sum(usage.reasoning_tokens for usage in usages),
            cache_read=sum(usage.cache_read_tokens for usage in usages),
            unreported=sum(usage.output_tokens is None for usage in usages),
            latencies=tuple(secs for secs in times if secs is not None),
            served=frozenset(item.served_model for item in completions if item.served_model),
        )

    @classmethod
    def sum(cls, totals: Iterable["UsageTotals"]) -> "UsageTotals":
        """Return the totals of all completions that some totals are of."""
        parts = tuple(totals)
        return cls(
            completions=sum(part.completions for part in parts),
            usd=sum((part.usd for part in parts), Decimal(0)),
            unpriced=sum(part.unpriced for part in parts),
            price_sources=frozenset().union(*(part.price_sources for part in parts)),
            input=sum(part.input for part in parts),
            output=sum(part.output for part in parts),
            reasoning=sum(part.reasoning for part in parts),
            cache_read=sum(part.cache_read for part in parts),
            unreported=sum(part.unreported for part in parts),
            latencies=tuple(secs for part in parts for secs in part.latencies),
            served=frozenset().union(*(part.served for part in parts)),
        )

    @property
    def cost(self) -> CostSum:
        """The dollars; a total only where every price is known."""
        return CostSum(
            usd=None if self.unpriced else self.usd,
            known_usd=self.usd,
            unknown=self.unpriced,
            sources=tuple(sorted(self.price_sources)),
        )

    @property
    def tokens(self) -> TokenSum:
        """The tokens."""
        return TokenSum(
            input=self.input,
            output=self.output,
            reasoning=self.reasoning,
            cache_read=self.cache_read,
            unreported=self.unreported,
        )

    @property
    def latency(self) -> Latency | None:
        """The mean and the percentiles of the latencies; None without any."""
        p50, p95 = nearest_rank(self.latencies, 0.5), nearest_rank(self.latencies, 0.95)
        if p50 is None or p95 is None:
            return None
        return Latency(mean=sum(self.latencies) / len(self.latencies), p50=p50, p95=p95)
