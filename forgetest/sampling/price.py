"""What a completion costs, and who says so.

Order: what the provider charged, the user's own price, nothing for a local server, the bundled
price list, unknown. An unknown price is None, never 0. Leaves sums over a run to the report.
"""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal

from forgetest.sampling.completion import Cost, Draw, Usage
from forgetest.sampling.providers.contract import estimated_tokens
from forgetest.sampling.providers.presets import Preset, Price
from forgetest.sampling.providers.sampling import resolve
from forgetest.value import Value

MILLION = Decimal(1_000_000)
UNKNOWN = Cost()
LOCAL = Cost(usd=Decimal(0), source="local")


class CostEstimate(Value):
    """The most that draws can take: every completion is as long as its limit allows."""

    requests: int
    input_tokens: int
    output_tokens: int
    cost: Cost


def cost_of(
    usage: Usage,
    model: str,
    preset: Preset,
    *,
    charged: Cost = UNKNOWN,
    at: datetime | None = None,
) -> Cost:
    """Return what one completion cost in US dollars at a time, by default now."""
    if charged.usd is not None:
        return charged
    price = preset.prices.get(model)
    if price is None and preset.local:
        return LOCAL
    if usage.input_tokens is None or usage.output_tokens is None:
        return UNKNOWN
    if price is not None:
        return Cost(usd=_by_price(usage, price), source="config")
    return _by_list(usage, model, preset.base_url, at)


def load_price_list() -> None:
    """Read the bundled price list, which takes some tenths of a second the first time."""
    _by_list(Usage(input_tokens=1, output_tokens=1), "", "", None)


def estimate_cost(draws: Iterable[Draw], preset: Preset) -> CostEstimate:
    """Return the most that the draws can take; the cost is unknown if that of any draw is."""
    usages = [(draw.sample.model.model, _at_most(draw, preset)) for draw in draws]
    costs = [cost_of(usage, model, preset) for model, usage in usages]
    dollars = [cost.usd for cost in costs if cost.usd is not None]
    known = bool(costs) and len(dollars) == len(costs)
    return CostEstimate(
        requests=len(usages),
        input_tokens=sum(usage.input_tokens or 0 for _, usage in usages),
        output_tokens=sum(usage.output_tokens or 0 for _, usage in usages),
        cost=Cost(usd=sum(dollars, Decimal(0)), source=costs[0].source) if known else UNKNOWN,
    )


def _at_most(draw: Draw, preset: Preset) -> Usage:
    limit = resolve(preset, draw.sampling).max_tokens
    return Usage(input_tokens=estimated_tokens(draw.prompt), output_tokens=limit)


def _by_price(usage: Usage, price: Price) -> Decimal:
    total, output = usage.input_tokens or 0, usage.output_tokens or 0
    cached = min(usage.cache_read_tokens, total)
    per_cached = price.input if price.cached is None else price.cached
    spent = (total - cached) * price.input + cached * per_cached + output * price.output
    return spent / MILLION


def _by_list(usage: Usage, model: str, base_url: str, at: datetime | None) -> Cost:
    # Imported here because reading the price list takes longer than starting the program.
    import genai_prices  # noqa: PLC0415

    spent = genai_prices.Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
    )
    try:
        price = genai_prices.calc_price(
            spent, model, provider_api_url=base_url, genai_request_timestamp=at
        )
    except (LookupError, ValueError):  # a model not listed, or counts that contradict each other
        return UNKNOWN
    return Cost(usd=price.total_price, source=f"genai-prices {genai_prices.__version__}")
