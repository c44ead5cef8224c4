"""What a completion costs, and who says so."""

from datetime import UTC, datetime
from decimal import Decimal
from importlib.metadata import version

import pytest
from draws import PROMPT, draw

from forgetest.sampling.completion import Cost, Draw, Usage
from forgetest.sampling.price import (
    THOUGHT,
    TIMES_REFERENCE,
    WITHOUT_REFERENCE,
    CostEstimate,
    cost_of,
    estimate_cost,
)
from forgetest.sampling.providers.contract import estimated_tokens
from forgetest.sampling.providers.presets import PRESETS, Preset, Price

MILLION = Usage(input_tokens=1_000_000, output_tokens=1_000_000)
LISTED = f"genai-prices {version('genai-prices')}"
AT = datetime(2026, 11, 21, tzinfo=UTC)
PRICED = PRESETS["openai"].model_copy(
    update={
        "prices": {
            "gpt-4o": Price(input=Decimal(2), output=Decimal(8), cached=Decimal("0.5")),
            "plain": Price(input=Decimal(2), output=Decimal(8)),
        }
    }
)


CHARGED = Cost(usd=Decimal("0.01"), source="provider")


def test_the_users_own_price_comes_first() -> None:
    assert cost_of(MILLION, "gpt-4o", PRICED) == Cost(usd=Decimal(10), source="config")
    assert cost_of(MILLION, "gpt-4o", PRICED, charged=CHARGED).source == "config"


def test_then_what_the_provider_charged() -> None:
    assert cost_of(MILLION, "gpt-4o", PRESETS["openai"], charged=CHARGED) == CHARGED
    assert cost_of(Usage(), "gpt-4o", PRICED, charged=CHARGED) == CHARGED


def test_then_the_price_list_with_its_version() -> None:
    assert cost_of(MILLION, "gpt-4o", PRESETS["openai"], at=AT) == Cost(
        usd=Decimal("12.5"), source=LISTED
    )


@pytest.mark.parametrize(
    ("usage", "model"),
    [
        (MILLION, "no-such-model"),
        (Usage(), "gpt-4o"),
        (Usage(input_tokens=5), "gpt-4o"),
        (Usage(input_tokens=5, output_tokens=1, cache_read_tokens=9), "gpt-4o"),
    ],
)
def test_and_else_it_is_unknown_and_not_zero(usage: Usage, model: str) -> None:
    assert cost_of(usage, model, PRESETS["openai"]) == Cost(usd=None, source="unknown")


def test_a_host_that_no_list_knows_has_no_price() -> None:
    mine = Preset(name="mine", base_url="https://gateway.example/v1")

    assert cost_of(MILLION, "gpt-4o", mine) == Cost()


@pytest.mark.parametrize("usage", [MILLION, Usage()])
def test_a_local_server_costs_nothing(usage: Usage) -> None:
    assert cost_of(usage, "gpt-4o", PRESETS["ollama"]) == Cost(usd=Decimal(0), source="local")


@pytest.mark.parametrize("name", [name for name, preset in PRESETS.items() if preset.local])
def test_the_users_own_price_holds_for_a_local_server_too(name: str) -> None:
    mine = PRESETS[name].model_copy(update={"prices": PRICED.prices})

    assert cost_of(MILLION, "gpt-4o", mine) == Cost(usd=Decimal(10), source="config")
    assert cost_of(Usage(), "gpt-4o", mine) == Cost(usd=None, source="unknown")
    assert cost_of(MILLION, "another", mine) == Cost(usd=Decimal(0), source="local")


@pytest.mark.parametrize(
    ("model", "cached", "usd"),
    [("gpt-4o", 400_000, "9.4"), ("plain", 400_000, "10"), ("gpt-4o", 2_000_000, "8.5")],
)
def test_cached_input_has_its_own_price_where_one_is_given(
    model: str, cached: int, usd: str
) -> None:
    usage = MILLION.model_copy(update={"cache_read_tokens": cached})

    assert cost_of(usage, model, PRICED).usd == Decimal(usd)


def test_the_list_takes_the_sum_as_input_for_anthropic_too() -> None:
    usage = Usage(
        input_tokens=1_000, cache_read_tokens=1_000, cache_write_tokens=0, output_tokens=0
    )
    uncached = usage.model_copy(update={"cache_read_tokens": 0})

    cheap = cost_of(usage, "claude-sonnet-4-5", PRESETS["anthropic"], at=AT).usd
    dear = cost_of(uncached, "claude-sonnet-4-5", PRESETS["anthropic"], at=AT).usd

    assert cheap is not None
    assert dear is not None
    assert cheap * 10 == dear


@pytest.mark.parametrize(
    ("preset", "model"),
    [
        ("anthropic", "claude-sonnet-4-5"),
        ("openrouter", "openai/gpt-4o"),
        ("groq", "llama-3.3-70b-versatile"),
        ("together", "meta-llama/Llama-3.3-70B-Instruct-Turbo"),
        ("deepseek", "deepseek-chat"),
        ("mistral", "mistral-large-latest"),
        ("xai", "grok-4"),
        ("gemini", "gemini-2.5-flash"),
    ],
)
def test_every_hosted_preset_is_found_in_the_list(preset: str, model: str) -> None:
    assert cost_of(MILLION, model, PRESETS[preset], at=AT).source == LISTED


def test_an_estimate_counts_every_draw_at_its_limit() -> None:
    draws = [draw("gpt-4o", index=0), draw("gpt-4o", index=1, max_tokens=1_000)]

    estimate = estimate_cost(draws, PRICED)

    read = 2 * estimated_tokens(PROMPT)
    likely, most = ((read * Decimal(2) + out * Decimal(8)) / 1_000_000 for out in (800, 17_000))
    assert estimate == CostEstimate(
        samples=2,
        requests=2,
        input_tokens=read,
        likely_output_tokens=2 * WITHOUT_REFERENCE,
        output_tokens=17_000,
        likely_cost=Cost(usd=likely, source="config"),
        cost=Cost(usd=most, source="config"),
    )


def test_a_likely_answer_is_as_long_as_the_reference_and_the_thought_ask_for() -> None:
    known = draw("m").model_copy(
        update={"case": draw("m").case.model_copy(update={"reference_solution": "x" * 300})}
    )

    def likely(drawn: Draw, preset: str) -> int:
        return estimate_cost([drawn], PRESETS[preset]).likely_output_tokens

    assert likely(known, "ollama") == TIMES_REFERENCE * 100
    assert likely(draw("gpt-5"), "openai") == WITHOUT_REFERENCE + THOUGHT
    assert likely(draw("gpt-5", max_tokens=50), "openai") == 50


def test_an_estimate_with_one_unknown_price_is_unknown() -> None:
    assert estimate_cost([draw("gpt-4o"), draw("odd")], PRICED).cost == Cost()
    assert estimate_cost([], PRICED).cost == Cost()
