"""What a completion costs, and who says so.

Order: the user's own price, what the provider charged, nothing for a local server, the bundled
price list, unknown. An unknown price is None, never 0. Leaves sums over a run to the report.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal

from forgetest.sampling.completion import Cost, Draw, Usage
from forgetest.sampling.providers.contract import code_tokens, estimated_tokens
from forgetest.sampling.providers.presets import Preset, Price
from forgetest.sampling.providers.sampling import refused_by, resolve
from forgetest.sampling.variant import FEEDBACK_TOKENS
from forgetest.value import Value

MILLION = Decimal(1_000_000)
UNKNOWN = Cost()
LOCAL = Cost(usd=Decimal(0), source="local")


# How long a likely answer is, in tokens.
WITHOUT_REFERENCE = 400  # code with a few words around it
TIMES_REFERENCE = 2  # the same for a known solution: comments, an example, prose
THOUGHT = 2_000  # before an answer, by models that are known to think


class CostEstimate(Value):
    """What draws will take: likely, and at most, with every completion as long as its limit."""

    samples: int
    requests: int  # at most: every sample in all of its rounds
    input_tokens: int  # errs upwards
    likely_output_tokens: int
    output_tokens: int  # at most
    likely_cost: Cost
    cost: Cost  # at most


def cost_of(
    usage: Usage,
    model: str,
    preset: Preset,
    *,
    charged: Cost = UNKNOWN,
    at: datetime | None = None,
) -> Cost:
    """Return what one completion cost in US dollars at a time, by default now."""
    price = preset.prices.get(model)
    counted = usage.input_tokens is not None and usage.output_tokens is not None
    if price is not None and counted:
        return Cost(usd=_by_price(usage, price), source="config")
    if charged.usd is not None:
        return charged
    if price is None and preset.local:
        return LOCAL
    return _by_list(usage, model, preset.base_url, at) if price is None and counted else UNKNOWN


def load_price_list() -> None:
    """Read the bundled price list, which takes some tenths of a second the first time."""
    _by_list(Usage(input_tokens=1, output_tokens=1), "", "", None)


def estimate_cost(draws: Iterable[Draw], preset: Preset) -> CostEstimate:
    """Return what the draws will take; a cost is unknown if that of any draw is.

    Likely is the first round of each, at most all of its rounds.
    """
    drawn = list(draws)
    models = [draw.sample.model.model for draw in drawn]
    most = [usage for draw in drawn for usage in _rounds_at_most(draw, preset)]
    every = [draw.sample.model.model for draw in drawn for _ in range(draw.variant.rounds)]
    likely = [_likely(draw, preset) for draw in drawn]
    return CostEstimate(
        samples=len(drawn),
        requests=len(most),
        input_tokens=sum(usage.input_tokens or 0 for usage in most),
        likely_output_tokens=sum(usage.output_tokens or 0 for usage in likely),
        output_tokens=sum(usage.output_tokens or 0 for usage in most),
        likely_cost=_total(likely, models, preset),
        cost=_total(most, every, preset),
    )


def nothing_asked(requests: int) -> CostEstimate:
    """Return the estimate of samples that no server is asked for."""
    return CostEstimate(
        samples=requests,
        requests=requests,
        input_tokens=0,
        likely_output_tokens=0,
        output_tokens=0,
        likely_cost=LOCAL,
        cost=LOCAL,
    )


def commands_asked(draws: Sequence[Draw], *, local: bool) -> CostEstimate:
    """Return the estimate of samples that a command answers: only itself knows what it sends."""
    cost = LOCAL if local else UNKNOWN
    return nothing_asked(len(draws)).model_copy(
        update={
            "requests": sum(draw.variant.rounds for draw in draws),
            "input_tokens": sum(estimated_tokens(draw.prompt) for draw in draws),
            "likely_cost": cost,
            "cost": cost,
        }
    )


def _total(usages: Sequence[Usage], models: Sequence[str], preset: Preset) -> Cost:
    costs = [cost_of(usage, model, preset) for usage, model in zip(usages, models, strict=True)]
    dollars = [cost.usd for cost in costs if cost.usd is not None]
    if not costs or len(dollars) < len(costs):
        return UNKNOWN
    return Cost(usd=sum(dollars, Decimal(0)), source=costs[0].source)


def _rounds_at_most(draw: Draw, preset: Preset) -> Iterator[Usage]:
    """Yield the usage of each round: what was said before is sent again."""
    first = _at_most(draw, preset)
    said = (first.output_tokens or 0) + FEEDBACK_TOKENS
    for earlier in range(draw.variant.rounds):
        yield first.model_copy(update={"input_tokens": (first.input_tokens or 0) + earlier * said})


def _at_most(draw: Draw, preset: Preset) -> Usage:
    limit = resolve(preset, draw.sampling).max_tokens
    return Usage(input_tokens=estimated_tokens(draw.prompt), output_tokens=limit)


def _likely(draw: Draw, preset: Preset) -> Usage:
    """Return the usage of an answer of usual length; never more than its limit."""
    reference = draw.case.reference_solution
    answer = WITHOUT_REFERENCE
    if reference is not None:
        answer = TIMES_REFERENCE * code_tokens(reference)
    thinks = THOUGHT if refused_by(preset, draw.sample.model.model) else 0
    most = _at_most(draw, preset)
    return most.model_copy(update={"output_tokens": min(answer + thinks, most.output_tokens or 0)})


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
