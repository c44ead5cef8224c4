"""Which sampling is sent to which model, and what is learned from refusals."""

from typing import Any

import pytest
from draws import call, draw

from forgetest.sampling.plan import Sampling
from forgetest.sampling.providers import anthropic, ollama, openai
from forgetest.sampling.providers.contract import ApiError
from forgetest.sampling.providers.presets import PRESETS
from forgetest.sampling.providers.sampling import (
    Terms,
    dropped,
    refused_by,
    renamed,
    renegotiated,
    resolve,
    to_call,
)

TOLD = {
    "max_tokens": "Unsupported parameter: 'max_tokens' is not supported with this model. "
    "Use 'max_completion_tokens' instead.",
    "temperature": "Unsupported value: 'temperature' does not support 0.8 with this model. "
    "Only the default (1) value is supported.",
}


@pytest.mark.parametrize(
    ("model", "refuses"),
    [
        ("gpt-5", True),
        ("gpt-6.1-sol", True),
        ("gpt-10-nova", True),
        ("openai/gpt-6-luna", True),
        ("o3-mini", True),
        ("gpt-5-chat-latest", False),
        ("gpt-4o", False),
        ("gpt-oss-120b", False),
        ("claude-opus-4-7", True),
        ("claude-opus-4.7", True),
        ("anthropic/claude-sonnet-5", True),
        ("claude-fable-5-1", True),
        ("claude-haiku-5-5-20261021", True),
        ("claude-opus-4-6", False),
        ("claude-sonnet-4-20250514", False),
        ("claude-haiku-4-5-20251001", False),
        ("claude-3-5-sonnet-20241022", False),
        ("llama-3.3-70b", False),
        ("onyx-1", False),
    ],
)
def test_known_families_that_refuse_sampling(model: str, refuses: bool) -> None:
    assert bool(refused_by(PRESETS["openrouter"], model)) == refuses
    assert not refused_by(PRESETS["ollama"], model)


def test_a_reasoning_model_told_not_to_reason_takes_a_temperature() -> None:
    preset = PRESETS["openai"].model_copy(update={"extra_body": {"reasoning_effort": "none"}})

    assert refused_by(PRESETS["openai"], "gpt-6-luna") == {"temperature", "top_p"}
    assert not refused_by(preset, "gpt-6-luna")


def test_what_a_draw_leaves_open_is_the_presets() -> None:
    local, hosted = PRESETS["llamacpp"], PRESETS["openai"]

    assert resolve(local, Sampling()) == Sampling(temperature=0.8, max_tokens=1024)
    assert resolve(hosted, Sampling()) == Sampling(max_tokens=16_000)
    asked = Sampling(temperature=0, top_p=0.5, max_tokens=9, seed=4)
    assert resolve(local, asked) == asked


def test_what_is_not_sent_is_named() -> None:
    wanted = draw("claude-opus-5", temperature=0.5, top_p=0.5, seed=3)
    preset = PRESETS["anthropic"]

    request = anthropic.build(to_call(preset, wanted, Terms()))

    assert request.optional == {}
    left_out = dropped(resolve(preset, wanted.sampling), request, Terms())
    assert left_out == ("temperature", "top_p", "seed")


def test_nothing_is_dropped_where_everything_is_sent() -> None:
    wanted = draw(temperature=0.5, top_p=0.5, seed=3, max_tokens=8)
    preset = PRESETS["ollama"]

    request = ollama.build(to_call(preset, wanted, Terms()))

    assert dropped(resolve(preset, wanted.sampling), request, Terms()) == ()


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ApiError(400, TOLD["temperature"], param="temperature"), {"temperature"}),
        (ApiError(400, TOLD["temperature"]), {"temperature"}),
        (ApiError(422, "Extra inputs are not permitted", param="seed"), {"seed"}),
        (ApiError(400, 'Unknown name "seed": Cannot find field.'), {"seed"}),
        (ApiError(400, "`temperature` and `top_p` cannot both be specified"), {"top_p"}),
        (ApiError(400, "x", param="messages"), None),
        (ApiError(400, "temperature is odd", param="messages"), None),
        (ApiError(400, "something else"), None),
        (ApiError(400, "temperatures rise"), None),
        (ApiError(500, TOLD["temperature"]), None),
        (ApiError(400, "seed of a long prompt", about_prompt=True), None),
        (ApiError(400, "temperature: Input should be less than or equal to 1"), None),
        (
            ApiError(
                400,
                "Invalid 'temperature': decimal above maximum value. Expected a value <= 2.",
                param="temperature",
                code="decimal_above_max_value",
            ),
            None,
        ),
        (ApiError(400, "max_completion_tokens is too large: 9. At most 4."), None),
    ],
)
def test_a_refused_parameter_is_left_out(error: ApiError, expected: set[str] | None) -> None:
    request = openai.build(call("openai", temperature=0.8, top_p=0.5, seed=3, max_tokens=9))

    terms = renegotiated(Terms(), request, error)

    assert terms == (None if expected is None else Terms(dropped=frozenset(expected)))


def test_only_what_was_sent_can_be_left_out() -> None:
    request = openai.build(call("openai", max_tokens=9))

    assert renegotiated(Terms(), request, ApiError(400, TOLD["temperature"])) is None


def test_a_refused_limit_goes_by_its_other_name_and_then_not_at_all() -> None:
    preset, wanted = PRESETS["groq"], draw(max_tokens=9)
    first = openai.build(to_call(preset, wanted, Terms()))

    swapped = renegotiated(Terms(), first, ApiError(400, TOLD["max_tokens"], param="max_tokens"))

    assert swapped == Terms(limit_field="max_completion_tokens")
    second = openai.build(to_call(preset, wanted, swapped))
    assert dict(second.body or {})["max_completion_tokens"] == 9
    assert "max_tokens" not in (second.body or {})
    assert dropped(wanted.sampling, second, swapped) == ()
    assert renamed(preset, swapped) == ("max_tokens (sent as max_completion_tokens)",)

    given_up = renegotiated(swapped, second, ApiError(400, "no max_completion_tokens here"))

    assert given_up is not None
    third = openai.build(to_call(preset, wanted, given_up))
    assert set(third.body or {}) == {"model", "messages"}
    assert dropped(wanted.sampling, third, given_up) == ("max_tokens",)
    assert renamed(preset, given_up) == ()


@pytest.mark.parametrize("protocol", [anthropic, ollama])
def test_a_limit_that_must_be_sent_is_not_negotiable(protocol: Any) -> None:
    request = protocol.build(call("ollama", max_tokens=9))

    assert (
        renegotiated(Terms(), request, ApiError(400, "max_tokens: bad", param="max_tokens")) is None
    )


def test_terms_add_up() -> None:
    request = openai.build(call("openai", temperature=0.8, max_tokens=9))
    before = Terms(dropped=frozenset({"seed"}), limit_field="max_tokens")

    after = renegotiated(before, request, ApiError(400, TOLD["temperature"]))

    assert after == Terms(frozenset({"seed", "temperature"}), "max_tokens")
