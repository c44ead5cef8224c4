"""What completions cost in dollars, tokens and seconds: the one sum of reports, comparisons, ranks.

A sum of completions can be added to others, so that a comparison counts each case once and then
sums over models, eval sets and tags. An unknown price or token count is counted, never taken as 0.
"""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
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
    def of(cls, completions: Iterable[Billed]) -> "UsageTotals":
        """Return the totals of some completions."""
        counting = UsageCount()
        for completion in completions:
            counting.add(completion)
        return counting.totals

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


@dataclass(slots=True)
class UsageCount:
    """The totals of completions that are counted one by one and not kept."""

    completions: int = 0
    usd: Decimal = Decimal(0)
    unpriced: int = 0
    price_sources: set[str] = field(default_factory=set)
    input: int = 0
    output: int = 0
    reasoning: int = 0
    cache_read: int = 0
    unreported: int = 0
    latencies: "array[float]" = field(default_factory=lambda: array("d"))
    served: set[str] = field(default_factory=set)

    def add(self, completion: Billed) -> None:
        """Count one completion."""
        usage, cost = completion.usage, completion.cost
        self.completions += 1
        self._pay(cost)
        self.input += usage.input_tokens or 0
        self.output += usage.output_tokens or 0
        self.reasoning += usage.reasoning_tokens
        self.cache_read += usage.cache_read_tokens
        self.unreported += usage.output_tokens is None
        if completion.latency_secs is not None:
            self.latencies.append(completion.latency_secs)
        if completion.served_model:
            self.served.add(completion.served_model)

    def _pay(self, cost: Cost) -> None:
        self.price_sources.add(cost.source)
        if cost.usd is None:
            self.unpriced += 1
        else:
            self.usd += cost.usd

    @property
    def totals(self) -> UsageTotals:
        """The totals so far."""
        return UsageTotals(
            completions=self.completions,
            usd=self.usd,
            unpriced=self.unpriced,
            price_sources=frozenset(self.price_sources),
            input=self.input,
            output=self.output,
            reasoning=self.reasoning,
            cache_read=self.cache_read,
            unreported=self.unreported,
            latencies=tuple(self.latencies),
            served=frozenset(self.served),
        )
